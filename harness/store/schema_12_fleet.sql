-- Several devices: where an evaluation was begun, what had ended by then, and its time as the anchor card shows it. The
-- outcome "lost". A CHECK that only grows is changed in place (see schema_8_screened.sql).
PRAGMA writable_schema = ON;
UPDATE sqlite_schema SET sql = replace(sql, '''out_of_memory'', ''interrupted'')', '''out_of_memory'', ''interrupted'', ''lost'')')
  WHERE type = 'table' AND name = 'iteration';
PRAGMA writable_schema = RESET;

ALTER TABLE attempt ADD COLUMN node TEXT;
ALTER TABLE attempt ADD COLUMN device_uuid TEXT;
ALTER TABLE attempt ADD COLUMN after_iteration INTEGER;
ALTER TABLE iteration ADD COLUMN anchor_ns REAL;
DROP VIEW v_iterations;

CREATE VIEW v_iterations AS
  SELECT i.id AS iteration, i.campaign, i.kernel, i.workload, c.variant, c.technique, c.config, p.device, p.device_name,
         i.purpose, i.outcome, i.time_ns, i.time_lo_ns, i.time_hi_ns, i.cold_ns AS cold_time_ns, i.warm_ns AS warm_time_ns,
         i.baseline_ns, i.speedup, i.speedup_lo, i.speedup_hi, i.floor_ns, i.floor_ns / i.time_ns AS of_floor, i.verdict,
         i.confirmed, i.emulation, i.error_class, i.error_message, i.registers, i.shared_bytes, i.spill_bytes, i.build_s, i.gates_s,
         i.timing_s, i.wall_s, i.usd, a.decision, a.ask, c.contract_hash, c.source_hash,
         (SELECT hash FROM binary b WHERE b.id = i.binary) AS binary_hash,
         strftime('%Y-%m-%d %H:%M:%S', i.ended_unix, 'unixepoch') AS ended, p.imported, a.label, a.parent, a.node, a.device_uuid,
         i.anchor_ns AS anchor_time_ns
  FROM iteration i
  JOIN attempt a ON a.id = i.attempt
  JOIN candidate c ON c.id = i.candidate
  JOIN campaign p ON p.id = i.campaign;

-- A fast card makes no best: times are compared as the anchor card shows them.
DROP TRIGGER iteration_keeps_best;
DROP TRIGGER refuted_loses_best;
DROP TRIGGER campaign_becomes_evidence;

CREATE TRIGGER iteration_keeps_best AFTER INSERT ON iteration
WHEN NEW.outcome = 'passed' AND NEW.time_ns IS NOT NULL AND NEW.purpose <> 'rival'
BEGIN
  INSERT INTO rollup_best
    SELECT NEW.kernel, NEW.workload, p.device_name, c.contract_hash, NEW.confirmed, NEW.id,
           coalesce(NEW.anchor_ns, NEW.time_ns)
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
      SELECT i.kernel, i.workload, p.device_name, c.contract_hash, i.confirmed, i.id,
             coalesce(i.anchor_ns, i.time_ns) AS time_ns,
             row_number() OVER (PARTITION BY i.confirmed ORDER BY coalesce(i.anchor_ns, i.time_ns), i.id) AS place
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
      SELECT i.kernel, i.workload, c.contract_hash, i.confirmed, i.id,
             coalesce(i.anchor_ns, i.time_ns) AS time_ns,
             row_number() OVER (PARTITION BY i.kernel, i.workload, c.contract_hash, i.confirmed
                                ORDER BY coalesce(i.anchor_ns, i.time_ns), i.id) AS place
      FROM iteration i JOIN candidate c ON c.id = i.candidate
      WHERE i.campaign = NEW.id AND i.outcome = 'passed' AND i.time_ns IS NOT NULL AND i.purpose <> 'rival'
        AND NOT EXISTS (SELECT 1 FROM refuted r WHERE r.candidate = i.candidate AND r.workload = i.workload
                                                  AND r.device_name = NEW.device_name))
    WHERE place = 1
    ON CONFLICT DO UPDATE SET iteration = excluded.iteration, time_ns = excluded.time_ns WHERE excluded.time_ns < time_ns;
END;
