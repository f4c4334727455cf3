local function minutes(seconds) return seconds / 60 end
local function in_words(seconds) return (seconds < 60 and "%.2g" or "%.1f"):format(minutes(seconds)) end

-- The arm as a whole, earlier campaigns included: twice its time and never a correct answer.
local function never_right(arm, options)
  local spent = arm.spent_s + arm.earlier_spent_s
  if arm.passed + arm.earlier_passed > 0 or (arm.predicted_s or 0) <= 0 then return nil end
  if arm.evaluations + arm.earlier_evaluations < options.evaluations then return nil end
  if spent < options.factor * arm.predicted_s then return nil end
  return ("%s has used %s min of %s predicted and nothing passed"):format(arm.name, in_words(spent),
    in_words(arm.predicted_s)), { spent_min = minutes(spent), predicted_min = minutes(arm.predicted_s),
    factor = options.factor, evaluations = arm.evaluations + arm.earlier_evaluations }, "close"
end

-- What was begun when the arm was last taken up: twice its time and no better for it.
local function sat_too_long(campaign, arm, options)
  local sitting = campaign.sitting
  if not sitting or not sitting.predicted_s or sitting.predicted_s <= 0 or sitting.improvements > 0 then return nil end
  if sitting.spent_s < options.factor * sitting.predicted_s then return nil end
  return ("%s has used %s min in one go, %s were predicted, and its best has not improved"):format(arm.name,
    in_words(sitting.spent_s), in_words(sitting.predicted_s)), { spent_min = minutes(sitting.spent_s),
    predicted_min = minutes(sitting.predicted_s), factor = options.factor, evaluations = sitting.evaluations }
end

return rule {
  name = "time-overrun",
  summary = "leaves an arm at a multiple of its predicted minutes: closed if nothing ever passed, else another goes first",
  source = "seeds 000 and 003, pattern 17: elapsed > 2 x budget, evaluate a pivot (30 min planned, 150 spent)",
  pattern = 17,
  effect = "pivot",
  defaults = { factor = 2, evaluations = 2 },

  when = function(campaign, options)
    local arm = campaign.current
    local why, numbers, effect = never_right(arm, options)
    if why then return why, numbers, effect end
    return sat_too_long(campaign, arm, options)
  end,
}
