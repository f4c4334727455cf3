-- What each campaign came to, by workload: the fastest that passed
WITH fastest AS (
  SELECT workload, candidate, campaign, min(time_ns) AS time_ns, max(confirmed) AS confirmed
  FROM iteration INDEXED BY iteration_fastest
  WHERE kernel = :kernel AND outcome = 'passed' AND purpose <> 'rival' AND time_ns IS NOT NULL GROUP BY 1, 2, 3)
SELECT p.device_name, f.workload, f.campaign, p.name, strftime('%Y-%m-%d %H:%M', p.started_unix, 'unixepoch') AS begun, p.started_unix,
       min(f.time_ns) AS time_ns, max(f.confirmed) AS confirmed
FROM fastest f JOIN campaign p ON p.id = f.campaign
WHERE f.campaign > (SELECT max(id) FROM campaign) - 500 GROUP BY 1, 2, 3 ORDER BY p.started_unix
