-- Every configuration of every arm, in the order of the campaign: for small spaces, and to measure other strategies by.

local proposals = use("lib/proposals")

return strategy {
  name = "exhaustive",
  summary = "every configuration of every arm, in order, the baselines first",
  rules = { { "rules/enough", options = { of_floor = 1.0 } }, "rules/stop-asking" },

  decide = function(campaign)
    local arm
    for _, open in ipairs(campaign.open) do
      if arm == nil or (open.baseline and not arm.baseline) then arm = open end
    end
    local ask = arm == nil and proposals.consider(campaign)
    if ask then return ask end
    if arm == nil then return { action = "stop", reason = "exhausted", why = "every configuration has been evaluated" } end
    return { action = "try", arm = arm,
             why = ("%s has evaluated %d of its %d configurations"):format(arm.name, arm.evaluations, arm.space_points) }
  end,
}
