-- What changed last
SELECT (SELECT iteration FROM agent_iterations ORDER BY iteration DESC LIMIT 1) AS iteration,
       (SELECT decision FROM agent_decisions ORDER BY decision DESC LIMIT 1) AS decision,
       (SELECT note FROM agent_notes ORDER BY note DESC LIMIT 1) AS note,
       (SELECT count(*) FROM agent_campaigns WHERE reason IS NOT NULL) AS ended
