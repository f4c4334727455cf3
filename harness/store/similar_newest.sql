-- ?1 kernel, ?2 workload, ?3 variant, ?4 technique, ?5 outcome (NULL: any), ?6 unused, ?7 how many of the kernel's newest
SELECT i.id, i.workload, c.variant, c.technique, c.config, i.outcome, i.time_ns, i.speedup, i.error_class, i.fingerprint, a.label,
       (SELECT device FROM campaign WHERE id = i.campaign), i.emulation
FROM iteration i INDEXED BY iteration_by_kernel
CROSS JOIN candidate c ON c.id = i.candidate
CROSS JOIN attempt a ON a.id = i.attempt
WHERE i.kernel = ?1 AND ?6 IS NULL
  AND i.id > coalesce((SELECT id FROM iteration WHERE kernel = ?1 ORDER BY id DESC LIMIT 1 OFFSET ?7), 0)
  AND i.purpose <> 'confirm' AND (?2 IS NULL OR i.workload = ?2) AND (?3 IS NULL OR c.variant = ?3)
  AND (?4 IS NULL OR c.technique = ?4) AND (?5 IS NULL OR i.outcome = ?5)
ORDER BY i.id DESC
