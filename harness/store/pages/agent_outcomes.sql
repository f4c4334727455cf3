-- How attempts ended
SELECT outcome, coalesce(error_class, '') AS class, count(*) AS iterations, sum(wall_s) AS seconds, max(iteration) AS example
FROM agent_iterations WHERE campaign = :campaign GROUP BY 1, 2 ORDER BY iterations DESC, 1, 2
