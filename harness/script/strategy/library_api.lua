-- The Lua that declares strategies, rules and searches and drives them: sets the globals `strategy`, `rule` and `search`
-- and returns its functions for C++. Called with suggest(name, names), place(function), where(), freeze(table, name) and
-- wrap(function) of library_host.cpp.
local suggest, place, where, freeze, wrap = ...
local use = use
local kind_of, rules_of = {}, {}   -- of each declared table: what it is; of a strategy: its rules with their options

local function names_of(fields)
  local names = {}
  for name in pairs(fields) do names[#names + 1] = tostring(name) end
  return names
end

local function article(word) return (word:find("^[aeiou]") and "an " or "a ") .. word end

-- Refuses what is not a table, unknown fields and fields of a wrong type.
local function check_fields(value, what, fields, at)
  if type(value) ~= "table" then error(at .. what .. " is " .. article(type(value)) .. ", not a table", 0) end
  for name, field in pairs(value) do
    local expected = fields[name]
    if not expected then
      error(("%sunknown field '%s' of %s%s"):format(at, tostring(name), what, suggest(tostring(name), names_of(fields))), 0)
    end
    if type(field) ~= expected then
      error(("%sthe field '%s' of %s is %s, not %s"):format(at, name, what, article(type(field)), article(expected)), 0)
    end
  end
end

local function one_of(value, what, choices, at)
  for _, choice in ipairs(choices) do
    if value == choice then return value end
  end
  error(("%sunknown %s '%s'; use %s%s"):format(at, what, tostring(value), table.concat(choices, ", "),
    suggest(tostring(value), choices)), 0)
end

local rule_fields = { name = "string", summary = "string", source = "string", effect = "string", reason = "string",
                      when = "function", adjust = "function", defaults = "table", scope = "string", pattern = "number" }

rule = wrap(function(declared)
  local at = where()
  check_fields(declared, "a rule", rule_fields, at)
  if not declared.name then error(at .. "a rule needs a name: name = \"...\"", 0) end
  if not declared.when and not declared.adjust then
    error(at .. "the rule '" .. declared.name .. "' needs when = function(campaign, options) or adjust = " ..
      "function(campaign, arm, options)", 0)
  end
  if declared.when or declared.effect then one_of(declared.effect, "effect of a rule", { "stop", "close", "pivot", "silence" }, at) end
  if declared.reason then one_of(declared.reason, "reason to stop", { "goal", "strategy", "exhausted" }, at) end
  if declared.scope then one_of(declared.scope, "scope of a rule", { "current", "open" }, at) end
  if declared.scope and (declared.effect == "stop" or declared.effect == "silence") then
    error(at .. "the rule '" .. declared.name .. "' " .. (declared.effect == "stop" and "stops the campaign" or
      "silences the proposer") .. ", so it has no scope; leave 'scope' out", 0)
  end
  kind_of[declared] = "rule"
  return declared
end)

local function options_of(of, given, at)
  local options, defaults = {}, of.defaults or {}
  for name, value in pairs(defaults) do options[name] = value end
  for name, value in pairs(given or {}) do
    if defaults[name] == nil then
      error(("%sunknown option '%s' of the rule '%s'%s"):format(at, tostring(name), of.name,
        suggest(tostring(name), names_of(defaults))), 0)
    end
    if type(value) ~= type(defaults[name]) then
      error(("%sthe option '%s' of the rule '%s' is %s, not %s"):format(at, name, of.name, article(type(value)),
        article(type(defaults[name]))), 0)
    end
    options[name] = value
  end
  return freeze(options, "options")
end

-- An entry of a strategy's rules: "rules/NAME", a rule, or either with options: { "rules/NAME", options = { ... } }.
local function listed_rule(entry, at)
  local given
  if type(entry) == "table" and not kind_of[entry] then
    check_fields(entry, "an entry of rules", { [1] = type(entry[1]), options = "table" }, at)
    entry, given = entry[1], entry.options
  end
  if type(entry) == "string" then entry = use(entry) end
  if kind_of[entry] ~= "rule" then error(at .. "an entry of rules is no rule; write \"rules/NAME\" or rule { ... }", 0) end
  return { rule = entry, options = options_of(entry, given, at) }
end

strategy = wrap(function(declared)
  local at = where()
  check_fields(declared, "a strategy", { name = "string", summary = "string", rules = "table", decide = "function" }, at)
  if not declared.decide then error(at .. "a strategy needs decide = function(campaign) ... end", 0) end
  local rules = {}
  for name in pairs(declared.rules or {}) do
    if math.type(name) ~= "integer" then
      error(("%s'%s' stands beside the rules; options belong to one: { \"rules/NAME\", options = { ... } }"):format(at,
        tostring(name)), 0)
    end
  end
  for i, entry in ipairs(declared.rules or {}) do rules[i] = listed_rule(entry, at) end
  kind_of[declared], rules_of[declared] = "strategy", rules
  return declared
end)

search = wrap(function(declared)
  local at = where()
  check_fields(declared, "a search", { name = "string", summary = "string", run = "function", exact_times = "boolean",
    several = "boolean" }, at)
  if not declared.run then error(at .. "a search needs run = function(space, evaluate) ... end", 0) end
  kind_of[declared] = "search"
  return declared
end)

local api = {}

function api.declared(value, kind, file, stem)
  local is = kind_of[value]
  if is ~= kind then
    error(("%s:1: the file returns %s; end it with return %s { ... }"):format(file,
      is and article(is) or (value == nil and "nothing" or article(type(value))), kind), 0)
  end
  value.name, value.summary = value.name or stem, value.summary or ""
  return value.name, value.summary, value.pattern, value.exact_times, value.several
end

-- The sums over a technique of which nothing but this arm is known.
local function alone(arm)
  local campaigns, evaluations = arm.earlier_campaigns or 0, arm.earlier_evaluations or 0
  local passed, spent_s = arm.earlier_passed or 0, arm.earlier_spent_s or 0
  local timed = (arm.outcomes.passed or 0) + (arm.outcomes.screened or 0) + (arm.outcomes.abandoned or 0)
  return { kernel = arm.id.kernel, technique = arm.id.technique, workloads = 1,
           campaigns = campaigns + (arm.evaluations > 0 and 1 or 0), evaluations = arm.evaluations + evaluations,
           passed = timed + passed, spent_s = arm.spent_s + spent_s, predicted_s = arm.predicted_s,
           earlier_evaluations = evaluations, earlier_passed = passed, earlier_spent_s = spent_s,
           best_speedup = arm.best_speedup or arm.earlier_best_speedup }
end

-- Gives arms their short fields, resolves `current` and lists the arms that may be tried.
local function link(campaign)
  local current = campaign.current
  campaign.current, campaign.open = nil, {}
  local techniques = {}
  for _, technique in ipairs(campaign.techniques) do
    techniques[technique.kernel .. "/" .. technique.technique] = technique
  end
  if #(campaign.proposers or {}) < 2 then campaign.proposers = { campaign.proposer } end
  for i, arm in ipairs(campaign.arms) do
    local id = arm.id
    arm.place = i
    arm.cumulative = techniques[id.kernel .. "/" .. id.technique] or alone(arm)
    arm.kernel, arm.workload, arm.technique, arm.id = id.kernel, id.workload, id.technique, nil
    arm.name = id.kernel .. "/" .. id.workload .. "/" .. id.technique
    arm.passed = (arm.outcomes.passed or 0) + (arm.outcomes.screened or 0)
    arm.cost_factor = 1.0
    if not arm.closed and not arm.exhausted and not arm.busy then table.insert(campaign.open, arm) end
    if current and current.kernel == id.kernel and current.workload == id.workload
      and current.technique == id.technique then campaign.current = arm end
  end
end

local function is_open(arm) return arm and not arm.closed and not arm.exhausted and not arm.busy end

-- What a rule says of an arm (or of the campaign): its reason, the numbers behind it, the effect, and of a pivot the arm to go
-- to; nil: none.
local function reason_of(entry, view, arm)
  local of, at = entry.rule, place(entry.rule.when)
  local why, numbers, effect, to = of.when(view, entry.options, arm)
  if why == nil or why == false then return nil end
  if type(why) ~= "string" or why == "" then
    error(("%sthe rule '%s' returned %s; return a reason in words, or nil"):format(at, of.name,
      why == "" and "an empty reason" or article(type(why))), 0)
  end
  if numbers ~= nil and type(numbers) ~= "table" then
    error(("%sthe rule '%s' returned %s as its numbers; return reason, { name = number }"):format(at, of.name,
      article(type(numbers))), 0)
  end
  if effect ~= nil then
    one_of(effect, "effect of the rule '" .. of.name .. "'", of.effect == "stop" and { "stop" } or
      of.effect == "silence" and { "silence" } or { "close", "pivot" }, at)
  end
  effect = effect or of.effect
  if to ~= nil and (effect ~= "pivot" or not (type(to) == "table" and to.place) or not is_open(to) or
    to.place == arm.place) then
    error(("%sthe rule '%s' returned %s as the arm to go to; only a pivot has one, another open arm of the campaign"):format(at,
      of.name, type(to) == "table" and to.name or article(type(to))), 0)
  end
  return why, numbers, effect, to
end

-- The arms that a rule is asked about, as places in campaign.arms; { 0 } for the campaign itself.
local function asked_about(of, campaign)
  if of.effect == "stop" or of.effect == "silence" then return { 0 } end
  if (of.scope or "current") == "current" then
    return is_open(campaign.current) and { campaign.current.place } or {}
  end
  local places = {}
  for i, arm in ipairs(campaign.open) do places[i] = arm.place end
  return places
end

-- The first rule with a reason, in the order of the strategy's list. Leaving the only open arm for another is no choice.
local function first_reason(rules, campaign, view)
  for _, entry in ipairs(rules) do
    for _, i in ipairs(entry.rule.when and asked_about(entry.rule, campaign) or {}) do
      local why, numbers, effect, to = reason_of(entry, view, view.arms[i])
      if why and effect ~= "silence" and (effect ~= "pivot" or #campaign.open > 1) then
        return entry.rule, why, numbers, effect, campaign.arms[i], to and campaign.arms[to.place]
      end
    end
  end
end

-- Why a proposer is not to be asked now, for decide to see: the first reason of a rule that silences. Of several each is asked
-- about as `campaign.proposer`; all of them together are silenced where each is.
local function silence(rules, campaign, view)
  local together, silenced = campaign.proposer, 0
  if not together then return end
  for _, proposer in ipairs(campaign.proposers) do
    campaign.proposer = proposer
    for _, entry in ipairs(rules) do
      if entry.rule.effect == "silence" and not proposer.silenced then proposer.silenced = reason_of(entry, view) end
    end
    if proposer.silenced then silenced = silenced + 1 end
  end
  campaign.proposer = together
  if silenced == #campaign.proposers then together.silenced = campaign.proposers[1].silenced end
end

-- Multiplies the expected cost of every arm; returns by arm the rules that changed it.
local function adjust_costs(rules, campaign, view)
  local factors, changed_by, adjusting, arms = {}, {}, {}, view.arms
  for _, entry in ipairs(rules) do
    if entry.rule.adjust then table.insert(adjusting, entry) end
  end
  for i, arm in ipairs(campaign.arms) do
    local factor = 1.0
    for _, entry in ipairs(adjusting) do
      local adjust = entry.rule.adjust
      local by = adjust(view, arms[i], entry.options) or 1
      if type(by) ~= "number" or not (by > 0 and by < math.huge) then
        error(("%sthe rule '%s' adjusts %s by %s; return a number > 0, or nil"):format(place(adjust), entry.rule.name,
          arm.name, tostring(by)), 0)
      end
      factor = factor * by
      if by ~= 1 then changed_by[arm.name] = changed_by[arm.name] or {}; table.insert(changed_by[arm.name], entry.rule) end
    end
    factors[i] = factor
  end
  for i, arm in ipairs(campaign.arms) do arm.cost_factor = factors[i] end
  return changed_by
end

local decision_fields = { action = "string", arm = "table", kernel = "string", workload = "string", technique = "string",
                          why = "string", reason = "string", predict = "table", table = "table", patterns = "table",
                          ask = "string", parents = "table", proposer = "string", memory = "table" }

local function chosen_arm(campaign, decision, at)
  local from = decision.arm or decision
  local id = { kernel = from.kernel, workload = from.workload, technique = from.technique }
  for _, part in ipairs { "kernel", "workload", "technique" } do
    if type(id[part]) ~= "string" then
      error(("%sdecide named an arm without a %s; take the arm from campaign.open"):format(at, part), 0)
    end
  end
  local names = {}
  for i, arm in ipairs(campaign.arms) do
    if arm.kernel == id.kernel and arm.workload == id.workload and arm.technique == id.technique then return arm end
    names[i] = arm.name
  end
  local name = ("%s/%s/%s"):format(tostring(id.kernel), tostring(id.workload), tostring(id.technique))
  error(("%sdecide chose the arm '%s', which is not in campaign.arms%s"):format(at, name, suggest(name, names)), 0)
end

local function check_open(campaign, arm, left, at)
  for _, open in ipairs(campaign.open) do
    if open == arm then return end
  end
  local why = arm.closed and "is closed" or arm.exhausted and "is exhausted" or
    arm.busy and "waits for an evaluation that is under way" or
    "is left by the rule '" .. (left and left.name or "?") .. "'"
  error(("%sdecide chose the arm '%s', which %s; choose from campaign.open"):format(at, arm.name, why), 0)
end

local function is_number(value) return type(value) == "number" and value == value and math.abs(value) < math.huge end

-- { low, high } as two numbers, checked.
local function range(pair, what, least, at)
  local low, high = pair[1], pair[2]
  if not is_number(low) or not is_number(high) or low > high or low < least then
    error(("%s%s is not { low, high } with low <= high%s"):format(at, what, least > -math.huge and
      (", neither below %g"):format(least) or ""), 0)
  end
  return low + 0.0, high + 0.0
end

local function prediction(predict, arm, at)
  local prior = arm and arm.prior or { speedup_lo = 1.0, speedup_hi = 1.0, evaluations = 1 }
  local result = { speedup_lo = prior.speedup_lo, speedup_hi = prior.speedup_hi, evaluations = prior.evaluations }
  if not predict then return result end
  check_fields(predict, "predict", { speedup = "table", evaluations = "number", probability = "number",
                                     minutes = "table" }, at)
  if predict.speedup then
    result.speedup_lo, result.speedup_hi = range(predict.speedup, "predict.speedup", -math.huge, at)
  end
  if predict.minutes then
    result.minutes_lo, result.minutes_hi = range(predict.minutes, "predict.minutes", 0, at)
  end
  if predict.probability then
    if not (predict.probability >= 0 and predict.probability <= 1) then
      error(("%spredict.probability is %s, not a number from 0 to 1"):format(at, tostring(predict.probability)), 0)
    end
    result.probability = predict.probability + 0.0
  end
  if predict.evaluations then
    if not is_number(predict.evaluations) or predict.evaluations < 0 or predict.evaluations > 1e9 then
      error(at .. "predict.evaluations is not a number of evaluations", 0)
    end
    result.evaluations = math.ceil(predict.evaluations)
  end
  return result
end

local function checked_patterns(patterns, at)
  local ids = {}
  for i, id in ipairs(patterns or {}) do
    if math.type(id) ~= "integer" then
      error(("%spatterns[%d] is %s, not the number of a playbook page; write patterns = { 16, 17 }"):format(at, i,
        tostring(id)), 0)
    end
    ids[i] = id
  end
  return ids
end

-- The variants that a proposal begins with, by their names.
local function checked_parents(parents, at)
  local names = {}
  for i, parent in ipairs(parents or {}) do
    if type(parent) ~= "string" then
      error(("%sparents[%d] is %s, not the name of a variant"):format(at, i, article(type(parent))), 0)
    end
    names[i] = parent
  end
  return names
end

-- Of whom a proposal is asked: the one that was named, without a name all of them.
local function asked_proposer(campaign, decision, at)
  if not decision.proposer then return campaign.proposer end
  local names = {}
  for i, proposer in ipairs(campaign.proposers) do
    if proposer.name == decision.proposer then return proposer end
    names[i] = "'" .. proposer.name .. "'"
  end
  error(("%sthere is no proposer '%s'; there is %s"):format(at, decision.proposer, table.concat(names, ", ")), 0)
end

local function check_proposal(campaign, decision, at)
  local proposer = asked_proposer(campaign, decision, at)
  if decision.action ~= "propose" then
    if decision.ask or decision.parents or decision.proposer then
      error(at .. "'ask', 'parents' and 'proposer' belong to the action propose only", 0)
    end
  elseif not proposer then
    error(at .. "decide asked for a proposal, and nobody proposes; look at campaign.proposer first", 0)
  elseif proposer.silenced then
    error(at .. "decide asked for a proposal, but " .. proposer.silenced .. "; look at campaign.proposer.silenced", 0)
  elseif campaign.proposer.under_way >= proposer.most_under_way or not proposer.ready then
    error(at .. "decide asked for a proposal while " .. (proposer.ready and campaign.proposer.under_way .. " are under way" or
      "the proposer is not ready") .. "; look at campaign.proposer.under_way, .most_under_way and .ready", 0)
  end
end

-- The decision as C++ reads it: every field checked, the arm one of the campaign's.
local function checked(decision, campaign, left, at)
  check_fields(decision, "the decision", decision_fields, at)
  one_of(decision.action, "action", { "try", "confirm", "close", "stop", "propose" }, at)
  if not decision.why or decision.why == "" then error(at .. "the decision needs a reason in words: why = \"...\"", 0) end
  if decision.reason and decision.action ~= "stop" then
    error(at .. "'reason' belongs to the action stop only; say why in 'why'", 0)
  end
  local result = { action = decision.action, why = decision.why, table = decision.table or {},
                   patterns = checked_patterns(decision.patterns, at), memory = decision.memory }
  check_proposal(campaign, decision, at)
  if result.action == "propose" then
    result.ask, result.parents = decision.ask or "", checked_parents(decision.parents, at)
    result.proposer = decision.proposer or ""
  end
  local arm
  if result.action == "stop" then
    result.reason = one_of(decision.reason or "strategy", "reason to stop", { "goal", "exhausted", "strategy" }, at)
  elseif result.action ~= "confirm" then
    arm = chosen_arm(campaign, decision, at)
    if result.action == "try" then check_open(campaign, arm, left, at) end
    result.kernel, result.workload, result.technique = arm.kernel, arm.workload, arm.technique
  end
  result.predict = prediction(decision.predict, arm, at)
  return result, arm
end

-- A rule that implements a page of the playbook says so in every decision that it makes or changes.
local function add_pattern(result, of)
  if math.type(of.pattern) ~= "integer" then return end
  for _, known in ipairs(result.patterns) do
    if known == of.pattern then return end
  end
  table.insert(result.patterns, of.pattern)
end

local function add_rule(result, by, numbers)
  result.rule, result.rule_numbers = by.name, numbers
  add_pattern(result, by)
  return result
end

function api.decide(declared, campaign)
  link(campaign)
  local rules = rules_of[declared]
  local view = freeze(campaign, "campaign")
  local by, why, numbers, effect, arm, to = first_reason(rules, campaign, view)
  silence(rules, campaign, view)
  local at = place(declared.decide)
  if by and effect ~= "pivot" then
    local decision = { action = effect, why = why, reason = effect == "stop" and (by.reason or "strategy") or nil,
                       arm = effect == "close" and arm or nil }
    return add_rule((checked(decision, campaign, nil, at)), by, numbers)
  end
  local open_before = campaign.open
  if by then
    local others = {}
    for _, open in ipairs(campaign.open) do
      if to and open == to or not to and open ~= arm then others[#others + 1] = open end
    end
    campaign.open = others
  end
  local changed_by = adjust_costs(rules, campaign, view)
  local result, chosen = checked(declared.decide(view), campaign, by, at)
  if by and result.action == "stop" then   -- a pivot leads to another arm; it is no reason to end
    by, campaign.open = nil, open_before
    result, chosen = checked(declared.decide(view), campaign, nil, at)
  end
  for _, of in ipairs(chosen and changed_by[chosen.name] or {}) do add_pattern(result, of) end
  if by then
    add_rule(result, by, numbers)
    result.why = why .. "; " .. result.why
  end
  return result
end

-- What each rule says now, one row for each arm that it is asked about.
function api.rules(declared, campaign)
  link(campaign)
  local view = freeze(campaign, "campaign")
  local rows = {}
  for _, entry in ipairs(rules_of[declared]) do
    local of = entry.rule
    local places = of.when and asked_about(of, campaign) or {}
    for _, i in ipairs(places) do
      local why, numbers, effect = reason_of(entry, view, view.arms[i])
      rows[#rows + 1] = { rule = of.name, effect = effect or of.effect, reason = why, numbers = numbers,
                          arm = campaign.arms[i] and campaign.arms[i].name, asked = "" }
    end
    if #places == 0 then
      rows[#rows + 1] = { rule = of.name, effect = of.effect or "adjust",
                          asked = of.when and "no arm is at work yet" or "weighs the cost of arms" }
    end
  end
  return rows
end

local kMostHints = 32

function api.run(declared, space, evaluate)
  local function evaluate_all(list)
    local results = {}
    for i, config in ipairs(list) do
      results[i] = evaluate(config, table.move(list, i + 1, math.min(#list, i + kMostHints), 1, {}))
    end
    return results
  end
  declared.run(space, evaluate, evaluate_all)
end

-- For the playbook (pattern_api.lua).
api.tools = { kind_of = kind_of, check_fields = check_fields, article = article, is_number = is_number, link = link }

return api
