-- Linear equations with a symmetric, positive definite matrix. Matrices are lower triangles: rows of 1, 2, 3... numbers.

local linear = {}

-- The Cholesky factor L of L * L' = matrix.
function linear.root(matrix)
  local root = {}
  for i = 1, #matrix do
    local row, given = {}, matrix[i]
    root[i] = row
    for j = 1, i do
      local other, sum = root[j], given[j]
      for k = 1, j - 1 do sum = sum - row[k] * other[k] end
      row[j] = i == j and math.sqrt(math.max(sum, 1e-12)) or sum / other[j]
    end
  end
  return root
end

-- The x of L * x = right.
function linear.solve_below(root, right)
  local x = {}
  for i = 1, #root do
    local row, sum = root[i], right[i]
    for k = 1, i - 1 do sum = sum - row[k] * x[k] end
    x[i] = sum / row[i]
  end
  return x
end

-- The x of L' * x = right.
function linear.solve_above(root, right)
  local x = {}
  for i = #root, 1, -1 do
    local sum = right[i]
    for k = i + 1, #root do sum = sum - root[k][i] * x[k] end
    x[i] = sum / root[i][i]
  end
  return x
end

-- The inverse of L * L', as the lower triangle that it is given by. Column i of L's own inverse begins in row i, and of the
-- inverse's column i only what lies below the diagonal is asked for.
function linear.inverse(root)
  local n, inverse = #root, {}
  for i = 1, n do inverse[i] = {} end
  for i = 1, n do
    local x = {}
    for j = i, n do
      local row, sum = root[j], j == i and 1 or 0
      for k = i, j - 1 do sum = sum - row[k] * x[k] end
      x[j] = sum / row[j]
    end
    for j = n, i, -1 do
      local sum = x[j]
      for k = j + 1, n do sum = sum - root[k][j] * x[k] end
      x[j] = sum / root[j][j]
      inverse[j][i] = x[j]
    end
  end
  return inverse
end

return linear
