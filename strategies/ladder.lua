-- From simple to ambitious, as the seeds' pattern 16 asks: on each workload one rung after the other, in the order of the
-- variants' numbers, single-kernel rungs before those of several kernels. A rung is left when it has had its predicted
-- evaluations, or by a rule; the workloads take turns. At the top it goes back to each workload's best rung.

local forecast, proposals = use("lib/forecast"), use("lib/proposals")

local function height(arm) return (arm.multi_kernel and 1e6 or 0) + arm.place end

-- A rung that brought nothing faster than the baseline is given half of what was planned for it.
local function had_its_turn(arm)
  local planned = math.min(arm.prior.evaluations, math.max(arm.space_points, 1))
  if (arm.best_speedup or 0) <= 1 then planned = math.max(2, planned // 2) end
  return arm.evaluations >= planned
end

-- By workload: its open rungs from low to high, and the evaluations it has had.
local function ladders(campaign)
  local list, at = {}, {}
  for _, arm in ipairs(campaign.arms) do
    local key = arm.kernel .. "/" .. arm.workload
    if not at[key] then
      list[#list + 1] = { name = key, rungs = {}, evaluations = 0 }
      at[key] = list[#list]
    end
    at[key].evaluations = at[key].evaluations + arm.evaluations
  end
  for _, arm in ipairs(campaign.open) do table.insert(at[arm.kernel .. "/" .. arm.workload].rungs, arm) end
  for _, ladder in ipairs(list) do table.sort(ladder.rungs, function(a, b) return height(a) < height(b) end) end
  return list
end

-- The lowest rung that has not had its turn; nil at the top.
local function next_rung(ladder)
  for _, arm in ipairs(ladder.rungs) do
    if not had_its_turn(arm) then return arm end
  end
end

local function best_rung(ladder)
  local best = ladder.rungs[1]
  for _, arm in ipairs(ladder.rungs) do
    if (arm.best_speedup or 0) > (best.best_speedup or 0) then best = arm end
  end
  return best
end

local function try(campaign, arm, why)
  local context = forecast.context(campaign)
  local planned = math.max(1, math.min(arm.prior.evaluations, math.max(arm.space_points, 1)) - arm.evaluations)
  return { action = "try", arm = arm, why = why, patterns = { 16 },
           predict = forecast.predict(context, forecast.arm(context, arm), planned) }
end

return strategy {
  name = "ladder",
  summary = "one technique after the other, from simple to ambitious, the workloads in turn",
  rules = { "rules/enough", "rules/blocked", "rules/technique-budget", "rules/time-overrun", "rules/correctness-stuck",
            "rules/repeats", "rules/gains-below", "rules/plateau", "rules/stop-asking" },

  decide = function(campaign)
    local climbing, resting
    for _, ladder in ipairs(ladders(campaign)) do
      local rung = next_rung(ladder)
      if rung and (not climbing or ladder.evaluations < climbing.evaluations) then
        climbing = { rung = rung, evaluations = ladder.evaluations }
      end
      if #ladder.rungs > 0 and (not resting or ladder.evaluations < resting.evaluations) then
        resting = { rung = best_rung(ladder), evaluations = ladder.evaluations }
      end
    end
    if climbing then
      local arm = climbing.rung
      return try(campaign, arm, ("%s is the lowest rung that has not had its turn (%d of %d evaluations)"):format(arm.name,
        arm.evaluations, arm.prior.evaluations))
    end
    local ask = proposals.consider(campaign)   -- at the top: another rung, if somebody proposes one
    if ask then return ask end
    if resting then
      return try(campaign, resting.rung, "every rung has had its turn: " .. resting.rung.name .. " is the best of its workload")
    end
    return { action = "stop", reason = "exhausted", why = "no rung is left to try" }
  end,
}
