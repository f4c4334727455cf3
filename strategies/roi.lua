-- Return on investment: the arm with the most expected log-gain for what it is expected to cost. lib/forecast says what is
-- expected and why; the seeds' pattern 17 is where the idea is from: ROI = log2(gain) / minutes, and "only a success
-- probability reverses the order". How many evaluations to look ahead is chosen for each arm so that its gain per minute
-- is highest: one that pays only after several is not passed over (the KG(*) policy of Frazier and Powell, Paradoxes in
-- learning and the marginal value of information, 2010).

local forecast, places, proposals = use("lib/forecast"), use("lib/places"), use("lib/proposals")

local AHEAD = { 1, 2, 4, 8, 16, 32, 64 }
-- Another arm must promise this much more than the one at work: a pivot is a decision, not noise.
local WORTH_A_PIVOT = 1.1
-- Of several devices one at a workload is enough: a second one is held against the best of the time when it began, meets all
-- gates for a gain that the first may have overtaken, and each new best has to be timed on the other card as well. On two H100s
-- 17 of 52 evaluations that met all gates were overtaken while they ran.
local COMPANY = 0.5
-- Below this expected log-gain (0.2 %) over everything it could still be given, an arm is not expected to pay.
local WORTH = 0.002
-- An evaluation is cheap that takes no more than so many times the cheapest, and than this share of the time that is left.
local CHEAP = 8
local CHEAP_SHARE = 0.02
-- Evaluations of any arm of a workload before its cheap arms had their first: none has its second.
local LOOKS = 1
-- Evaluations of an arm without a gain, after which another arm of its workload has one.
local STALE = 10
-- An arm that was evaluated so often waits for those that may have come as far with as many evaluations: their best is within
-- this share of the workload's best arm, and an evaluation of theirs takes no more than so many times its own.
local EVEN, REACH, EVEN_COST = 24, 0.7, 2
-- Rows of its table that a decision records.
local RECORDED_ROWS = 12
-- A sitting is predicted to be at least so many evaluations long: fewer is no undertaking.
local LEAST_SITTING = 8

-- Evaluations that the arm's space and the campaign's limits still allow.
local function room(campaign, arm, minutes)
  local most = arm.space_points > 0 and math.max(arm.space_points - arm.evaluations, 0) or math.huge
  if most == 0 then return 0 end
  if campaign.budget_s then
    local left = (campaign.budget_s - campaign.spent_s - campaign.reserve_s) / 60
    most = math.min(most, math.max(1, left // minutes))
  end
  if campaign.max_cost_usd and campaign.usd_per_hour then
    local left = campaign.max_cost_usd - (campaign.spent_usd or 0) - campaign.usd_per_hour * campaign.reserve_s / 3600
    most = math.min(most, math.max(1, left // (campaign.usd_per_hour * minutes / 60)))
  end
  return most
end

-- Dollars of an evaluation: the device's, and what proposals for this arm have cost each so far; nil without a price.
local function dollars(campaign, arm, minutes)
  if not campaign.usd_per_hour and not arm.agent_usd then return nil end
  return (campaign.usd_per_hour or 0) * minutes / 60 + (arm.agent_usd or 0) / math.max(arm.evaluations, 1)
end

-- Money is what runs out first where a larger share of it than of the time is gone.
local function money_is_scarce(campaign)
  if not campaign.max_cost_usd or not campaign.spent_usd then return false end
  if not campaign.budget_s then return true end
  return campaign.spent_usd / campaign.max_cost_usd > campaign.spent_s / campaign.budget_s
end

-- Minutes are those that are expected; a rule's factor and the playbook's favour change the order only.
local function appraise(context, arm, by_money)
  local campaign, f = context.campaign, forecast.arm(context, arm)
  local minutes, order = f.minutes, f.favour / arm.cost_factor
  local usd = dollars(campaign, arm, minutes)
  local most = room(campaign, arm, f.minutes)
  local row = { arm = arm.name, p = f.p, typical = math.exp(f.mean), best = math.exp(f.now), factor = order,
                score = -1 }
  local potential = 0
  for _, ahead in ipairs(most > 0 and AHEAD or {}) do
    local m = math.min(ahead, most)
    local gain = arm.weight * forecast.gain(f, m)
    local per_minute, per_usd = gain / (minutes * m), usd and usd > 0 and gain / (usd * m) or nil
    local score = order * (by_money and per_usd or per_minute)
    potential = math.max(potential, gain)
    if score > row.score then
      row.score, row.gain, row.evaluations, row.minutes = score, gain, m, minutes * m
      row.usd, row.per_minute, row.per_usd = usd and usd * m, per_minute, per_usd
    end
    if m < ahead then break end
  end
  row.pays = potential > WORTH
  return row, f
end

local function rounded(row)
  local short = {}
  for name, value in pairs(row) do
    short[name] = math.type(value) == "float" and tonumber(("%.4g"):format(value)) or value
  end
  return short
end

-- The rows that are recorded with the decision: the highest scores, to four digits.
local function foremost(rows)
  local first = {}
  for _, row in ipairs(rows) do
    local place = #first + 1
    while place > 1 and first[place - 1].score < row.score do place = place - 1 end
    if place <= RECORDED_ROWS then table.insert(first, place, row) end
    first[RECORDED_ROWS + 1] = nil
  end
  for i, row in ipairs(first) do first[i] = rounded(row) end
  return first
end

local function in_words(gain)
  if gain >= 0.7 then return ("%.1fx"):format(math.exp(gain)) end
  return ("%.2g %%"):format(100 * (math.exp(gain) - 1))
end

local function describe(row)
  return ("%s promises %s in %d evaluation%s (%.2g min), passing with probability %.2f"):format(row.arm,
    in_words(row.gain), row.evaluations, row.evaluations == 1 and "" or "s", row.minutes, row.p)
end

local function try(context, arm, f, row, rows, why)
  local evaluations = math.max(row.evaluations, math.min(LEAST_SITTING, room(context.campaign, arm, f.minutes)))
  return { action = "try", arm = arm, why = why, table = rows, patterns = f.patterns,
           predict = forecast.predict(context, f, evaluations) }
end

-- The workloads that other devices are at work on.
local function in_company(campaign)
  local busy = {}
  for _, arm in ipairs(campaign.arms) do
    if arm.running > 0 then busy[places.of(arm)] = true end
  end
  return busy
end

local function is_untried(arm)
  return arm.evaluations == 0 and not arm.baseline and arm.earlier_evaluations == 0
end

local function cheap_minutes(campaign, appraised)
  local least = math.huge
  for _, each in ipairs(appraised) do least = math.min(least, each.f.minutes) end
  local most = CHEAP * least
  if campaign.budget_s then
    most = math.min(most, CHEAP_SHARE * (campaign.budget_s - campaign.spent_s - campaign.reserve_s) / 60)
  end
  return most
end

-- Breadth before depth: what is known of an arm that was never tried is a guess, and one evaluation replaces it. While one is
-- left that is cheap (its evaluation takes no more than a share of the time that is left, nor many times what the cheapest
-- takes) or whose workload was never begun, only arms that this campaign has not tried are weighed. Those that an earlier one
-- has tried need no first look, nor do those that cannot win.
local function to_try_once(campaign, appraised)
  local untried, any, most, begun = {}, false, cheap_minutes(campaign, appraised), {}
  for _, arm in ipairs(campaign.arms) do
    if arm.evaluations > 0 then begun[places.of(arm)] = true end
  end
  for _, each in ipairs(appraised) do
    local arm = each.arm
    if arm.evaluations == 0 and not arm.baseline and each.row.pays and not each.hopeless then
      untried[#untried + 1] = each
      local cheap = each.f.minutes <= most or not begun[places.of(arm)]
      any = any or is_untried(arm) and cheap
    end
  end
  return any and untried or {}
end

-- Its space has something left.
local function has_room(each) return each.row.evaluations ~= nil end

-- However short the time is: by workload, the cheap arms that were never tried, which come before any arm's second evaluation.
local function owed_a_look(appraised)
  local least, owed = {}, {}
  for _, each in ipairs(appraised) do
    local place = places.of(each.arm)
    least[place] = math.min(least[place] or math.huge, each.f.minutes)
  end
  for _, each in ipairs(appraised) do
    local place = places.of(each.arm)
    local cheap = each.f.minutes <= CHEAP * least[place]
    if is_untried(each.arm) and has_room(each) and each.arm.running == 0 and not each.hopeless and cheap then
      owed[place] = owed[place] or {}
      table.insert(owed[place], each)
    end
  end
  return owed
end

-- The best of a list by its score; nil of none.
local function foremost_of(list)
  local best
  for _, each in ipairs(list or {}) do
    if not best or each.row.score > best.row.score then best = each end
  end
  return best
end

local function is_stale(arm)
  return arm.since_improvement >= STALE and arm.since_improvement % STALE == 0
end

-- The other arms of a workload that pay and gained something lately, or were tried less often than that takes.
local function beside(each, appraised)
  local others = {}
  for _, other in ipairs(appraised) do
    local arm = other.arm
    if arm ~= each.arm and places.of(arm) == places.of(each.arm) and other.row.pays and not other.hopeless and
      arm.since_improvement < STALE then others[#others + 1] = other end
  end
  return others
end

-- The other arms of a workload that are in reach of its best one and had less of a chance: a search has learnt nothing of a
-- space before some twenty evaluations, and the arm that leads after three need not be the one that leads in the end.
local function in_reach(each, appraised)
  local best, others = 0, {}
  for _, other in ipairs(appraised) do
    if places.of(other.arm) == places.of(each.arm) then best = math.max(best, other.arm.best_speedup or 0) end
  end
  for _, other in ipairs(appraised) do
    local arm = other.arm
    if arm ~= each.arm and places.of(arm) == places.of(each.arm) and has_room(other) and arm.evaluations < EVEN and
      arm.best_speedup and arm.best_speedup >= REACH * best and other.f.minutes <= EVEN_COST * each.f.minutes then
      others[#others + 1] = other
    end
  end
  return others
end

-- What comes in the place of the arm with the highest rank, and why: nil where nothing does.
local function before(each, appraised, current)
  local arm = each.arm
  if arm.evaluations >= LOOKS then
    local first = foremost_of(owed_a_look(appraised)[places.of(arm)])
    if first then
      return first, ("%s was never tried, and %s was"):format(first.arm.name, arm.technique)
    end
  end
  local even = arm.evaluations >= EVEN and foremost_of(in_reach(each, appraised))
  if even then
    return even, ("%s is in reach of the best of its workload and has had %d evaluations, %s %d"):format(even.arm.name,
      even.arm.evaluations, arm.technique, arm.evaluations)
  end
  if arm.name == current and is_stale(arm) then
    local other = foremost_of(beside(each, appraised))
    if other then return other, ("%s has gained nothing in %d evaluations"):format(arm.technique, arm.since_improvement) end
  end
end

-- The arms that need no look, in words.
local function left_out(appraised)
  local words = {}
  for _, each in ipairs(appraised) do
    if each.hopeless and #words < 4 then words[#words + 1] = ("%s (%s)"):format(each.arm.name, each.hopeless) end
  end
  return #words > 0 and "; left out: " .. table.concat(words, ", ") or ""
end

-- Nothing pays any more; but a manifest may be wrong, and one evaluation finds out.
local function never_tried(campaign)
  for _, arm in ipairs(campaign.open) do
    if is_untried(arm) then return arm end
  end
end

return strategy {
  name = "roi",
  summary = "the arm with the highest expected gain per minute, or per dollar where money is short",
  rules = { "rules/enough", "rules/blocked", "rules/keep-or-release", "rules/near-floor", "rules/technique-budget",
            "rules/time-overrun", "rules/cost-overrun", "rules/correctness-stuck", "rules/regression-guard",
            "rules/repeats", "rules/parallelism-first", "rules/start-simple", "rules/stop-asking" },

  decide = function(campaign)
    local context, by_money = forecast.context(campaign), money_is_scarce(campaign)
    local current = campaign.current and campaign.current.name
    local rows, appraised = {}, {}
    for i, arm in ipairs(campaign.open) do
      local row, f = appraise(context, arm, by_money)
      rows[i], appraised[i] = row, { arm = arm, f = f, row = row, hopeless = is_untried(arm) and forecast.cannot_win(f) or nil }
    end
    local untried, busy = to_try_once(campaign, appraised), in_company(campaign)
    local best, best_rank = nil, -1
    for _, each in ipairs(#untried > 0 and untried or appraised) do
      local rank = each.row.score * (each.arm.name == current and WORTH_A_PIVOT or 1) *
        (busy[places.of(each.arm)] and COMPANY or 1)
      if each.row.pays and rank > best_rank then best, best_rank = each, rank end
    end
    rows = foremost(rows)
    local ask = #untried == 0 and proposals.consider(campaign, best and best.row.score, best and best.f.patterns, by_money)
    if ask then return ask end
    local sooner, reason = nil, nil
    if best then sooner, reason = before(best, appraised, current) end
    if sooner then return try(context, sooner.arm, sooner.f, sooner.row, rows, reason .. left_out(appraised)) end
    if best then return try(context, best.arm, best.f, best.row, rows, describe(best.row) .. left_out(appraised)) end
    local silenced = proposals.silenced(campaign)
    silenced = silenced and "; nothing is proposed any more: " .. silenced or ""
    if #rows == 0 then
      return { action = "stop", reason = "exhausted", why = "no arm is left to try" .. silenced, table = rows }
    end
    local arm = never_tried(campaign)
    if arm then
      local row, f = appraise(context, arm, by_money)
      return try(context, arm, f, row, rows, arm.name .. " is not expected to pay, but it was never tried")
    end
    return { action = "stop", reason = "strategy", table = rows,
             why = ("no arm is expected to gain %.1f %% any more%s"):format(100 * WORTH, silenced) }
  end,
}
