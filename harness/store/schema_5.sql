-- The schema of version 5, the oldest that is read: what a store of that version must hold. It never changes.
CREATE TABLE campaign (
  id            INTEGER PRIMARY KEY,
  uuid          TEXT NOT NULL UNIQUE,
  name          TEXT,
  device        TEXT NOT NULL,
  device_name   TEXT NOT NULL,
  strategy      TEXT NOT NULL,
  strategy_hash TEXT NOT NULL,
  search        TEXT NOT NULL,
  seed          INTEGER NOT NULL,
  budget_s      REAL,
  max_cost_usd  REAL,
  usd_per_hour  REAL,
  kernels       TEXT NOT NULL,
  options       TEXT NOT NULL,
  started_unix  REAL NOT NULL,
  ended_unix    REAL,
  reason        TEXT,
  spent_s       REAL NOT NULL DEFAULT 0,
  cost_usd      REAL,
  owner         TEXT,
  imported      INTEGER NOT NULL DEFAULT 0 CHECK (imported IN (0, 1))
) STRICT;
CREATE TABLE environment (
  campaign INTEGER PRIMARY KEY REFERENCES campaign(id),
  facts    TEXT NOT NULL
) STRICT;
CREATE TABLE decision (
  id                  INTEGER PRIMARY KEY,
  campaign            INTEGER NOT NULL REFERENCES campaign(id),
  action              TEXT NOT NULL,
  kernel              TEXT NOT NULL,
  workload            TEXT NOT NULL,
  technique           TEXT NOT NULL,
  from_kernel         TEXT,
  from_workload       TEXT,
  from_technique      TEXT,
  why                 TEXT NOT NULL,
  rule                TEXT,
  reason              TEXT,
  predict_speedup_lo  REAL NOT NULL,
  predict_speedup_hi  REAL NOT NULL,
  predict_evaluations INTEGER NOT NULL,
  numbers             TEXT NOT NULL,
  script              TEXT NOT NULL,
  script_hash         TEXT NOT NULL,
  now_unix            INTEGER NOT NULL,
  decide_s            REAL NOT NULL,
  predict_probability REAL,
  predict_minutes_lo  REAL,
  predict_minutes_hi  REAL,
  rule_numbers        TEXT,
  patterns            TEXT NOT NULL DEFAULT '[]'
) STRICT;
CREATE INDEX decision_by_campaign ON decision(campaign);
CREATE TABLE candidate (
  id            INTEGER PRIMARY KEY,
  kernel        TEXT NOT NULL,
  variant       TEXT NOT NULL,
  technique     TEXT NOT NULL,
  config        TEXT NOT NULL,
  contract_hash TEXT NOT NULL,
  source_hash   TEXT NOT NULL,
  UNIQUE (kernel, variant, technique, config, contract_hash, source_hash)
) STRICT;
CREATE TABLE attempt (
  id         INTEGER PRIMARY KEY,
  campaign   INTEGER NOT NULL REFERENCES campaign(id),
  decision   INTEGER REFERENCES decision(id),
  candidate  INTEGER NOT NULL REFERENCES candidate(id),
  workload   TEXT NOT NULL,
  ask        INTEGER NOT NULL,
  purpose    TEXT NOT NULL,
  begun_unix REAL NOT NULL
) STRICT;
CREATE INDEX attempt_by_campaign ON attempt(campaign, candidate);
CREATE INDEX attempt_by_decision ON attempt(decision);
CREATE TABLE source    (hash TEXT PRIMARY KEY, text TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE build_log (hash TEXT PRIMARY KEY, text TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE binary (
  id       INTEGER PRIMARY KEY,
  hash     TEXT NOT NULL,
  compiler TEXT NOT NULL,
  UNIQUE (hash, compiler)
) STRICT;
CREATE TABLE iteration (
  id               INTEGER PRIMARY KEY,
  attempt          INTEGER NOT NULL UNIQUE REFERENCES attempt(id),
  campaign         INTEGER NOT NULL REFERENCES campaign(id),
  candidate        INTEGER NOT NULL REFERENCES candidate(id),
  kernel           TEXT NOT NULL,
  workload         TEXT NOT NULL,
  purpose          TEXT NOT NULL,
  ended_unix       REAL NOT NULL,
  outcome          TEXT NOT NULL CHECK (outcome IN ('passed', 'compile_error', 'launch_error', 'wrong_answer', 'rejected',
                     'no_effect', 'abandoned', 'unsupported', 'crashed', 'timed_out', 'out_of_memory', 'interrupted')),
  confirmed        INTEGER NOT NULL CHECK (confirmed IN (0, 1)),
  time_ns          REAL,
  time_lo_ns       REAL,
  time_hi_ns       REAL,
  cold_ns          REAL,
  warm_ns          REAL,
  baseline_ns      REAL,
  speedup          REAL,
  speedup_lo       REAL,
  speedup_hi       REAL,
  incumbent_ns     REAL,
  floor_ns         REAL,
  verdict          TEXT CHECK (verdict IN ('faster', 'slower', 'same')),
  emulation        INTEGER NOT NULL CHECK (emulation IN (0, 1)),
  calls_per_sample INTEGER,
  input_sets       INTEGER,
  method           TEXT,
  error            TEXT,
  error_class      TEXT,
  error_message    TEXT,
  fingerprint      TEXT NOT NULL,
  threshold_ns     REAL,
  stopped_ns       REAL,
  same_as          INTEGER REFERENCES iteration(id),
  binary           INTEGER REFERENCES binary(id),
  from_cache       INTEGER NOT NULL CHECK (from_cache IN (0, 1)),
  registers        INTEGER,
  shared_bytes     INTEGER,
  spill_bytes      INTEGER,
  local_bytes      INTEGER,
  source           TEXT REFERENCES source(hash),
  build_log        TEXT REFERENCES build_log(hash),
  seeds            TEXT NOT NULL,
  decide_s         REAL NOT NULL,
  prepare_s        REAL NOT NULL,
  build_s          REAL NOT NULL,
  gates_s          REAL NOT NULL,
  timing_s         REAL NOT NULL,
  idle_s           REAL NOT NULL,
  wall_s           REAL NOT NULL,
  usd              REAL
) STRICT;
CREATE INDEX iteration_by_campaign ON iteration(campaign);
CREATE INDEX iteration_by_kernel ON iteration(kernel);
CREATE INDEX iteration_by_outcome ON iteration(outcome);
CREATE INDEX iteration_by_binary ON iteration(binary) WHERE binary IS NOT NULL;
CREATE INDEX iteration_by_candidate ON iteration(candidate);
CREATE INDEX iteration_by_fingerprint ON iteration(kernel, fingerprint) WHERE fingerprint <> '';
CREATE TABLE gate_result (
  iteration INTEGER NOT NULL REFERENCES iteration(id),
  position  INTEGER NOT NULL,
  name      TEXT NOT NULL,
  passed    INTEGER NOT NULL CHECK (passed IN (0, 1)),
  detail    TEXT NOT NULL,
  checked   INTEGER NOT NULL DEFAULT 1 CHECK (checked IN (0, 1)),
  PRIMARY KEY (iteration, position)
) STRICT, WITHOUT ROWID;
CREATE TABLE argument_error (
  iteration     INTEGER NOT NULL REFERENCES iteration(id),
  position      INTEGER NOT NULL,
  argument      TEXT NOT NULL,
  relative_l2   REAL,
  max_ulp       INTEGER NOT NULL,
  ulp_histogram TEXT NOT NULL,
  non_finite    INTEGER NOT NULL,
  unwritten     INTEGER NOT NULL,
  mismatches    INTEGER NOT NULL,
  tolerance     REAL,
  PRIMARY KEY (iteration, position)
) STRICT, WITHOUT ROWID;
CREATE TABLE sample (
  iteration INTEGER NOT NULL REFERENCES iteration(id),
  kind      TEXT NOT NULL,
  series    TEXT NOT NULL,
  PRIMARY KEY (iteration, kind)
) STRICT, WITHOUT ROWID;
CREATE TABLE charge (
  campaign INTEGER NOT NULL REFERENCES campaign(id),
  stage    TEXT NOT NULL,
  day      TEXT NOT NULL,
  seconds  REAL NOT NULL,
  usd      REAL,
  PRIMARY KEY (campaign, stage, day)
) STRICT, WITHOUT ROWID;
CREATE TABLE admission (
  hash          TEXT NOT NULL,
  device_name   TEXT NOT NULL,
  kernel        TEXT NOT NULL,
  passed        INTEGER NOT NULL CHECK (passed IN (0, 1)),
  tolerances    TEXT NOT NULL,
  mutants       TEXT NOT NULL,
  skipped_forms TEXT NOT NULL,
  problems      TEXT NOT NULL,
  seconds       REAL NOT NULL,
  decided_unix  REAL NOT NULL,
  PRIMARY KEY (hash, device_name)
) STRICT, WITHOUT ROWID;
CREATE TABLE device_peak (
  device_name   TEXT NOT NULL,
  driver        TEXT NOT NULL,
  theoretical   TEXT NOT NULL,
  measured      TEXT NOT NULL,
  measured_unix REAL NOT NULL,
  PRIMARY KEY (device_name, driver)
) STRICT, WITHOUT ROWID;
CREATE TABLE refuted (
  candidate   INTEGER NOT NULL REFERENCES candidate(id),
  workload    TEXT NOT NULL,
  device_name TEXT NOT NULL,
  iteration   INTEGER NOT NULL REFERENCES iteration(id),
  PRIMARY KEY (candidate, workload, device_name)
) STRICT, WITHOUT ROWID;
CREATE TABLE rollup_best (
  kernel        TEXT NOT NULL,
  workload      TEXT NOT NULL,
  device_name   TEXT NOT NULL,
  contract_hash TEXT NOT NULL,
  confirmed     INTEGER NOT NULL,
  iteration     INTEGER NOT NULL REFERENCES iteration(id),
  time_ns       REAL NOT NULL,
  PRIMARY KEY (kernel, workload, device_name, contract_hash, confirmed)
) STRICT, WITHOUT ROWID;
CREATE TABLE rollup_arm (
  campaign      INTEGER NOT NULL REFERENCES campaign(id),
  kernel        TEXT NOT NULL,
  workload      TEXT NOT NULL,
  technique     TEXT NOT NULL,
  contract_hash TEXT NOT NULL,
  iterations    INTEGER NOT NULL,
  passed        INTEGER NOT NULL,
  wall_s        REAL NOT NULL,
  best_speedup  REAL,
  PRIMARY KEY (campaign, kernel, workload, technique, contract_hash)
) STRICT, WITHOUT ROWID;
CREATE TABLE rollup_cost (
  campaign   INTEGER NOT NULL REFERENCES campaign(id),
  kernel     TEXT NOT NULL,
  technique  TEXT NOT NULL,
  stage      TEXT NOT NULL,
  day        TEXT NOT NULL,
  seconds    REAL NOT NULL,
  usd        REAL,
  unpriced_s REAL NOT NULL,
  PRIMARY KEY (campaign, kernel, technique, stage, day)
) STRICT, WITHOUT ROWID;
CREATE TABLE rollup_device_cost (
  device_name TEXT NOT NULL,
  kernel      TEXT NOT NULL,
  technique   TEXT NOT NULL,
  stage       TEXT NOT NULL,
  seconds     REAL NOT NULL,
  usd         REAL,
  unpriced_s  REAL NOT NULL,
  PRIMARY KEY (device_name, kernel, technique, stage)
) STRICT, WITHOUT ROWID;
CREATE TABLE rollup_device_technique (
  device_name  TEXT NOT NULL,
  kernel       TEXT NOT NULL,
  technique    TEXT NOT NULL,
  iterations   INTEGER NOT NULL,
  passed       INTEGER NOT NULL,
  best_speedup REAL,
  PRIMARY KEY (device_name, kernel, technique)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER iteration_keeps_best AFTER INSERT ON iteration
WHEN NEW.outcome = 'passed' AND NEW.time_ns IS NOT NULL
BEGIN
  INSERT INTO rollup_best
    SELECT NEW.kernel, NEW.workload, p.device_name, c.contract_hash, NEW.confirmed, NEW.id, NEW.time_ns
    FROM candidate c, campaign p
    WHERE c.id = NEW.candidate AND p.id = NEW.campaign
      AND NOT EXISTS (SELECT 1 FROM refuted r WHERE r.candidate = NEW.candidate AND r.workload = NEW.workload
                                                AND r.device_name = p.device_name)
    ON CONFLICT DO UPDATE SET iteration = excluded.iteration, time_ns = excluded.time_ns WHERE excluded.time_ns < time_ns;
END;
CREATE TRIGGER iteration_refutes AFTER INSERT ON iteration
WHEN NEW.outcome IN ('wrong_answer', 'rejected')
BEGIN
  INSERT OR IGNORE INTO refuted
    SELECT NEW.candidate, NEW.workload, p.device_name, NEW.id FROM campaign p WHERE p.id = NEW.campaign;
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
      JOIN campaign p ON p.id = i.campaign
      WHERE me.id = NEW.candidate AND i.workload = NEW.workload AND p.device_name = NEW.device_name
        AND i.outcome = 'passed' AND i.time_ns IS NOT NULL
        AND NOT EXISTS (SELECT 1 FROM refuted r WHERE r.candidate = i.candidate AND r.workload = i.workload
                                                  AND r.device_name = p.device_name))
    WHERE place = 1;
END;
CREATE TRIGGER iteration_counts_for_its_arm AFTER INSERT ON iteration
BEGIN
  INSERT INTO rollup_arm
    SELECT NEW.campaign, NEW.kernel, NEW.workload, c.technique, c.contract_hash, 1, NEW.outcome = 'passed', NEW.wall_s,
           CASE WHEN NEW.outcome = 'passed' THEN NEW.speedup END
    FROM candidate c WHERE c.id = NEW.candidate
    ON CONFLICT DO UPDATE SET
      iterations   = iterations + 1,
      passed       = passed + excluded.passed,
      wall_s       = wall_s + excluded.wall_s,
      best_speedup = max(coalesce(best_speedup, excluded.best_speedup), coalesce(excluded.best_speedup, best_speedup));
END;
CREATE TRIGGER iteration_costs AFTER INSERT ON iteration
BEGIN
  INSERT INTO rollup_cost
    SELECT NEW.campaign, NEW.kernel, c.technique, s.stage, date(NEW.ended_unix, 'unixepoch'), s.seconds,
           NEW.usd * iif(s.total > 0, s.seconds / s.total, 1), iif(NEW.usd IS NULL, s.seconds, 0)
    FROM candidate c, (
      SELECT stage, seconds, sum(seconds) OVER () AS total FROM (
        SELECT 'decide' AS stage, NEW.decide_s AS seconds
        UNION ALL SELECT 'prepare', NEW.prepare_s
        UNION ALL SELECT 'build', NEW.build_s
        UNION ALL SELECT 'gates', NEW.gates_s
        UNION ALL SELECT 'timing', NEW.timing_s
        UNION ALL SELECT 'idle', NEW.idle_s
        UNION ALL SELECT 'other', max(0, NEW.wall_s - (NEW.decide_s + NEW.prepare_s + NEW.build_s + NEW.gates_s
                                                       + NEW.timing_s + NEW.idle_s)))) s
    WHERE c.id = NEW.candidate AND (s.seconds > 0 OR (s.stage = 'other' AND s.total = 0 AND NEW.usd > 0))
    ON CONFLICT DO UPDATE SET
      seconds    = seconds + excluded.seconds,
      usd        = CASE WHEN excluded.usd IS NULL THEN usd ELSE coalesce(usd, 0) + excluded.usd END,
      unpriced_s = unpriced_s + excluded.unpriced_s;
END;
CREATE TRIGGER charge_costs AFTER INSERT ON charge
BEGIN
  INSERT INTO rollup_cost
    VALUES (NEW.campaign, '', '', NEW.stage, NEW.day, NEW.seconds, NEW.usd, iif(NEW.usd IS NULL, NEW.seconds, 0));
END;
CREATE TRIGGER further_charge_costs AFTER UPDATE ON charge
BEGIN
  UPDATE rollup_cost SET seconds = NEW.seconds, usd = NEW.usd, unpriced_s = iif(NEW.usd IS NULL, NEW.seconds, 0)
    WHERE campaign = NEW.campaign AND kernel = '' AND technique = '' AND stage = NEW.stage AND day = NEW.day;
END;
CREATE TRIGGER cost_adds_to_device AFTER INSERT ON rollup_cost
BEGIN
  INSERT INTO rollup_device_cost
    SELECT p.device_name, NEW.kernel, NEW.technique, NEW.stage, NEW.seconds, NEW.usd, NEW.unpriced_s
    FROM campaign p WHERE p.id = NEW.campaign
    ON CONFLICT DO UPDATE SET
      seconds    = seconds + excluded.seconds,
      usd        = CASE WHEN excluded.usd IS NULL THEN usd ELSE coalesce(usd, 0) + excluded.usd END,
      unpriced_s = unpriced_s + excluded.unpriced_s;
END;
CREATE TRIGGER further_cost_adds_to_device AFTER UPDATE ON rollup_cost
BEGIN
  UPDATE rollup_device_cost SET
      seconds    = seconds + (NEW.seconds - OLD.seconds),
      usd        = CASE WHEN NEW.usd IS NULL THEN usd ELSE coalesce(usd, 0) + (NEW.usd - coalesce(OLD.usd, 0)) END,
      unpriced_s = unpriced_s + (NEW.unpriced_s - OLD.unpriced_s)
    WHERE device_name = (SELECT device_name FROM campaign WHERE id = NEW.campaign)
      AND kernel = NEW.kernel AND technique = NEW.technique AND stage = NEW.stage;
END;
CREATE TRIGGER arm_adds_to_device AFTER INSERT ON rollup_arm
BEGIN
  INSERT INTO rollup_device_technique
    SELECT p.device_name, NEW.kernel, NEW.technique, NEW.iterations, NEW.passed, NEW.best_speedup
    FROM campaign p WHERE p.id = NEW.campaign
    ON CONFLICT DO UPDATE SET
      iterations   = iterations + excluded.iterations,
      passed       = passed + excluded.passed,
      best_speedup = max(coalesce(best_speedup, excluded.best_speedup), coalesce(excluded.best_speedup, best_speedup));
END;
CREATE TRIGGER arm_grows_on_device AFTER UPDATE ON rollup_arm
BEGIN
  UPDATE rollup_device_technique SET
      iterations   = iterations + (NEW.iterations - OLD.iterations),
      passed       = passed + (NEW.passed - OLD.passed),
      best_speedup = max(coalesce(best_speedup, NEW.best_speedup), coalesce(NEW.best_speedup, best_speedup))
    WHERE device_name = (SELECT device_name FROM campaign WHERE id = NEW.campaign)
      AND kernel = NEW.kernel AND technique = NEW.technique;
END;
CREATE VIEW v_iterations AS
  SELECT i.id AS iteration, i.campaign, i.kernel, i.workload, c.variant, c.technique, c.config, p.device, p.device_name,
         i.purpose, i.outcome, i.time_ns, i.time_lo_ns, i.time_hi_ns, i.cold_ns AS cold_time_ns, i.warm_ns AS warm_time_ns,
         i.baseline_ns, i.speedup, i.speedup_lo, i.speedup_hi, i.floor_ns, i.floor_ns / i.time_ns AS of_floor, i.verdict,
         i.confirmed, i.emulation, i.error_class, i.error_message, i.registers, i.shared_bytes, i.spill_bytes, i.build_s, i.gates_s,
         i.timing_s, i.wall_s, i.usd, a.decision, a.ask, c.contract_hash, c.source_hash,
         (SELECT hash FROM binary b WHERE b.id = i.binary) AS binary_hash,
         strftime('%Y-%m-%d %H:%M:%S', i.ended_unix, 'unixepoch') AS ended
  FROM iteration i
  JOIN attempt a ON a.id = i.attempt
  JOIN candidate c ON c.id = i.candidate
  JOIN campaign p ON p.id = i.campaign;
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
CREATE VIEW v_techniques AS
  SELECT r.kernel, r.technique, p.device_name, count(DISTINCT r.workload) AS workloads, count(DISTINCT r.campaign) AS campaigns,
         sum(r.iterations) AS iterations, sum(r.passed) AS passed, 1.0 * sum(r.passed) / sum(r.iterations) AS pass_rate,
         max(r.best_speedup) AS best_speedup, sum(r.wall_s) AS wall_s, sum(r.wall_s) / sum(r.iterations) AS wall_s_per_iteration
  FROM rollup_arm r JOIN campaign p ON p.id = r.campaign
  GROUP BY r.kernel, r.technique, p.device_name;
CREATE VIEW v_costs AS
  SELECT r.campaign, p.name AS campaign_name, p.device, p.device_name, nullif(r.kernel, '') AS kernel,
         nullif(r.technique, '') AS technique, r.stage, r.day, r.seconds, r.usd, r.unpriced_s
  FROM rollup_cost r JOIN campaign p ON p.id = r.campaign;
CREATE VIEW v_decisions AS
  SELECT d.id AS decision, d.campaign, d.action, d.kernel, d.workload, d.technique, d.from_kernel IS NOT NULL AS pivot,
         d.from_kernel, d.from_workload, d.from_technique, d.rule, d.reason, d.why, d.predict_speedup_lo, d.predict_speedup_hi,
         d.predict_evaluations,
         (SELECT count(*) FROM attempt a JOIN iteration i ON i.attempt = a.id WHERE a.decision = d.id) AS iterations,
         (SELECT max(i.speedup) FROM attempt a JOIN iteration i ON i.attempt = a.id WHERE a.decision = d.id) AS best_speedup,
         d.script, d.script_hash, d.decide_s, strftime('%Y-%m-%d %H:%M:%S', d.now_unix, 'unixepoch') AS decided,
         d.predict_probability, d.predict_minutes_lo, d.predict_minutes_hi, d.rule_numbers, d.patterns
  FROM decision d;
CREATE VIEW v_predictions AS
  SELECT d.id AS decision, d.campaign, d.script, p.device_name, i.id AS iteration, d.kernel, d.workload, d.technique, i.outcome,
         d.predict_speedup_lo, d.predict_speedup_hi, i.speedup,
         CASE WHEN i.speedup IS NOT NULL AND d.predict_speedup_lo < d.predict_speedup_hi
              THEN i.speedup BETWEEN d.predict_speedup_lo AND d.predict_speedup_hi END AS speedup_held,
         d.predict_minutes_lo, d.predict_minutes_hi, i.wall_s / 60 AS minutes,
         CASE WHEN d.predict_minutes_lo IS NOT NULL AND i.wall_s > 0 AND i.outcome <> 'interrupted'
              THEN i.wall_s / 60 BETWEEN d.predict_minutes_lo AND d.predict_minutes_hi END AS minutes_held,
         d.predict_probability
  FROM decision d
  JOIN attempt a ON a.decision = d.id AND a.purpose = 'search'
  JOIN iteration i ON i.attempt = a.id
  JOIN campaign p ON p.id = d.campaign;
CREATE VIEW v_calibration AS
  SELECT campaign, script, device_name, count(speedup_held) AS speedups, avg(speedup_held) AS speedup_share_held,
         count(minutes_held) AS minutes, avg(minutes_held) AS minutes_share_held,
         count(predict_probability) AS probabilities, avg(predict_probability) AS passed_predicted,
         avg(CASE WHEN predict_probability IS NOT NULL THEN outcome IN ('passed', 'abandoned') END) AS passed_seen
  FROM v_predictions
  GROUP BY campaign, script, device_name;
CREATE INDEX iteration_rivals ON iteration(kernel, workload, time_ns) WHERE purpose = 'rival' AND outcome = 'passed';
CREATE VIEW v_rivals AS
  WITH placed AS (
    SELECT i.id, i.kernel, i.workload, p.device_name, c.contract_hash, c.variant, c.config, i.time_ns,
           row_number() OVER (PARTITION BY i.kernel, i.workload, p.device_name, c.contract_hash ORDER BY i.time_ns, i.id) AS place
    FROM iteration i JOIN candidate c ON c.id = i.candidate JOIN campaign p ON p.id = i.campaign
    WHERE i.purpose = 'rival' AND i.outcome = 'passed' AND i.time_ns IS NOT NULL)
  SELECT kernel, workload, device_name, contract_hash, variant AS rival_variant, config AS rival_config, time_ns AS rival_ns,
         id AS rival_iteration
  FROM placed WHERE place = 1;
