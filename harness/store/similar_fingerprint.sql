-- As similar_newest.sql, of the iterations with the fingerprint ?6, at most ?7
SELECT i.id, i.workload, c.variant, c.technique, c.config, i.outcome, i.time_ns, i.speedup, i.error_class, i.fingerprint, a.label,
       (SELECT device FROM campaign WHERE id = i.campaign), i.emulation
FROM iteration i INDEXED BY iteration_by_fingerprint
CROSS JOIN candidate c ON c.id = i.candidate
CROSS JOIN attempt a ON a.id = i.attempt
WHERE i.kernel = ?1 AND i.fingerprint = ?6 AND i.fingerprint <> ''
  AND i.purpose <> 'confirm' AND (?2 IS NULL OR i.workload = ?2) AND (?3 IS NULL OR c.variant = ?3)
  AND (?4 IS NULL OR c.technique = ?4) AND (?5 IS NULL OR i.outcome = ?5)
ORDER BY i.id DESC LIMIT ?7
