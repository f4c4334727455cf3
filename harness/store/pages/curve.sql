-- How the best times fell: each new best of a workload, with the time and the money spent until then
WITH begun AS (SELECT ended_unix - wall_s AS unix FROM iteration WHERE campaign = :campaign ORDER BY id LIMIT 1)
SELECT i.kernel, i.workload, i.ended_unix - (SELECT unix FROM begun) AS seconds, s.usd, i.time_ns, i.time_lo_ns, i.time_hi_ns,
       i.speedup, c.variant, c.technique, c.config, i.purpose, i.id AS iteration, a.decision
FROM rollup_step s JOIN iteration i ON i.id = s.iteration JOIN candidate c ON c.id = i.candidate JOIN attempt a ON a.id = i.attempt
WHERE s.campaign = :campaign ORDER BY s.kernel, s.workload, s.iteration
