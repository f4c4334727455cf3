-- Gates that could not be checked on the best ones (two rows are facts that no gate asks)
WITH ranked AS (
  SELECT i.id, i.kernel, i.workload, row_number() OVER (PARTITION BY kernel, workload ORDER BY confirmed DESC, time_ns, id) AS place
  FROM iteration i
  WHERE campaign = :campaign AND outcome = 'passed' AND time_ns IS NOT NULL AND purpose <> 'rival')
SELECT g.name AS gate, count(DISTINCT r.id) AS bests, min(g.detail) AS why, min(r.id) AS example
FROM ranked r JOIN gate_result g ON g.iteration = r.id WHERE r.place = 1 AND g.checked = 0 AND g.name NOT IN ('batch', 'configurations') GROUP BY g.name ORDER BY bests DESC, gate
