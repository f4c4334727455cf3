-- What each technique brought. gain: by what factor its evaluations lowered the best times, geometric mean of its workloads
WITH ours AS (
  SELECT i.id, i.kernel, i.workload, c.technique, i.outcome, i.purpose, i.time_ns, i.speedup, i.wall_s, i.usd,
         min(CASE WHEN i.outcome = 'passed' AND i.purpose <> 'rival' THEN i.time_ns END)
           OVER (PARTITION BY i.kernel, i.workload ORDER BY i.id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before
  FROM iteration i JOIN candidate c ON c.id = i.candidate WHERE i.campaign = :campaign)
SELECT kernel, technique, count(*) AS iterations, sum(outcome = 'passed') AS passed,
       sum(outcome IN ('screened', 'abandoned')) AS slower, count(DISTINCT workload) AS workloads,
       max(CASE WHEN outcome = 'passed' THEN speedup END) AS best_speedup,
       exp(sum(CASE WHEN outcome = 'passed' AND purpose <> 'rival' AND time_ns < before THEN ln(before / time_ns) ELSE 0 END)
           / count(DISTINCT workload)) AS gain,
       sum(CASE WHEN outcome = 'passed' AND purpose <> 'rival' AND time_ns < before THEN log2(before / time_ns) ELSE 0 END)
         / nullif(sum(usd), 0) AS halvings_per_usd,
       sum(wall_s) AS seconds, sum(usd) AS usd, max(purpose = 'rival') AS rival
FROM ours GROUP BY kernel, technique ORDER BY rival, gain DESC, seconds DESC, technique
