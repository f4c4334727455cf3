-- The last decisions that turned to another arm, with what they predicted and what came of it
WITH shown AS (
  SELECT d.* FROM decision d
  WHERE d.campaign = :campaign AND (d.from_kernel IS NOT NULL OR d.action NOT IN ('try', 'confirm')) ORDER BY d.id DESC LIMIT :most)
SELECT d.id AS decision, d.action, d.kernel, d.workload, d.technique, d.from_workload, d.from_technique, d.rule, d.why,
       d.predict_speedup_lo, d.predict_speedup_hi, d.predict_probability, count(i.id) AS iterations,
       max(CASE WHEN i.outcome = 'passed' THEN i.speedup END) AS best_speedup, sum(i.outcome = 'passed') AS passed,
       max(i.verdict = 'faster') AS faster, strftime('%H:%M:%S', d.now_unix, 'unixepoch') AS decided
FROM shown d LEFT JOIN attempt a ON a.decision = d.id LEFT JOIN iteration i ON i.attempt = a.id GROUP BY d.id ORDER BY d.id DESC
