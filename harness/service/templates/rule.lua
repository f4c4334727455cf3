-- One reason to leave an arm. A strategy obeys it once it lists "rules/@NAME@".
return rule {
  name = "@NAME@",
  summary = "leaves an arm of which nothing passed for a number of evaluations",
  source = "where the rule and its numbers come from",
  effect = "close",   -- or "pivot": another arm goes first; or "stop": the campaign ends
  defaults = { failures = 5 },

  -- A reason in words and the numbers behind it, or nil to stay.
  when = function(_, options, arm)
    if arm.passed > 0 or arm.evaluations < options.failures then return nil end
    return ("%s was evaluated %d times and nothing passed"):format(arm.name, arm.evaluations),
      { evaluations = arm.evaluations, failures = options.failures }
  end,
}
