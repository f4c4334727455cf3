-- Its gates with their evidence
SELECT * FROM gate_result WHERE iteration = :iteration
