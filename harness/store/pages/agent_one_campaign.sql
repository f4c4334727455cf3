-- The campaign
SELECT * FROM agent_campaigns WHERE campaign = :campaign
