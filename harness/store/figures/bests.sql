-- The best of every workload: confirmed before not confirmed, then the fastest
WITH ranked AS (
  SELECT i.*, row_number() OVER (PARTITION BY kernel, workload ORDER BY confirmed DESC, time_ns, id) AS place
  FROM iteration i
  WHERE campaign = ?1 AND outcome = 'passed' AND time_ns IS NOT NULL AND purpose <> 'rival'
    AND NOT EXISTS (SELECT 1 FROM refuted f JOIN campaign q ON q.id = ?1
                    WHERE f.candidate = i.candidate AND f.workload = i.workload AND f.device_name = q.device_name))
SELECT i.kernel, i.workload, c.variant, c.technique, c.config, i.time_ns, i.time_lo_ns, i.time_hi_ns, i.baseline_ns, i.speedup,
       i.speedup_lo, i.speedup_hi, i.floor_ns, i.floor_ns / i.time_ns AS of_floor, i.confirmed, i.emulation, i.id AS iteration,
       (SELECT min(r.time_ns) FROM iteration r WHERE r.campaign = ?1 AND r.purpose = 'rival' AND r.outcome = 'passed'
          AND r.kernel = i.kernel AND r.workload = i.workload) AS rival_ns,
       (SELECT o.outside_program FROM v_outside o JOIN campaign q ON q.id = ?1 AND q.device_name = o.device_name
        WHERE o.kernel = i.kernel AND o.workload = i.workload) AS outside_program,
       (SELECT o.outside_ns FROM v_outside o JOIN campaign q ON q.id = ?1 AND q.device_name = o.device_name
        WHERE o.kernel = i.kernel AND o.workload = i.workload) AS outside_ns,
       (SELECT count(*) FROM iteration o WHERE o.campaign = ?1 AND o.kernel = i.kernel AND o.workload = i.workload) AS iterations,
       i.registers, i.shared_bytes, i.spill_bytes, i.batch_invariant, i.configurations_agree
FROM ranked i JOIN candidate c ON c.id = i.candidate WHERE i.place = 1 ORDER BY i.kernel, i.workload
