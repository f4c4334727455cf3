local function workload_of(campaign, arm)
  local kernel, name = arm.kernel, arm.workload
  for _, workload in ipairs(campaign.workloads) do
    if workload.workload == name and workload.kernel == kernel then return workload end
  end
end

return rule {
  name = "near-floor",
  summary = "closes the arms of a workload whose best is within a share of its limit, or of its floor",
  source = "agentic systems stop at 95 % of the speed of light; the floor is a lower bound, so the rest may not exist",
  effect = "close",
  scope = "open",
  defaults = { of_floor = 0.95 },

  when = function(campaign, options, arm)
    local workload = workload_of(campaign, arm)
    local limit = workload and workload.of_limit   -- nil where launches and trips to memory were not measured
    local share = limit or workload and workload.of_floor   -- unknown on the cpu device
    if not share or share < options.of_floor then return nil end
    return ("%s/%s is at %.0f %% of its %s, %.0f %% are enough: nothing is left for %s"):format(arm.kernel, arm.workload,
      100 * share, limit and "limit" or "floor", 100 * options.of_floor, arm.technique), { share = share,
      enough = options.of_floor, best_ns = workload.best_ns, floor_ns = workload.floor_ns, limit_ns = workload.limit_ns }
  end,
}
