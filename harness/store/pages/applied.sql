-- Where a page of the playbook was applied: the decisions that rest on it, the newest first
SELECT d.id AS decision, d.campaign, d.action, d.kernel, d.workload, d.technique, d.why, count(i.id) AS iterations,
       max(CASE WHEN i.outcome = 'passed' THEN i.speedup END) AS best_speedup, max(i.verdict = 'faster') AS faster
FROM decision d JOIN json_each(d.patterns) j ON j.value = :pattern LEFT JOIN attempt a ON a.decision = d.id
LEFT JOIN iteration i ON i.attempt = a.id
WHERE d.id > (SELECT max(id) FROM decision) - 50000 GROUP BY d.id ORDER BY d.id DESC LIMIT 100
