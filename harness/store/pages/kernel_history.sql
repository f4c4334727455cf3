-- What each campaign came to, by workload: the fastest that passed
SELECT p.device_name, q.workload, q.campaign, p.name, strftime('%Y-%m-%d %H:%M', p.started_unix, 'unixepoch') AS begun, p.started_unix,
       min(q.time_ns) AS time_ns, max(q.confirmed) AS confirmed
FROM iteration q INDEXED BY iteration_fastest JOIN campaign p ON p.id = q.campaign
WHERE q.kernel = :kernel AND q.outcome = 'passed' AND q.purpose <> 'rival' AND q.time_ns IS NOT NULL
GROUP BY 1, 2, 3 ORDER BY p.started_unix
