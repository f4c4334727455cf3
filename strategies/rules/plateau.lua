-- Evaluations since the best improved by more than the noise: `gains` holds those that passed, `since_improvement`
-- counts all of them but also takes the smallest gain for an improvement.
local function flat_evaluations(arm, noise)
  local best = 0
  for _, gain in ipairs(arm.gains) do best = math.max(best, gain) end
  for i, gain in ipairs(arm.gains) do
    if gain * (1 + noise) >= best then return math.max(arm.since_improvement, #arm.gains - i) end
  end
  return arm.since_improvement
end

return rule {
  name = "plateau",
  summary = "leaves an arm whose best has not improved by more than the noise for a number of evaluations",
  source = "seeds, campaign 3: a generation of 12; a change counts from 2 %, any epsilon must not",
  effect = "pivot",
  defaults = { evaluations = 12, noise = 0.02 },

  when = function(campaign, options)
    local arm = campaign.current
    local flat = flat_evaluations(arm, options.noise)
    if flat < options.evaluations then return nil end
    return ("%s has not improved by more than %g %% in %d evaluations"):format(arm.name, 100 * options.noise, flat)
  end,

  -- The longer an arm is flat, the more its next improvement is expected to cost: twice as long, four times as much, so
  -- that the campaign does not come straight back to it.
  adjust = function(_, arm, options)
    return math.max(1, flat_evaluations(arm, options.noise) / options.evaluations) ^ 2
  end,
}
