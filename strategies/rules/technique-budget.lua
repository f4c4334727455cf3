-- A sum over everything that was ever spent on the technique on this family of devices. A new source may be the fix that
-- was missing, so each campaign gives it a few evaluations before it looks at the bill.
return rule {
  name = "technique-budget",
  summary = "closes a technique that used a multiple of its predicted minutes, over all campaigns, and never paid",
  source = "seeds 000 to 002: Split-K took 510 min in ten sittings, never correct, and no single sitting was over 2 x its "
    .. "budget; with 001's estimate of 3 h the limit of 360 min falls 28 min into N+7D",
  pattern = 17,
  effect = "close",
  scope = "open",
  defaults = { factor = 2, trials = 2, worth = 1.02 },

  when = function(_, options, arm)
    local all = arm.cumulative
    if arm.baseline or (all.predicted_s or 0) <= 0 then return nil end
    if all.spent_s < options.factor * all.predicted_s then return nil end
    if all.evaluations - all.earlier_evaluations < options.trials then return nil end
    local best = all.passed > 0 and all.best_speedup or nil
    if best and best >= options.worth then return nil end
    return ("%s of %s has used %.1f min over %d campaigns, %.1f were predicted, and %s"):format(arm.technique, arm.kernel,
      all.spent_s / 60, all.campaigns, all.predicted_s / 60,
      best and ("its best is %.2fx"):format(best) or "it was never correct"),
      { spent_min = all.spent_s / 60, predicted_min = all.predicted_s / 60, factor = options.factor,
        campaigns = all.campaigns, evaluations = all.evaluations, passed = all.passed, best_speedup = best }
  end,
}
