-- Whether to ask the proposer for a variant now, and for what: a proposal is priced as an arm is, by the log-gain that it is
-- expected to bring for the minutes that it takes from the device, learnt from this proposer's record. It is not asked
-- while a request is under way, after stagnation, at the floor, or where the rest of the budget cannot pay an evaluation.


local STAGNANT = 6          -- proposals in a row that brought no new best: then it is asked no more
local SILENT = 3            -- requests in a row without a reply
local NEAR_FLOOR = 0.9      -- a workload whose best reaches this share of its floor needs no other variant
local GAIN = 0.25           -- ln of what a proposal gains that becomes a best, before one has
local GAIN_TRIALS = 2       -- proposals that this is worth
local PRIOR_WINS, PRIOR_TRIALS = 1, 3   -- of proposals that become a best
local EVALUATIONS = 3       -- of a proposed variant, that its price counts

local proposals = {}

-- nil, or why nobody is asked any more.
function proposals.stopped(campaign)
  local p = campaign.proposer
  if not p then return "nobody proposes" end
  if not p.ready then return "the proposer answers no more, or cannot be paid" end
  if p.failed_in_a_row >= SILENT then return ("%d requests in a row brought no reply"):format(p.failed_in_a_row) end
  if p.since_improvement >= STAGNANT then
    return ("%d proposals in a row brought no new best"):format(p.since_improvement)
  end
  if campaign.budget_s then
    local left = campaign.budget_s - campaign.spent_s - campaign.reserve_s
    local needed = (p.latency_s or 0) + 2 * campaign.evaluation_s
    if left < needed then return ("%.0f s are left, and a proposal needs %.0f s"):format(left, needed) end
  end
end

-- Of the workloads that are not near their floor the heaviest; of these the one with the fewest proposals.
local function needy(campaign)
  local asked = {}
  for _, arm in ipairs(campaign.arms) do
    if arm.proposal then
      local key = arm.kernel .. "/" .. arm.workload
      asked[key] = (asked[key] or 0) + 1
    end
  end
  local best, best_rank
  for _, w in ipairs(campaign.workloads) do
    local rank = w.weight / (1 + (asked[w.kernel .. "/" .. w.workload] or 0))
    if (w.of_floor or 0) < NEAR_FLOOR and (not best or rank > best_rank) then best, best_rank = w, rank end
  end
  return best
end

-- The arms of a workload: the one that holds its best, the best of another technique, and the last proposal that was wrong.
local function parents_of(campaign, workload)
  local holder, other, wrong, first
  for _, arm in ipairs(campaign.arms) do
    if arm.kernel == workload.kernel and arm.workload == workload.workload then
      first = first or arm
      if arm.technique == workload.best_technique then holder = arm
      elseif arm.best_speedup and (not other or arm.best_speedup > other.best_speedup) then other = arm end
      if arm.proposal and not arm.best_speedup and arm.last_fingerprint ~= "" then wrong = arm end
    end
  end
  return holder or first, other, wrong
end

local function chance(p)
  return (p.improved + PRIOR_WINS) / (p.asked + PRIOR_TRIALS)
end

local function gain(p)
  return (GAIN * GAIN_TRIALS + (p.log_gain or 0) * p.improved) / (GAIN_TRIALS + p.improved)
end

-- What is asked, and with which parents: in turns a change of the best, something new beside the best of another technique,
-- and, where a proposal was wrong, its mending.
local function question(campaign, workload)
  local holder, other, wrong = parents_of(campaign, workload)
  if not holder then return end
  local best = workload.best_variant ~= "" and workload.best_variant or holder.variants[1]
  local turn = campaign.proposer.asked % 3
  if wrong and turn == 2 then
    return wrong, { wrong.variants[1], best },
      ("a fix of a failure: the first parent is wrong (%s); mend it and keep its idea"):format(wrong.last_fingerprint)
  end
  if turn == 1 then
    return holder, other and { best, other.variants[1] } or { best },
      "a new variant: another approach than the parents', faster than the best"
  end
  return holder, { best }, "one change of the first parent that makes it at least 10 % faster"
end

-- A decision to ask, or nil. `score`: gain per minute of the best arm that pays, nil where none does.
function proposals.consider(campaign, score, patterns)
  local p = campaign.proposer
  if not p or p.in_flight or proposals.stopped(campaign) then return nil end
  local workload = needy(campaign)
  if not workload then return nil end
  local minutes = EVALUATIONS * campaign.evaluation_s / 60
  if not score then minutes = minutes + (p.latency_s or 0) / 60 end   -- then the device waits for it
  local expected = workload.weight * gain(p) * chance(p)
  if score and expected / minutes < score then return nil end
  local arm, parents, ask = question(campaign, workload)
  if not arm then return nil end
  local before = workload.speedup or 1
  return { action = "propose", arm = arm, ask = ask, parents = parents, patterns = patterns,
           why = ("a proposal for %s/%s promises %.2g %% at a chance of %.2f in %.2g min, %s"):format(workload.kernel,
             workload.workload, 100 * (math.exp(gain(p)) - 1), chance(p), minutes,
             score and "more than any arm" or "and no arm pays any more"),
           predict = { speedup = { before, before * math.exp(2 * gain(p)) }, probability = chance(p),
                       evaluations = EVALUATIONS } }
end

return proposals
