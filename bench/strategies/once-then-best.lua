-- To measure `roi` by: each arm once, then on the workload that had the fewest evaluations the arm that is best there.

local function place(of) return of.kernel .. "/" .. of.workload end

return strategy {
  name = "once-then-best",
  summary = "each arm once, then the best arm of each workload in turn",

  decide = function(campaign)
    local had, chosen, best = {}, nil, nil
    for _, arm in ipairs(campaign.arms) do had[place(arm)] = (had[place(arm)] or 0) + arm.evaluations end
    for _, arm in ipairs(campaign.open) do
      local gain = math.max(arm.best_speedup or 0, table.unpack(arm.gains))
      local rank = arm.evaluations == 0 and { -1, arm.place } or { had[place(arm)], -gain }
      if not arm.baseline and (not best or rank[1] < best[1] or rank[1] == best[1] and rank[2] < best[2]) then
        chosen, best = arm, rank
      end
    end
    if not chosen then return { action = "stop", reason = "exhausted", why = "no arm is left to try" } end
    return { action = "try", arm = chosen, why = chosen.name .. (chosen.evaluations == 0 and " was never tried" or " leads") }
  end,
}
