-- How evaluations ended: outcome, the gate or class that says why, and one example
SELECT i.outcome, coalesce(i.error_class, '') AS class, count(*) AS iterations, sum(i.wall_s) AS seconds, sum(i.usd) AS usd,
       max(i.id) AS example
FROM iteration i WHERE i.campaign = :campaign GROUP BY 1, 2 ORDER BY iterations DESC, 1, 2
