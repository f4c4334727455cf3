-- Proposals, the newest first: what each promised, and the best that came of it
WITH shown AS (SELECT * FROM proposal WHERE campaign = :campaign ORDER BY id DESC LIMIT 200),
came AS (
  SELECT c.kernel, c.variant, max(CASE WHEN o.outcome = 'passed' THEN o.speedup END) AS best_speedup, o.id AS best_iteration,
         count(*) AS attempts
  FROM shown s JOIN candidate c ON c.kernel = s.kernel AND c.variant = s.variant
  JOIN iteration o INDEXED BY iteration_by_candidate ON o.candidate = c.id AND o.campaign = :campaign
  WHERE s.variant <> '' GROUP BY 1, 2)
SELECT q.number, q.second_to, q.kernel, q.workload, q.technique, q.ask, q.parents, q.proposer, q.model, q.tokens_in,
       q.tokens_out, q.tokens_cached, q.usd, q.latency_s, q.outcome, q.message, q.hypothesis, q.predict_lo, q.predict_hi, q.twin,
       q.variant, b.best_speedup, b.best_iteration, b.attempts, q.campaign
FROM shown q LEFT JOIN came b ON b.kernel = q.kernel AND b.variant = q.variant ORDER BY q.id DESC
