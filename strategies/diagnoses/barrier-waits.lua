return diagnosis {
  name = "barrier-waits",
  summary = "warps wait at barriers for one that has more to do",
  source = "Nsight Compute's warp states: a high barrier stall comes from diverging code paths before a barrier, and is mended by "
    .. "giving each warp the same work; here the work between two barriers is counted, warp by warp",
  counters = { "barriers", "barrier_wait_share" },
  page = "119-divergence",
  defaults = { share = 0.4 },

  when = function(profile, options)
    local share = math.min(1, profile.barrier_wait_share)
    if profile.barriers <= 0 or share <= options.share then return nil end
    return 0.5 * share, ("barrier-waits: between two barriers the mean warp has %.0f %% less to do than the busiest, and waits"):format(
      100 * share)
  end,
  applies_in = { barriers = 4096, barrier_wait_share = 0.75 },
  silent_in  = { barriers = 4096, barrier_wait_share = 0.1 },
}
