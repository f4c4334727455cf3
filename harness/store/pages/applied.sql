-- Decisions that rest on the page, with the attempts that they asked for; a gain is that of all decisions that one arm has in a row
WITH resting AS (
  SELECT d.id FROM decision d JOIN json_each(d.patterns) j ON j.value = :pattern
  UNION SELECT d.id FROM decision d JOIN json_each(:rules) r ON r.key = d.rule AND r.value = :pattern)
SELECT d.campaign, d.id AS decision, d.action, d.rule, d.kernel, d.workload, d.technique, d.why, count(i.id) AS attempts,
       sum(i.outcome = 'passed') AS passed, min(CASE WHEN i.outcome = 'passed' THEN i.time_ns END) AS best_ns,
       sum(i.wall_s) AS seconds, sum(i.usd) AS usd
FROM resting r JOIN decision d ON d.id = r.id JOIN campaign p ON p.id = d.campaign AND p.evidence = 1
LEFT JOIN attempt a ON a.decision = d.id LEFT JOIN iteration i ON i.attempt = a.id
GROUP BY d.id ORDER BY d.id
