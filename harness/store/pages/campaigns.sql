-- Campaigns
WITH shown AS (
  SELECT p.* FROM campaign p
  WHERE p.id < :before AND (p.strategy <> '' OR EXISTS (SELECT 1 FROM environment e WHERE e.campaign = p.id
                                                         AND json_extract(e.facts, '$.recorded_in') IS NOT NULL))
  ORDER BY p.id DESC LIMIT 100),
arms AS (
  SELECT r.campaign, r.kernel, r.workload, max(r.best_speedup) AS speedup, sum(r.iterations) AS iterations,
         sum(r.passed) AS passed, sum(r.screened) AS screened
  FROM rollup_arm r JOIN shown s ON s.id = r.campaign GROUP BY 1, 2, 3),
sums AS (
  SELECT campaign, exp(sum(ln(speedup)) / max(count(speedup), 1)) AS speedup, count(speedup) AS improved,
         count(*) AS workloads, sum(iterations) AS iterations, sum(passed) AS passed, sum(screened) AS screened
  FROM arms GROUP BY 1)
SELECT s.id AS campaign, s.name, s.kernels, s.device, s.device_name, s.strategy, s.search,
       strftime('%Y-%m-%d %H:%M', s.started_unix, 'unixepoch') AS begun, s.ended_unix IS NOT NULL AS ended, s.reason, s.spent_s,
       s.budget_s, s.cost_usd, s.max_cost_usd, iif(m.improved > 0, m.speedup, NULL) AS best_speedup, m.improved, m.workloads,
       m.iterations, m.passed, m.screened, s.imported, s.evidence
FROM shown s LEFT JOIN sums m ON m.campaign = s.id ORDER BY s.id DESC
