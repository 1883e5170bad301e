BEGIN TRANSACTION;
CREATE TABLE dpq_accounts (
	number INTEGER NOT NULL, 
	name TEXT NOT NULL, 
	one_row_is TEXT NOT NULL, 
	adjacency TEXT NOT NULL, 
	budget TEXT NOT NULL, 
	limits TEXT NOT NULL, 
	opened TEXT NOT NULL, 
	closed TEXT, 
	PRIMARY KEY (number), 
	UNIQUE (name)
);
INSERT INTO "dpq_accounts" VALUES(1,'pure','person','add_remove','{"kind": "pure", "epsilon": 3.0}','[{"epsilon": "3.0", "delta": "0", "rho": null}]','2026-11-24T02:51:12+00:00',NULL);
INSERT INTO "dpq_accounts" VALUES(2,'approximate','visit','add_remove','{"kind": "approximate", "epsilon": 2.0, "delta": 1e-06}','[{"epsilon": "2.0", "delta": "5E-7", "rho": "0.08343990282286029"}]','2026-11-24T02:51:17+00:00','2026-11-24T02:51:17+00:00');
INSERT INTO "dpq_accounts" VALUES(3,'concentrated','person','substitute','{"kind": "concentrated", "rho": 0.5}','[{"epsilon": null, "delta": "0", "rho": "0.5"}]','2026-11-24T02:51:17+00:00',NULL);
INSERT INTO "dpq_accounts" VALUES(4,'unused','person','add_remove','{"kind": "pure", "epsilon": 1.0}','[{"epsilon": "1.0", "delta": "0", "rho": null}]','2026-11-24T02:51:17+00:00',NULL);
CREATE TABLE dpq_comparisons (
	number INTEGER NOT NULL, 
	account INTEGER NOT NULL, 
	compared TEXT NOT NULL, 
	PRIMARY KEY (number), 
	FOREIGN KEY(account) REFERENCES dpq_accounts (number)
);
CREATE TABLE dpq_files (
	number INTEGER NOT NULL, 
	account INTEGER NOT NULL, 
	fingerprint TEXT NOT NULL, 
	seen TEXT NOT NULL, 
	PRIMARY KEY (number), 
	UNIQUE (account, fingerprint), 
	FOREIGN KEY(account) REFERENCES dpq_accounts (number)
);
INSERT INTO "dpq_files" VALUES(1,1,'f0267633c8d213089a4698401a87fa2a6fb4416447f59139014d0b967881292e','2026-11-24T02:51:17+00:00');
CREATE TABLE dpq_releases (
	number INTEGER NOT NULL, 
	account INTEGER NOT NULL, 
	release_id TEXT NOT NULL, 
	state TEXT NOT NULL, 
	"plan" TEXT NOT NULL, 
	size INTEGER, 
	who TEXT NOT NULL, 
	epsilon TEXT NOT NULL, 
	delta TEXT NOT NULL, 
	rho TEXT, 
	counted_epsilon TEXT NOT NULL, 
	counted_delta TEXT NOT NULL, 
	counted_rho TEXT NOT NULL, 
	charged TEXT NOT NULL, 
	finished TEXT, 
	answer TEXT, 
	PRIMARY KEY (number), 
	UNIQUE (account, release_id), 
	FOREIGN KEY(account) REFERENCES dpq_accounts (number)
);
INSERT INTO "dpq_releases" VALUES(1,1,'answered','answered','{"adjacency": "add_remove", "format": 1, "mechanism": "aq", "options": {}, "privacy": {"epsilon": 0.5, "kind": "pure"}, "quantiles": ["1/2"]}',NULL,'','0.5','0.0','0.03125','0.5','0.0','0.03125','2026-11-24T02:51:17+00:00','2026-11-24T02:51:17+00:00','{"values": [26.0], "guarantee": {"epsilon": 0.5, "delta": 0.0, "rho": 0.03125, "adjacency": "add_remove", "exact": true}, "domain": ["0", "100", "1"], "warnings": [], "notes": [], "version": "0.1.0"}');
INSERT INTO "dpq_releases" VALUES(2,1,'three','answered','{"adjacency": "add_remove", "format": 1, "mechanism": "aq", "options": {}, "privacy": {"epsilon": 0.25, "kind": "pure"}, "quantiles": ["1/4", "1/2", "3/4"]}',NULL,'ada@example.org','0.25','0.0','0.003915216406162048','0.25','0.0','0.003915216406162048','2026-11-24T02:51:17+00:00','2026-11-24T02:51:17+00:00','{"values": [14.0, 44.0, 88.0], "guarantee": {"epsilon": 0.25, "delta": 0.0, "rho": 0.003915216406162048, "adjacency": "add_remove", "exact": true}, "domain": ["0", "100", "1"], "warnings": [], "notes": [], "version": "0.1.0"}');
INSERT INTO "dpq_releases" VALUES(3,1,'column','answered','{"adjacency": "add_remove", "format": 1, "mechanism": "aq", "options": {}, "privacy": {"epsilon": 0.125, "kind": "pure"}, "quantiles": []}',7,'','0.125','0.0','0.0007217014018142273','0.125','0.0','0.0007217014018142273','2026-11-24T02:51:17+00:00','2026-11-24T02:51:17+00:00','{"values": [9.0, 19.0, 37.0, 57.0, 75.0, 93.0, 100.0], "guarantee": {"epsilon": 0.125, "delta": 0.0, "rho": 0.0007217014018142273, "adjacency": "add_remove", "exact": true}, "domain": ["0", "100", "1"], "warnings": [], "notes": [], "version": "0.1.0"}');
INSERT INTO "dpq_releases" VALUES(4,1,'failed','failed','{"adjacency": "add_remove", "format": 1, "mechanism": "aq", "options": {}, "privacy": {"epsilon": 0.75, "kind": "pure"}, "quantiles": ["1/2"]}',NULL,'','0.75','0.0','0.0703125','0.75','0.0','0.0703125','2026-11-24T02:51:17+00:00','2026-11-24T02:51:17+00:00',NULL);
INSERT INTO "dpq_releases" VALUES(5,2,'approximate 1','answered','{"adjacency": "add_remove", "format": 1, "mechanism": "aq", "options": {}, "privacy": {"delta": 1e-07, "epsilon": 0.5, "kind": "approximate"}, "quantiles": ["1/2"]}',NULL,'','0.5','0.0','0.03125','0.5','0.0','0.03125','2026-11-24T02:51:17+00:00','2026-11-24T02:51:17+00:00','{"values": [23.0], "guarantee": {"epsilon": 0.5, "delta": 0.0, "rho": 0.03125, "adjacency": "add_remove", "exact": true}, "domain": ["0", "100", "1"], "warnings": [], "notes": [], "version": "0.1.0"}');
INSERT INTO "dpq_releases" VALUES(6,2,'approximate 2','answered','{"adjacency": "add_remove", "format": 1, "mechanism": "aq", "options": {}, "privacy": {"epsilon": 0.5, "kind": "pure"}, "quantiles": ["1/2"]}',NULL,'','0.5','0.0','0.03125','0.5','0.0','0.03125','2026-11-24T02:51:17+00:00','2026-11-24T02:51:17+00:00','{"values": [24.0], "guarantee": {"epsilon": 0.5, "delta": 0.0, "rho": 0.03125, "adjacency": "add_remove", "exact": true}, "domain": ["0", "100", "1"], "warnings": [], "notes": [], "version": "0.1.0"}');
INSERT INTO "dpq_releases" VALUES(7,3,'zcdp 1','answered','{"adjacency": "substitute", "format": 1, "mechanism": "aq", "options": {}, "privacy": {"kind": "concentrated", "rho": 0.125}, "quantiles": ["1/2"]}',NULL,'','1.0','0.0','0.125','1.0','0.0','0.125','2026-11-24T02:51:17+00:00','2026-11-24T02:51:17+00:00','{"values": [25.0], "guarantee": {"epsilon": 1.0, "delta": 0.0, "rho": 0.125, "adjacency": "substitute", "exact": true}, "domain": ["0", "100", "1"], "warnings": [], "notes": [], "version": "0.1.0"}');
INSERT INTO "dpq_releases" VALUES(8,3,'zcdp 2','answered','{"adjacency": "substitute", "format": 1, "mechanism": "aq", "options": {}, "privacy": {"kind": "concentrated", "rho": 0.0625}, "quantiles": ["1/2"]}',NULL,'','0.7071067811865476','0.0','0.0625','0.7071067811865476','0.0','0.0625','2026-11-24T02:51:17+00:00','2026-11-24T02:51:17+00:00','{"values": [18.0], "guarantee": {"epsilon": 0.7071067811865476, "delta": 0.0, "rho": 0.0625, "adjacency": "substitute", "exact": true}, "domain": ["0", "100", "1"], "warnings": [], "notes": [], "version": "0.1.0"}');
INSERT INTO "dpq_releases" VALUES(9,1,'interrupted','charged','{"adjacency": "add_remove", "format": 1, "mechanism": "aq", "options": {}, "privacy": {"epsilon": 0.25, "kind": "pure"}, "quantiles": ["1/2"]}',NULL,'','0.25','0.0','0.0078125','0.25','0.0','0.0078125','2026-11-24T02:51:17+00:00',NULL,NULL);
CREATE TABLE dpq_version (
	version INTEGER NOT NULL
);
INSERT INTO "dpq_version" VALUES(3);
CREATE INDEX ix_dpq_files_fingerprint ON dpq_files (fingerprint);
CREATE INDEX ix_dpq_comparisons_compared ON dpq_comparisons (compared);
COMMIT;
