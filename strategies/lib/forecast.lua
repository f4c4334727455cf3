-- What an arm's next evaluations are expected to bring and to cost: from its manifest's prior, the playbook's patterns, its own
-- evaluations, those of the same technique on other workloads, and earlier campaigns. Logarithms of speedups over the baseline
-- are taken as normal; their mean is known as well as the evidence allows, and so are probabilities and minutes.

local normal, patterns = use("lib/normal"), use("lib/patterns")

local WITHIN = 0.3          -- spread of ln(speedup) among an arm's configurations, before any is known
local WITHIN_TRIALS = 3     -- evaluations that this assumption is worth
local LEAST_DOUBT = 0.2     -- of a manifest's range, however narrow it is
local BETWEEN = 0.3         -- how far a technique's success differs from one workload to another
local EARLIER_DOUBT = 0.25  -- of a best that an earlier campaign reached
local PRIOR_TRIALS = 4      -- evaluations of trust that a manifest's probability gets
local RELATED = 0.5         -- an evaluation elsewhere counts half: workload, source or machine differ
local COST_SPREAD = 0.4     -- of ln(seconds of an evaluation), before any is known
local COST_TRIALS = 2
local JUDGED_BYTES = 3e7      -- of a workload, that are drawn and judged in a second, by all gates together
local WRONG_PRIOR = 0.05    -- the chance that a manifest says nothing true about its arm,
local WRONG_SPREAD = 0.7    -- whose ln(speedup) is then anywhere about the best so far

-- Outcomes that say neither that the technique works nor that it does not.
local SILENT = { "no_effect", "interrupted" }

local forecast = {}

local function square(x) return x * x end

local function trials_of(arm)
  local trials = arm.evaluations
  for _, outcome in ipairs(SILENT) do trials = trials - (arm.outcomes[outcome] or 0) end
  return trials, arm.passed + (arm.outcomes.abandoned or 0)
end

-- A manifest's probability is that of a sound arm, times the chance that it is sound: configurations share their source,
-- so failures come together.
local function parts(prior)
  local broken = math.min(0.5, math.max(0.02, (1 - prior) / 2))
  return broken, math.min(0.99, prior / (1 - broken))
end

-- The chance that an arm of which nothing has passed is sound. That of `failures` in a row, if it is, is the product of
-- (b + i) / (a + b + i) under a Beta(a, b).
local function sound(a, b, failures, broken)
  local likelihood = 1
  for i = 0, failures - 1 do likelihood = likelihood * (b + i) / (a + b + i) end
  return (1 - broken) * likelihood / ((1 - broken) * likelihood + broken)
end

-- Posterior mean of "a configuration passes".
local function probability(arm)
  local trials, passed = trials_of(arm)
  local all = arm.cumulative
  local elsewhere = math.max(0, all.evaluations - arm.evaluations)
  local passed_elsewhere = math.min(elsewhere, math.max(0, all.passed - passed))
  local trust = PRIOR_TRIALS / (PRIOR_TRIALS + RELATED * elsewhere)   -- the manifest's, once the technique has a history
  local known = elsewhere > 0 and passed_elsewhere / elsewhere or 0
  local prior = math.min(0.99, math.max(0.01, trust * arm.prior.probability + (1 - trust) * known))
  local broken, share = parts(prior)
  local mean = (PRIOR_TRIALS * share + passed) / (PRIOR_TRIALS + trials)
  if passed > 0 then return mean end
  return mean * sound(PRIOR_TRIALS * share, PRIOR_TRIALS * (1 - share), math.min(trials, 1000), broken)
end

-- Spread of ln(speedup) within arms, over all that have shown one.
local function within_arms(campaign)
  local sum, weight = WITHIN_TRIALS * square(WITHIN), WITHIN_TRIALS
  for _, arm in ipairs(campaign.arms) do
    if arm.log_gain_sd and arm.timed >= 3 then
      local n = math.min(arm.timed, 16) - 1
      sum, weight = sum + n * square(arm.log_gain_sd), weight + n
    end
  end
  return math.max(0.02, math.sqrt(sum / weight))
end

-- The manifest's range is that of the best after its predicted evaluations; a typical configuration lies below it.
local function manifest(arm, within)
  local low, high = math.log(math.max(arm.prior.speedup_lo, 1e-6)), math.log(math.max(arm.prior.speedup_hi, 1e-6))
  local largest = normal.largest_of(math.max(1, math.min(arm.prior.evaluations, arm.space_points)))
  return (low + high) / 2 - largest * within, math.max((high - low) / (2 * 1.645), LEAST_DOUBT)
end

-- Normal beliefs are summed by their precisions.
local function believe(belief, value, deviation)
  local precision = 1 / square(deviation)
  belief.mean = (belief.mean * belief.precision + value * precision) / (belief.precision + precision)
  belief.precision = belief.precision + precision
end

-- By technique: what its arms showed beyond their manifests.
local function surprises(campaign, within)
  local by = {}
  for _, arm in ipairs(campaign.arms) do
    if arm.log_gain_mean then
      local key = arm.kernel .. "/" .. arm.technique
      by[key] = by[key] or {}
      table.insert(by[key], { arm = arm.name, shift = arm.log_gain_mean - manifest(arm, within),
                              doubt = math.sqrt(square(BETWEEN) + square(within) / arm.timed) })
    end
  end
  return by
end

-- ln(seconds of an evaluation) by workload: what an arm costs is decided by its workload first. A rival's evaluation is
-- the first there is of something fast.
local function usual_seconds(campaign)
  local by = {}
  for _, workload in ipairs(campaign.workloads) do
    if workload.rival_s and workload.rival_s > 0 then
      by[workload.kernel .. "/" .. workload.workload] = { sum = math.log(workload.rival_s), arms = 1 }
    end
  end
  for _, arm in ipairs(campaign.arms) do
    if arm.log_evaluation_mean then
      local key = arm.kernel .. "/" .. arm.workload
      local seen = by[key] or { sum = 0, arms = 0 }
      seen.sum, seen.arms = seen.sum + arm.log_evaluation_mean, seen.arms + 1
      by[key] = seen
    end
  end
  return by
end

-- What all arms of a snapshot share; computed once a decision.
function forecast.context(campaign)
  local within = within_arms(campaign)
  local workloads = {}
  for _, workload in ipairs(campaign.workloads) do workloads[workload.kernel .. "/" .. workload.workload] = workload end
  return { campaign = campaign, within = within, surprises = surprises(campaign, within), workloads = workloads,
           usual_seconds = usual_seconds(campaign), calibration = campaign.calibration, applying = patterns.naming(campaign) }
end

-- `now`: ln(speedup) of the workload's best, over which the playbook's patterns expect their gain.
local function location(context, arm, now, hopes)
  local mean, doubt = manifest(arm, context.within)
  local belief = { mean = mean, precision = 1 / square(doubt) }
  for _, hope in ipairs(hopes) do
    local largest = normal.largest_of(math.max(1, math.min(arm.prior.evaluations, arm.space_points)))
    believe(belief, now + hope.mean - largest * context.within, hope.doubt)
  end
  for _, seen in ipairs(context.surprises[arm.kernel .. "/" .. arm.technique] or {}) do
    if seen.arm ~= arm.name then believe(belief, mean + seen.shift, seen.doubt) end
  end
  if arm.earlier_best_speedup and arm.earlier_passed > 0 then
    local largest = normal.largest_of(arm.earlier_passed)
    believe(belief, math.log(arm.earlier_best_speedup) - largest * context.within, EARLIER_DOUBT)
  end
  return belief
end

-- Of the newest evaluations: a search moves, and its next step is like its last ones.
local function recent(arm, within)
  local logs, n, sum = {}, 0, 0
  for i, gain in ipairs(arm.gains) do
    logs[i] = math.log(gain)
    n, sum = i, sum + logs[i]
  end
  local all = math.max(0, arm.timed - 1)
  local usual = (WITHIN_TRIALS * square(within) + all * square(arm.log_gain_sd or 0)) / (WITHIN_TRIALS + all)
  local mean, squares = n > 0 and sum / n or 0, WITHIN_TRIALS * usual
  for i = 1, n do
    local from_mean = logs[i] - mean
    squares = squares + from_mean * from_mean
  end
  return n, mean, math.max(0.002, math.sqrt(squares / (WITHIN_TRIALS + math.max(0, n - 1))))
end

local function minutes_of(context, arm)
  local campaign, calibration = context.campaign, context.calibration
  local n = arm.log_evaluation_mean and arm.evaluations or 0
  local usual = context.usual_seconds[arm.kernel .. "/" .. arm.workload]
  local workload = context.workloads[arm.kernel .. "/" .. arm.workload]
  local unseen = campaign.evaluation_s + (workload and workload.bytes or 0) / JUDGED_BYTES
  local prior = usual and usual.sum / usual.arms or math.log(math.max(unseen, 1e-3))
  local mean = (COST_TRIALS * prior + n * (arm.log_evaluation_mean or 0)) /
    (COST_TRIALS + n)
  local spread = math.sqrt((COST_TRIALS * square(COST_SPREAD) + math.max(0, n - 1) * square(arm.log_evaluation_sd or 0)) /
    (COST_TRIALS + math.max(0, n - 1)))
  local half = normal.half_width_90(COST_TRIALS + n) * spread * math.sqrt(1 + 1 / (COST_TRIALS + n)) *
    calibration.minutes_widen
  local middle = math.exp(mean) / 60 * calibration.minutes_scale
  return middle, middle * math.exp(-half), middle * math.exp(half)
end

-- The part of an expected excess that lies above a ceiling does not exist.
local function excess(mean, deviation, limit, ceiling)
  local whole = normal.expected_excess(mean, deviation, limit)
  if not ceiling then return whole end
  return math.max(0, whole - normal.expected_excess(mean, deviation, math.max(ceiling, limit)))
end

-- One arm: { p, mean, doubt, spread, freedom, patterns, minutes, minutes_low, minutes_high, now, ceiling, wild }, logarithms of
-- speedups.
function forecast.arm(context, arm)
  local workload = context.workloads[arm.kernel .. "/" .. arm.workload]
  local now = math.log(math.max(workload and workload.speedup or 1, 1e-9))
  local hopes, ids = patterns.expected(arm, context.applying)
  local belief = location(context, arm, now, hopes)
  local n, mean, spread = recent(arm, context.within)
  if n > 0 then believe(belief, mean, spread / math.sqrt(n)) end
  local f = { arm = arm, p = probability(arm), n = n, mean = belief.mean, doubt = math.sqrt(1 / belief.precision), spread = spread,
              freedom = WITHIN_TRIALS + math.max(0, n - 1) }
  f.flat = arm.evaluations > 0 and arm.since_improvement * arm.timed / arm.evaluations or 0
  f.minutes, f.minutes_low, f.minutes_high = minutes_of(context, arm)
  f.now, f.patterns = now, ids
  if workload and workload.floor_ns and workload.baseline_ns then   -- nothing is faster than the speed of light
    f.ceiling = math.log(workload.baseline_ns / workload.floor_ns)
  end
  f.wild = excess(now - WRONG_SPREAD / 2, WRONG_SPREAD, now, f.ceiling)   -- where a manifest says nothing true
  return f
end

-- Expected gain in ln(speedup) over the workload's best, of m evaluations more.
function forecast.gain(f, m)
  local passing = m * f.p
  local largest, narrows = normal.largest_of(math.max(1, passing))
  local gain = excess(f.mean + largest * f.spread, math.sqrt(f.doubt ^ 2 + (narrows * f.spread) ^ 2), f.now, f.ceiling)
  -- Of evaluations that are alike, the next m hold the best of k + m with the chance m / (k + m), whatever their distribution.
  if f.n > 0 then gain = math.min(gain, passing / (passing + f.flat) * math.sqrt(f.spread ^ 2 + f.doubt ^ 2)) end
  local wrong = WRONG_PRIOR / (1 + f.n)   -- the arm's own evaluations speak for themselves
  return math.min(1, passing) * ((1 - wrong) * gain + wrong * f.wild)
end

-- { low, high } of the speedup of the next evaluation, if it passes: 90 %.
function forecast.range(context, f)
  local half = normal.half_width_90(f.freedom) * math.sqrt(f.spread ^ 2 + f.doubt ^ 2) * context.calibration.speedup_widen
  return { math.exp(f.mean - half), math.exp(f.mean + half) }
end

-- What a decision for this arm predicts.
function forecast.predict(context, f, evaluations)
  return { speedup = forecast.range(context, f), probability = f.p, minutes = { f.minutes_low, f.minutes_high },
           evaluations = evaluations }
end

return forecast
