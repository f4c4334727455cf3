-- The campaign's last decisions
SELECT * FROM agent_decisions WHERE campaign = :campaign ORDER BY decision DESC LIMIT 100
