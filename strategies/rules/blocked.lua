return rule {
  name = "blocked",
  summary = "stops when nothing has passed for a long time of evaluating",
  source = "seeds' repository, N+1: stop after 60 min blocked",
  pattern = 6,
  effect = "stop",
  reason = "strategy",
  defaults = { minutes = 60 },

  when = function(campaign, options)
    local minutes = campaign.since_passed_s / 60
    if minutes < options.minutes then return nil end
    return ("nothing has passed in %.0f min of evaluations, %g are allowed"):format(minutes, options.minutes),
      { minutes = minutes, allowed = options.minutes }
  end,
}
