-- Every valid configuration in the order of the space: variants ascending, each in the order of its manifest. A space
-- that is too large to list has no order; its points are drawn.

local draws = use("lib/draws")

local AHEAD = 16   -- announced for compiling ahead

return search {
  name = "exhaustive",
  summary = "every configuration in the order of the space",
  exact_times = true,

  run = function(space, evaluate)
    for i = 1, space.size or 0 do
      local hints = {}
      for j = i + 1, math.min(i + AHEAD, space.size) do hints[#hints + 1] = space:point(j) end
      evaluate(space:point(i), hints)
    end
    if space.size == nil then
      for point in draws(space) do evaluate(space:point(point)) end
    end
  end,
}
