-- The best of every workload on both sides: confirmed before not confirmed, then the fastest
WITH placed AS (
  SELECT j.campaign, j.id, row_number() OVER (PARTITION BY j.campaign, j.kernel, j.workload ORDER BY j.confirmed DESC, j.time_ns, j.id) AS place
  FROM iteration j
  WHERE j.campaign IN (:a_campaign, :b_campaign) AND j.outcome = 'passed' AND j.time_ns IS NOT NULL AND j.purpose <> 'rival'
    AND NOT EXISTS (SELECT 1 FROM struck l WHERE l.campaign = j.campaign AND l.workload = j.workload AND l.candidate = j.candidate)),
chosen AS (
  SELECT 'a' AS side, id FROM placed WHERE campaign = :a_campaign AND place = 1
  UNION ALL SELECT 'b', id FROM placed WHERE campaign = :b_campaign AND place = 1
  UNION ALL SELECT 'a', iteration FROM v_best WHERE device_name = :a_device
  UNION ALL SELECT 'b', iteration FROM v_best WHERE device_name = :b_device)
SELECT s.side, i.kernel, i.workload, c.variant, c.technique, c.config, i.time_ns, i.time_lo_ns, i.time_hi_ns, i.baseline_ns, i.speedup,
       i.confirmed, i.emulation, c.contract_hash, i.campaign, i.id AS iteration
FROM chosen s JOIN iteration i ON i.id = s.id JOIN candidate c ON c.id = i.candidate
ORDER BY i.kernel, i.workload, s.side
