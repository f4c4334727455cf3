return diagnosis {
  name = "tail",
  summary = "the last wave of blocks leaves most of the device idle",
  source = "CUDA C++ Best Practices Guide and Nsight Compute's launch statistics (tail effect): a wave is what the device "
    .. "holds at once, and a partial last wave takes as long as a full one",
  counters = { "waves", "tail_share" },
  page = "121-last-wave",
  defaults = { share = 0.15 },

  when = function(profile, options)
    if profile.waves <= 1 or profile.tail_share > 1 then return nil end
    local lost = profile.tail_share / math.ceil(profile.waves)   -- of the time, were all blocks alike
    if lost < options.share then return nil end
    return lost, ("tail: %.2f waves of blocks, and %.0f %% of the device is idle in the last one, up to %.0f %% of the time"):format(
      profile.waves, 100 * profile.tail_share, 100 * lost)
  end,
  applies_in = { waves = 1.06, tail_share = 0.94 },
  silent_in  = { waves = 7.9, tail_share = 0.1 },
}
