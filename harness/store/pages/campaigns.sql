-- Campaigns
WITH shown AS (
  SELECT p.* FROM campaign p
  WHERE p.id < :before AND (p.strategy <> '' OR EXISTS (SELECT 1 FROM environment e WHERE e.campaign = p.id
                                                         AND json_extract(e.facts, '$.recorded_in') IS NOT NULL))
    AND NOT EXISTS (   -- a word of the filter that the campaign does not have
      SELECT 1 FROM json_each('[' || replace(json_quote(lower(:text)), ' ', '","') || ']') w
      WHERE instr(lower(p.id || ' ' || coalesce(p.name, '') || ' ' || p.kernels || ' ' || p.device || ' ' || p.device_name || ' ' || p.strategy || ' ' || p.search
                        || ' ' || coalesce(p.reason, 'not ended running') || ' ' || strftime('%Y-%m-%d %H:%M', p.started_unix, 'unixepoch')), w.value) = 0)
  ORDER BY p.id DESC LIMIT 100),
counted AS (
  SELECT r.campaign, r.iterations, r.passed, r.screened FROM rollup_arm r JOIN shown s ON s.id = r.campaign
  UNION ALL   -- proposed variants are edits, which the sums of the arms leave out
  SELECT i.campaign, 1, i.outcome = 'passed', i.outcome = 'screened'
  FROM shown s JOIN iteration i ON i.campaign = s.id JOIN attempt a ON a.id = i.attempt
  WHERE a.parent IS NOT NULL AND EXISTS (SELECT 1 FROM proposal q WHERE q.campaign = s.id)),
sums AS (
  SELECT campaign, sum(iterations) AS iterations, sum(passed) AS passed, sum(screened) AS screened FROM counted GROUP BY 1),
best AS (   -- the fastest that was confirmed, else the fastest that passed
  SELECT campaign, kernel, workload, iteration, max(confirmed) AS confirmed FROM (
    SELECT i.campaign, i.kernel, i.workload, i.id AS iteration, min(i.time_ns), 1 AS confirmed
    FROM iteration i INDEXED BY iteration_confirmed
    WHERE i.campaign IN (SELECT id FROM shown) AND i.confirmed = 1 AND i.outcome = 'passed' AND i.time_ns IS NOT NULL AND i.purpose <> 'rival'
      AND NOT EXISTS (SELECT 1 FROM struck l WHERE l.campaign = i.campaign AND l.workload = i.workload AND l.candidate = i.candidate)
    GROUP BY 1, 2, 3
    UNION ALL
    SELECT s.campaign, s.kernel, s.workload, s.iteration, min(s.time_ns), 0
    FROM rollup_step s WHERE s.campaign IN (SELECT id FROM shown) GROUP BY 1, 2, 3)
  GROUP BY 1, 2, 3),
told AS (   -- a workload that was planned and has no best counts as 1; older campaigns did not write down what they planned
  SELECT b.campaign, b.kernel, b.workload, i.speedup, b.confirmed, NULL AS weight FROM best b JOIN iteration i ON i.id = b.iteration
  UNION ALL
  SELECT p.id, json_extract(j.value, '$.kernel'), json_extract(j.value, '$.workload'), NULL, 0, json_extract(j.value, '$.weight')
  FROM campaign p JOIN json_each(p.options, '$.planned') j WHERE p.id IN (SELECT id FROM shown)),
each_workload AS (
  SELECT campaign, kernel, workload, max(speedup) AS speedup, max(confirmed) AS confirmed, coalesce(max(weight), 1) AS weight
  FROM told GROUP BY 1, 2, 3),
scored AS (
  SELECT campaign, count(*) AS workloads, count(speedup) AS improved, sum(confirmed) AS confirmed,
         CASE WHEN count(speedup) > 0 AND sum(weight) > 0
              THEN exp(sum(iif(speedup > 0, weight * ln(speedup), 0)) / sum(weight)) END AS score
  FROM each_workload GROUP BY 1)
SELECT s.id AS campaign, s.name, s.kernels, s.device, s.device_name, s.strategy, s.search,
       strftime('%Y-%m-%d %H:%M', s.started_unix, 'unixepoch') AS begun, s.ended_unix IS NOT NULL AS ended, s.reason, s.spent_s,
       s.budget_s, s.cost_usd, s.max_cost_usd, c.score, c.improved, c.workloads, c.confirmed,
       m.iterations, m.passed, m.screened, s.imported, s.evidence
FROM shown s LEFT JOIN sums m ON m.campaign = s.id
LEFT JOIN scored c ON c.campaign = s.id
ORDER BY s.id DESC
