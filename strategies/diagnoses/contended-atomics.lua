-- Between lanes that want one address: of planted atomicAdds of floats on an H200, 1.77 ns (bench/h200/planted.json).
local kTurnNs = 1.77
local kIdle = 0.3   -- and meanwhile no unit is busier than this

-- The time by a GPU's clock, the atomics as counted beside it.
local function on_a_gpu(profile, options)
  if math.max(profile.issue_share or 0, profile.dram_share or 0) > kIdle then return nil end
  local turns = profile.atomics * profile.atomic_contention / 32
  local share = math.min(1, turns * kTurnNs / math.max(1, profile.time_ns))
  if share < options.share or profile.atomic_contention < options.lanes then return nil end
  return 0.5 + 0.4 * share, ("contended atomics: %.0f of 32 lanes want one address; on one for all, their turns would take %.0f %% of the time"):format(
    profile.atomic_contention, 100 * share)
end

return diagnosis {
  name = "contended-atomics",
  summary = "atomic operations take turns on few addresses",
  source = "CUDA C++ Programming Guide, Atomic Functions: those on one address are carried out one after another. As counted: no "
    .. "counter of a GPU tells how many lanes want one address",
  counters = { "atomics", "atomic_contention", "predicted_atomics_ns" },
  also = { "time_ns", "predicted_ns", "issue_share", "dram_share" },
  page = "122-atomics",
  defaults = { share = 0.3, lanes = 2 },

  when = function(profile, options)
    if profile.time_ns then return on_a_gpu(profile, options) end
    local share = math.min(1, profile.predicted_atomics_ns / math.max(1, profile.predicted_ns or profile.predicted_atomics_ns))
    if share < options.share or profile.atomic_contention < options.lanes then return nil end
    return share, ("contended atomics: %.0f of 32 lanes want one address, and their turns alone take %.0f %% of the predicted time"):format(
      profile.atomic_contention, 100 * share)
  end,
  applies_in = { atomics = 69120, atomic_contention = 32, predicted_atomics_ns = 2160, predicted_ns = 3450 },
  silent_in  = { atomics = 2048, atomic_contention = 1, predicted_atomics_ns = 60, predicted_ns = 9000 },
}
