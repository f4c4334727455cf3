-- The best of each workload and device over all campaigns
SELECT b.kernel, b.workload, b.device_name, b.variant, b.technique, b.config, b.time_ns, b.time_lo_ns, b.time_hi_ns, b.baseline_ns,
       b.speedup, b.floor_ns, b.of_floor, b.of_limit, b.confirmed, b.emulation, b.iteration, b.campaign, b.ended, r.rival_variant, r.rival_ns
FROM v_best b LEFT JOIN v_rivals r USING (kernel, workload, device_name, contract_hash) WHERE b.kernel = :kernel
ORDER BY b.device_name, b.workload
