-- The seeds' own way of choosing, for replaying their campaign (docs/replay.md): log2 of the promised gain for each
-- predicted minute, here with the probability of getting it. The rules are those of every campaign.

-- Promised gain: the middle of its range.
local function promise(arm) return (arm.prior.speedup_lo + arm.prior.speedup_hi) / 2 end

local function minutes(campaign, arm)
  if arm.predicted_s and arm.predicted_s > 0 then return arm.predicted_s / 60 end
  return arm.prior.evaluations * campaign.evaluation_s / 60
end

local function appraise(campaign, arm)
  local gain = math.log(math.max(promise(arm), 1), 2)
  local alone = minutes(campaign, arm)
  return { arm = arm.name, technique = arm.technique, gain = promise(arm), minutes = alone, factor = arm.cost_factor,
           p = arm.prior.probability, per_minute = gain / alone, per_minute_with_factor = gain / alone / arm.cost_factor,
           score = arm.prior.probability * gain / alone / arm.cost_factor }
end

return strategy {
  name = "seeds",
  summary = "log2 of the promised gain x its probability for each predicted minute",
  rules = { "rules/time-overrun", "rules/technique-budget", "rules/start-simple" },

  decide = function(campaign)
    local rows, best, best_arm = {}, nil, nil
    for _, arm in ipairs(campaign.open) do
      local row = appraise(campaign, arm)
      rows[#rows + 1] = row
      if best == nil or row.score > best.score then best, best_arm = row, arm end
    end
    if best == nil then
      return { action = "stop", reason = "exhausted", why = "no technique is left to try" }
    end
    table.sort(rows, function(a, b) return a.score > b.score end)
    return { action = "try", arm = best_arm, table = rows,
             why = ("%s promises %.3f bits a minute with probability %.2f"):format(best_arm.technique,
               best.per_minute_with_factor, best.p) }
  end,
}
