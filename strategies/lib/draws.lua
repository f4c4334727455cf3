-- draws(space): an iterator over the numbers of a space's points, each once, in random order. The order is a Fisher-Yates
-- shuffle that keeps only the places it has touched, so that a space of a million points costs nothing before it is asked.
-- Of a space that is too large to list it draws until TRIES draws in a row were known.

local TRIES = 200

local function unlisted(space)
  local drawn = {}
  return function()
    for _ = 1, TRIES do
      local point = space:index(space:random())
      if not drawn[point] then
        drawn[point] = true
        return point
      end
    end
  end
end

return function(space)
  if space.size == nil then return unlisted(space) end
  local moved, drawn = {}, 0
  return function()
    if drawn == space.size then return nil end
    drawn = drawn + 1
    local place = math.random(drawn, space.size)
    local point = moved[place] or place
    moved[place] = moved[drawn] or drawn
    moved[drawn] = nil
    return point
  end
end
