-- How many evaluations ended how
SELECT outcome, count(*) AS iterations, sum(wall_s) AS seconds, sum(usd) AS usd FROM iteration WHERE campaign = ?1
GROUP BY outcome ORDER BY iterations DESC, outcome
