-- What limits the winners, and their counters beside the baselines'
WITH best AS (
  SELECT i.id, i.kernel, i.workload, row_number() OVER (PARTITION BY kernel, workload ORDER BY confirmed DESC, time_ns, id) AS place
  FROM iteration i
  WHERE campaign = :campaign AND outcome = 'passed' AND time_ns IS NOT NULL AND purpose <> 'rival'),
latest AS (
  SELECT f.iteration, max(f.id) AS profile FROM profile f JOIN iteration i ON i.id = f.iteration WHERE i.campaign = :campaign GROUP BY f.iteration),
based AS (
  SELECT i.kernel, i.workload, max(l.profile) AS profile
  FROM iteration i JOIN latest l ON l.iteration = i.id WHERE i.campaign = :campaign AND i.purpose = 'baseline' GROUP BY i.kernel, i.workload)
SELECT b.kernel, b.workload, b.id AS iteration, f.source, coalesce(f.diagnosis, '') AS diagnosis, f.page, n.metric, n.value,
       (SELECT value FROM profile_number o WHERE o.profile = a.profile AND o.metric = n.metric) AS baseline
FROM best b
JOIN latest l ON l.iteration = b.id
JOIN profile f ON f.id = l.profile
LEFT JOIN based a ON a.kernel = b.kernel AND a.workload = b.workload
JOIN profile_number n ON n.profile = f.id
WHERE b.place = 1
ORDER BY b.kernel, b.workload, n.metric
