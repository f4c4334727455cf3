return diagnosis {
  name = "few-blocks",
  summary = "the grid leaves multiprocessors empty",
  source = "CUDA C++ Best Practices Guide, Execution Configuration Optimizations: the number of blocks should be larger than "
    .. "the number of multiprocessors, so that all have at least one block to execute",
  counters = { "blocks", "multiprocessors" },
  also = { "block_threads" },
  page = "18-parallelism-first",
  defaults = { share = 0.75 },

  when = function(profile, options)
    if profile.multiprocessors <= 0 then return nil end
    local share = profile.blocks / profile.multiprocessors
    if share >= options.share then return nil end
    local small = profile.block_threads and profile.block_threads <= 64
    return 1 - share, ("too few blocks: %d%s on %d multiprocessors leave %.0f %% of the device idle%s"):format(profile.blocks // 1,
      small and (" of %d threads"):format(profile.block_threads // 1) or "", profile.multiprocessors // 1, 100 * (1 - share),
      small and ", and each has few warps" or "")
  end,
  applies_in = { blocks = 2, multiprocessors = 132 },
  silent_in  = { blocks = 128, multiprocessors = 132 },
}
