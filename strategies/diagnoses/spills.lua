return diagnosis {
  name = "spills",
  summary = "registers are kept in local memory, which is device memory behind the caches",
  source = "CUDA C++ Best Practices Guide, Register Pressure; ptxas reports spill stores and loads. A few bytes outside of the inner "
    .. "loop cost nothing measurable, so 32 bytes are the least that is named",
  counters = { "spill_bytes" },
  also = { "registers" },
  page = "120-registers-and-spills",
  defaults = { bytes = 32 },

  when = function(profile, options)
    if profile.spill_bytes < options.bytes then return nil end
    return math.min(0.9, 0.2 + profile.spill_bytes / 1000), ("spills: %d bytes of registers a thread are kept in memory%s"):format(
      profile.spill_bytes // 1, profile.registers and (" beside %d registers"):format(profile.registers // 1) or "")
  end,
  applies_in = { spill_bytes = 240, registers = 255 },
  silent_in  = { spill_bytes = 0, registers = 128 },
}
