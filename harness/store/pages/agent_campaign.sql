-- The campaign's attempts, the newest first
SELECT * FROM agent_iterations WHERE campaign = :campaign ORDER BY iteration DESC LIMIT 200
