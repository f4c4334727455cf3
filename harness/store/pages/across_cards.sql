-- Candidates that were timed on more than one card of a fleet
WITH timed AS (
  SELECT i.id AS iteration, i.candidate, i.kernel, i.workload, i.purpose, a.node, a.device_uuid AS card, i.time_ns, i.anchor_ns,
         i.speedup, i.speedup_lo, i.speedup_hi, i.verdict
  FROM iteration i JOIN attempt a ON a.id = i.attempt
  WHERE i.campaign = :campaign AND a.node IS NOT NULL AND i.outcome = 'passed' AND i.time_ns > 0
), several AS (
  SELECT candidate, workload FROM timed GROUP BY candidate, workload HAVING count(DISTINCT node) > 1
)
SELECT t.kernel, t.workload, c.variant, c.config, t.node, t.card, t.purpose, t.time_ns, t.anchor_ns, t.speedup, t.speedup_lo,
       t.speedup_hi, t.verdict, t.iteration
FROM timed t JOIN several s ON s.candidate = t.candidate AND s.workload = t.workload JOIN candidate c ON c.id = t.candidate
ORDER BY t.kernel, t.workload, c.variant, c.config, t.iteration
