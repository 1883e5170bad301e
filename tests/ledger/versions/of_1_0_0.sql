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
INSERT INTO "dpq_accounts" VALUES(1,'rows','row','add_remove','{"kind": "approximate", "epsilon": 30.0, "delta": 0.001}','[{"epsilon": "30.0", "delta": "0.0005", "rho": "12.262772944925953"}]','2026-11-28T00:52:51+00:00',NULL);
INSERT INTO "dpq_accounts" VALUES(2,'replaced','row','substitute','{"kind": "concentrated", "rho": 2.0}','[{"epsilon": null, "delta": "0", "rho": "2.0"}]','2026-11-28T00:52:51+00:00',NULL);
INSERT INTO "dpq_accounts" VALUES(3,'people','patient with all rows','add_remove','{"kind": "pure", "epsilon": 30.0}','[{"epsilon": "30.0", "delta": "0", "rho": null}]','2026-11-28T00:52:51+00:00',NULL);
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
INSERT INTO "dpq_releases" VALUES(1,1,'one','answered','{"adjacency": "add_remove", "format": 1, "mechanism": "aq", "options": {}, "privacy": {"epsilon": 1.0, "kind": "pure"}, "quantiles": ["1/4", "1/2"]}',NULL,'','1.0','0.0','0.12330156148224454','1.0','0.0','0.12330156148224454','2026-11-28T00:52:51+00:00','2026-11-28T00:52:51+00:00','{"values": [35.0, 54.0], "guarantee": {"epsilon": 1.0, "delta": 0.0, "rho": 0.12330156148224454, "adjacency": "add_remove", "exact": true, "protects": "record"}, "domain": {"lower": "17", "upper": "91", "step": "1"}, "warnings": [], "notes": [], "version": "1.0.0"}',NULL,1,'keyed:a9e823faf9b942a91c756c2d55c142ef64ec5395f9faa96fe607d90c6f43932a','record');
INSERT INTO "dpq_releases" VALUES(2,1,'slices','answered','{"adjacency": "add_remove", "format": 1, "mechanism": "slice", "options": {}, "privacy": {"delta": 1e-05, "epsilon": 4.0, "kind": "approximate"}, "quantiles": ["1/2"]}',NULL,'','4.0','0.0','8.0','4.0','0.0','8.0','2026-11-28T00:52:51+00:00','2026-11-28T00:52:51+00:00','{"values": [53.0], "guarantee": {"epsilon": 4.0, "delta": 0.0, "rho": 8.0, "adjacency": "add_remove", "exact": true, "protects": "record"}, "domain": {"lower": "17", "upper": "91", "step": "1"}, "warnings": [], "notes": [], "version": "1.0.0"}',NULL,2,'keyed:cd9fb6bcb3c87b1a0d9a8a839a13fc570343248ca325a5cec7410e9b3a8fff05','record');
INSERT INTO "dpq_releases" VALUES(3,2,'replaced','answered','{"adjacency": "substitute", "format": 1, "mechanism": "aq", "options": {}, "privacy": {"kind": "concentrated", "rho": 0.25}, "quantiles": ["1/4", "1/2"]}',NULL,'','1.523917317539493','0.0','0.24999999999585668','1.523917317539493','0.0','0.24999999999585668','2026-11-28T00:52:51+00:00','2026-11-28T00:52:51+00:00','{"values": [35.0, 54.0], "guarantee": {"epsilon": 1.523917317539493, "delta": 0.0, "rho": 0.24999999999585668, "adjacency": "substitute", "exact": true, "protects": "record"}, "domain": {"lower": "17", "upper": "91", "step": "1"}, "warnings": [], "notes": [], "version": "1.0.0"}',NULL,1,'keyed:a1daef9c910009ad2d86b1230249a5557eea188b9cc7dc2041fbfae5fd1907b2','record');
INSERT INTO "dpq_releases" VALUES(4,1,'intervals','answered','{"about_n": 300, "adjacency": "add_remove", "format": 1, "intervals": {"chance": 0.9, "of": "data", "proved": false, "together": false}, "mechanism": "aq", "options": {}, "privacy": {"epsilon": 1.0, "kind": "pure"}, "quantiles": ["1/2"]}',NULL,'','1.0','0.0','0.12330156148224454','1.0','0.0','0.12330156148224454','2026-11-28T00:52:52+00:00','2026-11-28T00:52:52+00:00','{"values": [53.0], "guarantee": {"epsilon": 1.0, "delta": 0.0, "rho": 0.12330156148224454, "adjacency": "add_remove", "exact": true, "protects": "record"}, "domain": {"lower": "17", "upper": "91", "step": "1"}, "warnings": [], "notes": [], "version": "1.0.0", "intervals": [[50.0, 57.0]], "basis": {"proved": false, "sentences": ["Each interval is for the true quantile of these records.", "Each holds with a chance of 90 %: approximate, from simulations of the mechanism on public shapes, the hardest that are known among them.", "There are taken to be 300 records or more; with fewer they hold less often."]}}',NULL,3,'keyed:12a6a82cbfad7fa5e4bb464d3673ed9d9e6840a150253db5fcbbd8e6cdecb823','record');
INSERT INTO "dpq_releases" VALUES(5,1,'counted','answered','{"about_n": "noisy", "adjacency": "add_remove", "format": 1, "intervals": {"chance": 0.9, "of": "data", "proved": false, "together": false}, "mechanism": "binhist", "options": {}, "privacy": {"epsilon": 1.0, "kind": "pure"}, "quantiles": ["1/2"]}',NULL,'','1.0','0.0','0.4621171572600229','1.0','0.0','0.4621171572600229','2026-11-28T00:52:52+00:00','2026-11-28T00:52:52+00:00','{"values": [53.0], "guarantee": {"epsilon": 1.0, "delta": 0.0, "rho": 0.4621171572600229, "adjacency": "add_remove", "exact": true, "protects": "record"}, "domain": {"lower": "17", "upper": "91", "step": "1"}, "warnings": [], "notes": [], "version": "1.0.0", "intervals": [[52.0, 55.0]], "basis": {"proved": false, "sentences": ["Each interval is for the true quantile of these records.", "Each holds with a chance of 90 %: approximate, from what the noise does to sums of counts.", "Nothing is assumed about the number of records."]}}',NULL,4,'keyed:9f6a8e2abfd27d5846532a578d7df096eb178d75a59bf3b6396b3f62eca79730','record');
INSERT INTO "dpq_releases" VALUES(6,1,'digits','answered','{"adjacency": "add_remove", "format": 1, "mechanism": "aq", "options": {}, "privacy": {"epsilon": 1.0, "kind": "pure"}, "quantiles": ["1/4", "1/2"]}',NULL,'','1.0','0.0','0.12330156148224454','1.0','0.0','0.12330156148224454','2026-11-28T00:52:52+00:00','2026-11-28T00:52:52+00:00','{"values": [35.0, 53.0], "guarantee": {"epsilon": 1.0, "delta": 0.0, "rho": 0.12330156148224454, "adjacency": "add_remove", "exact": true, "protects": "record"}, "domain": {"digits": 2, "smallest": "1/1000000", "largest": "1000000000000000", "negative": true}, "warnings": [], "notes": [], "version": "1.0.0"}',NULL,5,'keyed:1fad9e7258f3bf7e2aea4dc3c4ea19e04cc4f6c6e01b6a4c565833c9a74db3e8','record');
INSERT INTO "dpq_releases" VALUES(7,1,'found bounds','answered','{"adjacency": "add_remove", "format": 1, "mechanism": "aq", "options": {}, "privacy": {"epsilon": 1.0, "kind": "pure"}, "quantiles": ["1/4", "1/2"]}',NULL,'','1.0','0.0','0.10513104811361108','1.0','0.0','0.10513104811361108','2026-11-28T00:52:52+00:00','2026-11-28T00:52:52+00:00','{"values": [35.55111118209, 53.69417782466], "guarantee": {"epsilon": 1.0, "delta": 0.0, "rho": 0.10513104811361108, "adjacency": "add_remove", "exact": true, "protects": "record"}, "domain": {"lower": "-1/1000000", "upper": "90", "step": "1/100000000000"}, "warnings": ["The bounds -1e-06 and 90 were found from 10 % of the budget. Hardly any record should lie beyond them; what does counts as the nearest bound, and so do the quantiles there."], "notes": [], "version": "1.0.0", "find_bounds": {"share": "1/10", "smallest": "1/1000000", "largest": "1000000000000000", "negative": true, "step": null}}',NULL,6,'keyed:6f2abe6fa1b7e8e6cfe7a35a31b4092b27dd1067c212e6b93712af8effc1d4b5','record');
INSERT INTO "dpq_releases" VALUES(8,1,'synthetic','answered','{"adjacency": "add_remove", "format": 1, "mechanism": "aq", "options": {}, "privacy": {"epsilon": 1.0, "kind": "pure"}, "quantiles": ["1/4", "1/2"]}',5,'','1.0','0.0','0.12330156148224454','1.0','0.0','0.12330156148224454','2026-11-28T00:52:52+00:00','2026-11-28T00:52:52+00:00','{"values": [24.0, 39.0, 53.0, 68.0, 82.0], "guarantee": {"epsilon": 1.0, "delta": 0.0, "rho": 0.12330156148224454, "adjacency": "add_remove", "exact": true, "protects": "record"}, "domain": {"lower": "17", "upper": "91", "step": "1"}, "warnings": [], "notes": [], "version": "1.0.0"}',NULL,7,'keyed:b9074fc18d1771d4842c7aef3e01085f2bf9fb9ae6d9b81176a26ee0524dd591','record');
INSERT INTO "dpq_releases" VALUES(9,1,'columns','answered','{"columns": [{"name": "age", "plan": {"adjacency": "add_remove", "format": 1, "mechanism": "aq", "options": {}, "privacy": {"epsilon": 1.0, "kind": "pure"}, "quantiles": ["1/4", "1/2"]}, "weight": "1"}, {"name": "again", "plan": {"adjacency": "add_remove", "format": 1, "mechanism": "aq", "options": {}, "privacy": {"epsilon": 1.0, "kind": "pure"}, "quantiles": ["1/4", "1/2"]}, "weight": "1"}]}',NULL,'','1.0','0.0','0.06228418452231176','1.0','0.0','0.06228418452231176','2026-11-28T00:52:52+00:00','2026-11-28T00:52:52+00:00','{"columns": {"age": {"values": [34.0, 53.0], "guarantee": {"epsilon": 0.5, "delta": 0.0, "rho": 0.03114209226115588, "adjacency": "add_remove", "exact": true, "protects": "record"}, "domain": {"lower": "17", "upper": "91", "step": "1"}, "warnings": [], "notes": [], "version": "1.0.0", "plan": {"format": 1, "quantiles": ["1/4", "1/2"], "mechanism": "aq", "privacy": {"kind": "pure", "epsilon": 0.5}, "adjacency": "add_remove", "options": {}}}, "again": {"values": [35.0, 52.0], "guarantee": {"epsilon": 0.5, "delta": 0.0, "rho": 0.03114209226115588, "adjacency": "add_remove", "exact": true, "protects": "record"}, "domain": {"lower": "17", "upper": "91", "step": "1"}, "warnings": [], "notes": [], "version": "1.0.0", "plan": {"format": 1, "quantiles": ["1/4", "1/2"], "mechanism": "aq", "privacy": {"kind": "pure", "epsilon": 0.5}, "adjacency": "add_remove", "options": {}}}}, "guarantee": {"epsilon": 1.0, "delta": 0.0, "rho": 0.06228418452231176, "adjacency": "add_remove", "exact": true, "protects": "record"}, "version": "1.0.0"}',NULL,8,'keyed:cc19a1c4ceaba6aae866831e93140e39978f7dc30ed40f39e17ac0159c486889','record');
INSERT INTO "dpq_releases" VALUES(10,1,'groups','answered','{"adjacency": "add_remove", "format": 1, "mechanism": "aq", "options": {}, "privacy": {"epsilon": 1.0, "kind": "pure"}, "quantiles": ["1/4", "1/2"]}',NULL,'','1.0','0.0','0.12330156148224454','1.0','0.0','0.12330156148224454','2026-11-28T00:52:52+00:00','2026-11-28T00:52:52+00:00','{"groups": ["north", "nowhere"], "values": [[36.0, 55.0], [22.0, 56.0]], "guarantee": {"epsilon": 1.0, "delta": 0.0, "rho": 0.12330156148224454, "adjacency": "add_remove", "exact": true, "protects": "record"}, "domain": {"lower": "17", "upper": "91", "step": "1"}, "warnings": [], "notes": [], "version": "1.0.0"}',NULL,9,'keyed:d7bdd28108ea4fdf4c9347481edb7945326d6eca518de3c7711ecd4ec391612c','record');
INSERT INTO "dpq_releases" VALUES(11,1,'found groups','answered','{"adjacency": "add_remove", "format": 1, "mechanism": "indexp", "options": {}, "privacy": {"delta": 1e-05, "epsilon": 1.0, "kind": "approximate"}, "quantiles": ["1/2"]}',NULL,'','1.0','0.00001',NULL,'1.0','0.00001','0.50','2026-11-28T00:52:52+00:00','2026-11-28T00:52:52+00:00','{"groups": ["east", "north", "south"], "values": [[54.0], [54.0], [54.0]], "guarantee": {"epsilon": 1.0, "delta": 1e-05, "rho": null, "adjacency": "add_remove", "exact": true, "protects": "record"}, "domain": {"lower": "17", "upper": "91", "step": "1"}, "warnings": [], "notes": [], "version": "1.0.0"}',NULL,10,'keyed:ee8c10ca05a9c143e615335f74f7d990359ff32ac6ccf706c9777071d70a4cb4','record');
INSERT INTO "dpq_releases" VALUES(12,2,'fixed groups','answered','{"adjacency": "substitute", "format": 1, "mechanism": "aq", "options": {}, "privacy": {"kind": "concentrated", "rho": 0.25}, "quantiles": ["1/4", "1/2"]}',NULL,'','1.523917317539493','0.0','0.24999999999585668','1.523917317539493','0.0','0.24999999999585668','2026-11-28T00:52:52+00:00','2026-11-28T00:52:52+00:00','{"groups": ["north", "south", "east"], "values": [[35.0, 53.0], [35.0, 53.0], [37.0, 53.0]], "guarantee": {"epsilon": 1.523917317539493, "delta": 0.0, "rho": 0.24999999999585668, "adjacency": "substitute", "exact": true, "protects": "record"}, "domain": {"lower": "17", "upper": "91", "step": "1"}, "warnings": [], "notes": [], "version": "1.0.0"}',NULL,2,'keyed:e0fd1dc7dd9fb11579d88ca232630b9dc0a45b0ef02bf7b60da1ad38df021ad1','record');
INSERT INTO "dpq_releases" VALUES(13,3,'mean','answered','{"adjacency": "add_remove", "format": 1, "mechanism": "aq", "options": {}, "privacy": {"epsilon": 1.0, "kind": "pure"}, "quantiles": ["1/4", "1/2"]}',NULL,'','1.0','0.0','0.12330156148224454','1.0','0.0','0.12330156148224454','2026-11-28T00:52:52+00:00','2026-11-28T00:52:52+00:00','{"values": [36.0, 53.0], "guarantee": {"epsilon": 1.0, "delta": 0.0, "rho": 0.12330156148224454, "adjacency": "add_remove", "exact": true, "protects": "person"}, "domain": {"lower": "17", "upper": "91", "step": "1"}, "warnings": [], "notes": [], "version": "1.0.0"}',NULL,1,'keyed:3be3c24eabd141b51bc78c9ca399875907f1bb9598bd220f73be621fd389d473','person');
INSERT INTO "dpq_releases" VALUES(14,3,'share','answered','{"adjacency": "add_remove", "format": 1, "mechanism": "aq", "options": {}, "privacy": {"epsilon": 1.0, "kind": "pure"}, "quantiles": ["1/4", "1/2"]}',NULL,'','1.0','0.0','0.12330156148224454','1.0','0.0','0.12330156148224454','2026-11-28T00:52:52+00:00','2026-11-28T00:52:52+00:00','{"values": [36.0, 54.0], "guarantee": {"epsilon": 1.0, "delta": 0.0, "rho": 0.12330156148224454, "adjacency": "add_remove", "exact": true, "protects": "person"}, "domain": {"lower": "17", "upper": "91", "step": "1"}, "warnings": [], "notes": [], "version": "1.0.0"}',NULL,2,'keyed:56796919955845a21a4d5a510e06c1420dd870e7bcc574471aba406d132df868','person');
INSERT INTO "dpq_releases" VALUES(15,3,'several rows','answered','{"adjacency": "add_remove", "format": 1, "mechanism": "aq", "options": {}, "privacy": {"epsilon": 1.0, "kind": "pure"}, "quantiles": ["1/4", "1/2"]}',NULL,'','1.0','0.0','0.12456836904462353','1.0','0.0','0.12456836904462353','2026-11-28T00:52:52+00:00','2026-11-28T00:52:52+00:00','{"values": [35.0, 54.0], "guarantee": {"epsilon": 1.0, "delta": 0.0, "rho": 0.12456836904462353, "adjacency": "add_remove", "exact": true, "protects": "person"}, "domain": {"lower": "17", "upper": "91", "step": "1"}, "warnings": [], "notes": [], "version": "1.0.0"}',NULL,3,'keyed:afa6e209e3f8db5efd6733ffc2eea503b03173a3a033b426c1062c1422136457','person');
INSERT INTO "dpq_releases" VALUES(16,3,'groups of persons','answered','{"adjacency": "add_remove", "format": 1, "mechanism": "aq", "options": {}, "privacy": {"epsilon": 1.0, "kind": "pure"}, "quantiles": ["1/4", "1/2"]}',NULL,'','1.0','0.0','0.06228418452231176','1.0','0.0','0.06228418452231176','2026-11-28T00:52:52+00:00','2026-11-28T00:52:52+00:00','{"groups": ["north", "south"], "values": [[36.0, 55.0], [36.0, 52.0]], "guarantee": {"epsilon": 1.0, "delta": 0.0, "rho": 0.06228418452231176, "adjacency": "add_remove", "exact": true, "protects": "person"}, "domain": {"lower": "17", "upper": "91", "step": "1"}, "warnings": [], "notes": [], "version": "1.0.0"}',NULL,4,'keyed:3d604a617b687a6ae4ccb082de5535382c781801a9158762e5a5f7ccf2448b2b','person');
CREATE TABLE dpq_version (
	version INTEGER NOT NULL, 
	ledger TEXT NOT NULL
);
INSERT INTO "dpq_version" VALUES(6,'e4500e2ccb93429eb4e4a5de93463f5d');
CREATE UNIQUE INDEX dpq_releases_place ON dpq_releases (account, place);
CREATE INDEX ix_dpq_files_fingerprint ON dpq_files (fingerprint);
CREATE INDEX ix_dpq_comparisons_compared ON dpq_comparisons (compared);
COMMIT;
