-- Cycles of a multiprocessor: a pass through shared memory is one; a sector of device memory is 32 bytes of about 20 a cycle.
local kSectorCycles = 1.5

return diagnosis {
  name = "bank-conflicts",
  summary = "accesses of shared memory are repeated because lanes meet in a bank",
  source = "CUDA C++ Programming Guide, Shared Memory: 32 banks of 4 bytes a cycle; an n-way conflict takes n passes. 20 bytes a "
    .. "cycle: 4.8 TB/s over 132 multiprocessors at 1.755 GHz (H200 data sheet)",
  counters = { "shared_conflicts", "shared_wavefronts" },
  also = { "global_load_sectors", "global_store_sectors", "atomics", "shared_requests" },
  page = "118-shared-memory-banks",
  defaults = { share = 0.25 },

  when = function(profile, options)
    local passes, conflicts = profile.shared_wavefronts, math.min(profile.shared_conflicts, profile.shared_wavefronts)
    if passes <= 0 then return nil end
    local sectors = (profile.global_load_sectors or 0) + (profile.global_store_sectors or 0)
    local severity = conflicts / math.max(passes, kSectorCycles * sectors)
    if severity < options.share then return nil end
    -- Counters that lanes bump meet in banks by chance: no other layout of a tile mends that, more copies of them do.
    local counters = (profile.atomics or 0) > 0.25 * (profile.shared_requests or math.huge)
    return severity, ("bank conflicts: %.0f %% of %.3g passes through shared memory repeat others%s"):format(100 * conflicts / passes,
      passes, counters and ", and they are atomic" or ""), counters and "122-atomics" or nil
  end,
  applies_in = { shared_conflicts = 31000, shared_wavefronts = 33000, global_load_sectors = 4000, global_store_sectors = 4000 },
  silent_in  = { shared_conflicts = 100, shared_wavefronts = 33000, global_load_sectors = 4000, global_store_sectors = 4000 },
}
