-- draws(space): an iterator over the numbers of a space's points, each once, in random order. The order is a Fisher-Yates
-- shuffle that keeps only the places it has touched, so that a space of a million points costs nothing before it is asked.
return function(space)
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
