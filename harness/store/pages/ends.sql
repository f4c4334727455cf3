-- How evaluations ended: outcome, the gate or class that says why, and one example
SELECT outcome, class, iterations, seconds, usd, example
FROM rollup_end WHERE campaign = :campaign ORDER BY iterations DESC, 1, 2
