return rule {
  name = "cost-overrun",
  summary = "closes an arm whose failed fixes cost more dollars than they may, proposals included",
  source = "V3 post-mortem of the seeds' repository: at most 2 failed fixes or $1",
  pattern = 17,
  effect = "close",
  defaults = { usd = 1.0, factor = 2, fixes = 2 },

  when = function(_, options, arm)
    if not arm.spent_usd and not arm.agent_usd then return nil end   -- without a price there is no bill
    local spent = (arm.spent_usd or 0) + (arm.agent_usd or 0)
    local limit = math.max(options.usd, options.factor * (arm.predicted_usd or 0))
    if arm.passed > 0 or arm.evaluations < options.fixes or spent < limit then return nil end
    return ("%s has cost $%.2f, the limit is $%.2f, and none of %d evaluations passed"):format(arm.name, spent, limit,
      arm.evaluations), { spent_usd = spent, limit_usd = limit, predicted_usd = arm.predicted_usd,
      agent_usd = arm.agent_usd, evaluations = arm.evaluations }
  end,
}
