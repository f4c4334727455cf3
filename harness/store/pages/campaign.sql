-- The campaign
WITH best AS (   -- the fastest that was confirmed, else the fastest that passed
  SELECT campaign, kernel, workload, iteration, max(confirmed) AS confirmed FROM (
    SELECT i.campaign, i.kernel, i.workload, i.id AS iteration, min(i.time_ns), 1 AS confirmed
    FROM iteration i INDEXED BY iteration_confirmed
    WHERE i.campaign = :campaign AND i.confirmed = 1 AND i.outcome = 'passed' AND i.time_ns IS NOT NULL AND i.purpose <> 'rival'
      AND NOT EXISTS (SELECT 1 FROM struck l WHERE l.campaign = i.campaign AND l.workload = i.workload AND l.candidate = i.candidate)
    GROUP BY 1, 2, 3
    UNION ALL
    SELECT s.campaign, s.kernel, s.workload, s.iteration, min(s.time_ns), 0
    FROM rollup_step s WHERE s.campaign = :campaign GROUP BY 1, 2, 3)
  GROUP BY 1, 2, 3),
told AS (   -- a workload that was planned and has no best counts as 1; older campaigns did not write down what they planned
  SELECT b.campaign, b.kernel, b.workload, i.speedup, b.confirmed, NULL AS weight FROM best b JOIN iteration i ON i.id = b.iteration
  UNION ALL
  SELECT p.id, json_extract(j.value, '$.kernel'), json_extract(j.value, '$.workload'), NULL, 0, json_extract(j.value, '$.weight')
  FROM campaign p JOIN json_each(p.options, '$.planned') j WHERE p.id = :campaign),
each_workload AS (
  SELECT campaign, kernel, workload, max(speedup) AS speedup, max(confirmed) AS confirmed, coalesce(max(weight), 1) AS weight
  FROM told GROUP BY 1, 2, 3),
scored AS (
  SELECT campaign, count(*) AS workloads, count(speedup) AS improved, sum(confirmed) AS confirmed,
         CASE WHEN count(speedup) > 0 AND sum(weight) > 0
              THEN exp(sum(iif(speedup > 0, weight * ln(speedup), 0)) / sum(weight)) END AS score
  FROM each_workload GROUP BY 1)
SELECT p.id AS campaign, p.uuid, p.name, p.device, p.device_name, p.strategy, p.search, p.seed, p.budget_s, p.max_cost_usd,
       p.usd_per_hour, p.kernels, p.options, strftime('%Y-%m-%d %H:%M', p.started_unix, 'unixepoch') AS begun,
       strftime('%Y-%m-%d %H:%M', p.ended_unix, 'unixepoch') AS ended, p.reason, p.spent_s, p.cost_usd, p.imported, p.evidence,
       (SELECT count(*) FROM iteration i WHERE i.campaign = p.id) AS iterations,
       (SELECT i.emulation FROM iteration i WHERE i.campaign = p.id LIMIT 1) AS emulation,
       (SELECT max(i.id) FROM iteration i WHERE i.campaign = p.id) AS newest, p.started_unix, p.ended_unix, e.facts,
       s.score, s.workloads, s.improved, s.confirmed
FROM campaign p LEFT JOIN environment e ON e.campaign = p.id
LEFT JOIN scored s ON s.campaign = p.id
WHERE p.id = :campaign
