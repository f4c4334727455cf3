-- Climbs, then leaves the top by a few random steps and climbs again, going on from the better of the two tops. After
-- several climbs for nothing it restarts at random.

local visits_of = use("lib/visits")

local MIN_GAIN = 0.005   -- an improvement smaller than this is noise
local STEPS = 2          -- random steps away from a top; one more after each climb for nothing
local PATIENCE = 6       -- climbs for nothing before a restart

-- `steps` random neighbours on; the last that was not visited yet, or nil.
local function away_from(space, visits, config, steps)
  local fresh
  for _ = 1, steps do
    local neighbours = space:neighbours(config)
    if #neighbours == 0 then break end
    config = neighbours[math.random(#neighbours)]
    if visits.fresh(config) then fresh = config end
  end
  return fresh
end

return search {
  name = "iterated-local-search",
  summary = "climbs, shakes the best by a few random steps and climbs again",

  run = function(space, evaluate)
    local visits = visits_of(space, evaluate)
    visits.begin()
    if visits.best == nil then return end
    local home, home_time = visits.climb(visits.best, visits.best_time, MIN_GAIN)
    local failures = 0
    while true do
      local config = failures < PATIENCE and away_from(space, visits, home, STEPS + failures) or nil
      local restart = config == nil
      if restart then config = visits.random() end
      if config == nil then return end
      local top, time = visits.climb(config, visits.visit(config), MIN_GAIN)
      if restart or time < home_time then home, home_time, failures = top, time, 0 else failures = failures + 1 end
    end
  end,
}
