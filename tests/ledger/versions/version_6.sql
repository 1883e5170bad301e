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
INSERT INTO "dpq_accounts" VALUES(1,'pure','person','add_remove','{"kind": "pure", "epsilon": 3.0}','[{"epsilon": "3.0", "delta": "0", "rho": null}]','2026-11-26T00:57:27+00:00',NULL);
INSERT INTO "dpq_accounts" VALUES(2,'approximate','visit','add_remove','{"kind": "approximate", "epsilon": 2.0, "delta": 1e-06}','[{"epsilon": "2.0", "delta": "5E-7", "rho": "0.08343990282286029"}]','2026-11-26T00:57:32+00:00','2026-11-26T00:57:33+00:00');
INSERT INTO "dpq_accounts" VALUES(3,'concentrated','person','substitute','{"kind": "concentrated", "rho": 0.5}','[{"epsilon": null, "delta": "0", "rho": "0.5"}]','2026-11-26T00:57:32+00:00',NULL);
INSERT INTO "dpq_accounts" VALUES(4,'unused','person','add_remove','{"kind": "pure", "epsilon": 1.0}','[{"epsilon": "1.0", "delta": "0", "rho": null}]','2026-11-26T00:57:32+00:00',NULL);
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
INSERT INTO "dpq_files" VALUES(1,1,'f0267633c8d213089a4698401a87fa2a6fb4416447f59139014d0b967881292e','2026-11-26T00:57:33+00:00');
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
	words TEXT, 
	place INTEGER NOT NULL, 
	link TEXT NOT NULL, 
	protects TEXT NOT NULL, 
	PRIMARY KEY (number), 
	UNIQUE (account, release_id), 
	FOREIGN KEY(account) REFERENCES dpq_accounts (number)
);
INSERT INTO "dpq_releases" VALUES(1,1,'answered','answered','{"adjacency": "add_remove", "format": 1, "mechanism": "aq", "options": {}, "privacy": {"epsilon": 0.5, "kind": "pure"}, "quantiles": ["1/2"]}',NULL,'','0.5','0.0','0.03114209226115588','0.5','0.0','0.03114209226115588','2026-11-26T00:57:33+00:00','2026-11-26T00:57:33+00:00','{"values": [28.0], "guarantee": {"epsilon": 0.5, "delta": 0.0, "rho": 0.03114209226115588, "adjacency": "add_remove", "exact": true, "protects": "record"}, "domain": {"lower": "0", "upper": "100", "step": "1"}, "warnings": [], "notes": [], "version": "1.0.0"}',NULL,1,'keyed:fef136025c5575136a9b6342369fcb65da0271278f81352ef0bac8d24b1c8482','record');
INSERT INTO "dpq_releases" VALUES(2,1,'three','answered','{"adjacency": "add_remove", "format": 1, "mechanism": "aq", "options": {}, "privacy": {"epsilon": 0.25, "kind": "pure"}, "quantiles": ["1/4", "1/2", "3/4"]}',NULL,'ada@example.org','0.25','0.0','0.007805727720808101','0.25','0.0','0.007805727720808101','2026-11-26T00:57:33+00:00','2026-11-26T00:57:33+00:00','{"values": [10.0, 19.0, 38.0], "guarantee": {"epsilon": 0.25, "delta": 0.0, "rho": 0.007805727720808101, "adjacency": "add_remove", "exact": true, "protects": "record"}, "domain": {"lower": "0", "upper": "100", "step": "1"}, "warnings": [], "notes": [], "version": "1.0.0"}',NULL,2,'keyed:2ac7c40215d6be2c5372ac0c21641d6680f0c979d91f8d06856003487e445664','record');
INSERT INTO "dpq_releases" VALUES(3,1,'column','answered','{"adjacency": "add_remove", "format": 1, "mechanism": "aq", "options": {}, "privacy": {"epsilon": 0.125, "kind": "pure"}, "quantiles": []}',7,'','0.125','0.0','0.0019527012918648119','0.125','0.0','0.0019527012918648119','2026-11-26T00:57:33+00:00','2026-11-26T00:57:33+00:00','{"values": [6.0, 22.0, 29.0, 33.0, 68.0, 84.0, 89.0], "guarantee": {"epsilon": 0.125, "delta": 0.0, "rho": 0.0019527012918648119, "adjacency": "add_remove", "exact": true, "protects": "record"}, "domain": {"lower": "0", "upper": "100", "step": "1"}, "warnings": [], "notes": [], "version": "1.0.0"}',NULL,3,'keyed:ce8f14eb4af44e473ded04ddf912277966a8ca067f29923ff2c1238dd0ad9b20','record');
INSERT INTO "dpq_releases" VALUES(4,1,'failed','failed','{"adjacency": "add_remove", "format": 1, "mechanism": "aq", "options": {}, "privacy": {"epsilon": 0.75, "kind": "pure"}, "quantiles": ["1/2"]}',NULL,'','0.75','0.0','0.06976995821318463','0.75','0.0','0.06976995821318463','2026-11-26T00:57:33+00:00','2026-11-26T00:57:33+00:00',NULL,NULL,4,'keyed:9accc241eb0738be590cd04c860c73261d966ab904c9c33f6a6a276c2f43aece','record');
INSERT INTO "dpq_releases" VALUES(5,2,'approximate 1','answered','{"adjacency": "add_remove", "format": 1, "mechanism": "aq", "options": {}, "privacy": {"delta": 1e-07, "epsilon": 0.5, "kind": "approximate"}, "quantiles": ["1/2"]}',NULL,'','0.5','0.0','0.03114209226115588','0.5','0.0','0.03114209226115588','2026-11-26T00:57:33+00:00','2026-11-26T00:57:33+00:00','{"values": [24.0], "guarantee": {"epsilon": 0.5, "delta": 0.0, "rho": 0.03114209226115588, "adjacency": "add_remove", "exact": true, "protects": "record"}, "domain": {"lower": "0", "upper": "100", "step": "1"}, "warnings": [], "notes": [], "version": "1.0.0"}',NULL,1,'keyed:4afb35108e2505bcc2b05c2596635d3c7dd3fecfc9b6227a62c65b5a2b1d1267','record');
INSERT INTO "dpq_releases" VALUES(6,2,'approximate 2','answered','{"adjacency": "add_remove", "format": 1, "mechanism": "aq", "options": {}, "privacy": {"epsilon": 0.5, "kind": "pure"}, "quantiles": ["1/2"]}',NULL,'','0.5','0.0','0.03114209226115588','0.5','0.0','0.03114209226115588','2026-11-26T00:57:33+00:00','2026-11-26T00:57:33+00:00','{"values": [25.0], "guarantee": {"epsilon": 0.5, "delta": 0.0, "rho": 0.03114209226115588, "adjacency": "add_remove", "exact": true, "protects": "record"}, "domain": {"lower": "0", "upper": "100", "step": "1"}, "warnings": [], "notes": [], "version": "1.0.0"}',NULL,2,'keyed:47ff6f18d45cfd95af2e3caa13d689e8c76436fb6c3ceb5346e441a8935a99f7','record');
INSERT INTO "dpq_releases" VALUES(7,3,'zcdp 1','answered','{"adjacency": "substitute", "format": 1, "mechanism": "aq", "options": {}, "privacy": {"kind": "concentrated", "rho": 0.125}, "quantiles": ["1/2"]}',NULL,'','1.006958512146837','0.0','0.12499999999794256','1.006958512146837','0.0','0.12499999999794256','2026-11-26T00:57:33+00:00','2026-11-26T00:57:33+00:00','{"values": [26.0], "guarantee": {"epsilon": 1.006958512146837, "delta": 0.0, "rho": 0.12499999999794256, "adjacency": "substitute", "exact": true, "protects": "record"}, "domain": {"lower": "0", "upper": "100", "step": "1"}, "warnings": [], "notes": [], "version": "1.0.0"}',NULL,1,'keyed:e09b609d18f593cf307e078cdfe9bbb2bd3604afbb5bce6c6dda355abbd0a0db','record');
INSERT INTO "dpq_releases" VALUES(8,3,'zcdp 2','answered','{"adjacency": "substitute", "format": 1, "mechanism": "aq", "options": {}, "privacy": {"kind": "concentrated", "rho": 0.0625}, "quantiles": ["1/2"]}',NULL,'','0.7095645352819213','0.0','0.06249999999840946','0.7095645352819213','0.0','0.06249999999840946','2026-11-26T00:57:33+00:00','2026-11-26T00:57:33+00:00','{"values": [25.0], "guarantee": {"epsilon": 0.7095645352819213, "delta": 0.0, "rho": 0.06249999999840946, "adjacency": "substitute", "exact": true, "protects": "record"}, "domain": {"lower": "0", "upper": "100", "step": "1"}, "warnings": [], "notes": [], "version": "1.0.0"}',NULL,2,'keyed:1f8740fdc91faec802a065c21ed56a3efc104889c28de19ce15562078ddf9851','record');
INSERT INTO "dpq_releases" VALUES(9,1,'interrupted','charged','{"adjacency": "add_remove", "format": 1, "mechanism": "aq", "options": {}, "privacy": {"epsilon": 0.25, "kind": "pure"}, "quantiles": ["1/2"]}',NULL,'','0.25','0.0','0.007805727720808101','0.25','0.0','0.007805727720808101','2026-11-26T00:57:33+00:00',NULL,NULL,NULL,5,'keyed:a58d6dc48f501539c8e3ad6f38fcc9da9a720a3d15285ebb2be3cd757af0f8f1','record');
CREATE TABLE dpq_version (
	version INTEGER NOT NULL, 
	ledger TEXT NOT NULL
);
INSERT INTO "dpq_version" VALUES(6,'570c6304a9f243b89a5d494d36cde5d8');
CREATE UNIQUE INDEX dpq_releases_place ON dpq_releases (account, place);
CREATE INDEX ix_dpq_files_fingerprint ON dpq_files (fingerprint);
CREATE INDEX ix_dpq_comparisons_compared ON dpq_comparisons (compared);
COMMIT;
