-- Twenty lines to measure `roi` by: an upper bound on what an arm may gain over its workload's best, by its cost. The bound is
-- the arm's best ln(speedup) and a bonus that shrinks with its evaluations (UCB, with the best in place of the mean).

local BONUS = 0.3

local function place(of) return of.kernel .. "/" .. of.workload end

return strategy {
  name = "ucb",
  summary = "the highest upper bound of the best by seconds; each arm once first, the cheapest first",

  decide = function(campaign)
    local now, seconds, chosen, highest = {}, {}, nil, -math.huge
    for _, workload in ipairs(campaign.workloads) do now[place(workload)] = math.log(workload.speedup or 1) end
    for _, arm in ipairs(campaign.arms) do
      if arm.log_evaluation_mean then seconds[place(arm)] = math.exp(arm.log_evaluation_mean) end
    end
    for _, arm in ipairs(campaign.open) do
      local each = arm.log_evaluation_mean and math.exp(arm.log_evaluation_mean) or seconds[place(arm)] or campaign.evaluation_s
      local score = 1e6 / each
      if arm.evaluations > 0 then
        local bonus = BONUS * math.sqrt(math.log(campaign.iterations + 1) / arm.evaluations)
        local best = arm.timed > 0 and math.log(math.max(arm.best_speedup or 0, table.unpack(arm.gains))) or now[place(arm)] - 1
        score = arm.weight * math.exp(4 * (best - now[place(arm)] + bonus)) / each
      end
      if score > highest and not arm.baseline then chosen, highest = arm, score end
    end
    if not chosen then return { action = "stop", reason = "exhausted", why = "no arm is left to try" } end
    return { action = "try", arm = chosen, why = ("%s has the highest bound, %.3g"):format(chosen.name, highest) }
  end,
}
