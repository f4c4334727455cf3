return diagnosis {
  name = "divergence",
  summary = "lanes of a warp sit out the instructions of others",
  source = "CUDA C++ Best Practices Guide, Branching and Divergence: the paths of a warp run one after another, the other lanes "
    .. "disabled; Nsight Compute warns below 24 of 32 threads an instruction (rule ThreadDivergence)",
  counters = { "active_lanes" },
  also = { "issue_share", "predicted_issue_ns", "predicted_ns" },
  page = "119-divergence",
  defaults = { lanes = 24 },

  when = function(profile, options)
    if profile.active_lanes <= 0 or profile.active_lanes >= options.lanes then return nil end
    local idle = 1 - profile.active_lanes / 32
    local issuing = profile.issue_share
    if not issuing and profile.predicted_issue_ns and profile.predicted_ns then
      issuing = profile.predicted_issue_ns / math.max(1, profile.predicted_ns)
    end
    return idle * math.max(0.01, math.min(1, issuing or 0.5)), ("divergence: %.1f of 32 lanes take part in an instruction"):format(
      profile.active_lanes)
  end,
  applies_in = { active_lanes = 9.5, issue_share = 0.6 },
  silent_in  = { active_lanes = 31.2, issue_share = 0.6 },
}
