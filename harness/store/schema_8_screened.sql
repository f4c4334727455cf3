-- The outcome "screened". A CHECK that only grows is changed in place, as section 7 of
-- https://www.sqlite.org/lang_altertable.html allows: no row is touched.
PRAGMA writable_schema = ON;
UPDATE sqlite_schema SET sql = replace(sql, 'IN (''passed'', ''compile_error''',
                                            'IN (''passed'', ''screened'', ''compile_error''')
  WHERE type = 'table' AND name = 'iteration';
PRAGMA writable_schema = RESET;

ALTER TABLE attempt ADD COLUMN budget_left_s REAL;
ALTER TABLE attempt ADD COLUMN label TEXT;
ALTER TABLE attempt ADD COLUMN parent TEXT;
ALTER TABLE rollup_arm ADD COLUMN screened INTEGER NOT NULL DEFAULT 0;
DROP TRIGGER iteration_counts_for_its_arm;
DROP VIEW v_calibration;

CREATE TRIGGER iteration_counts_for_its_arm AFTER INSERT ON iteration
BEGIN
  INSERT INTO rollup_arm
    SELECT NEW.campaign, NEW.kernel, NEW.workload, c.technique, c.contract_hash, 1, NEW.outcome = 'passed', NEW.wall_s,
           CASE WHEN NEW.outcome = 'passed' THEN NEW.speedup END, NEW.outcome = 'screened'
    FROM candidate c WHERE c.id = NEW.candidate
      AND NOT EXISTS (SELECT 1 FROM attempt a WHERE a.id = NEW.attempt AND a.parent IS NOT NULL)   -- an edit is no such evidence
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

-- What is not confirmed is listed as such; a rival is no best of ours.
DROP TRIGGER iteration_keeps_best;
DROP TRIGGER refuted_loses_best;
DROP TRIGGER campaign_becomes_evidence;
DROP VIEW v_best;
DELETE FROM rollup_best WHERE confirmed = 0;
INSERT INTO rollup_best
  SELECT kernel, workload, device_name, contract_hash, 0, id, time_ns FROM (
    SELECT i.kernel, i.workload, p.device_name, c.contract_hash, i.id, i.time_ns,
           row_number() OVER (PARTITION BY i.kernel, i.workload, p.device_name, c.contract_hash ORDER BY i.time_ns, i.id) AS place
    FROM iteration i JOIN candidate c ON c.id = i.candidate JOIN campaign p ON p.id = i.campaign AND p.evidence = 1
    WHERE i.outcome = 'passed' AND i.confirmed = 0 AND i.time_ns IS NOT NULL AND i.purpose <> 'rival'
      AND NOT EXISTS (SELECT 1 FROM refuted r WHERE r.candidate = i.candidate AND r.workload = i.workload
                                                AND r.device_name = p.device_name))
  WHERE place = 1;

CREATE TRIGGER iteration_keeps_best AFTER INSERT ON iteration
WHEN NEW.outcome = 'passed' AND NEW.time_ns IS NOT NULL AND NEW.purpose <> 'rival'
BEGIN
  INSERT INTO rollup_best
    SELECT NEW.kernel, NEW.workload, p.device_name, c.contract_hash, NEW.confirmed, NEW.id, NEW.time_ns
    FROM candidate c, campaign p
    WHERE c.id = NEW.candidate AND p.id = NEW.campaign AND p.evidence = 1
      AND NOT EXISTS (SELECT 1 FROM refuted r WHERE r.candidate = NEW.candidate AND r.workload = NEW.workload
                                                AND r.device_name = p.device_name)
    ON CONFLICT DO UPDATE SET iteration = excluded.iteration, time_ns = excluded.time_ns WHERE excluded.time_ns < time_ns;
END;

CREATE TRIGGER refuted_loses_best AFTER INSERT ON refuted
WHEN EXISTS (SELECT 1 FROM rollup_best b JOIN iteration i ON i.id = b.iteration
             WHERE b.kernel = (SELECT kernel FROM candidate WHERE id = NEW.candidate) AND b.workload = NEW.workload
               AND b.device_name = NEW.device_name AND i.candidate = NEW.candidate)
BEGIN
  DELETE FROM rollup_best
    WHERE (kernel, contract_hash) = (SELECT kernel, contract_hash FROM candidate WHERE id = NEW.candidate)
      AND workload = NEW.workload AND device_name = NEW.device_name;
  INSERT INTO rollup_best
    SELECT kernel, workload, device_name, contract_hash, confirmed, id, time_ns FROM (
      SELECT i.kernel, i.workload, p.device_name, c.contract_hash, i.confirmed, i.id, i.time_ns,
             row_number() OVER (PARTITION BY i.confirmed ORDER BY i.time_ns, i.id) AS place
      FROM candidate me
      JOIN iteration i ON i.kernel = me.kernel
      JOIN candidate c ON c.id = i.candidate AND c.contract_hash = me.contract_hash
      JOIN campaign p ON p.id = i.campaign AND p.evidence = 1
      WHERE me.id = NEW.candidate AND i.workload = NEW.workload AND p.device_name = NEW.device_name
        AND i.outcome = 'passed' AND i.time_ns IS NOT NULL AND i.purpose <> 'rival'
        AND NOT EXISTS (SELECT 1 FROM refuted r WHERE r.candidate = i.candidate AND r.workload = i.workload
                                                  AND r.device_name = p.device_name))
    WHERE place = 1;
END;

CREATE TRIGGER campaign_becomes_evidence AFTER UPDATE OF evidence ON campaign
WHEN NEW.evidence = 1 AND OLD.evidence = 0
BEGIN
  INSERT OR IGNORE INTO refuted
    SELECT candidate, workload, NEW.device_name, min(id) FROM iteration
    WHERE campaign = NEW.id AND outcome IN ('wrong_answer', 'rejected') GROUP BY candidate, workload;
  INSERT INTO rollup_best
    SELECT kernel, workload, NEW.device_name, contract_hash, confirmed, id, time_ns FROM (
      SELECT i.kernel, i.workload, c.contract_hash, i.confirmed, i.id, i.time_ns,
             row_number() OVER (PARTITION BY i.kernel, i.workload, c.contract_hash, i.confirmed
                                ORDER BY i.time_ns, i.id) AS place
      FROM iteration i JOIN candidate c ON c.id = i.candidate
      WHERE i.campaign = NEW.id AND i.outcome = 'passed' AND i.time_ns IS NOT NULL AND i.purpose <> 'rival'
        AND NOT EXISTS (SELECT 1 FROM refuted r WHERE r.candidate = i.candidate AND r.workload = i.workload
                                                  AND r.device_name = NEW.device_name))
    WHERE place = 1
    ON CONFLICT DO UPDATE SET iteration = excluded.iteration, time_ns = excluded.time_ns WHERE excluded.time_ns < time_ns;
END;

CREATE VIEW v_best AS
  WITH dated AS (
    SELECT b.*, max(i.ended_unix) OVER (PARTITION BY b.kernel, b.workload, b.device_name, b.contract_hash) AS newest
    FROM rollup_best b JOIN iteration i ON i.id = b.iteration),
  chosen AS (
    SELECT kernel, workload, device_name, iteration,
           row_number() OVER (PARTITION BY kernel, workload, device_name ORDER BY newest DESC, contract_hash, confirmed DESC) AS place
    FROM dated)
  SELECT b.kernel, b.workload, b.device_name, c.variant, c.technique, c.config, i.time_ns, i.time_lo_ns, i.time_hi_ns,
         i.baseline_ns, i.speedup, i.speedup_lo, i.speedup_hi, i.floor_ns, i.floor_ns / i.time_ns AS of_floor, i.confirmed,
         i.emulation, i.id AS iteration, i.campaign, p.device, c.contract_hash, c.source_hash,
         strftime('%Y-%m-%d %H:%M:%S', i.ended_unix, 'unixepoch') AS ended, p.imported, a.label, a.parent
  FROM chosen b
  JOIN iteration i ON i.id = b.iteration
  JOIN attempt a ON a.id = i.attempt
  JOIN candidate c ON c.id = i.candidate
  JOIN campaign p ON p.id = i.campaign
  WHERE b.place = 1;

-- SQLite would rather look at all that passed.
DROP VIEW v_rivals;

CREATE VIEW v_rivals AS
  WITH placed AS (
    SELECT i.id, i.kernel, i.workload, p.device_name, c.contract_hash, c.variant, c.config, i.time_ns,
           row_number() OVER (PARTITION BY i.kernel, i.workload, p.device_name, c.contract_hash ORDER BY i.time_ns, i.id) AS place
    FROM iteration i INDEXED BY iteration_rivals
    JOIN candidate c ON c.id = i.candidate JOIN campaign p ON p.id = i.campaign AND p.evidence = 1
    WHERE i.purpose = 'rival' AND i.outcome = 'passed' AND i.time_ns IS NOT NULL)
  SELECT kernel, workload, device_name, contract_hash, variant AS rival_variant, config AS rival_config, time_ns AS rival_ns,
         id AS rival_iteration
  FROM placed WHERE place = 1;

-- Labels, and edited sources.
DROP VIEW v_iterations;
CREATE VIEW v_iterations AS
  SELECT i.id AS iteration, i.campaign, i.kernel, i.workload, c.variant, c.technique, c.config, p.device, p.device_name,
         i.purpose, i.outcome, i.time_ns, i.time_lo_ns, i.time_hi_ns, i.cold_ns AS cold_time_ns, i.warm_ns AS warm_time_ns,
         i.baseline_ns, i.speedup, i.speedup_lo, i.speedup_hi, i.floor_ns, i.floor_ns / i.time_ns AS of_floor, i.verdict,
         i.confirmed, i.emulation, i.error_class, i.error_message, i.registers, i.shared_bytes, i.spill_bytes, i.build_s, i.gates_s,
         i.timing_s, i.wall_s, i.usd, a.decision, a.ask, c.contract_hash, c.source_hash,
         (SELECT hash FROM binary b WHERE b.id = i.binary) AS binary_hash,
         strftime('%Y-%m-%d %H:%M:%S', i.ended_unix, 'unixepoch') AS ended, p.imported, a.label, a.parent
  FROM iteration i
  JOIN attempt a ON a.id = i.attempt
  JOIN candidate c ON c.id = i.candidate
  JOIN campaign p ON p.id = i.campaign;
