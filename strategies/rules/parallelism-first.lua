local places = use("lib/places")

-- CTAs for each multiprocessor of a launch; nil where it is not known (an emulated device, nothing passed, a library).
local function fill(campaign, launch)
  if not launch or not campaign.multiprocessors then return nil end
  return launch.ctas / campaign.multiprocessors
end

-- Open arms by workload. A decision asks about each arm, so they are sorted once; a pivot takes one out.
local beside, listed = {}, -1
local function open_beside(campaign, arm)
  if listed ~= #campaign.open then beside, listed = places.sorted(campaign.open), #campaign.open end
  return beside[places.of(arm)] or {}
end

-- Tried, and the question is answered: far slower, or tried as often as the arm had to be and no faster.
local function has_lost(other, arm, options)
  local fastest = other.best_speedup or 0
  for _, gain in ipairs(other.gains) do fastest = math.max(fastest, gain) end   -- of those that were abandoned, too
  if #other.gains > 0 and arm.best_speedup and fastest < options.far * arm.best_speedup then return true end
  return other.evaluations >= options.evaluations and fastest <= (arm.best_speedup or 0)
end

-- The widest open arm of the same workload whose own best launch has more CTAs than this arm's, and that may still be faster.
local function wider_arm(campaign, arm, options)
  local widest, most = nil, fill(campaign, arm.launch)
  for _, other in ipairs(open_beside(campaign, arm)) do
    if other.name ~= arm.name and not other.baseline and not has_lost(other, arm, options) then
      local filled = fill(campaign, other.launch)
      if filled and filled > most then widest, most = other, filled end
    end
  end
  return widest
end

return rule {
  name = "parallelism-first",
  summary = "leaves an arm whose best launch fills too little of the device for one that is wider on the same workload",
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
    return ("%s launches %d CTAs on %d multiprocessors, %g on each are wanted: the grid comes before the kernel, and %s "
      .. "launches %d"):format(arm.name, arm.launch.ctas, campaign.multiprocessors, options.ctas, wider.technique,
      wider.launch.ctas), { ctas = arm.launch.ctas, multiprocessors = campaign.multiprocessors, ctas_each = filled,
      wanted = options.ctas, wider_ctas = wider.launch.ctas }, nil, wider
  end,

  -- What is tuned on an empty device is tuned again on a full one.
  adjust = function(campaign, arm, options)
    local filled = fill(campaign, arm.launch)
    if filled and filled < options.ctas and wider_arm(campaign, arm, options) then return options.cost end
    return 1
  end,
}
