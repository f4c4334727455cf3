return rule {
  name = "time-overrun",
  summary = "closes an arm that used a multiple of its predicted time while nothing passed",
  source = "seeds 000 and 003, playbook 17: elapsed > 2 x budget; the budget is per technique and cumulative (Split-K used "
    .. "510 min, never correct); at most 2 failed fixes",
  effect = "close",
  defaults = { factor = 2, evaluations = 2 },

  when = function(campaign, options)
    local arm = campaign.current
    local spent = arm.spent_s + arm.earlier_spent_s
    if arm.passed + arm.earlier_passed > 0 or arm.predicted_s <= 0 then return nil end
    if arm.evaluations + arm.earlier_evaluations < options.evaluations then return nil end
    if spent <= options.factor * arm.predicted_s then return nil end
    return ("%s has used %.1f min of %.1f predicted and nothing passed"):format(arm.name, spent / 60, arm.predicted_s / 60)
  end,
}
