return diagnosis {
  name = "memory-bound",
  summary = "device memory works near its peak rate, and the time is not at the floor",
  source = "Nsight Compute's speed-of-light section calls a unit above 60 % of its peak the bound; a copy reaches 90 % on an H200",
  counters = { "dram_share" },
  counted = { "predicted_memory_ns", "predicted_ns" },
  also = { "dram_bytes", "least_bytes" },
  page = "115-vector-loads",
  defaults = { share = 0.6, symptom = 0.8 },   -- bytes beyond the least have a cause, which goes first where a rule knows it

  when = function(profile, options)
    local share = profile.dram_share or profile.predicted_memory_ns / math.max(1, profile.predicted_ns)
    if share < options.share then return nil end
    local beyond, bytes = 0, profile.dram_bytes or 0
    if profile.least_bytes and bytes > profile.least_bytes then beyond = 1 - profile.least_bytes / bytes end
    local text = (profile.dram_share and "memory-bound: device memory works at %.0f %% of its peak"
      or "memory-bound: device memory takes %.0f %% of the predicted time"):format(100 * math.min(1, share))
    if beyond > 0.1 then text = text .. (", and %.1fx of the least bytes are moved"):format(bytes / math.max(1, profile.least_bytes)) end
    return math.min(1, math.max(0.2, options.symptom * share * beyond)), text, beyond > 0.1 and "123-load-once" or nil
  end,
  applies_in = { dram_share = 0.82, dram_bytes = 3e8, least_bytes = 1e8 },
  silent_in  = { dram_share = 0.3, dram_bytes = 3e8, least_bytes = 1e8 },
}
