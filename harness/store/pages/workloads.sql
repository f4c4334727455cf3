-- The best of every workload: confirmed before not confirmed, then the fastest
WITH fastest AS (
  SELECT i.kernel, i.workload, i.confirmed, i.id, min(i.time_ns) AS time_ns
  FROM iteration i
  WHERE i.campaign = :campaign AND i.outcome = 'passed' AND i.time_ns IS NOT NULL AND i.purpose <> 'rival'
    AND NOT EXISTS (SELECT 1 FROM struck l WHERE l.campaign = i.campaign AND l.workload = i.workload AND l.candidate = i.candidate)
  GROUP BY i.kernel, i.workload, i.confirmed),
best AS (SELECT id, kernel, workload, max(confirmed) FROM fastest GROUP BY kernel, workload),
rivals AS (
  SELECT kernel, workload, min(time_ns) AS time_ns FROM iteration INDEXED BY iteration_by_campaign
  WHERE campaign = :campaign AND purpose = 'rival' AND outcome = 'passed' GROUP BY 1, 2),
tried AS (SELECT kernel, workload, sum(iterations) AS iterations FROM rollup_arm WHERE campaign = :campaign GROUP BY 1, 2)
SELECT i.kernel, i.workload, c.variant, c.technique, c.config, i.time_ns, i.time_lo_ns, i.time_hi_ns, i.baseline_ns, i.speedup,
       i.speedup_lo, i.speedup_hi, i.floor_ns, i.floor_ns / i.time_ns AS of_floor, i.reachable_ns / i.time_ns AS of_limit, i.confirmed, i.emulation, i.id AS iteration,
       r.time_ns AS rival_ns, o.outside_program, o.outside_ns, t.iterations, i.registers, i.shared_bytes, i.spill_bytes,
       i.batch_invariant, i.configurations_agree,
       (SELECT s.technique FROM iteration n INDEXED BY iteration_by_campaign JOIN candidate s ON s.id = n.candidate
        WHERE n.campaign = i.campaign AND n.kernel = i.kernel AND n.workload = i.workload AND n.purpose = 'baseline' LIMIT 1) AS baseline_technique
FROM best b JOIN iteration i ON i.id = b.id JOIN candidate c ON c.id = i.candidate JOIN campaign p ON p.id = i.campaign
LEFT JOIN rivals r ON r.kernel = i.kernel AND r.workload = i.workload
LEFT JOIN tried t ON t.kernel = i.kernel AND t.workload = i.workload
LEFT JOIN v_outside o ON o.kernel = i.kernel AND o.workload = i.workload AND o.device_name = p.device_name
ORDER BY i.kernel, i.workload
