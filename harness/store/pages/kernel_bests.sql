-- The best of each workload and device over all campaigns
WITH bests AS (
  SELECT b.*, (SELECT i.id FROM iteration i INDEXED BY iteration_rivals JOIN candidate c ON c.id = i.candidate
               JOIN campaign p ON p.id = i.campaign AND p.evidence = 1
               WHERE i.purpose = 'rival' AND i.outcome = 'passed' AND i.time_ns IS NOT NULL AND i.kernel = b.kernel AND i.workload = b.workload
                 AND p.device_name = b.device_name AND c.contract_hash = b.contract_hash
               ORDER BY i.time_ns, i.id LIMIT 1) AS rival
  FROM v_best b WHERE b.kernel = :kernel)
SELECT b.kernel, b.workload, b.device_name, b.variant, b.technique, b.config, b.time_ns, b.time_lo_ns, b.time_hi_ns, b.baseline_ns,
       b.speedup, b.floor_ns, b.of_floor, b.of_limit, b.confirmed, b.emulation, b.iteration, b.campaign, b.ended, c.variant AS rival_variant,
       r.time_ns AS rival_ns
FROM bests b LEFT JOIN iteration r ON r.id = b.rival LEFT JOIN candidate c ON c.id = r.candidate
ORDER BY b.device_name, b.workload
