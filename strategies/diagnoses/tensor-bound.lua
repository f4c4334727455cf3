return diagnosis {
  name = "tensor-bound",
  summary = "the tensor cores are busy for most cycles",
  source = "Nsight Compute's speed-of-light section calls a unit above 60 % of its peak the bound; a tensor-core kernel of an H200 "
    .. "was seen at 98 % (sm__pipe_tensor_cycles_active)",
  counters = { "tensor_share" },
  counted = { "predicted_arithmetic_ns", "predicted_ns", "tensor_instructions" },
  page = "106-tma-wgmma",
  defaults = { share = 0.6 },

  when = function(profile, options)
    if not profile.tensor_share and profile.tensor_instructions <= 0 then return nil end
    local share = profile.tensor_share or profile.predicted_arithmetic_ns / math.max(1, profile.predicted_ns)
    if share < options.share then return nil end
    return 0.25, (profile.tensor_share and "tensor-bound: the tensor cores work in %.0f %% of the cycles"
      or "tensor-bound: arithmetic takes %.0f %% of the predicted time"):format(100 * math.min(1, share))
  end,
  applies_in = { tensor_share = 0.72 },
  silent_in  = { tensor_share = 0.2 },
}
