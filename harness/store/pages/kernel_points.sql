-- The newest attempts of the kernel that have a time, for a scatter
SELECT i.id AS iteration, i.workload, c.variant, i.outcome, i.time_ns, i.speedup, i.floor_ns / i.time_ns AS of_floor, i.registers,
       i.shared_bytes, i.spill_bytes, i.build_s, i.gates_s, i.timing_s, i.wall_s, i.usd, c.config
FROM iteration i JOIN candidate c ON c.id = i.candidate
WHERE i.kernel = :kernel AND i.time_ns IS NOT NULL AND i.id > (SELECT max(id) FROM iteration WHERE kernel = :kernel) - 20000
ORDER BY i.id DESC LIMIT 2000
