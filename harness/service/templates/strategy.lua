-- Chooses the arm for the next evaluation. strategies/README.md tells how, strategies/api.lua has every field of `campaign`.

local forecast = use("lib/forecast")   -- what an arm is expected to bring and to cost

return strategy {
  name = "@NAME@",
  summary = "the open arm with the fewest evaluations; risky ones only at the weekend",
  rules = { "rules/enough", "rules/time-overrun", "rules/plateau" },

  decide = function(campaign)
    local weekday = campaign.now.weekday <= 5   -- 1 Monday to 7 Sunday
    local chosen
    for _, arm in ipairs(campaign.open) do
      local allowed = arm.risk ~= "high" or not weekday
      if allowed and (not chosen or arm.evaluations < chosen.evaluations) then chosen = arm end
    end
    if not chosen then return { action = "stop", reason = "exhausted", why = "no arm is left to try today" } end
    local context = forecast.context(campaign)
    return {
      action = "try", arm = chosen,
      why = ("%s has had %d evaluations, the fewest"):format(chosen.name, chosen.evaluations),
      predict = forecast.predict(context, forecast.arm(context, chosen), chosen.prior.evaluations),
    }
  end,
}
