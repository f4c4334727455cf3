-- The campaign
SELECT p.id AS campaign, p.uuid, p.name, p.device, p.device_name, p.strategy, p.search, p.seed, p.budget_s, p.max_cost_usd,
       p.usd_per_hour, p.kernels, p.options, strftime('%Y-%m-%d %H:%M', p.started_unix, 'unixepoch') AS begun,
       strftime('%Y-%m-%d %H:%M', p.ended_unix, 'unixepoch') AS ended, p.reason, p.spent_s, p.cost_usd, p.imported, p.evidence,
       (SELECT count(*) FROM iteration i WHERE i.campaign = p.id) AS iterations,
       (SELECT i.emulation FROM iteration i WHERE i.campaign = p.id LIMIT 1) AS emulation,
       (SELECT max(i.id) FROM iteration i WHERE i.campaign = p.id) AS newest, p.started_unix, p.ended_unix, e.facts
FROM campaign p LEFT JOIN environment e ON e.campaign = p.id WHERE p.id = :campaign
