-- The decisions that turned to another arm, with what they predicted and what came of it
SELECT d.id AS decision, d.action, d.kernel, d.workload, d.technique, d.from_workload, d.from_technique, d.rule, d.why,
       d.predict_speedup_lo, d.predict_speedup_hi, d.predict_probability, count(i.id) AS iterations,
       max(CASE WHEN i.outcome = 'passed' THEN i.speedup END) AS best_speedup, sum(i.outcome = 'passed') AS passed
FROM decision d LEFT JOIN attempt a ON a.decision = d.id LEFT JOIN iteration i ON i.attempt = a.id
WHERE d.campaign = ?1 AND (d.from_kernel IS NOT NULL OR d.action NOT IN ('try', 'confirm')) GROUP BY d.id ORDER BY d.id
