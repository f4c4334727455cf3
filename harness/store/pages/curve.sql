-- How the best times fell: each new best of a workload, with the time and the money spent until then
WITH passed AS (
  SELECT id, time_ns, min(time_ns) OVER (PARTITION BY kernel, workload ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS before
  FROM iteration WHERE campaign = :campaign AND outcome = 'passed' AND purpose <> 'rival' AND time_ns IS NOT NULL),
steps AS MATERIALIZED (
  SELECT id, lag(id, 1, 0) OVER (ORDER BY id) AS last FROM passed WHERE before IS NULL OR time_ns < before),
spent AS (
  SELECT s.id, sum((SELECT sum(i.usd) FROM iteration i WHERE i.campaign = :campaign AND i.id > s.last AND i.id <= s.id))
               OVER (ORDER BY s.id) AS usd
  FROM steps s),
begun AS (SELECT ended_unix - wall_s AS unix FROM iteration WHERE campaign = :campaign ORDER BY id LIMIT 1)
SELECT i.kernel, i.workload, i.ended_unix - (SELECT unix FROM begun) AS seconds, m.usd, i.time_ns, i.time_lo_ns, i.time_hi_ns,
       i.speedup, c.variant, c.technique, c.config, i.purpose, i.id AS iteration, a.decision
FROM spent m JOIN iteration i ON i.id = m.id JOIN candidate c ON c.id = i.candidate JOIN attempt a ON a.id = i.attempt
ORDER BY i.kernel, i.workload, i.id
