-- Imports are marked, and count as evidence only where that was asked for. Those of earlier versions counted, and stay so.
ALTER TABLE campaign ADD COLUMN evidence INTEGER NOT NULL DEFAULT 1 CHECK (evidence IN (0, 1));
DROP TRIGGER iteration_keeps_best;
DROP TRIGGER iteration_refutes;
DROP TRIGGER refuted_loses_best;
DROP VIEW v_iterations;
DROP VIEW v_best;
DROP VIEW v_techniques;
DROP VIEW v_rivals;

CREATE TRIGGER iteration_keeps_best AFTER INSERT ON iteration
WHEN NEW.outcome = 'passed' AND NEW.time_ns IS NOT NULL
BEGIN
  INSERT INTO rollup_best
    SELECT NEW.kernel, NEW.workload, p.device_name, c.contract_hash, NEW.confirmed, NEW.id, NEW.time_ns
    FROM candidate c, campaign p
    WHERE c.id = NEW.candidate AND p.id = NEW.campaign AND p.evidence = 1
      AND NOT EXISTS (SELECT 1 FROM refuted r WHERE r.candidate = NEW.candidate AND r.workload = NEW.workload
                                                AND r.device_name = p.device_name)
    ON CONFLICT DO UPDATE SET iteration = excluded.iteration, time_ns = excluded.time_ns WHERE excluded.time_ns < time_ns;
END;

CREATE TRIGGER iteration_refutes AFTER INSERT ON iteration
WHEN NEW.outcome IN ('wrong_answer', 'rejected')
BEGIN
  INSERT OR IGNORE INTO refuted
    SELECT NEW.candidate, NEW.workload, p.device_name, NEW.id FROM campaign p
    WHERE p.id = NEW.campaign AND p.evidence = 1;
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
        AND i.outcome = 'passed' AND i.time_ns IS NOT NULL
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
      WHERE i.campaign = NEW.id AND i.outcome = 'passed' AND i.time_ns IS NOT NULL
        AND NOT EXISTS (SELECT 1 FROM refuted r WHERE r.candidate = i.candidate AND r.workload = i.workload
                                                  AND r.device_name = NEW.device_name))
    WHERE place = 1
    ON CONFLICT DO UPDATE SET iteration = excluded.iteration, time_ns = excluded.time_ns WHERE excluded.time_ns < time_ns;
END;

CREATE VIEW v_iterations AS
  SELECT i.id AS iteration, i.campaign, i.kernel, i.workload, c.variant, c.technique, c.config, p.device, p.device_name,
         i.purpose, i.outcome, i.time_ns, i.time_lo_ns, i.time_hi_ns, i.cold_ns AS cold_time_ns, i.warm_ns AS warm_time_ns,
         i.baseline_ns, i.speedup, i.speedup_lo, i.speedup_hi, i.floor_ns, i.floor_ns / i.time_ns AS of_floor, i.verdict,
         i.confirmed, i.emulation, i.error_class, i.error_message, i.registers, i.shared_bytes, i.spill_bytes, i.build_s, i.gates_s,
         i.timing_s, i.wall_s, i.usd, a.decision, a.ask, c.contract_hash, c.source_hash,
         (SELECT hash FROM binary b WHERE b.id = i.binary) AS binary_hash,
         strftime('%Y-%m-%d %H:%M:%S', i.ended_unix, 'unixepoch') AS ended, p.imported
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
         strftime('%Y-%m-%d %H:%M:%S', i.ended_unix, 'unixepoch') AS ended, p.imported
  FROM chosen b
  JOIN iteration i ON i.id = b.iteration
  JOIN candidate c ON c.id = i.candidate
  JOIN campaign p ON p.id = i.campaign
  WHERE b.place = 1;

CREATE VIEW v_techniques AS
  SELECT r.kernel, r.technique, p.device_name, count(DISTINCT r.workload) AS workloads, count(DISTINCT r.campaign) AS campaigns,
         sum(r.iterations) AS iterations, sum(r.passed) AS passed, 1.0 * sum(r.passed) / sum(r.iterations) AS pass_rate,
         max(r.best_speedup) AS best_speedup, sum(r.wall_s) AS wall_s, sum(r.wall_s) / sum(r.iterations) AS wall_s_per_iteration
  FROM rollup_arm r JOIN campaign p ON p.id = r.campaign AND p.evidence = 1
  GROUP BY r.kernel, r.technique, p.device_name;

CREATE VIEW v_rivals AS
  WITH placed AS (
    SELECT i.id, i.kernel, i.workload, p.device_name, c.contract_hash, c.variant, c.config, i.time_ns,
           row_number() OVER (PARTITION BY i.kernel, i.workload, p.device_name, c.contract_hash ORDER BY i.time_ns, i.id) AS place
    FROM iteration i JOIN candidate c ON c.id = i.candidate JOIN campaign p ON p.id = i.campaign AND p.evidence = 1
    WHERE i.purpose = 'rival' AND i.outcome = 'passed' AND i.time_ns IS NOT NULL)
  SELECT kernel, workload, device_name, contract_hash, variant AS rival_variant, config AS rival_config, time_ns AS rival_ns,
         id AS rival_iteration
  FROM placed WHERE place = 1;
