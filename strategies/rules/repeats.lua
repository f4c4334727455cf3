-- Distinct machine codes, of those that were looked at.
local function codes(arm) return arm.evaluations - (arm.outcomes.no_effect or 0) end

return rule {
  name = "repeats",
  summary = "closes an arm whose configurations only repeat machine code that was measured already",
  source = "a user's campaign with parameters that the source never read: 870 of 874 evaluations had no effect. If one more code "
    .. "were as frequent as each that is known, 3 times as many draws would miss it with a chance of 5 %",
  effect = "close",
  defaults = { times = 3, least = 16 },

  when = function(_, options, arm)
    local repeats = arm.same_code
    if repeats < options.least or repeats < options.times * codes(arm) then return nil end
    return ("the last %d configurations of %s are all machine code that was measured already: its parameters have nothing new"):format(
      repeats, arm.name), { repeats = repeats, codes = codes(arm), evaluations = arm.evaluations }
  end,
}
