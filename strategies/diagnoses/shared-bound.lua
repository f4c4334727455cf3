-- A pass through shared memory is a cycle of a multiprocessor; a sector of device memory is 32 bytes of about 20 a cycle.
local kSectorCycles = 1.5
-- Of the passes, that a micro-tile of 4 x 4 results a thread leaves: a word of either side serves four.
local kSaved = 0.75

return diagnosis {
  name = "shared-bound",
  summary = "reading shared memory takes the time: each word that is read serves too few operations",
  source = "CUDA C++ Programming Guide, Shared Memory: 32 words a cycle, so a fused multiply-add that reads both of its operands "
    .. "there runs at a half of the rate at best; V. Volkov and J. Demmel, Benchmarking GPUs to tune dense linear algebra (2008)",
  counters = { "shared_wavefronts", "shared_conflicts", "global_load_sectors", "instructions_floating", "predicted_l1_ns",
               "predicted_ns" },
  also = { "tensor_instructions" },
  page = "125-register-tiles",
  defaults = { share = 0.5, conflicts = 0.25, each = 0.5 },   -- of the time; of the passes; passes an operation of a warp

  when = function(profile, options)
    local passes = profile.shared_wavefronts
    local share = math.min(1, profile.predicted_l1_ns / math.max(1, profile.predicted_ns))
    if share < options.share or passes < kSectorCycles * profile.global_load_sectors then return nil end
    if profile.shared_conflicts > options.conflicts * passes then return nil end   -- bank-conflicts says why
    local each = passes / math.max(1, profile.instructions_floating + (profile.tensor_instructions or 0))
    if each < options.each then return nil end
    return kSaved * share, ("shared-bound: %.3g passes through shared memory, %.1f for each operation of a warp, take %.0f %% of the time"):format(
      passes, each, 100 * share)
  end,
  applies_in = { shared_wavefronts = 5.748e8, shared_conflicts = 0, global_load_sectors = 1.347e8, instructions_floating = 4.298e8,
                 predicted_l1_ns = 2328000, predicted_ns = 3072000 },
  silent_in  = { shared_wavefronts = 1e8, shared_conflicts = 0, global_load_sectors = 1.347e8, instructions_floating = 4.298e8,
                 predicted_l1_ns = 900000, predicted_ns = 1400000 },
}
