-- Less is what any kernel does: neighbours of a stencil, rows that two passes read.
local kFew = 8

return diagnosis {
  name = "rereads",
  summary = "loads ask for each byte of the workload many times, and that is what takes the time",
  source = "CUDA C++ Best Practices Guide, Shared Memory in Matrix Multiplication: what several threads need is loaded once a block "
    .. "and kept on the chip; a count of 8 leaves stencils and two passes alone",
  counters = { "global_load_sectors", "least_bytes", "instructions", "instructions_memory", "predicted_l1_ns", "predicted_l2_ns",
               "predicted_issue_ns", "predicted_ns" },
  also = { "l1_hit_share" },
  page = "123-load-once",
  -- Of the time; of the instructions; of the sectors that were there: rows picked by an index come from the L2, and no block shares them.
  defaults = { share = 0.4, loads = 0.05, hits = 0.5 },

  when = function(profile, options)
    local times = profile.global_load_sectors * 32 / math.max(1, profile.least_bytes)
    if times < kFew or profile.instructions_memory < options.loads * profile.instructions then return nil end
    if profile.l1_hit_share and profile.l1_hit_share < options.hits then return nil end
    local share = math.max(profile.predicted_l1_ns, profile.predicted_l2_ns, profile.predicted_issue_ns) / math.max(1, profile.predicted_ns)
    if share < options.share then return nil end
    return math.min(0.95, share) * (1 - kFew / 2 / times), ("rereads: loads ask for each byte of the workload %.0f times, and that takes %.0f %% of the time")
      :format(times, 100 * math.min(1, share))
  end,
  applies_in = { global_load_sectors = 135200768, least_bytes = 25169920, instructions = 4.9e8, instructions_memory = 1.3e8,
                 predicted_l1_ns = 518000, predicted_l2_ns = 13800, predicted_issue_ns = 472000, predicted_ns = 799000 },
  silent_in  = { global_load_sectors = 1600000, least_bytes = 25169920, instructions = 4.9e6, instructions_memory = 1.3e6,
                 predicted_l1_ns = 5000, predicted_l2_ns = 4000, predicted_issue_ns = 2000, predicted_ns = 9000 },
}
