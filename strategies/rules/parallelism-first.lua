-- CTAs for each multiprocessor of a launch; nil where it is not known (an emulated device, nothing passed, a library).
local function fill(campaign, launch)
  if not launch or not campaign.multiprocessors then return nil end
  return launch.ctas / campaign.multiprocessors
end

local function same_workload(a, b) return a.kernel == b.kernel and a.workload == b.workload end

-- Tried, and the question is answered: far slower, or tried as often as the arm had to be and no faster.
local function has_lost(other, arm, options)
  local fastest = other.best_speedup or 0
  for _, gain in ipairs(other.gains) do fastest = math.max(fastest, gain) end   -- of those that were abandoned, too
  if #other.gains > 0 and arm.best_speedup and fastest < options.far * arm.best_speedup then return true end
  return other.evaluations >= options.evaluations and fastest <= (arm.best_speedup or 0)
end

-- An open arm of the same workload that is not known to fill the device as little, and may still be faster.
local function wider_arm(campaign, arm, options)
  for _, other in ipairs(campaign.open) do
    if other.name ~= arm.name and not other.baseline and same_workload(other, arm) and not has_lost(other, arm, options) then
      local filled = fill(campaign, other.launch)
      if not filled and other.passed == 0 or filled and filled >= options.ctas then return other end
    end
  end
end

return rule {
  name = "parallelism-first",
  summary = "leaves an arm whose best launch fills too little of the device while a wider one may be had",
  source = "seeds 001 and 003, pattern 18: 2 CTAs on 58 multiprocessors (3.4 %), at least 4 a multiprocessor are wanted. "
    .. "It is the grid of this workload that must grow: the 41x of iteration 2 came from another batch size and is no "
    .. "speedup of a kernel",
  pattern = 18,
  effect = "pivot",
  defaults = { ctas = 4, evaluations = 4, cost = 2, far = 0.5 },

  when = function(campaign, options, arm)
    local filled = fill(campaign, arm.launch)
    if not filled or filled >= options.ctas or arm.evaluations < options.evaluations then return nil end
    local wider = wider_arm(campaign, arm, options)
    if not wider then return nil end
    return ("%s launches %d CTAs on %d multiprocessors, %g on each are wanted: the grid comes before the kernel, and %s may "
      .. "be wider"):format(arm.name, arm.launch.ctas, campaign.multiprocessors, options.ctas, wider.technique),
      { ctas = arm.launch.ctas, multiprocessors = campaign.multiprocessors, ctas_each = filled, wanted = options.ctas }
  end,

  -- What is tuned on an empty device is tuned again on a full one.
  adjust = function(campaign, arm, options)
    local filled = fill(campaign, arm.launch)
    if filled and filled < options.ctas and wider_arm(campaign, arm, options) then return options.cost end
    return 1
  end,
}
