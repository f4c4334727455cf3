return diagnosis {
  name = "barrier-waits",
  summary = "warps wait at barriers for one that has more to do",
  source = "Nsight Compute's warp states: a high barrier stall comes from diverging code paths before a barrier, and is mended by "
    .. "giving each warp the same work. Where it is counted, it is the work between two barriers, warp by warp",
  counters = { "stall_barrier", "stall_long_scoreboard" },
  counted = { "barriers", "barrier_wait_share" },
  also = { "stall_short_scoreboard", "stall_math", "stall_wait" },
  page = "119-divergence",
  defaults = { share = 0.4 },

  when = function(profile, options)
    if profile.stall_barrier then
      local all = profile.stall_barrier + profile.stall_long_scoreboard + (profile.stall_short_scoreboard or 0) +
        (profile.stall_math or 0) + (profile.stall_wait or 0)
      local stalled = all > 0 and profile.stall_barrier / all or 0
      if stalled <= options.share then return nil end
      return 0.6 * stalled, ("barrier-waits: %.0f %% of the warps that wait do so at a barrier, %.1f at each instruction issued"):format(
        100 * stalled, profile.stall_barrier)
    end
    local share = math.min(1, profile.barrier_wait_share)
    if profile.barriers <= 0 or share <= options.share then return nil end
    return 0.5 * share, ("barrier-waits: between two barriers the mean warp has %.0f %% less to do than the busiest, and waits"):format(
      100 * share)
  end,
  applies_in = { barriers = 4096, barrier_wait_share = 0.75 },
  silent_in  = { barriers = 4096, barrier_wait_share = 0.1 },
}
