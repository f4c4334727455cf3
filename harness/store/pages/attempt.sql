-- The attempt
SELECT * FROM v_iterations WHERE iteration = :iteration
