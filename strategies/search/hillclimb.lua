-- First-improvement hill climbing with restarts. Neighbours differ in one parameter or in the variant. It begins with
-- the first configuration of each variant, climbs from the best, and restarts at random until the space is exhausted.

local draws = use("lib/draws")

local MIN_GAIN = 0.005   -- an improvement smaller than this is noise, and no reason to move
local AHEAD = 4          -- neighbours announced for compiling ahead

local function shuffle(list)
  for i = #list, 2, -1 do
    local j = math.random(i)
    list[i], list[j] = list[j], list[i]
  end
  return list
end

local function time_of(result) return result.passed and result.time_ns or math.huge end

return search {
  name = "hillclimb",
  summary = "climbs from the first configurations by one parameter at a time, restarts at random",

  run = function(space, evaluate)
    local seen = {}

    local function visit(config, hints)
      seen[space:index(config)] = true
      return time_of(evaluate(config, hints))
    end

    local function fresh_neighbours(config)
      local fresh = {}
      for _, neighbour in ipairs(space:neighbours(config)) do
        if not seen[space:index(neighbour)] then fresh[#fresh + 1] = neighbour end
      end
      return shuffle(fresh)
    end

    local function climb(config, time)
      local moved = true
      while moved do
        moved = false
        local neighbours = fresh_neighbours(config)
        for i, neighbour in ipairs(neighbours) do
          local next_time = visit(neighbour, table.move(neighbours, i + 1, math.min(i + AHEAD, #neighbours), 1, {}))
          if next_time < time * (1 - MIN_GAIN) then
            config, time, moved = neighbour, next_time, true
            break
          end
        end
      end
    end

    local best, best_time = nil, math.huge
    for _, variant in ipairs(space.variants) do
      local config = variant.first
      local time = visit(config)
      if best == nil or time < best_time then best, best_time = config, time end
    end
    if best then climb(best, best_time) end

    for point in draws(space) do
      if not seen[point] then
        local config = space:point(point)
        climb(config, visit(config))
      end
    end
  end,
}
