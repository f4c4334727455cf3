-- For records that no strategy has shaped: which arm is next depends on nothing that was seen.

return strategy {
  name = "uniform",
  summary = "an open arm at random, each as likely as any other",

  decide = function(campaign)
    local arms = campaign.open
    if #arms == 0 then return { action = "stop", reason = "exhausted", why = "every configuration has been evaluated" } end
    local arm = arms[math.random(#arms)]
    return { action = "try", arm = arm, why = arm.name .. " was drawn from " .. #arms .. " open arms" }
  end,
}
