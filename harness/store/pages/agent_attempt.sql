-- The attempt
SELECT * FROM agent_iterations WHERE iteration = :iteration
