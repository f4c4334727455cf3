-- First-improvement hill climbing with restarts. Neighbours differ in one parameter or in the variant. It begins with
-- the first configuration of each variant, climbs from the best, and restarts at random until the space is exhausted.

local visits_of = use("lib/visits")

local MIN_GAIN = 0.005   -- an improvement smaller than this is noise, and no reason to move

return search {
  name = "hillclimb",
  summary = "climbs from the first configurations by one parameter at a time, restarts at random",

  run = function(space, evaluate)
    local visits = visits_of(space, evaluate)
    visits.begin()
    if visits.best then visits.climb(visits.best, visits.best_time, MIN_GAIN) end
    for config in visits.random do visits.climb(config, visits.visit(config), MIN_GAIN) end
  end,
}
