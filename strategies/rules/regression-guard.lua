local function workload_of(campaign, arm)
  local kernel, name = arm.kernel, arm.workload
  for _, workload in ipairs(campaign.workloads) do
    if workload.workload == name and workload.kernel == kernel then return workload end
  end
end

-- By how much the best of this campaign is slower than what an earlier one confirmed; nil where nothing is known. Both are
-- times of one workload under one contract on one device name: nothing else is ever compared.
local function behind(workload)
  if not workload or not workload.earlier_best_ns or not workload.best_ns then return nil end
  return workload.best_ns / workload.earlier_best_ns - 1
end

local function holder(campaign, arm, workload)
  for _, other in ipairs(campaign.open) do
    if other.kernel == arm.kernel and other.workload == arm.workload and
      other.technique == workload.earlier_best_technique then return other end
  end
end

return rule {
  name = "regression-guard",
  summary = "goes back to the technique of the recorded best while the campaign is behind it",
  source = "the seeds' repository: worse than the best by more than 2 %, revert; -3 % fails; their 1099 us after 1634 us was "
    .. "reported as a regression for want of a record",
  pattern = 20,
  effect = "pivot",
  defaults = { share = 0.03, evaluations = 8, cost = 0.5 },

  when = function(campaign, options, arm)
    local workload = workload_of(campaign, arm)
    local by = behind(workload)
    if not by or by <= options.share or arm.evaluations < options.evaluations then return nil end
    local best = holder(campaign, arm, workload)
    if not best or best.name == arm.name or best.evaluations >= arm.evaluations then return nil end
    return ("%s/%s is %.1f %% slower than what %s has been confirmed at: back to it"):format(arm.kernel, arm.workload,
      100 * by, best.technique), { behind = by, share = options.share, best_ns = workload.best_ns,
      earlier_best_ns = workload.earlier_best_ns, earlier_technique = best.technique }, nil, best
  end,

  -- What has been reached before is cheaper to reach again.
  adjust = function(campaign, arm, options)
    local workload = workload_of(campaign, arm)
    local by = behind(workload)
    if by and by > options.share and arm.technique == workload.earlier_best_technique then return options.cost end
    return 1
  end,
}
