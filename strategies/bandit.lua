-- UCB1-tuned (Auer, Cesa-Bianchi and Fischer, Finite-time analysis of the multiarmed bandit problem, 2002, section 4),
-- for comparison. The reward of an evaluation is ln(speedup) as a share of the workload's best so far, at least 0; of one
-- that fails 0. It knows no priors, costs or weights, and rewards the mean where a campaign is paid for the best.

local forecast, proposals = use("lib/forecast"), use("lib/proposals")

-- Mean and variance of the rewards of an arm, from the moments of its passed evaluations.
local function rewards(arm, best)
  local share = arm.passed / arm.evaluations
  local mean = math.min(1, math.max(0, (arm.log_gain_mean or 0) / best))
  local spread = math.min(0.5, (arm.log_gain_sd or 0) / best)
  local square = share * (spread ^ 2 + mean ^ 2)
  return share * mean, math.max(0, square - (share * mean) ^ 2)
end

local function bound(arm, best, plays)
  local mean, variance = rewards(arm, best)
  local each = math.log(plays) / arm.evaluations
  return mean + math.sqrt(each * math.min(1 / 4, variance + math.sqrt(2 * each)))
end

return strategy {
  name = "bandit",
  summary = "UCB1-tuned over the arms: no priors, no costs; to measure other strategies by",
  rules = { "rules/enough", "rules/time-overrun", "rules/stop-asking" },

  decide = function(campaign)
    local best_of, plays = {}, 0
    for _, workload in ipairs(campaign.workloads) do
      best_of[workload.kernel .. "/" .. workload.workload] = math.max(math.log(workload.speedup or 1), 1e-3)
    end
    for _, arm in ipairs(campaign.arms) do plays = plays + arm.evaluations end
    local chosen, highest, rows = nil, -1, {}
    for _, arm in ipairs(campaign.open) do
      local index = math.huge   -- each arm is played once
      if arm.evaluations > 0 then index = bound(arm, best_of[arm.kernel .. "/" .. arm.workload], plays) end
      if index > highest then chosen, highest = arm, index end
      if index < math.huge then rows[#rows + 1] = { arm = arm.name, bound = index, evaluations = arm.evaluations } end
    end
    local ask = not chosen and proposals.consider(campaign)
    if ask then return ask end
    if not chosen then return { action = "stop", reason = "exhausted", why = "no arm is left to try" } end
    table.sort(rows, function(a, b) return a.bound > b.bound end)
    local context = forecast.context(campaign)
    return { action = "try", arm = chosen, table = table.move(rows, 1, math.min(#rows, 12), 1, {}),
             why = chosen.evaluations == 0 and chosen.name .. " has not been played"
               or ("%s has the highest bound, %.3f after %d plays"):format(chosen.name, highest, chosen.evaluations),
             predict = forecast.predict(context, forecast.arm(context, chosen), 1) }
  end,
}
