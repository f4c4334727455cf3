-- Evaluations since the arm's best came within the noise of what it is now: any epsilon must not count as a gain.
local function flat_evaluations(arm, noise)
  local best = arm.best_speedup
  for _, record in ipairs(arm.records) do
    if record.speedup * (1 + noise) >= best then return math.max(arm.since_improvement, arm.evaluations - record.evaluation) end
  end
  return arm.since_improvement
end

return rule {
  name = "plateau",
  summary = "leaves an arm whose best has not improved by more than the noise for a number of evaluations",
  source = "seeds, campaign 3: a generation of 12; a change counts from 2 %, any epsilon must not",
  effect = "pivot",
  defaults = { evaluations = 12, noise = 0.02 },

  when = function(_, options, arm)
    local flat = flat_evaluations(arm, options.noise)
    if flat < options.evaluations then return nil end
    return ("%s has not improved by more than %g %% in %d evaluations"):format(arm.name, 100 * options.noise, flat),
      { flat = flat, evaluations = options.evaluations, noise = options.noise, best_speedup = arm.best_speedup }
  end,

  -- The longer an arm is flat, the more its next improvement is expected to cost: twice as long, four times as much, so
  -- that the campaign does not come straight back to it.
  adjust = function(_, arm, options)
    return math.max(1, flat_evaluations(arm, options.noise) / options.evaluations) ^ 2
  end,
}
