-- A rung of one kernel that has nothing more to say: exhausted, closed, or passed and flat since.
local function is_done(arm, options)
  return arm.exhausted or arm.closed or (arm.passed > 0 and arm.since_improvement >= options.evaluations)
end

return rule {
  name = "start-simple",
  summary = "multiplies the estimate of arms with several kernels until a single-kernel arm is done",
  source = "seed 000, pattern 16: a plan of several kernels: exhaust single-kernel first, estimate x 3 (003: 3 to 5)",
  pattern = 16,
  defaults = { factor = 3, evaluations = 12, proven = 4 },

  adjust = function(campaign, arm, options)
    if not arm.multi_kernel then return 1 end
    -- The factor is for what is not foreseen in a plan of several kernels; where it has passed, nothing is left to foresee.
    if arm.cumulative.passed >= options.proven then return 1 end
    for _, rung in ipairs(campaign.arms) do
      local simpler = rung.kernel == arm.kernel and rung.workload == arm.workload and not rung.multi_kernel and
        not rung.baseline
      if simpler and is_done(rung, options) then return 1 end
    end
    return options.factor
  end,
}
