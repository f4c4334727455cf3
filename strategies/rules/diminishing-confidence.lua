-- A sequential test of "this arm still improves" against "it is done": Wald's probability ratio (1945), restarted at 0 as
-- in Page's cumulative sum (1954), because an arm that is done was not always so. Each evaluation either beats the arm's
-- best beyond its 95 % interval, which a live arm does with the probability `alive` and a finished one with `done`, or
-- it does not.
local function evidence(arm, options)
  local hit = math.log(options.done / options.alive)
  local miss = math.log((1 - options.done) / (1 - options.alive))
  local sum, at = 0, arm.records[1] and arm.records[1].evaluation - 1 or 0
  for _, record in ipairs(arm.records) do
    if record.credible then
      local evaluation = record.evaluation
      sum = math.max(0, sum + miss * (evaluation - at - 1) + hit)
      at = evaluation
    end
  end
  return sum + miss * (arm.evaluations - at)
end

return rule {
  name = "diminishing-confidence",
  summary = "leaves an arm when a sequential test says that further improvement is no longer credible",
  source = "Wald, Sequential tests of statistical hypotheses, 1945; Page, Continuous inspection schemes, 1954; the seeds "
    .. "counted any epsilon as an improvement",
  effect = "pivot",
  defaults = { alive = 0.15, done = 0.01, error = 0.05 },

  when = function(_, options, arm)
    if arm.passed == 0 then return nil end
    local sum, limit = evidence(arm, options), math.log((1 - options.error) / options.error)
    if sum < limit then return nil end
    local last = arm.records[#arm.records]
    return ("%s: after %d evaluations since its best, improvement is no longer credible (log ratio %.2f, limit %.2f)"):format(
      arm.name, arm.evaluations - (last and last.evaluation or 0), sum, limit),
      { log_ratio = sum, limit = limit, evaluations = arm.evaluations, best_speedup = arm.best_speedup }
  end,

  -- Beyond the limit, each further miss makes the next improvement less likely by as much.
  adjust = function(_, arm, options)
    if arm.passed == 0 then return 1 end
    return math.exp(math.min(20, math.max(0, evidence(arm, options) - math.log((1 - options.error) / options.error))))
  end,
}
