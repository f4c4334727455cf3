-- The campaign's proposals as a tree: each with the variant it was made from, and the best it came to
SELECT q.number, q.variant, q.parents, q.outcome, q.technique, q.workload, q.hypothesis, q.predict_lo, q.predict_hi, q.usd, q.second_to,
       b.best_speedup, b.iteration
FROM iteration i JOIN proposal q ON q.campaign = i.campaign AND q.kernel = i.kernel
LEFT JOIN (SELECT c.variant, max(o.speedup) AS best_speedup, max(o.id) AS iteration FROM iteration o JOIN candidate c ON c.id = o.candidate
           WHERE o.campaign = (SELECT campaign FROM iteration WHERE id = :iteration) AND o.outcome = 'passed' GROUP BY 1) b
  ON b.variant = q.variant
WHERE i.id = :iteration ORDER BY q.number LIMIT 200
