-- Each variant on each workload: its best time, and how many times slower than the best there
WITH best AS (
  SELECT p.device_name, i.workload, c.variant, count(*) AS iterations, min(i.time_ns) AS time_ns
  FROM iteration i INDEXED BY iteration_fastest JOIN candidate c ON c.id = i.candidate JOIN campaign p ON p.id = i.campaign
  WHERE i.kernel = :kernel AND i.outcome = 'passed' AND i.purpose <> 'rival' AND i.time_ns IS NOT NULL GROUP BY 1, 2, 3)
SELECT device_name, workload, variant, iterations, time_ns, time_ns / min(time_ns) OVER (PARTITION BY device_name, workload) AS slowdown
FROM best ORDER BY device_name, variant, workload
