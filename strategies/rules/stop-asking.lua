return rule {
  name = "stop-asking",
  summary = "asks for no further proposal after stagnation, at the floor, or when the rest cannot pay one",
  source = "helion: two stagnant rounds; KernelAgent: 95 % of the floor or 5 flat rounds",
  effect = "silence",
  defaults = { stagnant = 6, silent = 3, of_floor = 0.9 },

  when = function(campaign, options)
    local p = campaign.proposer
    if not p then return nil end
    if not p.ready then return "the proposer answers no more, or cannot be paid" end
    if p.failed_in_a_row >= options.silent then
      return ("%d requests in a row brought no reply"):format(p.failed_in_a_row)
    end
    -- What is under way may end a stagnation, and may make it one.
    if p.since_improvement + p.under_way >= options.stagnant and p.since_improvement > 0 then
      return ("%d proposals in a row brought no new best, and %d are under way"):format(p.since_improvement, p.under_way),
        { since_improvement = p.since_improvement, under_way = p.under_way, stagnant = options.stagnant }
    end
    local needy
    for _, workload in ipairs(campaign.workloads) do
      needy = needy or (workload.of_limit or workload.of_floor or 0) < options.of_floor
    end
    if not needy then return ("every workload has reached %.0f %% of its limit"):format(100 * options.of_floor) end
    if not campaign.budget_s then return nil end
    local left = campaign.budget_s - campaign.spent_s - campaign.reserve_s
    local needed = (p.latency_s or 0) + (2 + p.under_way) * campaign.evaluation_s
    if left < needed then
      return ("%.0f s are left, and a further proposal needs %.0f s"):format(left, needed), { left = left, needed = needed }
    end
  end,
}
