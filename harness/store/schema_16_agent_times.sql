-- What was measured, what a model predicts and what an emulation took stand in columns of their own for agents, too.
DROP VIEW agent_iterations;
CREATE VIEW agent_iterations AS
  SELECT i.id AS iteration, i.campaign, i.kernel, i.workload, c.variant, c.technique, c.config, p.device_name, i.purpose,
         i.outcome, iif(i.emulation, NULL, i.time_ns) AS time_ns, iif(i.emulation, NULL, i.time_lo_ns) AS time_lo_ns,
         iif(i.emulation, NULL, i.time_hi_ns) AS time_hi_ns, iif(i.emulation, NULL, i.cold_ns) AS cold_ns,
         iif(i.emulation, NULL, i.warm_ns) AS warm_ns, iif(i.emulation, NULL, i.baseline_ns) AS baseline_ns,
         iif(i.emulation AND p.device_name LIKE '%, predicted, not measured', i.time_ns, NULL) AS predicted_ns,
         iif(i.emulation AND p.device_name NOT LIKE '%, predicted, not measured', i.time_ns, NULL) AS emulated_ns,
         i.speedup, i.speedup_lo, i.speedup_hi, i.floor_ns, i.verdict, i.emulation, i.error_class, i.fingerprint, i.same_as,
         i.registers, i.shared_bytes, i.spill_bytes, i.wall_s, i.usd, a.decision, a.label, c.source_hash,
         strftime('%Y-%m-%d %H:%M:%S', i.ended_unix, 'unixepoch') AS ended
  FROM iteration i
  JOIN attempt a ON a.id = i.attempt
  JOIN candidate c ON c.id = i.candidate
  JOIN campaign p ON p.id = i.campaign
  WHERE i.purpose <> 'confirm';
