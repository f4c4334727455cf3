-- What each of the last 60 campaigns came to, by workload: the fastest that passed
WITH latest AS (SELECT DISTINCT campaign FROM rollup_arm WHERE kernel = :kernel ORDER BY campaign DESC LIMIT 60)
SELECT p.device_name, i.workload, i.campaign, p.name, strftime('%Y-%m-%d %H:%M', p.started_unix, 'unixepoch') AS begun, p.started_unix,
       min(i.time_ns) AS time_ns, max(i.confirmed) AS confirmed
FROM latest l CROSS JOIN iteration i INDEXED BY iteration_by_campaign ON i.campaign = l.campaign JOIN campaign p ON p.id = l.campaign
WHERE i.kernel = :kernel AND i.outcome = 'passed' AND i.purpose <> 'rival' AND i.time_ns IS NOT NULL
  AND NOT EXISTS (SELECT 1 FROM struck l WHERE l.campaign = i.campaign AND l.workload = i.workload AND l.candidate = i.candidate)
GROUP BY i.campaign, i.workload ORDER BY p.started_unix
