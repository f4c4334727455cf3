-- What was measured beside ours
SELECT i.kernel, i.workload, c.variant, c.config, min(i.time_ns) AS time_ns, i.time_lo_ns, i.time_hi_ns, i.id AS iteration
FROM iteration i JOIN candidate c ON c.id = i.candidate
WHERE i.campaign = :campaign AND i.purpose = 'rival' AND i.outcome = 'passed' AND i.time_ns IS NOT NULL
GROUP BY i.kernel, i.workload ORDER BY i.kernel, i.workload
