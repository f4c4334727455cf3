-- Return on investment: the arm with the most expected log-gain x probability for each minute it is expected to cost.
-- playbook 17 of the seeds: ROI = log2(gain) / minutes; "only a success probability reverses the order".

-- Evaluations of trust that a manifest's probability gets before what happened outweighs it.
local PRIOR_TRIALS = 4
-- An earlier campaign's evaluation counts half: the variant may have changed since.
local EARLIER = 0.5
-- The manifest's range is believed for this share of its predicted evaluations, then what was seen.
local BELIEVED_SHARE = 0.25
-- A well explored arm may still hold this share of its predicted range.
local ROOM_ABOVE_BEST = 0.25
-- Weight of an arm that was tried less than others.
local CURIOSITY = 0.5
-- Rows of its table that a decision records.
local RECORDED_ROWS = 8
-- Another arm must promise this much more a minute than the one at work: a pivot is a decision, not noise.
local WORTH_A_PIVOT = 1.25
-- Below this expected log-gain (0.1 %), after the predicted evaluations, an arm is not expected to pay.
local WORTH = 0.001

-- Outcomes that say neither that the technique works nor that it does not.
local SILENT = { no_effect = true, interrupted = true }

local function workload_key(of) return of.kernel .. "/" .. of.workload end

-- Beta posterior mean of "a configuration passes", from the manifest's probability.
local function probability(arm)
  local trials = 0
  for outcome, count in pairs(arm.outcomes) do
    if not SILENT[outcome] then trials = trials + count end
  end
  local passed = arm.passed + (arm.outcomes.abandoned or 0)
  passed = passed + EARLIER * arm.earlier_passed
  trials = trials + EARLIER * arm.earlier_evaluations
  return (PRIOR_TRIALS * arm.prior.probability + passed) / (PRIOR_TRIALS + trials)
end

-- The range, in log-speedup over the baseline, in which the arm's best is expected: the manifest's, shrunk towards the
-- best seen as evaluations pass.
local function expected_range(arm)
  local low, high = math.log(arm.prior.speedup_lo), math.log(arm.prior.speedup_hi)
  local best = math.max(arm.best_speedup or 0, arm.earlier_best_speedup or 0)
  if best <= 0 then return low, high end
  local seen = #arm.gains + EARLIER * arm.earlier_passed
  local believed = math.max(2, BELIEVED_SHARE * arm.prior.evaluations)
  local trust = believed / (believed + seen)
  best = math.log(best)
  return best, best + trust * math.max(high - best, ROOM_ABOVE_BEST * (high - low))
end

-- E[max(0, x - now)] for x uniform over [low, high].
local function expected_gain(low, high, now)
  if high <= now then return 0.0 end
  if low >= now then return (low + high) / 2 - now end
  return (high - now) ^ 2 / (2 * (high - low))
end

-- Evaluations the arm is still expected to need. Those that failed brought it no nearer: time sunk is no progress.
local function evaluations_left(arm)
  local predicted = math.min(arm.prior.evaluations, math.max(arm.space_points, 1))
  local left = math.max(predicted - arm.passed, predicted // 4, 1)
  if arm.space_points > 0 then left = math.min(left, math.max(arm.space_points - arm.evaluations, 1)) end
  return left
end

local function minutes(campaign, arm, evaluations)
  local each = campaign.evaluation_s
  if arm.evaluations > 0 and arm.spent_s > 0 then each = arm.spent_s / arm.evaluations end
  return math.max(each, 1e-3) * evaluations * arm.cost_factor / 60
end

local function appraise(campaign, arm, workload)
  local now = math.log(math.max(workload and workload.speedup or 1, 1e-9))
  local low, high = expected_range(arm)
  local left = evaluations_left(arm)
  local row = { arm = arm.name, p = probability(arm), gain = expected_gain(low, high, now), evaluations = left,
                minutes = minutes(campaign, arm, left), factor = arm.cost_factor }
  local curious = 1 + CURIOSITY * math.sqrt(math.log(1 + campaign.iterations) / (1 + arm.evaluations))
  row.score = arm.weight * row.p * row.gain / row.minutes * curious
  local explored = arm.evaluations >= math.min(arm.prior.evaluations, math.max(arm.space_points, 1))
  row.pays = row.p * row.gain > WORTH or (not explored and not arm.baseline and arm.passed == 0)
  return row, low, high
end

local function try(arm, why, table, low, high, left)
  return { action = "try", arm = arm, why = why, table = table,
           predict = { speedup = { math.exp(low), math.exp(high) }, evaluations = left } }
end

-- Speedups need the baseline's time: each workload's baseline once, before anything else of that workload.
local function missing_baseline(campaign, workloads)
  for _, arm in ipairs(campaign.open) do
    local workload = workloads[workload_key(arm)]
    if arm.baseline and arm.evaluations == 0 and not (workload and workload.baseline_ns) then return arm end
  end
end

-- The rows that are recorded with the decision: the highest scores.
local function foremost(rows)
  table.sort(rows, function(a, b) return a.score > b.score end)
  return table.move(rows, 1, math.min(#rows, RECORDED_ROWS), 1, {})
end

local function describe(row, arm)
  return ("%s promises %.1f %% with probability %.2f in %.2g min"):format(arm.name, 100 * (math.exp(row.gain) - 1), row.p,
    row.minutes)
end

return strategy {
  name = "roi",
  summary = "the arm with the highest expected log-gain x probability per minute",
  rules = { "rules/enough", "rules/time-overrun", "rules/plateau", "rules/start-simple" },

  decide = function(campaign)
    local workloads = {}
    for _, workload in ipairs(campaign.workloads) do workloads[workload_key(workload)] = workload end
    local first = missing_baseline(campaign, workloads)
    if first then
      return try(first, "the baseline of " .. workload_key(first) .. " comes first: speedups need its time", {}, 0, 0, 1)
    end

    local current = campaign.current and campaign.current.name
    local rows, best, best_arm, best_low, best_high, best_rank = {}, nil, nil, nil, nil, -1
    for _, arm in ipairs(campaign.open) do
      local row, low, high = appraise(campaign, arm, workloads[workload_key(arm)])
      rows[#rows + 1] = row
      local rank = row.score * (arm.name == current and WORTH_A_PIVOT or 1)
      if row.pays and rank > best_rank then
        best, best_arm, best_low, best_high, best_rank = row, arm, low, high, rank
      end
    end
    rows = foremost(rows)
    if #rows == 0 then
      return { action = "stop", reason = "exhausted", why = "no arm is left to try", table = rows }
    end
    if best == nil then
      return { action = "stop", reason = "strategy", why = "no arm is expected to pay any more", table = rows }
    end
    return try(best_arm, describe(best, best_arm), rows, best_low, best_high, best.evaluations)
  end,
}
