-- A genetic algorithm with a steady state: two parents won by tournament, each parameter from either, now and then one
-- mutated; the child replaces the worst if it is better. Children that the constraints refuse are tried again, then
-- replaced by a neighbour of a parent.

local visits_of = use("lib/visits")

local POPULATION, TOURNAMENT = 20, 3
local MUTATION = 0.1   -- of a parameter
local TRIES = 8        -- at a valid child that was not visited yet

local function parent(population)
  local best
  for _ = 1, TOURNAMENT do
    local one = population[math.random(#population)]
    if best == nil or one.time < best.time then best = one end
  end
  return best.config
end

local function child_of(space, a, b)
  local child = { variant = math.random(2) == 1 and a.variant or b.variant }
  for _, variant in ipairs(space.variants) do
    if variant.name == child.variant then
      for _, parameter in ipairs(variant.parameters) do
        local name, values = parameter.name, parameter.values
        local one, other = a[name], b[name]
        if math.random(2) == 1 then one, other = other, one end
        local value = one
        if value == nil then value = other end
        if value == nil or math.random() < MUTATION then value = values[math.random(#values)] end
        child[name] = value
      end
    end
  end
  return child
end

local function fresh_child(space, visits, population)
  local a, b = parent(population), parent(population)
  for _ = 1, TRIES do
    local child = child_of(space, a, b)
    if space:contains(child) and visits.fresh(child) then return child end
  end
  return visits.fresh_neighbours(a)[1]
end

local function worst_of(population)
  local worst = 1
  for i, one in ipairs(population) do
    if one.time > population[worst].time then worst = i end
  end
  return worst
end

return search {
  name = "genetic",
  summary = "crosses good configurations and mutates them",

  run = function(space, evaluate)
    local visits = visits_of(space, evaluate)
    local population = {}
    for _, variant in ipairs(space.variants) do
      population[#population + 1] = { config = variant.first, time = visits.visit(variant.first) }
    end
    while #population < POPULATION do
      local config = visits.random()
      if config == nil then return end
      population[#population + 1] = { config = config, time = visits.visit(config) }
    end
    while true do
      local config = fresh_child(space, visits, population) or visits.random()
      if config == nil then return end
      local time, worst = visits.visit(config), worst_of(population)
      if time < population[worst].time then population[worst] = { config = config, time = time } end
    end
  end,
}
