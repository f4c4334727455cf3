-- Campaigns
WITH shown AS (
  SELECT p.* FROM campaign p
  WHERE p.id < :before AND (p.strategy <> '' OR EXISTS (SELECT 1 FROM environment e WHERE e.campaign = p.id
                                                         AND json_extract(e.facts, '$.recorded_in') IS NOT NULL))
  ORDER BY p.id DESC LIMIT 100),
counted AS (
  SELECT r.campaign, r.kernel, r.workload, r.best_speedup AS speedup, r.iterations, r.passed, r.screened
  FROM rollup_arm r JOIN shown s ON s.id = r.campaign
  UNION ALL   -- proposed variants are edits, which the sums of the arms leave out
  SELECT i.campaign, i.kernel, i.workload, CASE WHEN i.outcome = 'passed' THEN i.speedup END, 1, i.outcome = 'passed',
         i.outcome = 'screened'
  FROM shown s JOIN iteration i ON i.campaign = s.id JOIN attempt a ON a.id = i.attempt
  WHERE a.parent IS NOT NULL AND EXISTS (SELECT 1 FROM proposal q WHERE q.campaign = s.id)),
arms AS (
  SELECT campaign, kernel, workload, max(speedup) AS speedup, sum(iterations) AS iterations, sum(passed) AS passed,
         sum(screened) AS screened
  FROM counted GROUP BY 1, 2, 3),
sums AS (
  SELECT campaign, exp(sum(ln(speedup)) / max(count(speedup), 1)) AS speedup, count(speedup) AS improved,
         count(*) AS workloads, sum(iterations) AS iterations, sum(passed) AS passed, sum(screened) AS screened
  FROM arms GROUP BY 1)
SELECT s.id AS campaign, s.name, s.kernels, s.device, s.device_name, s.strategy, s.search,
       strftime('%Y-%m-%d %H:%M', s.started_unix, 'unixepoch') AS begun, s.ended_unix IS NOT NULL AS ended, s.reason, s.spent_s,
       s.budget_s, s.cost_usd, s.max_cost_usd, iif(m.improved > 0, m.speedup, NULL) AS best_speedup, m.improved, m.workloads,
       m.iterations, m.passed, m.screened, s.imported, s.evidence
FROM shown s LEFT JOIN sums m ON m.campaign = s.id ORDER BY s.id DESC
