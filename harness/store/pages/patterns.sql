-- What rests on each page of the playbook: decisions that name it or a rule of it, and the attempts that they asked for
WITH resting AS (
  SELECT j.value AS pattern, d.id FROM decision d JOIN json_each(d.patterns) j
  UNION SELECT r.value, d.id FROM decision d JOIN json_each(:rules) r ON r.key = d.rule)
SELECT r.pattern, count(DISTINCT d.campaign) AS campaigns, count(DISTINCT d.id) AS decisions, count(i.id) AS attempts,
       sum(i.outcome = 'passed') AS passed, sum(i.wall_s) AS seconds, sum(i.usd) AS usd
FROM resting r JOIN decision d ON d.id = r.id JOIN campaign p ON p.id = d.campaign AND p.evidence = 1
LEFT JOIN attempt a ON a.decision = d.id LEFT JOIN iteration i ON i.attempt = a.id
GROUP BY r.pattern ORDER BY r.pattern
