-- How the best times fell: each new best of a workload, with the time and the money spent until then
WITH timeline AS (
  SELECT i.id, i.kernel, i.workload, i.candidate, i.time_ns, i.time_lo_ns, i.time_hi_ns, i.speedup, i.purpose, i.outcome, i.confirmed,
         i.ended_unix - min(i.ended_unix - i.wall_s) OVER () AS seconds, sum(i.usd) OVER (ORDER BY i.id) AS usd
  FROM iteration i WHERE i.campaign = :campaign),
ours AS (
  SELECT *, min(time_ns) OVER (PARTITION BY kernel, workload ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before
  FROM timeline WHERE outcome = 'passed' AND purpose <> 'rival' AND time_ns IS NOT NULL)
SELECT o.kernel, o.workload, o.seconds, o.usd, o.time_ns, o.time_lo_ns, o.time_hi_ns, o.speedup, c.variant, c.config, o.id AS iteration
FROM ours o JOIN candidate c ON c.id = o.candidate WHERE o.before IS NULL OR o.time_ns < o.before ORDER BY o.id
