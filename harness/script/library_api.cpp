#include "harness/script/library_api.h"

namespace harness::script {

const char* const kApiText = R"lua(
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
                      when = "function", adjust = "function", defaults = "table" }

rule = wrap(function(declared)
  local at = where()
  check_fields(declared, "a rule", rule_fields, at)
  if not declared.name then error(at .. "a rule needs a name: name = \"...\"", 0) end
  if not declared.when and not declared.adjust then
    error(at .. "the rule '" .. declared.name .. "' needs when = function(campaign, options) or adjust = " ..
      "function(campaign, arm, options)", 0)
  end
  if declared.when or declared.effect then one_of(declared.effect, "effect of a rule", { "stop", "close", "pivot" }, at) end
  if declared.reason then one_of(declared.reason, "reason to stop", { "goal", "strategy", "exhausted" }, at) end
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
  for i, entry in ipairs(declared.rules or {}) do rules[i] = listed_rule(entry, at) end
  kind_of[declared], rules_of[declared] = "strategy", rules
  return declared
end)

search = wrap(function(declared)
  local at = where()
  check_fields(declared, "a search", { name = "string", summary = "string", run = "function" }, at)
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
  return value.name, value.summary
end

-- Gives arms their short fields, resolves `current` and lists the arms that may be tried.
local function link(campaign)
  local current = campaign.current
  campaign.current, campaign.open = nil, {}
  for _, arm in ipairs(campaign.arms) do
    local id = arm.id
    arm.kernel, arm.workload, arm.technique, arm.id = id.kernel, id.workload, id.technique, nil
    arm.name = id.kernel .. "/" .. id.workload .. "/" .. id.technique
    arm.passed = arm.outcomes.passed or 0
    arm.cost_factor = 1.0
    if not arm.closed and not arm.exhausted then table.insert(campaign.open, arm) end
    if current and current.kernel == id.kernel and current.workload == id.workload
      and current.technique == id.technique then campaign.current = arm end
  end
end

local function reason_of(entry, view)
  local why = entry.rule.when(view, entry.options)
  if why == nil or why == false then return nil end
  if type(why) == "string" and why ~= "" then return why end
  error(("%sthe rule '%s' returned %s; return a reason in words, or nil"):format(place(entry.rule.when), entry.rule.name,
    why == "" and "an empty reason" or article(type(why))), 0)
end

-- The first rule with a reason, in the order of the strategy's list.
local function first_reason(rules, campaign, view)
  local here = campaign.current
  local open = here and not here.closed and not here.exhausted
  for _, entry in ipairs(rules) do
    local effect = entry.rule.effect
    local applies = entry.rule.when and (effect == "stop" or open and (effect == "close" or #campaign.open > 1))
    local why = applies and reason_of(entry, view)
    if why then return entry.rule, why end
  end
end

local function adjust_costs(rules, campaign, view)
  local factors = {}
  for i, arm in ipairs(campaign.arms) do
    local factor = 1.0
    for _, entry in ipairs(rules) do
      local adjust = entry.rule.adjust
      local by = adjust and adjust(view, view.arms[i], entry.options) or 1
      if type(by) ~= "number" or not (by > 0 and by < math.huge) then
        error(("%sthe rule '%s' adjusts %s by %s; return a number > 0, or nil"):format(place(adjust), entry.rule.name,
          arm.name, tostring(by)), 0)
      end
      factor = factor * by
    end
    factors[i] = factor
  end
  for i, arm in ipairs(campaign.arms) do arm.cost_factor = factors[i] end
end

local decision_fields = { action = "string", arm = "table", kernel = "string", workload = "string", technique = "string",
                          why = "string", reason = "string", predict = "table", table = "table" }

local function chosen_arm(campaign, decision, at)
  local from = decision.arm or decision
  local id = { kernel = from.kernel, workload = from.workload, technique = from.technique }
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
    "is left by the rule '" .. (left and left.name or "?") .. "'"
  error(("%sdecide chose the arm '%s', which %s; choose from campaign.open"):format(at, arm.name, why), 0)
end

local function is_number(value) return type(value) == "number" and value == value and math.abs(value) < math.huge end

local function prediction(predict, arm, at)
  local prior = arm and arm.prior or { speedup_lo = 1.0, speedup_hi = 1.0, evaluations = 1 }
  local result = { speedup_lo = prior.speedup_lo, speedup_hi = prior.speedup_hi, evaluations = prior.evaluations }
  if not predict then return result end
  check_fields(predict, "predict", { speedup = "table", evaluations = "number" }, at)
  if predict.speedup then
    result.speedup_lo, result.speedup_hi = predict.speedup[1], predict.speedup[2]
    if not is_number(result.speedup_lo) or not is_number(result.speedup_hi) or result.speedup_lo > result.speedup_hi then
      error(at .. "predict.speedup is not { low, high } with low <= high", 0)
    end
  end
  if predict.evaluations then
    if not is_number(predict.evaluations) or predict.evaluations < 0 or predict.evaluations > 1e9 then
      error(at .. "predict.evaluations is not a number of evaluations", 0)
    end
    result.evaluations = math.ceil(predict.evaluations)
  end
  return result
end

-- The decision as C++ reads it: every field checked, the arm one of the campaign's.
local function checked(decision, campaign, left, at)
  check_fields(decision, "the decision", decision_fields, at)
  one_of(decision.action, "action", { "try", "confirm", "close", "stop" }, at)
  if not decision.why or decision.why == "" then error(at .. "the decision needs a reason in words: why = \"...\"", 0) end
  if decision.reason and decision.action ~= "stop" then
    error(at .. "'reason' belongs to the action stop only; say why in 'why'", 0)
  end
  local result = { action = decision.action, why = decision.why, table = decision.table or {} }
  local arm
  if result.action == "stop" then
    result.reason = one_of(decision.reason or "strategy", "reason to stop", { "goal", "exhausted", "strategy" }, at)
  elseif result.action ~= "confirm" then
    arm = chosen_arm(campaign, decision, at)
    if result.action == "try" then check_open(campaign, arm, left, at) end
    result.kernel, result.workload, result.technique = arm.kernel, arm.workload, arm.technique
  end
  result.predict = prediction(decision.predict, arm, at)
  return result
end

function api.decide(declared, campaign)
  link(campaign)
  local rules = rules_of[declared]
  local view = freeze(campaign, "campaign")
  local by, why = first_reason(rules, campaign, view)
  local at = place(declared.decide)
  local here = campaign.current
  if by and by.effect ~= "pivot" then
    local decision = { action = by.effect, why = why, reason = by.effect == "stop" and (by.reason or "strategy") or nil,
                       arm = by.effect == "close" and here or nil }
    local result = checked(decision, campaign, nil, at)
    result.rule = by.name
    return result
  end
  if by then
    local others = {}
    for _, arm in ipairs(campaign.open) do
      if arm ~= here then others[#others + 1] = arm end
    end
    campaign.open = others
  end
  adjust_costs(rules, campaign, view)
  local result = checked(declared.decide(view), campaign, by, at)
  if by then result.rule, result.why = by.name, why .. "; " .. result.why end
  return result
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

return api
)lua";

}  // namespace harness::script
