-- A workload of a kernel is a place: what stands there is found by its name, without a walk over all.

local places = {}

function places.of(arm) return arm.kernel .. "/" .. arm.workload end

-- The members of a list by place, in its order.
function places.sorted(list)
  local by = {}
  for _, each in ipairs(list) do
    local place = places.of(each)
    by[place] = by[place] or {}
    table.insert(by[place], each)
  end
  return by
end

return places
