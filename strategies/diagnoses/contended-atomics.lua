return diagnosis {
  name = "contended-atomics",
  summary = "atomic operations take turns on few addresses",
  source = "CUDA C++ Programming Guide, Atomic Functions: those on one address are carried out one after another. As counted: no "
    .. "counter of a GPU tells how many lanes want one address",
  counters = { "atomics", "atomic_contention", "predicted_atomics_ns" },
  also = { "time_ns", "predicted_ns" },
  page = "122-atomics",
  defaults = { share = 0.3, lanes = 2 },

  when = function(profile, options)
    local time = profile.time_ns or profile.predicted_ns   -- by a GPU's clock, with the atomics counted beside it
    if not time then return nil end
    local share = math.min(1, profile.predicted_atomics_ns / math.max(1, time))
    if share < options.share or profile.atomic_contention < options.lanes then return nil end
    return share, ("contended atomics: %.0f of 32 lanes want one address, and their turns alone take %.0f %% of the time"):format(
      profile.atomic_contention, 100 * share)
  end,
  applies_in = { atomics = 69120, atomic_contention = 32, predicted_atomics_ns = 2160, predicted_ns = 3450 },
  silent_in  = { atomics = 2048, atomic_contention = 1, predicted_atomics_ns = 60, predicted_ns = 9000 },
}
