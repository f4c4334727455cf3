-- Simulated annealing (Kirkpatrick, Gelatt, Vecchi 1983) over the ratio of times: a neighbour that is slower by a factor
-- is taken with probability factor ^ (-1 / temperature). Cold, it goes back to the best and warms up again.

local visits_of = use("lib/visits")

local WARM, COLD, COOLING = 0.5, 0.02, 0.97   -- 0.5: twice as slow is taken one time in four
local MISSES = 20                             -- moves to known places in a row before it jumps

local function taken(from, to, temperature)
  if to <= from then return true end
  return to < math.huge and math.random() < (from / to) ^ (1 / temperature)
end

return search {
  name = "annealing",
  summary = "takes slower neighbours too, ever less often as it cools",

  run = function(space, evaluate)
    local visits = visits_of(space, evaluate)
    visits.begin()
    if visits.best == nil then return end
    local here, time, temperature, misses = visits.best, visits.best_time, WARM, 0
    while true do
      local neighbours = space:neighbours(here)
      local config = neighbours[math.random(math.max(1, #neighbours))]
      misses = config and visits.fresh(config) and 0 or misses + 1
      if misses > MISSES or config == nil then
        config, misses = visits.random(), 0
        if config == nil then return end
        here, time = config, visits.visit(config)
      else
        local next_time = visits.visit(config)
        if taken(time, next_time, temperature) then here, time = config, next_time end
      end
      temperature = temperature * COOLING
      if temperature < COLD then here, time, temperature = visits.best, visits.best_time, WARM end
    end
  end,
}
