-- The part of the sandbox that is itself Lua: here the limits' hook counts every step of a loop, which it would not inside
-- the C functions that these replace (table.move({}, 1, 1e15, 2) never returns there). Called with Lua's own globals and
-- the functions of base.cpp and string.cpp; returns the globals of scripts.
local base, host = ...
local error, type, select, raw_next, raw_get, raw_set, raw_len = error, type, select, next, rawget, rawset, rawlen
local raw_concat, pack, unpack, tointeger = table.concat, table.pack, table.unpack, math.tointeger
local target, metafield, pcall, tostring = host.target, host.metafield, host.pcall, host.tostring
local in_order = host.in_order

local rank = { number = 1, string = 2, boolean = 3 }

local function before(a, b)
  local of_a, of_b = type(a), type(b)
  if of_a ~= of_b then return rank[of_a] < rank[of_b] end
  if of_a == "boolean" then return b and not a end
  return a < b
end

-- Stable merge sort of list[1..count]; returns the sorted list, which may be another table.
local function sorted(list, count, less)
  local from, to, width = list, {}, 1
  while width < count do
    for low = 1, count, 2 * width do
      local left, right = low, low + width
      local middle, stop = right, low + 2 * width
      if middle > count + 1 then middle = count + 1 end
      if stop > count + 1 then stop = count + 1 end
      for place = low, stop - 1 do
        if left < middle and (right >= stop or not less(from[right], from[left])) then
          to[place], left = from[left], left + 1
        else
          to[place], right = from[right], right + 1
        end
      end
    end
    from, to, width = to, from, 2 * width
  end
  return from
end

local function check_table(value, name)
  if type(value) ~= "table" then
    error(("bad argument #1 to '%s' (table expected, got %s)"):format(name, value == nil and "nil" or type(value)), 3)
  end
end

local function check_integer(value, place, name)
  local integer = type(value) == "number" and tointeger(value)
  if not integer then
    error(("bad argument #%d to '%s' (integer expected, got %s)"):format(place, name, tostring(value)), 3)
  end
  return integer
end

local function sorted_keys(of)
  local keys, count = {}, 0
  for key in raw_next, of do
    local kind = type(key)
    if rank[kind] then
      count = count + 1
      keys[count] = key
    elseif kind ~= "userdata" then
      error("pairs cannot put keys in order that are a " .. kind .. "; use numbers, strings or booleans", 3)
    end
  end
  return in_order(keys, count) or sorted(keys, count, before), count
end

local function pairs(list)
  local own = metafield(list, "__pairs")
  if own then
    local step, state, key = own(list)
    return step, state, key
  end
  check_table(list, "pairs")
  local of = target(list)
  local keys, count = sorted_keys(of)
  local read_only, place = of ~= list, 0
  return function()
    while place < count do
      place = place + 1
      local key = keys[place]
      local value
      if read_only then value = list[key] else value = raw_get(list, key) end
      if value ~= nil then return key, value end
    end
  end, list, nil
end

local function next(list, key)
  check_table(list, "next")
  local best
  for candidate in raw_next, target(list) do
    if rank[type(candidate)] and (key == nil or before(key, candidate))
      and (best == nil or before(candidate, best)) then best = candidate end
  end
  if best == nil then return nil end
  return best, list[best]
end

local function xpcall(body, handler, ...)
  local results = pack(pcall(body, ...))
  if results[1] then return unpack(results, 1, results.n) end
  return false, select(2, pcall(handler, results[2]))
end

local function print(...)
  local words = pack(...)
  for i = 1, words.n do words[i] = tostring(words[i]) end
  host.message(raw_concat(words, "\t", 1, words.n))
end

local table = { pack = pack, unpack = unpack }

function table.insert(list, ...)
  check_table(list, "insert")
  local last, count = #list, select("#", ...)
  if count == 1 then
    list[last + 1] = (...)
    return
  end
  if count ~= 2 then error("wrong number of arguments to 'insert'", 2) end
  local place, value = ...
  place = check_integer(place, 2, "insert")
  if place < 1 or place > last + 1 then error("bad argument #2 to 'insert' (position out of bounds)", 2) end
  for i = last, place, -1 do list[i + 1] = list[i] end
  list[place] = value
end

function table.remove(list, place)
  check_table(list, "remove")
  local last = #list
  if place == nil then place = last else
    place = check_integer(place, 2, "remove")
    if last + 1 ~= place and (place < 1 or place > last + 1) and not (last == 0 and place == 0) then
      error("bad argument #2 to 'remove' (position out of bounds)", 2)
    end
  end
  local value = list[place]
  for i = place, last - 1 do list[i] = list[i + 1] end
  if place <= last or value ~= nil then list[last > place and last or place] = nil end
  return value
end

function table.concat(list, separator, first, last)
  check_table(list, "concat")
  first, last = first or 1, last or #list
  local parts, count = {}, 0
  for i = first, last do
    local part = list[i]
    if type(part) ~= "string" and type(part) ~= "number" then
      error(("invalid value (at index %s) in table for 'concat'"):format(tostring(i)), 2)
    end
    count = count + 1
    parts[count] = part
  end
  return raw_concat(parts, separator, 1, count)
end

function table.move(list, first, last, to, into)
  check_table(list, "move")
  into = into or list
  if to > first and to <= last and into == list then
    for i = last - first, 0, -1 do into[to + i] = list[first + i] end
  else
    for i = 0, last - first do into[to + i] = list[first + i] end
  end
  return into
end

local function smaller(a, b) return a < b end

function table.sort(list, less)
  check_table(list, "sort")
  local count = #list
  local copy = {}
  for i = 1, count do copy[i] = list[i] end
  local result = not less and in_order(copy, count) or sorted(copy, count, less or smaller)
  for i = 1, count do list[i] = result[i] end
end

local function copied(from, names)
  local to = {}
  for name in names:gmatch("%S+") do to[name] = from[name] end
  return to
end

local strings = copied(string, "byte char len lower reverse sub upper")
for _, name in ipairs { "find", "match", "gmatch", "gsub", "rep", "format" } do strings[name] = host[name] end

local maths = copied(math, "abs acos asin atan ceil cos deg exp floor fmod huge log max maxinteger min mininteger modf pi " ..
                           "rad sin sqrt tan tointeger type ult")
maths.random = host.random

local globals = copied(base, "assert error getmetatable ipairs rawequal select tonumber type _VERSION")
globals.pcall, globals.setmetatable, globals.tostring = pcall, host.setmetatable, tostring
globals.pairs, globals.next, globals.xpcall, globals.print = pairs, next, xpcall, print
globals.math, globals.string, globals.table = maths, strings, table
globals.utf8 = copied(utf8, "char charpattern codepoint codes len offset")
globals._G = globals

function globals.rawlen(value) return raw_len(target(value)) end

function globals.rawget(list, key)
  check_table(list, "rawget")
  if target(list) ~= list then return list[key] end
  return raw_get(list, key)
end

function globals.rawset(list, key, value)
  check_table(list, "rawset")
  if target(list) ~= list then list[key] = value else raw_set(list, key, value) end
  return list
end

return globals
