-- Kernels
WITH per AS (
  SELECT r.kernel, count(DISTINCT r.campaign) AS campaigns, count(DISTINCT r.workload) AS workloads,
         count(DISTINCT r.technique) AS techniques, sum(r.iterations) AS iterations, max(r.best_speedup) AS best_speedup
  FROM rollup_arm r GROUP BY 1)
SELECT per.*, (SELECT count(*) FROM rollup_best b WHERE b.kernel = per.kernel AND b.confirmed = 1) AS confirmed,
       (SELECT group_concat(DISTINCT b.device_name) FROM rollup_best b WHERE b.kernel = per.kernel) AS devices
FROM per ORDER BY kernel
