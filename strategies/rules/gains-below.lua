return rule {
  name = "gains-below",
  summary = "leaves an arm whose last improvements were each smaller than a share",
  source = "learning loop of the seeds' repository: a fix that gains less than 20 % is followed by another fix",
  pattern = 14,
  effect = "pivot",
  defaults = { share = 0.2, fixes = 3 },

  when = function(_, options, arm)
    local records = arm.records
    if #records <= options.fixes then return nil end
    local largest = 0
    for i = #records - options.fixes + 1, #records do
      largest = math.max(largest, records[i].speedup / records[i - 1].speedup - 1)
    end
    if largest >= options.share then return nil end
    return ("the last %d improvements of %s brought at most %.1f %% each"):format(options.fixes, arm.name, 100 * largest),
      { fixes = options.fixes, largest_gain = largest, share = options.share, best_speedup = arm.best_speedup }
  end,
}
