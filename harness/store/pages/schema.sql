-- The views that queries can ask, and the tables below them
SELECT m.type, m.name, group_concat(x.name, ', ') AS columns
FROM sqlite_schema m JOIN pragma_table_info(m.name) x
WHERE m.type IN ('view', 'table') AND m.name NOT LIKE 'sqlite%' AND m.name NOT LIKE 'agent%' GROUP BY 1, 2 ORDER BY m.type DESC, m.name
