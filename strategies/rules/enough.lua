-- Weighted geometric mean of a field over all workloads; nil while one of them has none.
local function mean(campaign, field)
  local sum, weights = 0, 0
  for _, workload in ipairs(campaign.workloads) do
    local value = workload[field]
    if not value or value <= 0 then return nil end
    sum, weights = sum + workload.weight * math.log(value), weights + workload.weight
  end
  if weights <= 0 then return nil end
  return math.exp(sum / weights)
end

return rule {
  name = "enough",
  summary = "stops when the goal or a share of the floor is reached",
  source = "seeds, campaign 3: below 1.5 x optional, else done; agentic systems stop at 95 % of the speed of light",
  effect = "stop",
  reason = "goal",
  defaults = { of_floor = 0.95 },

  when = function(campaign, options)
    local speedup = mean(campaign, "speedup")
    if campaign.goal_speedup and speedup and speedup >= campaign.goal_speedup then
      return ("the speedup of %.2fx has reached the goal of %gx"):format(speedup, campaign.goal_speedup)
    end
    local share, wanted = mean(campaign, "of_floor"), campaign.goal_of_floor or options.of_floor
    local limit = not campaign.goal_of_floor and mean(campaign, "of_limit")   -- with launches and trips to memory
    if limit and limit >= wanted then
      return ("%.0f %% of the limit is reached, %.0f %% are enough"):format(100 * limit, 100 * wanted)
    end
    if share and share >= wanted then
      return ("%.0f %% of the floor is reached, %.0f %% are enough"):format(100 * share, 100 * wanted)
    end
  end,
}
