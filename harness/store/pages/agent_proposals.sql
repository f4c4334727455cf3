-- Its proposals, the newest first
SELECT * FROM agent_proposals WHERE campaign = :campaign ORDER BY proposal DESC LIMIT 100
