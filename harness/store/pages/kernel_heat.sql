-- Each variant on each workload: its best time, and how many times slower than the best there
WITH fastest AS (
  SELECT workload, candidate, campaign, count(*) AS iterations, min(time_ns) AS time_ns
  FROM iteration INDEXED BY iteration_fastest
  WHERE kernel = :kernel AND outcome = 'passed' AND purpose <> 'rival' AND time_ns IS NOT NULL GROUP BY 1, 2, 3),
best AS (
  SELECT p.device_name, f.workload, c.variant, sum(f.iterations) AS iterations, min(f.time_ns) AS time_ns
  FROM fastest f JOIN candidate c ON c.id = f.candidate JOIN campaign p ON p.id = f.campaign GROUP BY 1, 2, 3)
SELECT device_name, workload, variant, iterations, time_ns, time_ns / min(time_ns) OVER (PARTITION BY device_name, workload) AS slowdown
FROM best ORDER BY device_name, variant, workload
