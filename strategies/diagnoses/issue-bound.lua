return diagnosis {
  name = "issue-bound",
  summary = "the schedulers issue an instruction in most cycles: there are too many instructions",
  source = "Nsight Compute, scheduler statistics: one instruction a cycle and scheduler is the limit; above 60 % of the peak a unit "
    .. "is called the bound",
  counters = { "issue_share" },
  counted = { "predicted_issue_ns", "predicted_ns" },
  also = { "instructions", "instructions_integer", "instructions_control" },
  page = "101-tiling",
  defaults = { share = 0.6, indices = 0.4 },   -- the second where most instructions only find out where and how often

  when = function(profile, options)
    local share = profile.issue_share or profile.predicted_issue_ns / math.max(1, profile.predicted_ns)
    if share < options.indices then return nil end
    local what = profile.issue_share and "an instruction is issued in %.0f %% of the cycles%s"
      or "issuing instructions takes %.0f %% of the predicted time%s"
    local around = 0   -- of the instructions: indices, tests and loops
    if profile.instructions and profile.instructions_integer then
      around = (profile.instructions_integer + (profile.instructions_control or 0)) / math.max(1, profile.instructions)
    end
    if around > 0.5 then
      return 0.22 + around / 4, ("issue-bound: " .. what .. "; %.0f %% of them compute indices and branch"):format(
        100 * math.min(1, share), profile.instructions and (", %.3g by warps in all"):format(profile.instructions) or "",
        100 * math.min(1, around)), "124-fewer-instructions"
    end
    if share < options.share then return nil end
    return 0.22, ("issue-bound: " .. what):format(100 * math.min(1, share),
      profile.instructions and (", %.3g by warps in all"):format(profile.instructions) or "")
  end,
  applies_in = { issue_share = 0.78, instructions = 3.2e8 },
  silent_in  = { issue_share = 0.31, instructions = 3.2e8 },
}
