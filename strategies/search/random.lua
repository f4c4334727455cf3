-- Every valid configuration once, in random order.

local draws = use("lib/draws")

local AHEAD = 16   -- draws announced for compiling ahead: a compiler takes ten times as long as an evaluation on a GPU

local function announce(queue, space, point)
  if point then queue[#queue + 1] = space:point(point) end
end

return search {
  name = "random",
  summary = "every configuration once, in random order",

  run = function(space, evaluate)
    local draw, queue = draws(space), {}
    for _ = 1, AHEAD do announce(queue, space, draw()) end
    while #queue > 0 do
      local config = table.remove(queue, 1)
      announce(queue, space, draw())
      evaluate(config, queue)
    end
  end,
}
