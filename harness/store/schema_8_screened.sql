-- The outcome "screened". A CHECK that only grows is changed in place, as section 7 of
-- https://www.sqlite.org/lang_altertable.html allows: no row is touched.
PRAGMA writable_schema = ON;
UPDATE sqlite_schema SET sql = replace(sql, 'IN (''passed'', ''compile_error''',
                                            'IN (''passed'', ''screened'', ''compile_error''')
  WHERE type = 'table' AND name = 'iteration';
PRAGMA writable_schema = RESET;

ALTER TABLE rollup_arm ADD COLUMN screened INTEGER NOT NULL DEFAULT 0;
DROP TRIGGER iteration_counts_for_its_arm;
DROP VIEW v_calibration;

CREATE TRIGGER iteration_counts_for_its_arm AFTER INSERT ON iteration
BEGIN
  INSERT INTO rollup_arm
    SELECT NEW.campaign, NEW.kernel, NEW.workload, c.technique, c.contract_hash, 1, NEW.outcome = 'passed', NEW.wall_s,
           CASE WHEN NEW.outcome = 'passed' THEN NEW.speedup END, NEW.outcome = 'screened'
    FROM candidate c WHERE c.id = NEW.candidate
    ON CONFLICT DO UPDATE SET
      iterations   = iterations + 1,
      passed       = passed + excluded.passed,
      screened     = screened + excluded.screened,
      wall_s       = wall_s + excluded.wall_s,
      best_speedup = max(coalesce(best_speedup, excluded.best_speedup), coalesce(excluded.best_speedup, best_speedup));
END;

CREATE VIEW v_calibration AS
  SELECT campaign, script, device_name, count(speedup_held) AS speedups, avg(speedup_held) AS speedup_share_held,
         count(minutes_held) AS minutes, avg(minutes_held) AS minutes_share_held,
         count(predict_probability) AS probabilities, avg(predict_probability) AS passed_predicted,
         avg(CASE WHEN predict_probability IS NOT NULL THEN outcome IN ('passed', 'screened', 'abandoned') END) AS passed_seen
  FROM v_predictions
  GROUP BY campaign, script, device_name;

-- Trials of gates hold for a kind of device now. Old ones do not say for which: they are made again.
DROP TABLE admission;
DROP TABLE admission_part;
-- A kernel's gates on trial: its mutants must all fail. hash: of its contracts, baseline and mutants, and the version of the gates.
-- device_key: the devices it holds for ("cpu emulation 1"). spot_checked: of a trial made elsewhere, what was tried again here.
CREATE TABLE admission (
  hash          TEXT NOT NULL,
  device_key    TEXT NOT NULL,
  device_name   TEXT NOT NULL,
  kernel        TEXT NOT NULL,
  passed        INTEGER NOT NULL CHECK (passed IN (0, 1)),
  tolerances    TEXT NOT NULL,   -- json array: group, form, output, honest, impostor, tolerance, origin
  mutants       TEXT NOT NULL,   -- json array: name, workload, output, caught_by (empty: it passed), detail
  skipped_forms TEXT NOT NULL,   -- json array of sentences
  problems      TEXT NOT NULL,   -- json array of sentences
  seconds       REAL NOT NULL,
  spot_checked  TEXT NOT NULL,
  decided_unix  REAL NOT NULL,
  PRIMARY KEY (hash, device_key)
) STRICT, WITHOUT ROWID;

-- What trials of a kernel's gates have found, part by part: a trial that is cut short goes on, and one that was made elsewhere
-- (imported, and a person said that it is evidence) is only spot-checked.
CREATE TABLE admission_part (
  hash        TEXT NOT NULL,
  device_key  TEXT NOT NULL,
  kernel      TEXT NOT NULL,
  part        TEXT NOT NULL,
  found       TEXT NOT NULL,   -- json
  imported    INTEGER NOT NULL CHECK (imported IN (0, 1)),
  evidence    INTEGER NOT NULL CHECK (evidence IN (0, 1)),
  PRIMARY KEY (hash, device_key, part, imported)
) STRICT, WITHOUT ROWID;
