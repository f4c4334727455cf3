-- What failed: one row a fingerprint or class, with one example
SELECT i.kernel, i.outcome, coalesce(nullif(i.fingerprint, ''), i.error_class, '') AS fingerprint, count(*) AS iterations,
       count(DISTINCT c.variant) AS variants, sum(i.wall_s) AS seconds, min(i.id) AS example, i.workload, c.variant, c.config,
       i.error_message AS message
FROM iteration i JOIN candidate c ON c.id = i.candidate
WHERE i.campaign = :campaign AND i.outcome NOT IN ('passed', 'screened', 'abandoned', 'no_effect')
GROUP BY i.kernel, i.outcome, coalesce(nullif(i.fingerprint, ''), i.error_class, '') ORDER BY iterations DESC, example
