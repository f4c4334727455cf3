-- What agents noted
SELECT * FROM agent_notes ORDER BY note DESC LIMIT 200
