-- Campaigns that have not ended
SELECT campaign, name, device_name, kernels, spent_s, budget_s, cost_usd, max_cost_usd FROM agent_campaigns
WHERE reason IS NULL AND strategy <> '' ORDER BY campaign DESC LIMIT 20
