-- Each variant on each workload: its best time, and how many times slower than the best there
WITH devices AS (SELECT DISTINCT device_name FROM rollup_device_technique WHERE kernel = :kernel),
fastest AS (
  SELECT (SELECT device_name FROM devices) AS device_name, workload, candidate, count(*) AS iterations, min(time_ns) AS time_ns
  FROM iteration INDEXED BY iteration_fastest
  WHERE (SELECT count(*) FROM devices) = 1 AND kernel = :kernel AND outcome = 'passed' AND purpose <> 'rival' AND time_ns IS NOT NULL
  GROUP BY workload, candidate
  UNION ALL
  SELECT p.device_name, i.workload, i.candidate, count(*), min(i.time_ns)
  FROM iteration i INDEXED BY iteration_fastest JOIN campaign p ON p.id = i.campaign
  WHERE (SELECT count(*) FROM devices) > 1 AND i.kernel = :kernel AND i.outcome = 'passed' AND i.purpose <> 'rival'
    AND i.time_ns IS NOT NULL
  GROUP BY p.device_name, i.workload, i.candidate),
best AS (
  SELECT f.device_name, f.workload, c.variant, sum(f.iterations) AS iterations, min(f.time_ns) AS time_ns
  FROM fastest f JOIN candidate c ON c.id = f.candidate GROUP BY 1, 2, 3)
SELECT device_name, workload, variant, iterations, time_ns, time_ns / min(time_ns) OVER (PARTITION BY device_name, workload) AS slowdown
FROM best ORDER BY device_name, variant, workload
