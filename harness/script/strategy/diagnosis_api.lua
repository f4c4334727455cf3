-- The Lua behind diagnoses: sets the global `diagnosis` and adds diagnose, describe_diagnosis and check_diagnosis to the API
-- of library_api.lua. Called with that API and the C++ functions where, place, freeze and wrap of library_host.cpp, and the
-- names of all numbers that a profile may have.
local api, where, place, freeze, wrap, suggest, numbers = ...
local tools = api.tools
local check_fields, article, is_number = tools.check_fields, tools.article, tools.is_number

local fields = { name = "string", summary = "string", source = "string", counters = "table", counted = "table", also = "table", page = "string",
                 defaults = "table", when = "function", applies_in = "table", silent_in = "table" }

local known, names = {}, {}
for _, name in ipairs(numbers) do
  known[name] = true
  names[#names + 1] = name
end

local function check_counters(list, what, at)
  for i, counter in ipairs(list) do
    if not known[counter] then
      error(("%s%s[%d]: no number of a profile is called '%s'%s"):format(at, what, i, tostring(counter),
        suggest(tostring(counter), names)), 0)
    end
  end
end

diagnosis = wrap(function(declared)
  local at = where()
  check_fields(declared, "a diagnosis", fields, at)
  for _, needed in ipairs { "name", "summary", "source", "counters", "when", "applies_in", "silent_in" } do
    if declared[needed] == nil then error(("%sa diagnosis needs '%s'"):format(at, needed), 0) end
  end
  check_counters(declared.counters, "counters", at)
  check_counters(declared.counted or {}, "counted", at)
  check_counters(declared.also or {}, "also", at)
  tools.kind_of[declared] = "diagnosis"
  return declared
end)

local function knows(given, list)
  for _, counter in ipairs(list) do
    if given[counter] == nil then return false end
  end
  return true
end

-- The numbers that a rule names, where all of `counters` are known, or all of `counted`; else nil. Asking for others is an error.
local function named_numbers(of, given)
  if not knows(given, of.counters) and not (of.counted and knows(given, of.counted)) then return nil end
  local asked = {}
  for _, list in ipairs { of.counters, of.counted or {}, of.also or {} } do
    for _, counter in ipairs(list) do asked[counter] = true end
  end
  return setmetatable({}, {
    __index = function(_, name)
      if asked[name] then return given[name] end
      error(("the diagnosis '%s' reads '%s', which it does not name in counters, counted or also"):format(of.name, tostring(name)), 0)
    end,
    __newindex = function() error("a profile is read-only", 0) end,
  })
end

local function checked(of, severity, text, page)
  if severity == nil or severity == false then return nil end
  local at = place(of.when)
  if not is_number(severity) or severity ~= severity or severity <= 0 or severity > 1 then
    error(("%sthe diagnosis '%s' returned the severity %s; it is above 0 and at most 1"):format(at, of.name, tostring(severity)), 0)
  end
  if type(text) ~= "string" or text == "" then
    error(("%sthe diagnosis '%s' returned %s for its text; say in a sentence what its numbers show"):format(at, of.name,
      text == "" and "an empty one" or article(type(text))), 0)
  end
  if page ~= nil and type(page) ~= "string" then
    error(("%sthe diagnosis '%s' returned %s for its page; it is the name of one, such as '101-tiling'"):format(at, of.name, article(type(page))), 0)
  end
  return { severity = severity, text = text, page = page }
end

-- What a rule says of a profile's numbers, or nil.
function api.diagnose(of, given)
  local profile = named_numbers(of, given)
  if not profile then return nil end
  return checked(of, of.when(profile, freeze(of.defaults or {}, "options")))
end

function api.describe_diagnosis(of)
  return { name = of.name, summary = of.summary, source = of.source, counters = of.counters,
           counted = of.counted or {}, also = of.also or {},
           page = of.page or "", defaults = of.defaults or {} }
end

-- A rule is only believed when its own examples behave as it says, and when no number that may be there makes it fail.
function api.check_diagnosis(of)
  local at = place(of.when)
  local said = api.diagnose(of, of.applies_in)
  if not said then error(("%sthe diagnosis '%s' is silent in its example applies_in"):format(at, of.name), 0) end
  local wrong = api.diagnose(of, of.silent_in)
  if wrong then error(("%sthe diagnosis '%s' speaks in its example silent_in: %s"):format(at, of.name, wrong.text), 0) end
  for _, value in ipairs { 0, 0.5, 1, 1e12 } do
    local all = {}
    for _, name in ipairs(names) do all[name] = value end
    api.diagnose(of, all)
  end
  return said.text
end
