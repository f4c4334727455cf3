-- A model of everything measured so far chooses what is measured next (expected improvement for the predicted cost, see
-- space:model). It begins with what counting predicts to be fastest here, what was fastest on the workloads most like this one,
-- what authors would try first and a neighbour of the best; then it takes turns between the neighbours of the best, which pay
-- off early, and proposals from the whole space, which find other regions. The model sees little of how slow the slow ones are:
-- how slow does not tell where the fast ones lie. Where parameters do nothing, configurations tie; then a smooth trend shows the
-- way, and what is unlike all that passed goes first. What becomes the best of a workload like this one meanwhile is tried next.

local BEFORE = 2        -- configurations that must pass before the model is asked
local TRIES = 16        -- at most so many more are tried for that
local SQUASH = 0.25     -- of what ln(time) lies above the median of the first ones, what the model sees
local TREND = 1         -- where times tie: how far the model goes by a smooth trend that foretells what was left out
local NOVELTY = 0.3     -- where times tie: how uncertain a configuration is that is unlike all that passed
local TRANSFERRED = { 3, 2, 1 }   -- fastest configurations taken from the nearest earlier workload and device, the next...
local ALIKE = 0.7       -- the distance of a workload within which what was measured there comes before what was counted here,
local FAR = 4           -- and beyond which it comes after what authors would try first
local BATCH = 0.04      -- proposals taken from one fit, as a share of the evaluations so far
local AHEAD = 8         -- configurations of a list announced for compiling ahead

local function slice(list, first, last)
  return table.move(list, first, math.min(last, #list), 1, {})
end

-- One list and another, in turns.
local function in_turns(one, other)
  local list = {}
  for i = 1, math.max(#one, #other) do
    list[#list + 1] = one[i]
    list[#list + 1] = other[i]
  end
  return list
end

-- The fastest configurations that are in this space too: from the workloads that are most like this one, with the distance of the
-- nearest, and those that were counted for this one.
local function known(space)
  local measured, counted, taken, sources, nearest = {}, {}, {}, 0, nil
  for _, result in ipairs(space.earlier) do
    local from = result.device_name .. " " .. result.workload
    local fits = result.passed and space:contains(result.config)
    if fits and not result.distance and result.device_name:find(", predicted$") then
      counted[#counted + 1] = result.config
    elseif fits then
      if not taken[from] then
        sources = sources + 1
        taken[from] = TRANSFERRED[sources] or 0
      end
      if taken[from] > 0 then
        taken[from], nearest = taken[from] - 1, nearest or result.distance
        measured[#measured + 1] = result.config
      end
    end
  end
  return measured, counted, nearest
end

-- Where authors would begin: the first start of each variant, then the second...
local function authors_starts(space)
  local starts, most = {}, 0
  for _, variant in ipairs(space.variants) do most = math.max(most, #variant.starts) end
  for rank = 1, most do
    for _, variant in ipairs(space.variants) do starts[#starts + 1] = variant.starts[rank] end
  end
  return starts
end

-- What is tried first, in order.
local function beginning(space)
  local measured, counted, nearest = known(space)
  local authored = authors_starts(space)
  if nearest and nearest > FAR then measured, authored = authored, measured end
  local first = nearest and nearest < ALIKE and in_turns(measured, counted) or in_turns(counted, measured)
  return table.move(authored, 1, #authored, #first + 1, first)
end

-- In turns a neighbour, which is seldom slow, and any configuration, which costs what it costs.
local function beside_or_anywhere(space, from, try)
  local near = try % 2 == 1 and space:neighbours(from) or {}
  return #near > 0 and near[math.random(#near)] or space:random()
end

return search {
  name = "default",
  summary = "learns from every evaluation which configurations promise the most for their cost",
  several = true,   -- what is under way elsewhere is not proposed again; nothing is assumed of its time

  run = function(space, evaluate)
    local model = space:model { features = 0.33, explore = 1.5, squash = SQUASH, trend = TREND, novelty = NOVELTY }
    local seen, count, passed = {}, 0, 0
    local best, best_time = nil, math.huge
    local offered = {}   -- what searches on other workloads found to be best, and was not tried here

    local function learn(config, result)
      model:observe(config, result)
      for _, other in ipairs(result.elsewhere or {}) do
        if space:contains(other.config) then offered[#offered + 1] = other.config end
      end
      if not result.passed then return end
      passed = passed + 1
      if result.time_ns < best_time then best, best_time = config, result.time_ns end
    end

    local function visit(config, next)
      local point = space:index(config)
      if seen[point] then return end
      seen[point] = true
      local result = evaluate(config, next)
      for _, earlier in ipairs(result.late or {}) do learn(earlier.config, earlier) end
      count = count + 1
      learn(config, result)
    end

    local begin = beginning(space)
    for i, config in ipairs(begin) do visit(config, slice(begin, i + 1, i + AHEAD)) end
    local first = space.variants[1] and space.variants[1].first
    for try = 1, first and TRIES or 0 do
      if passed < BEFORE then visit(beside_or_anywhere(space, best or first, try)) end
    end

    local nearby = false
    local left = {}   -- of what the choice before this one found promising: it may come next
    while true do
      while #offered > 0 do visit(table.remove(offered, 1), slice(offered, 1, AHEAD)) end
      nearby = not nearby
      local batch = nearby and 1 or math.max(1, math.floor(BATCH * count))
      local promising = nearby and best and model:rank(space:neighbours(best)) or {}
      if #promising == 0 then promising = model:propose(batch + AHEAD) end
      if #promising == 0 then return end
      for i = 1, math.min(batch, #promising) do
        visit(promising[i], slice(in_turns(slice(promising, i + 1, i + AHEAD), left), 1, 2 * AHEAD))
      end
      left = slice(promising, batch + 1, batch + AHEAD)
    end
  end,
}
