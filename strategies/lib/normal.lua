-- The normal distribution, as far as a forecast needs it. Formulas: Abramowitz and Stegun, Handbook of Mathematical
-- Functions, 1964 (26.2.17: error below 7.5e-8; 26.7.5); expected values and deviations of the largest of m normal
-- deviates: Harter, Expected values of normal order statistics, 1961, and David and Nagaraja, Order Statistics.

local normal = {}

local exp, log, abs, max, min = math.exp, math.log, math.abs, math.max, math.min
local ROOT_2_PI = math.sqrt(2 * math.pi)

local function density(x) return exp(-x * x / 2) / ROOT_2_PI end

-- P(X <= x), by the density at x.
local function below(x, density_at_x)
  local t = 1 / (1 + 0.2316419 * abs(x))
  local tail = density_at_x * t * (0.319381530 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 +
    t * 1.330274429))))
  return x >= 0 and 1 - tail or tail
end

normal.density = density

-- P(X <= x).
function normal.below(x) return below(x, density(x)) end

-- E[max(0, X - limit)] of a normal X.
function normal.expected_excess(mean, deviation, limit)
  if deviation <= 0 then return max(0, mean - limit) end
  local z = (mean - limit) / deviation
  local density_at_z = density(z)
  return max(0, deviation * (z * below(z, density_at_z) + density_at_z))
end

-- Half width of a 90 % interval in deviations: Student's t with `freedom` degrees of freedom.
function normal.half_width_90(freedom)
  local z, n = 1.6448536, max(freedom, 1)
  return z + (z ^ 3 + z) / (4 * n) + (5 * z ^ 5 + 16 * z ^ 3 + 3 * z) / (96 * n * n)
end

local M = { 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 64 }
local LARGEST = { 0, 0.5642, 0.8463, 1.0294, 1.2672, 1.4236, 1.6292, 1.7660, 1.9477, 2.0697, 2.3437 }
local SPREAD = { 1, 0.8256, 0.7480, 0.7012, 0.6449, 0.6107, 0.5690, 0.5434, 0.5120, 0.4922, 0.4517 }
local LAST, STEP = #M, {}   -- STEP[i] = ln(M[i] / M[i - 1])
for i = 2, LAST do STEP[i] = log(M[i] / M[i - 1]) end

-- Mean and deviation of the largest of m standard normal deviates, m >= 1 and not necessarily whole.
function normal.largest_of(m)
  if m <= 1 then return 0, 1 end
  local i = 2
  while i < LAST and m > M[i] do i = i + 1 end
  local share = min(1, log(m / M[i - 1]) / STEP[i])
  return LARGEST[i - 1] + share * (LARGEST[i] - LARGEST[i - 1]), SPREAD[i - 1] + share * (SPREAD[i] - SPREAD[i - 1])
end

return normal
