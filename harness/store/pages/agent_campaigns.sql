-- Campaigns
SELECT campaign, name, device_name, strategy, search, budget_s, max_cost_usd, kernels, reason, spent_s, cost_usd, started AS begun
FROM agent_campaigns WHERE campaign < :before ORDER BY campaign DESC LIMIT 100
