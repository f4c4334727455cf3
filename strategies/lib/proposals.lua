-- Whether to ask the proposer for a variant now, and for what: a proposal is priced as an arm is, by the log-gain that it is
-- expected to bring for the minutes that it takes from the device, or for the dollars of these and of the request, learnt
-- from this proposer's record. So many requests are under way that the device need not wait for them: one more for each
-- proposal that it could evaluate while a request is answered. The rule stop-asking says when no further one is sent.
--
-- Of several proposers the one with the highest upper bound of log-gain a dollar is asked (UCB1 of Auer, Cesa-Bianchi and
-- Fischer, Finite-time analysis of the multiarmed bandit problem, 2002, with the deviation of its own posterior): one that is
-- dear or weak is asked the more seldom the more is known of it, and one of which little is known gets its chance.

local NEAR_FLOOR = 0.9      -- a workload whose best reaches this share of its limit needs no other variant
local GAIN = 0.25           -- ln of what a proposal gains that becomes a best, before one has
local GAIN_TRIALS = 2       -- proposals that this is worth
local PRIOR_WINS, PRIOR_TRIALS = 1, 3   -- of proposals that become a best
local EARLIER = 0.5         -- of a proposal here, that one of an earlier campaign of this proposer is worth
local EVALUATIONS = 3       -- of a proposed variant, that its price counts
local OPTIMISM = 0.5        -- of the upper bound, in standard deviations where e^1 - 1 requests were sent
local BEAM = 4              -- arms that proposals begin with,
local NEAR_BEST = 0.5       -- those that have reached this share of the best speedup

local proposals = {}

-- Requests that should be under way.
local function wanted(campaign, p)
  local busy_s = EVALUATIONS * math.max(campaign.evaluation_s, 1e-3)
  return math.min(p.most_under_way, 1 + (p.latency_s or 0) // busy_s)
end

-- Of the workloads that are not near their floor the heaviest, those with the fewest proposals first; each request that is
-- under way is taken to be for one of them.
local function needy(campaign)
  local asked, ranked = {}, {}
  for _, arm in ipairs(campaign.arms) do
    if arm.proposal then
      local key = arm.kernel .. "/" .. arm.workload
      asked[key] = (asked[key] or 0) + 1
    end
  end
  for place, w in ipairs(campaign.workloads) do
    if (w.of_limit or w.of_floor or 0) < NEAR_FLOOR then
      local rank = w.weight / (1 + (asked[w.kernel .. "/" .. w.workload] or 0))
      ranked[#ranked + 1] = { workload = w, rank = rank, place = place }
    end
  end
  table.sort(ranked, function(a, b) return a.rank > b.rank or a.rank == b.rank and a.place < b.place end)
  local chosen = ranked[1 + campaign.proposer.under_way % math.max(#ranked, 1)]
  return chosen and chosen.workload
end

-- The arms of a workload that a proposal may begin with: the one that holds its best, and the best of other techniques that
-- come near it, fastest first. And the last proposal that was wrong.
local function beam_of(campaign, workload)
  local beam, others, wrong, first = {}, {}, nil, nil
  for place, arm in ipairs(campaign.arms) do
    if arm.kernel == workload.kernel and arm.workload == workload.workload then
      first = first or arm
      if arm.technique == workload.best_technique then beam[1] = arm
      elseif arm.best_speedup then others[#others + 1] = { arm = arm, place = place } end
      if arm.proposal and not arm.best_speedup and arm.last_fingerprint ~= "" then wrong = arm end
    end
  end
  table.sort(others, function(a, b)
    local one, other = a.arm.best_speedup, b.arm.best_speedup
    return one > other or one == other and a.place < b.place
  end)
  beam[1] = beam[1] or first
  for _, each in ipairs(others) do
    local near = each.arm.best_speedup >= NEAR_BEST * (workload.speedup or 1)
    if #beam < BEAM and (near or #beam == 1) then beam[#beam + 1] = each.arm end
  end
  return beam, wrong
end

local function trials(p) return p.asked - p.under_way + EARLIER * p.earlier_asked + PRIOR_TRIALS end

local function chance(p)
  local wins = p.improved + EARLIER * p.earlier_improved
  return (wins + PRIOR_WINS) / trials(p)
end

local function gain(p, before)
  local earlier = EARLIER * p.earlier_improved
  return ((before or GAIN) * GAIN_TRIALS + (p.log_gain or 0) * p.improved + (p.earlier_log_gain or 0) * earlier) /
    (GAIN_TRIALS + p.improved + earlier)
end

-- Dollars of a request and of evaluating what it brings; nil where neither is known.
local function dollars(campaign, p, minutes)
  local request = p.likely_usd or p.usd_each or p.next_usd
  if not request and not campaign.usd_per_hour then return nil end
  return (request or 0) + (campaign.usd_per_hour or 0) * minutes / 60
end

local function may_be_asked(p) return p.ready and not p.silenced end

-- What a request to each costs that may be asked: dollars, where they are known of any (what is known of none of its own is
-- taken to cost what the others do), else minutes, with the wait.
local function prices_of(campaign, proposers)
  local minutes, sum, known, prices = EVALUATIONS * campaign.evaluation_s / 60, 0, 0, {}
  for i, p in ipairs(proposers) do
    if p.likely_usd or p.usd_each or p.next_usd then
      prices[i] = dollars(campaign, p, minutes)
      sum, known = sum + prices[i], known + 1
    end
  end
  for i, p in ipairs(proposers) do
    prices[i] = known == 0 and minutes + (p.latency_s or 0) / 60 or prices[i] or sum / known
  end
  return prices
end

-- Who is asked. A request that is under way counts as one that brought nothing, so that its turn is not taken twice.
local function choose(campaign)
  local open = {}
  for _, p in ipairs(campaign.proposers) do
    if may_be_asked(p) then open[#open + 1] = p end
  end
  if #open < 2 then return open[1] end
  local prices, typical, asked = prices_of(campaign, open), gain(campaign.proposer), campaign.proposer.asked
  local best, highest
  for i, p in ipairs(open) do
    local n = trials(p) + p.under_way
    local mean = chance(p) * trials(p) / n
    local bound = mean + OPTIMISM * math.sqrt(math.log(1 + asked) * mean * (1 - mean) / (n + 1))
    local score = math.min(bound, 1) * gain(p, typical) / math.max(prices[i], 1e-12)
    if not best or score > highest then best, highest = p, score end
  end
  return best
end

-- What is asked, and with which parents: in turns a change of the best, something new beside the best of other techniques,
-- and, where a proposal was wrong, its mending; else a change of the others of the beam, one after the other. What is not
-- the fastest today may become it: a search that follows the best alone ends at the first that no single change makes faster.
local function question(campaign, workload)
  local beam, wrong = beam_of(campaign, workload)
  local holder = beam[1]
  if not holder then return end
  local best = workload.best_variant ~= "" and workload.best_variant or holder.variants[1]
  local asked = campaign.proposer.asked
  local turn, round = asked % 3, asked // 3
  if wrong and turn == 2 then
    return wrong, { wrong.variants[1], best },
      ("a fix of a failure: the first parent is wrong (%s); mend it and keep its idea"):format(wrong.last_fingerprint)
  end
  if turn == 1 then
    return holder, { best, beam[2] and beam[2].variants[1], beam[3] and beam[3].variants[1] },
      "a new variant: another approach than the parents', faster than the best"
  end
  local other = turn == 2 and beam[2 + round % math.max(#beam - 1, 1)]
  if other and other.best_speedup >= NEAR_BEST * (workload.speedup or 1) then
    return other, { other.variants[1], best },
      "one change of the first parent that makes it faster than the second, which is the best"
  end
  return holder, { best }, "one change of the first parent that makes it at least 10 % faster"
end

-- Why nobody is asked now, or nil.
function proposals.silenced(campaign)
  local p = campaign.proposer
  return p and (p.silenced or not p.ready and "the proposer answers no more, or cannot be paid" or nil)
end

-- A decision to ask, or nil. `score`: gain per minute (`by_money`: per dollar) of the best arm that pays, nil where none does.
function proposals.consider(campaign, score, patterns, by_money)
  local all = campaign.proposer
  if not all or proposals.silenced(campaign) or all.under_way >= wanted(campaign, all) then return nil end
  local p = choose(campaign)
  if not p then return nil end
  local workload = needy(campaign)
  if not workload then return nil end
  local minutes = EVALUATIONS * campaign.evaluation_s / 60
  if not score then minutes = minutes + (p.latency_s or 0) / 60 end   -- then the device waits for it
  local usd = dollars(campaign, p, minutes)
  local price = by_money and (usd or math.huge) or minutes
  local expected = workload.weight * gain(p) * chance(p)
  if score and expected / math.max(price, 1e-12) < score then return nil end
  local arm, parents, ask = question(campaign, workload)
  if not arm then return nil end
  local before = workload.speedup or 1
  local costs = usd and (" and $%.2g"):format(usd) or ""
  local by = #campaign.proposers > 1 and (" of %s"):format(p.name) or ""
  return { action = "propose", arm = arm, ask = ask, parents = parents, patterns = patterns, proposer = by ~= "" and p.name or nil,
           why = ("a proposal%s for %s/%s promises %.2g %% at a chance of %.2f in %.2g min%s, %s"):format(by, workload.kernel,
             workload.workload, 100 * (math.exp(gain(p)) - 1), chance(p), minutes, costs,
             score and "more than any arm" or "and no arm pays any more"),
           predict = { speedup = { before, before * math.exp(2 * gain(p)) }, probability = chance(p),
                       evaluations = EVALUATIONS } }
end

return proposals
