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

return linear
