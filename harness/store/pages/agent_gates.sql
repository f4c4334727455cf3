-- Its gates
SELECT name, passed FROM agent_gates WHERE iteration = :iteration ORDER BY position
