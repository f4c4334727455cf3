-- What each campaign came to, by workload: the fastest that passed, the newest campaign first
WITH best AS (   -- of the steps by which a campaign's best fell, the last
  SELECT s.campaign, s.workload, min(s.time_ns) AS time_ns, s.iteration
  FROM rollup_step s WHERE s.kernel = :kernel GROUP BY 1, 2)
SELECT p.device_name, b.workload, b.campaign, p.name, strftime('%Y-%m-%d %H:%M', p.started_unix, 'unixepoch') AS begun, p.started_unix,
       b.time_ns, i.confirmed, b.iteration
FROM best b JOIN campaign p ON p.id = b.campaign JOIN iteration i ON i.id = b.iteration
ORDER BY p.started_unix DESC, b.campaign DESC, b.workload LIMIT 5000
