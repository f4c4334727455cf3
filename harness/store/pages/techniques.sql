-- What each technique brought in this campaign
SELECT r.kernel, r.technique, count(DISTINCT r.workload) AS workloads, sum(r.iterations) AS iterations, sum(r.passed) AS passed,
       sum(r.screened) AS screened, max(r.best_speedup) AS best_speedup, sum(r.wall_s) AS seconds
FROM rollup_arm r WHERE r.campaign = :campaign GROUP BY 1, 2 ORDER BY best_speedup DESC
