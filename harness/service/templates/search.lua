-- Chooses configurations of one arm: straight-line code, every evaluate() is one evaluation.
return search {
  name = "@NAME@",
  summary = "random points, then the neighbours of the best",
  run = function(space, evaluate)
    local best, best_ns
    for _ = 1, math.min(8, space.size or 8) do
      local config = space:random()
      local result = evaluate(config)
      if result.passed and (not best or result.time_ns < best_ns) then best, best_ns = config, result.time_ns end
    end
    if not best then return end
    for _, config in ipairs(space:neighbours(best)) do evaluate(config) end
  end,
}
