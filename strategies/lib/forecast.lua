-- What an arm's next evaluations are expected to bring and to cost: from its manifest's prior, its own evaluations, those of
-- the other arms of its kernel, earlier campaigns and the playbook's patterns. Logarithms of speedups over the baseline are
-- taken as normal; their mean is known as well as the evidence allows, and so are probabilities and minutes. What an arm may
-- still gain is told by its fastest evaluations alone.

local normal, linear, patterns = use("lib/normal"), use("lib/linear"), use("lib/patterns")

local WITHIN = 0.3          -- spread of ln(speedup) among an arm's configurations, before any is known
local WITHIN_TRIALS = 3     -- evaluations that this assumption is worth
local LEAST_DOUBT = 0.4     -- of a manifest's range, however narrow it is
local OF_WORKLOAD = 0.55    -- the share of that variance that all arms of a workload have in common,
local OF_TECHNIQUE = 0.3    -- and all arms of a technique
local BELIEVED = 0.5        -- the share of a manifest that is believed beyond its workload and its technique
local NEAR = 2              -- the distance of workloads at which what was seen on one counts a third on the other
local NEAR_TRUST = 1        -- of a workload that is the same, what its manifests are worth beside it
local SEEN_DOUBT = 0.05     -- of what was seen of an arm, however often
local LEAST_SEEN_DOUBT = 0.02
local TOP_SCALE = 0.15      -- how far apart an arm's fastest configurations lie (see distances), before any is known
local TOP_TRIALS = 2        -- arms that this assumption is worth
local OTHERS = 6            -- spacings that the growth of other arms is worth where an arm has shown little,
local OTHERS_UNTIL = 48     -- and half as many after so many evaluations
local TOP_DOUBT = 1         -- of ln(that scale) where nothing is known,
local TOP_KNOWN = 4         -- and how many arms that grew, or spacings of its own, halve its square
local NODES = { { at = -math.sqrt(3), weight = 1 / 6 }, { at = 0, weight = 2 / 3 }, { at = math.sqrt(3), weight = 1 / 6 } }
local TOP_SHARE = 3         -- a third of an arm's evaluations are its fastest
local GROWN = 4             -- evaluations from which on an arm has shown how it grows
local EARLIER_DOUBT = 0.25  -- of a best that an earlier campaign reached
local PRIOR_TRIALS = 4      -- evaluations of trust that a manifest's probability gets
local RELATED = 0.5         -- an evaluation elsewhere counts half: workload, source or machine differ
local COST_SPREAD = 0.4     -- of ln(seconds of an evaluation), before any is known
local COST_TRIALS = 2
local JUDGED_BYTES = 3e7      -- of a workload, that are drawn and judged in a second, by all gates together
local WRONG_PRIOR = 0.05    -- the chance that a manifest says nothing true about its arm,
local WRONG_SPREAD = 0.7    -- whose ln(speedup) is then anywhere about the best so far,
local WRONG_REACH = 2       -- or, where the limit leaves more room, anywhere up to it, but no farther than this
local GUESS_ERROR = 0.7     -- of ln(speedup) between arms of a workload: what manifests and other workloads say of it,
local COUNTED_ERROR = 0.35  -- and what counting predicts for this one
local ERROR_TRIALS = 4      -- arms that these assumptions are worth beside the errors that the campaign has shown
local LEAST_COUNTED_DOUBT = 0.25
local COUNTED_NEXT = 2      -- evaluations of an arm up to which what counting predicts to be fastest may not have had its turn
local HELD = 0.95           -- of an earlier campaign's best speedup: it is reached again
local ABLE = 0.5            -- share of its limit from which on a workload leaves little to arms that are predicted slower
local ALIKE = 4             -- the distance up to which a workload says whether a technique can win on another at all:
local LOST, LOST_FARTHER = 1, 0.7   -- not where it lay so far behind the best there, in ln(time), and for each unit of distance;
local LEVEL = math.log(2)   -- and yes where it came so near

-- Outcomes that say neither that the technique works nor that it does not.
local SILENT = { "no_effect", "interrupted" }
local NEW_CODE_TRIALS = 2   -- evaluations that "the next one has machine code of its own" is worth before any is known

local forecast = {}

local function square(x) return x * x end

local function silent(arm)
  local n = 0
  for _, outcome in ipairs(SILENT) do n = n + (arm.outcomes[outcome] or 0) end
  return n
end

-- By technique: evaluations of this campaign that said nothing of it.
local function silent_evaluations(campaign)
  local by = {}
  for _, arm in ipairs(campaign.arms) do
    local key = arm.kernel .. "/" .. arm.technique
    by[key] = (by[key] or 0) + silent(arm)
  end
  return by
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

-- The chance that the next configuration is machine code that was not measured yet. What repeats it costs time and says
-- nothing more; repeats come in a row where what is left of a space has nothing new (Laplace's rule of succession).
local function novelty(arm)
  local repeats = arm.outcomes.no_effect or 0
  if repeats == 0 then return 1 end
  local share = (NEW_CODE_TRIALS + arm.evaluations - repeats) / (NEW_CODE_TRIALS + arm.evaluations)
  return math.min(share, NEW_CODE_TRIALS / (NEW_CODE_TRIALS + arm.same_code))
end

-- Posterior mean of "a configuration passes".
local function probability(context, arm)
  local trials, passed = arm.evaluations - silent(arm), arm.passed + (arm.outcomes.abandoned or 0)
  local all = arm.cumulative
  local elsewhere = math.max(0, all.evaluations - context.silent[arm.kernel .. "/" .. arm.technique] - trials)
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

-- Earlier campaigns on other workloads say which techniques of a kernel go well together with its problem. There each speedup is
-- over another baseline; so what counts is by how much a technique lies beyond its manifest more than the other techniques that
-- were tried there do. The nearer the workload, the more. On the H200's recorded campaigns on attention such differences vary by
-- 0.3 from workload to workload, at most distances alike.
local function add_elsewhere(campaign, all, within)
  local sums = {}
  local function key(arm, seen) return arm.kernel .. "/" .. arm.workload .. "/" .. seen.workload end
  local function beyond(arm, seen)
    return math.log(seen.best_speedup) - normal.largest_of(math.max(1, seen.passed)) * within - all[arm.name].mean
  end
  for _, arm in ipairs(campaign.arms) do
    for _, seen in ipairs(arm.baseline and {} or arm.elsewhere) do
      local sum = sums[key(arm, seen)] or { sum = 0, n = 0 }
      sum.sum, sum.n = sum.sum + beyond(arm, seen), sum.n + 1
      sums[key(arm, seen)] = sum
    end
  end
  local shifts = {}
  for _, arm in ipairs(campaign.arms) do
    local sum, weight = 0, 0
    for _, seen in ipairs(arm.baseline and {} or arm.elsewhere) do
      local there = sums[key(arm, seen)]
      if there.n > 1 then
        local near = math.exp(-seen.distance / NEAR)
        sum, weight = sum + near * (beyond(arm, seen) - there.sum / there.n), weight + near
      end
    end
    if weight > 0 then shifts[arm.name] = sum / (weight + NEAR_TRUST) end
  end
  for _, arm in ipairs(campaign.arms) do
    all[arm.name].mean = all[arm.name].mean + (shifts[arm.name] or 0)
  end
end

-- What the manifests say of a kernel's arms, by arm: { mean, doubt }. Authors guess a technique's speedup and seldom how slow the
-- baseline is on each workload. So of what a range says beyond the sum of its workload's and its technique's part, only a share is
-- believed.
local function manifests(campaign, within)
  local all = {}
  for _, arm in ipairs(campaign.arms) do
    local mean, doubt = manifest(arm, within)
    all[arm.name] = { mean = mean, doubt = doubt }
  end
  local sums = {}
  local function add(key, value)
    local part = sums[key] or { sum = 0, n = 0 }
    part.sum, part.n = part.sum + value, part.n + 1
    sums[key] = part
  end
  local function part(key) return sums[key].sum / sums[key].n end
  for _, arm in ipairs(campaign.arms) do
    if not arm.baseline then
      local mean = all[arm.name].mean
      add(arm.kernel, mean)
      add(arm.kernel .. "/w/" .. arm.workload, mean)
      add(arm.kernel .. "/t/" .. arm.technique, mean)
    end
  end
  for _, arm in ipairs(campaign.arms) do
    if not arm.baseline then
      local of = all[arm.name]
      local sum = part(arm.kernel .. "/w/" .. arm.workload) + part(arm.kernel .. "/t/" .. arm.technique) - part(arm.kernel)
      of.mean = BELIEVED * of.mean + (1 - BELIEVED) * sum
    end
  end
  add_elsewhere(campaign, all, within)
  return all
end

local function median(list)
  local sorted = table.move(list, 1, #list, 1, {})
  table.sort(sorted)
  local n = #sorted
  return (sorted[(n + 1) // 2] + sorted[n // 2 + 1]) / 2
end

local function logs_of(gains)
  local logs = {}
  for i, gain in ipairs(gains) do logs[i] = math.log(gain) end
  return logs
end

-- ln(speedup) of an arm's typical configuration by the fastest that was counted for its workload; nil where none was.
local function counted(arm, workload, within)
  if not arm.predicted_ns or not workload or not workload.baseline_ns then return nil end
  return math.log(workload.baseline_ns / arm.predicted_ns) - normal.largest_of(math.max(1, arm.predicted_points)) * within
end

-- How far what was said of arms lies from what they showed, as a standard deviation. `pairs`: by workload, lists of errors. An
-- error that all arms of a workload have in common orders none of them.
local function error_of(by_workload, assumed)
  local squares, n = ERROR_TRIALS * square(assumed), ERROR_TRIALS
  for _, errors in pairs(by_workload) do
    local mean = 0
    for _, each in ipairs(errors) do mean = mean + each / #errors end
    for _, each in ipairs(errors) do squares = squares + square(each - mean) end
    n = n + #errors - 1
  end
  return math.sqrt(squares / n)
end

-- Counting predicts arms for this very workload; manifests and other workloads say something of it, too. Each counts by how well
-- it has done so far on the arms of the kernel that were measured. The level of a workload is that of the counted times, which
-- nine of ten keep within a factor of two (docs/profile.md); an arm that nobody has counted moves with the others.
local function add_counted(campaign, all, within, logs, workloads)
  local kernels = {}
  for _, arm in ipairs(campaign.arms) do
    local place = arm.kernel .. "/" .. arm.workload
    local told = not arm.baseline and counted(arm, workloads[place], within)
    if told then
      local kernel = kernels[arm.kernel] or { places = {}, guessed = {}, counted = {} }
      kernels[arm.kernel] = kernel
      local at = kernel.places[place] or { arms = {}, counted = 0, guessed = 0 }
      kernel.places[place] = at
      at.arms[arm.name] = told
      at.counted, at.guessed, at.n = at.counted + told, at.guessed + all[arm.name].mean, (at.n or 0) + 1
      if #logs[arm.name] > 0 then
        local seen = median(logs[arm.name])
        kernel.guessed[place] = kernel.guessed[place] or {}
        kernel.counted[place] = kernel.counted[place] or {}
        table.insert(kernel.guessed[place], seen - all[arm.name].mean)
        table.insert(kernel.counted[place], seen - told)
      end
    end
  end
  for _, kernel in pairs(kernels) do
    local of_guess, of_count = square(error_of(kernel.guessed, GUESS_ERROR)), square(error_of(kernel.counted, COUNTED_ERROR))
    kernel.share = of_guess / (of_guess + of_count)   -- of the counted time
    kernel.doubt = math.max(LEAST_COUNTED_DOUBT, math.sqrt(kernel.share * of_count))
  end
  for _, arm in ipairs(campaign.arms) do
    local kernel = kernels[arm.kernel]
    local at = kernel and kernel.places[arm.kernel .. "/" .. arm.workload]
    if at and not arm.baseline then
      local of, level, told = all[arm.name], at.counted / at.n, at.arms[arm.name]
      local guess = of.mean - at.guessed / at.n
      of.mean = level + (told and kernel.share * (told - level) + (1 - kernel.share) * guess or guess)
      if told then of.doubt = kernel.doubt end
    end
  end
end

-- By workload: how much faster than counted its arms were, in ln(speedup), of those that had tried what was counted.
local function faster_than_counted(campaign, workloads)
  local errors, faster = {}, {}
  for _, arm in ipairs(campaign.arms) do
    local place = arm.kernel .. "/" .. arm.workload
    local told = arm.evaluations > COUNTED_NEXT and arm.best_speedup and counted(arm, workloads[place], 0)
    if told then
      errors[place] = errors[place] or {}
      table.insert(errors[place], math.log(arm.best_speedup) - told)
    end
  end
  for place, list in pairs(errors) do faster[place] = median(list) end
  return faster
end

-- Of all arms, by their names: three parts of a forecast look at them.
local function logs_of_arms(campaign)
  local by = {}
  for _, arm in ipairs(campaign.arms) do by[arm.name] = logs_of(arm.gains) end
  return by
end

-- What was seen of an arm, in this campaign and before: { value, noise }, or nil. `logs`: of its newest speedups.
local function observed(arm, logs, within)
  if #logs > 0 then return median(logs), square(SEEN_DOUBT) + square(within) / #logs end
  if arm.earlier_best_speedup and arm.earlier_passed > 0 then
    local largest = normal.largest_of(arm.earlier_passed)
    return math.log(arm.earlier_best_speedup) - largest * within, square(EARLIER_DOUBT)
  end
end

-- Where the typical ln(speedup) of an arm lies beyond its manifest's, in units of the manifest's doubt, is the sum of three parts:
-- one of its workload (how slow the baseline is there), one of its technique, and one of the arm alone, in these shares of the
-- variance. What was seen of any arm of a kernel so says something of all others. As a linear model the parts of W workloads and
-- T techniques are W + T unknowns, and what N arms have shown goes into them one by one: equations of W + T, where a covariance of
-- arms would be one of N (Rasmussen and Williams, Gaussian Processes for Machine Learning, 2006, section 2.1.1; both say the same).
local OF_ARM = 1 - OF_WORKLOAD - OF_TECHNIQUE

-- The numbers of an arm's two unknowns; those of a technique come behind those of all workloads.
local function unknowns(arm, kernel) return kernel.workloads[arm.workload], kernel.techniques[arm.technique] end

local function numbered(campaign)
  local by, list = {}, {}
  for _, arm in ipairs(campaign.arms) do
    local kernel = by[arm.kernel]
    if not kernel then
      kernel = { workloads = {}, techniques = {}, names = {}, unknowns = 0, seen = {}, any = false }
      by[arm.kernel], list[#list + 1] = kernel, kernel
    end
    if not kernel.workloads[arm.workload] then
      kernel.unknowns = kernel.unknowns + 1
      kernel.workloads[arm.workload] = kernel.unknowns
    end
    if not kernel.techniques[arm.technique] then
      kernel.names[#kernel.names + 1] = arm.technique
      kernel.techniques[arm.technique] = 0
    end
  end
  for _, kernel in ipairs(list) do
    local workloads = kernel.unknowns
    for i, name in ipairs(kernel.names) do kernel.techniques[name] = workloads + i end
    kernel.unknowns = workloads + #kernel.names
    local precision, sums = {}, {}
    for i = 1, kernel.unknowns do
      precision[i], sums[i] = {}, 0
      for j = 1, i - 1 do precision[i][j] = 0 end
      precision[i][i] = 1 / (i <= workloads and OF_WORKLOAD or OF_TECHNIQUE)
    end
    kernel.precision, kernel.sums = precision, sums
  end
  return by, list
end

-- By kernel: what was seen, and the solved equations that predictions need.
local function beliefs(campaign, logs, within, expected)
  local by, list = numbered(campaign)
  for _, arm in ipairs(campaign.arms) do
    local value, noise = observed(arm, logs[arm.name], within)
    if value and not arm.baseline then
      local kernel, mean, doubt = by[arm.kernel], expected[arm.name].mean, expected[arm.name].doubt
      local beyond, variance = (value - mean) / doubt, OF_ARM + noise / square(doubt)
      local w, t = unknowns(arm, kernel)
      kernel.any = true
      kernel.seen[arm.name] = { beyond = beyond, believed = OF_ARM / variance }
      local precision, sums = kernel.precision, kernel.sums
      precision[w][w] = precision[w][w] + 1 / variance
      precision[t][t] = precision[t][t] + 1 / variance
      precision[t][w] = precision[t][w] + 1 / variance
      sums[w], sums[t] = sums[w] + beyond / variance, sums[t] + beyond / variance
    end
  end
  for _, kernel in ipairs(list) do
    if kernel.any then
      local root = linear.root(kernel.precision)
      kernel.means = linear.solve_above(root, linear.solve_below(root, kernel.sums))
      kernel.covariance = linear.inverse(root)
    end
  end
  return by
end

-- Mean and standard deviation of the typical ln(speedup) of an arm.
local function location(context, arm)
  local mean, doubt = context.expected[arm.name].mean, context.expected[arm.name].doubt
  local kernel = context.beliefs[arm.kernel]
  if arm.baseline or not kernel.any then return mean, doubt end
  local w, t = unknowns(arm, kernel)
  local of_t = kernel.covariance[t]   -- whose number is the higher one
  local parts_doubt = kernel.covariance[w][w] + of_t[t] + 2 * of_t[w]
  local beyond, seen = kernel.means[w] + kernel.means[t], kernel.seen[arm.name]
  local rest = seen and 1 - seen.believed or 1   -- of what is expected of it, once it has shown something itself
  if seen then beyond = rest * beyond + seen.believed * seen.beyond end
  local variance = rest * OF_ARM + square(rest) * parts_doubt
  return mean + doubt * beyond, math.sqrt(math.max(square(LEAST_SEEN_DOUBT), square(doubt) * variance))
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

-- An arm's fastest evaluations, ln(speedup), the fastest first: the best of all, and of the newest as many as say something of
-- the tail. `logs`: of its newest speedups.
local function fastest(arm, logs)
  local sorted = table.move(logs, 1, #logs, 1, {})
  if arm.best_speedup then sorted[#sorted + 1] = math.log(arm.best_speedup) end
  table.sort(sorted)
  local n, top = #sorted, {}
  if arm.best_speedup and n > 1 and sorted[n] == sorted[n - 1] then n = n - 1 end
  for i = 1, math.min(n, 1 + (n + TOP_SHARE - 1) // TOP_SHARE) do top[i] = sorted[n + 1 - i] end
  return top
end

-- Whatever the distribution, its upper tail falls about exponentially, and the mean distance of the fastest from the last of them
-- is its scale (Weissman, Estimation of parameters and large quantiles based on the k largest observations, 1978). What is slow
-- does not count. Returns the sum of the distances and their number.
local function distances(top)
  local sum = 0
  for i = 1, #top - 1 do sum = sum + top[i] - top[#top] end
  return sum, math.max(0, #top - 1)
end

-- What an arm of which little is known may still gain is told by how the others of the campaign grew: the best of n draws from an
-- exponential tail lies its scale times ln(n) above the first, and a search that learns makes the same of it. The median: an arm
-- whose first configuration was very slow says little. The second result: how many have grown.
local function usual_growth(campaign)
  local grown = {}
  for _, arm in ipairs(campaign.arms) do
    local first = arm.records[1]
    if first and arm.timed >= GROWN and not arm.baseline then
      grown[#grown + 1] = math.log(arm.best_speedup / first.speedup) / math.log(arm.timed)
    end
  end
  local n = #grown
  for _ = 1, TOP_TRIALS do grown[#grown + 1] = TOP_SCALE end
  return median(grown), n
end

local function place_elsewhere(arm, seen) return arm.kernel .. "/" .. arm.workload .. "/" .. seen.workload end

-- The best speedup of all techniques on each workload that an arm's technique was tried on elsewhere.
local function bests_elsewhere(campaign)
  local best = {}
  for _, arm in ipairs(campaign.arms) do
    for _, seen in ipairs(arm.elsewhere) do
      local place = place_elsewhere(arm, seen)
      best[place] = math.max(best[place] or 0, seen.best_speedup)
    end
  end
  return best
end

-- How far an arm's technique lay behind the best of workloads like this one, in ln(time): { least, lost }; nil where it was on none.
-- `lost`: so far behind on each of them that the workloads' difference does not explain it.
local function behind_elsewhere(context, arm)
  local behind
  for _, seen in ipairs(arm.elsewhere) do
    local best = context.bests_elsewhere[place_elsewhere(arm, seen)]
    if seen.distance <= ALIKE and seen.best_speedup > 0 then
      local by = math.log(best / seen.best_speedup)
      behind = behind or { least = math.huge, lost = true }
      behind.least = math.min(behind.least, by)
      behind.lost = behind.lost and by >= LOST + LOST_FARTHER * seen.distance
    end
  end
  return behind
end

-- What all arms of a snapshot share; computed once a decision.
function forecast.context(campaign)
  local within = within_arms(campaign)
  local expected = manifests(campaign, within)
  local workloads = {}
  for _, workload in ipairs(campaign.workloads) do workloads[workload.kernel .. "/" .. workload.workload] = workload end
  local top, grown = usual_growth(campaign)
  local logs = logs_of_arms(campaign)
  add_counted(campaign, expected, within, logs, workloads)
  return { campaign = campaign, within = within, expected = expected, logs = logs,
           beliefs = beliefs(campaign, logs, within, expected), workloads = workloads,
           silent = silent_evaluations(campaign), top = top, grown = grown, usual_seconds = usual_seconds(campaign),
           calibration = campaign.calibration, applying = patterns.naming(campaign),
           bests_elsewhere = bests_elsewhere(campaign), faster_than_counted = faster_than_counted(campaign, workloads) }
end

-- Of the newest evaluations (`logs`): a search moves, and its next step is like its last ones.
local function recent(arm, logs, within)
  local n, sum = #logs, 0
  for i = 1, n do sum = sum + logs[i] end
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

-- One arm: { p, mean, doubt, spread, freedom, patterns, favour, minutes, minutes_low, minutes_high, now, ceiling, wild, best,
-- top, top_doubt }, logarithms of speedups. `best` and `top`: its fastest evaluation and the scale of its tail, once it has one.
function forecast.arm(context, arm)
  local workload = context.workloads[arm.kernel .. "/" .. arm.workload]
  local now = math.log(math.max(workload and workload.speedup or 1, 1e-9))
  local mean, doubt = location(context, arm)
  local logs = context.logs[arm.name]
  local n, own, spread = recent(arm, logs, context.within)
  if n > 0 then   -- a search moves: its next step is like its last ones
    local precision, seen = 1 / square(doubt), n / square(spread)
    mean, doubt = (mean * precision + own * seen) / (precision + seen), math.sqrt(1 / (precision + seen))
  end
  local f = { arm = arm, p = probability(context, arm), n = n, mean = mean, doubt = doubt, spread = spread, now = now,
              new = novelty(arm), freedom = WITHIN_TRIALS + math.max(0, n - 1) }
  local earlier = arm.earlier_passed > 0 and arm.earlier_best_speedup and math.log(arm.earlier_best_speedup) or nil
  if n > 0 or earlier then
    local top = fastest(arm, logs)
    local sum, count = distances(top)
    local others = OTHERS * OTHERS_UNTIL / (OTHERS_UNTIL + arm.timed)
    f.best, f.top = top[1], (others * context.top + sum) / (others + count)
    f.top_doubt = TOP_DOUBT / math.sqrt(1 + (count + context.grown) / TOP_KNOWN)
    f.trials = arm.timed
    -- What an earlier campaign found on this workload is found again at once; beyond it lies what so many evaluations left.
    local reached = f.best and earlier and f.best >= earlier + math.log(HELD)
    if earlier and (reached or n == 0) then f.trials = f.trials + arm.earlier_passed end
    if earlier and n == 0 then f.best, f.again = earlier, math.max(0, earlier - now) end
  end
  f.p, f.favour, f.patterns = patterns.shifted(arm, context.applying, f.p)
  f.minutes, f.minutes_low, f.minutes_high = minutes_of(context, arm)
  local limit_ns = workload and (workload.limit_ns or workload.floor_ns)   -- nothing is faster
  if limit_ns and workload.baseline_ns then f.ceiling = math.log(workload.baseline_ns / limit_ns) end
  f.wild = excess(now - WRONG_SPREAD / 2, WRONG_SPREAD, now, f.ceiling)   -- where a manifest says nothing true
  if f.ceiling then f.wild = math.max(f.wild, math.min(WRONG_REACH, f.ceiling - now) / 4) end
  f.counted = counted(arm, workload, 0)
  f.next = f.counted and arm.evaluations > 0 and arm.evaluations <= COUNTED_NEXT and
    f.counted + (context.faster_than_counted[arm.kernel .. "/" .. arm.workload] or 0) or nil
  f.elsewhere = behind_elsewhere(context, arm)
  return f
end

-- Of an arm that has shown nothing yet: what the best of the next that pass is expected to be above the workload's best.
local function promised(f, passing)
  local largest, narrows = normal.largest_of(math.max(1, passing))
  local gain = excess(f.mean + largest * f.spread, math.sqrt(f.doubt ^ 2 + (narrows * f.spread) ^ 2), f.now, f.ceiling)
  return math.min(1, passing) * ((1 - WRONG_PRIOR) * gain + WRONG_PRIOR * f.wild)
end

-- Of one that has: of its n evaluations about one reached its best, and so many as exp(-distance / top) of those that reach it
-- lie a distance beyond. The expected excess of the largest is top * ln(1 + expected number), but for a constant.
-- How wide the tail is, is itself a guess where few evaluations have shown it: the mean over three widths.
local function still_there(f, passing)
  local gain = f.again and math.min(1, passing) * f.again or 0
  for _, node in ipairs(NODES) do
    local scale = f.top * math.exp(f.top_doubt * node.at)
    local beyond = passing / f.trials * math.exp(math.min(0, (f.best - f.now) / scale))
    gain = gain + node.weight * scale * math.log(1 + beyond)
  end
  return f.ceiling and math.max(0, math.min(gain, f.ceiling - f.now)) or gain
end

-- Of one that was tried at a configuration or two: the one that counting predicts to be fastest may be next.
local function counted_next(f, passing)
  return f.next and math.min(1, passing) * excess(f.next, COUNTED_ERROR, f.now, f.ceiling) or 0
end

-- Expected gain in ln(speedup) over the workload's best, of m evaluations more.
function forecast.gain(f, m)
  local passing = m * f.p * f.new
  return math.max(f.best and still_there(f, passing) or promised(f, passing), counted_next(f, passing))
end

-- What its counted time may be wrong by, nine times in ten: it takes at least half as long.
local COUNTED_RANGE = math.log(2)

-- Why an arm that was never tried cannot win, in words. Two things must say so: the room that the best leaves below the limit, and
-- the time that counting predicts for this workload, were it half of that; where nobody has counted, what its technique showed on
-- workloads like this one. Counting is not believed of a technique that was level with the best there. nil: it may, or nobody knows.
function forecast.cannot_win(f)
  if f.n > 0 or not f.ceiling then return nil end
  local share = math.exp(f.now - f.ceiling)
  if share < ABLE or f.elsewhere and f.elsewhere.least <= LEVEL then return nil end
  local slower
  if f.counted then
    if f.counted + COUNTED_RANGE >= f.now then return nil end
    slower = ("predicted at %.2g times the best's time"):format(math.exp(f.now - f.counted))
  elseif f.elsewhere and f.elsewhere.lost then
    slower = ("at least %.2g times the best's time on workloads like this one"):format(math.exp(f.elsewhere.least))
  end
  return slower and ("%s; here the best is at %.0f %% of its limit"):format(slower, 100 * share)
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
