-- Which rules decided
SELECT rule, action, count(*) AS decisions, min(id) AS first, why FROM decision
WHERE campaign = :campaign AND rule IS NOT NULL GROUP BY rule, action ORDER BY decisions DESC, first
