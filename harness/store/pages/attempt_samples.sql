-- Its samples
SELECT kind, series FROM sample WHERE iteration = :iteration
