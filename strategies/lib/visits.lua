-- visits(space, evaluate): what walks over a space need: what was seen, what is best, what is left.

local draws = use("lib/draws")

local AHEAD = 4   -- configurations announced for compiling ahead

local function shuffle(list)
  for i = #list, 2, -1 do
    local j = math.random(i)
    list[i], list[j] = list[j], list[i]
  end
  return list
end

return function(space, evaluate)
  local visits = { best = nil, best_time = math.huge }
  local seen = {}
  local draw = draws(space)

  function visits.fresh(config) return not seen[space:index(config)] end

  -- The time in nanoseconds, infinite for what did not pass. A second visit is answered from the record.
  function visits.visit(config, next)
    seen[space:index(config)] = true
    local result = evaluate(config, next)
    local time = result.passed and result.time_ns or math.huge
    if time < visits.best_time or visits.best == nil then visits.best, visits.best_time = config, time end
    return time
  end

  -- The neighbours that were not visited yet, in random order.
  function visits.fresh_neighbours(config)
    local fresh = {}
    for _, neighbour in ipairs(space:neighbours(config)) do
      if visits.fresh(neighbour) then fresh[#fresh + 1] = neighbour end
    end
    return shuffle(fresh)
  end

  -- A configuration that was not visited yet; nil when there is none.
  function visits.random()
    for point in draw do
      if not seen[point] then return space:point(point) end
    end
  end

  -- Visits the first configuration of each variant.
  function visits.begin()
    for _, variant in ipairs(space.variants) do visits.visit(variant.first) end
  end

  -- Moves to the first better neighbour until there is none. `least` is the smallest gain that is no noise, a share.
  function visits.climb(config, time, least)
    local moved = true
    while moved do
      moved = false
      local neighbours = visits.fresh_neighbours(config)
      for i, neighbour in ipairs(neighbours) do
        local next_time = visits.visit(neighbour, table.move(neighbours, i + 1, math.min(i + AHEAD, #neighbours), 1, {}))
        if next_time < time * (1 - least) then
          config, time, moved = neighbour, next_time, true
          break
        end
      end
    end
    return config, time
  end

  return visits
end
