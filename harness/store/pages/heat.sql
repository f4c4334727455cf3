-- Each variant on each workload: its best time, and how many times slower than the best there
WITH best AS (
  SELECT i.kernel, i.workload, c.variant, max(i.purpose = 'rival') AS rival, count(*) AS iterations,
         min(CASE WHEN i.outcome = 'passed' THEN i.time_ns END) AS time_ns, sum(i.outcome = 'passed') AS passed,
         sum(i.outcome IN ('abandoned', 'screened', 'no_effect')) AS slower
  FROM iteration i JOIN candidate c ON c.id = i.candidate WHERE i.campaign = :campaign GROUP BY 1, 2, 3)
SELECT kernel, workload, variant, rival, iterations, passed, slower, time_ns,
       time_ns / min(CASE WHEN rival = 0 THEN time_ns END) OVER (PARTITION BY kernel, workload) AS slowdown
FROM best ORDER BY kernel, variant, workload
