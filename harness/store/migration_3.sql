-- From version 2 to 3: the trial of a kernel's gates, measured peaks, gates that could not be checked, and a `best` of
-- confirmed results only.
ALTER TABLE gate_result ADD COLUMN checked INTEGER NOT NULL DEFAULT 1 CHECK (checked IN (0, 1));
CREATE INDEX iteration_by_fingerprint ON iteration(kernel, fingerprint) WHERE fingerprint <> '';

-- A kernel's gates on trial: its mutants must all fail. hash: of its contracts, baseline and mutants, and the version of the gates.
CREATE TABLE admission (
  hash          TEXT NOT NULL,
  device_name   TEXT NOT NULL,
  kernel        TEXT NOT NULL,
  passed        INTEGER NOT NULL CHECK (passed IN (0, 1)),
  tolerances    TEXT NOT NULL,   -- json array: group, form, output, honest, impostor, tolerance, origin
  mutants       TEXT NOT NULL,   -- json array: name, workload, output, caught_by (empty: it passed), detail
  skipped_forms TEXT NOT NULL,   -- json array of sentences
  problems      TEXT NOT NULL,   -- json array of sentences
  seconds       REAL NOT NULL,
  decided_unix  REAL NOT NULL,
  PRIMARY KEY (hash, device_name)
) STRICT, WITHOUT ROWID;

-- What a device was measured to reach when it was first seen with a driver, beside its theoretical peaks at the highest clock.
CREATE TABLE device_peak (
  device_name   TEXT NOT NULL,
  driver        TEXT NOT NULL,
  theoretical   TEXT NOT NULL,   -- json: bytes_per_s, flops by type, exps_per_s
  measured      TEXT NOT NULL,   -- json: bytes_per_s, l2_bytes_per_s, flops by type, exps_per_s, launch_ns
  measured_unix REAL NOT NULL,
  PRIMARY KEY (device_name, driver)
) STRICT, WITHOUT ROWID;

DROP VIEW v_best;
CREATE VIEW v_best AS
  WITH dated AS (
    SELECT b.*, max(i.ended_unix) OVER (PARTITION BY b.kernel, b.workload, b.device_name, b.contract_hash) AS newest
    FROM rollup_best b JOIN iteration i ON i.id = b.iteration WHERE b.confirmed = 1),
  chosen AS (
    SELECT kernel, workload, device_name, iteration,
           row_number() OVER (PARTITION BY kernel, workload, device_name ORDER BY newest DESC, contract_hash) AS place
    FROM dated)
  SELECT b.kernel, b.workload, b.device_name, c.variant, c.technique, c.config, i.time_ns, i.time_lo_ns, i.time_hi_ns,
         i.baseline_ns, i.speedup, i.speedup_lo, i.speedup_hi, i.floor_ns, i.floor_ns / i.time_ns AS of_floor, i.confirmed,
         i.emulation, i.id AS iteration, i.campaign, p.device, c.contract_hash, c.source_hash,
         strftime('%Y-%m-%d %H:%M:%S', i.ended_unix, 'unixepoch') AS ended
  FROM chosen b
  JOIN iteration i ON i.id = b.iteration
  JOIN candidate c ON c.id = i.candidate
  JOIN campaign p ON p.id = i.campaign
  WHERE b.place = 1;
