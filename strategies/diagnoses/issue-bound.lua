-- Sectors of a request whose 32 lanes read a word of four bytes each; a load of 16 bytes has four times as many.
local kNarrow = 4.5
-- Memory instructions among all: divided indices take hundreds of instructions beside a load, a loop over elements a dozen.
local kLoads = 0.03
-- Of the sectors that loads ask for, found where an earlier load has left them.
local kAgain = 0.5

-- Where it is loads of single words that the instructions stand around: the page that has fewer of them, and what betrays it.
local function around_loads(profile)
  if not profile.instructions_memory or profile.instructions_memory < kLoads * profile.instructions then return nil end
  local requests = profile.global_load_requests or 0
  if requests <= 0 or not profile.global_load_sectors or profile.global_load_sectors > kNarrow * requests then return nil end
  if (profile.l1_hit_share or 0) >= kAgain then
    return "123-load-once", ("; loads are of single words, and %.0f %% of what they ask for was loaded before"):format(
      100 * profile.l1_hit_share)
  end
  return "115-vector-loads", "; loads are of single words"
end

return diagnosis {
  name = "issue-bound",
  summary = "the schedulers issue an instruction in most cycles: there are too many instructions",
  source = "Nsight Compute, scheduler statistics: one instruction a cycle and scheduler is the limit; above 60 % of the peak a unit "
    .. "is called the bound",
  counters = { "issue_share" },
  counted = { "predicted_issue_ns", "predicted_ns" },
  also = { "instructions", "instructions_integer", "instructions_control", "instructions_memory", "global_load_requests",
           "global_load_sectors", "l1_hit_share" },
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
      local page, loads = around_loads(profile)
      return 0.22 + around / 4, ("issue-bound: " .. what .. "; %.0f %% of them compute indices and branch%s"):format(
        100 * math.min(1, share), profile.instructions and (", %.3g by warps in all"):format(profile.instructions) or "",
        100 * math.min(1, around), loads or ""), page or "124-fewer-instructions"
    end
    if share < options.share then return nil end
    return 0.22, ("issue-bound: " .. what):format(100 * math.min(1, share),
      profile.instructions and (", %.3g by warps in all"):format(profile.instructions) or "")
  end,
  applies_in = { issue_share = 0.78, instructions = 3.2e8 },
  silent_in  = { issue_share = 0.31, instructions = 3.2e8 },
}
