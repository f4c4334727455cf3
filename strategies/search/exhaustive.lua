-- Every valid configuration in the order of the space: variants ascending, each in the order of its manifest.

local AHEAD = 8   -- announced for compiling ahead

return search {
  name = "exhaustive",
  summary = "every configuration in the order of the space",

  run = function(space, evaluate)
    for i = 1, space.size do
      local hints = {}
      for j = i + 1, math.min(i + AHEAD, space.size) do hints[#hints + 1] = space:point(j) end
      evaluate(space:point(i), hints)
    end
  end,
}
