-- Both attempts
SELECT * FROM v_iterations WHERE iteration IN (:a, :b) ORDER BY iteration = :b
