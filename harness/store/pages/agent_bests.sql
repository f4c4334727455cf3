-- The fastest of every workload that has passed; no time of it is confirmed here
SELECT kernel, workload, variant, config, technique, min(coalesce(time_ns, predicted_ns, emulated_ns)) AS best_ns, baseline_ns, speedup,
       floor_ns, emulation, device_name, iteration
FROM agent_iterations WHERE campaign = :campaign AND outcome = 'passed' AND purpose <> 'rival' GROUP BY kernel, workload
