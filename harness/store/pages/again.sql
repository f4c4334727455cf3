-- The same candidate on the same workload, elsewhere and at other times
SELECT o.id AS iteration, o.campaign, p.device_name, o.purpose, o.outcome, o.time_ns, o.time_lo_ns, o.time_hi_ns, o.speedup,
       strftime('%Y-%m-%d %H:%M', o.ended_unix, 'unixepoch') AS ended
FROM iteration i JOIN candidate m ON m.id = i.candidate
JOIN candidate c ON c.kernel = m.kernel AND c.variant = m.variant AND c.config = m.config
JOIN iteration o ON o.candidate = c.id AND o.workload = i.workload JOIN campaign p ON p.id = o.campaign
WHERE i.id = :iteration ORDER BY o.id DESC LIMIT 50
