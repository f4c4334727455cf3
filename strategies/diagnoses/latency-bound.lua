local waits = { stall_long_scoreboard = "global memory", stall_short_scoreboard = "shared memory", stall_barrier = "a barrier",
                stall_math = "an arithmetic unit", stall_wait = "the instruction before" }

local function longest(profile)
  local most, what = 0, nil
  for name, thing in pairs(waits) do
    local waiting = profile[name]
    if waiting and waiting > most then most, what = waiting, thing end
  end
  return most, what
end

return diagnosis {
  name = "latency-bound",
  summary = "warps wait, and no unit of the device is busy",
  source = "Nsight Compute's speed-of-light section: compute and memory below 60 % of their peaks mean latency; its warp state "
    .. "statistics say what the warps wait for",
  counters = { "issue_share", "dram_share" },
  counted = { "predicted_latency_ns", "predicted_ns" },
  also = { "tensor_share", "warps_share", "stall_long_scoreboard", "stall_short_scoreboard", "stall_barrier", "stall_math",
           "stall_wait", "shared_wavefronts", "global_load_requests", "tensor_instructions" },
  page = "105-async-copy-pipeline",
  defaults = { share = 0.5 },

  when = function(profile, options)
    if not profile.issue_share or not profile.dram_share then
      local share = profile.predicted_latency_ns / math.max(1, profile.predicted_ns)
      if share <= options.share then return nil end
      -- A pipeline is for tiles that are used again. Where nothing goes through shared memory, loads are only asked for earlier.
      local no_tile = (profile.shared_wavefronts or math.huge) < 0.5 * (profile.global_load_requests or 0) and
        (profile.tensor_instructions or 0) == 0
      return 0.21, ("latency-bound: what each warp waits for makes %.0f %% of the predicted time"):format(100 * math.min(1, share)),
        no_tile and "127-loads-in-flight" or nil
    end
    local busiest = math.max(profile.issue_share, profile.dram_share, profile.tensor_share or 0)
    if busiest >= options.share then return nil end
    local most, what = longest(profile)
    local text = ("latency-bound: no unit is above %.0f %% of its peak"):format(100 * busiest)
    if what then text = text .. ("; %.1f warps wait for %s at each instruction issued"):format(most, what) end
    return math.max(0.01, (1 - busiest) / 2), text
  end,
  applies_in = { issue_share = 0.2, dram_share = 0.3, tensor_share = 0.1, stall_long_scoreboard = 11.5, stall_wait = 1.2 },
  silent_in  = { issue_share = 0.2, dram_share = 0.8, stall_long_scoreboard = 11.5 },
}
