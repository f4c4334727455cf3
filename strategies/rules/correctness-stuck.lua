return rule {
  name = "correctness-stuck",
  summary = "leaves an arm that gave the same wrong answer several times in a row: closed if nothing ever passed",
  source = "seeds 000 and 002: error 0.56 to 3.6 and 1 of 7 cases through four sittings; at most 2 failed fixes; no "
    .. "performance claim where correctness fails",
  pattern = 13,
  effect = "pivot",
  defaults = { times = 4 },

  when = function(_, options, arm)
    if arm.same_fingerprint < options.times then return nil end
    return ("%s gave the same wrong answer %d times in a row (%s)"):format(arm.name, arm.same_fingerprint,
      arm.last_fingerprint), { times = arm.same_fingerprint, fingerprint = arm.last_fingerprint, passed = arm.passed },
      arm.passed + arm.earlier_passed == 0 and "close" or "pivot"
  end,
}
