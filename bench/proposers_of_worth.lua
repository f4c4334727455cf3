#!/usr/bin/env lua5.4
-- What asking several proposers of known worth brings, by strategies/lib/proposals.lua itself: bench/proposers_of_worth.lua
-- [CAMPAIGNS]. A proposer is a chance that a request becomes a best, the log-gain of one, and the dollars of a request. A
-- line of the table: the share of what the best of them alone would have brought for the same dollars, and how much of the
-- money's second half went to it. Means over so many campaigns (100).

-- luacheck: std lua54

local proposals = dofile((arg[0]:match("^(.*)bench/[^/]*$") or "") .. "strategies/lib/proposals.lua")
local CAMPAIGNS, BUDGETS = tonumber(arg[1]) or 100, { 20, 60, 120 }
local CASES = {
  { { "weak", 0.05, 0.25, 1 }, { "good", 0.5, 0.25, 1 } },
  { { "weak", 0.1, 0.25, 1 }, { "middle", 0.2, 0.25, 1 }, { "good", 0.5, 0.25, 1 } },
  { { "dear", 0.5, 0.25, 5 }, { "cheap", 0.3, 0.25, 1 } },
  { { "small", 0.3, 0.1, 1 }, { "large", 0.3, 0.5, 1 } },
  { { "idle", 0, 0.25, 1 }, { "idler", 0, 0.25, 1 }, { "good", 0.3, 0.25, 1 } },
}

local function record()
  return { asked = 0, improved = 0, under_way = 0, most_under_way = 1, earlier_asked = 0, earlier_improved = 0, ready = true }
end

local function add(to, wins, gain)
  to.asked = to.asked + 1
  if not wins then return end
  to.log_gain = ((to.log_gain or 0) * to.improved + gain) / (to.improved + 1)
  to.improved = to.improved + 1
end

-- What a campaign of so many dollars brings, and the share of the second half that the best had.
local function campaign(worths, best, budget)
  local one = { arms = { { kernel = "k", workload = "w", technique = "t", variants = { "v" }, best_speedup = 1 } },
                workloads = { { kernel = "k", workload = "w", weight = 1, speedup = 1, best_variant = "v", best_technique = "t" } },
                evaluation_s = 6, proposer = record(), proposers = {} }
  local known = {}
  for i, worth in ipairs(worths) do
    one.proposers[i] = record()
    one.proposers[i].name, one.proposers[i].likely_usd = worth[1], worth[4]
    known[worth[1]] = { worth = worth, record = one.proposers[i] }
  end
  local spent, gained, late, late_on_best = 0, 0, 0, 0
  while spent < budget do
    local asked = known[proposals.consider(one).proposer]
    local _, chance, gain, usd = table.unpack(asked.worth)
    spent = spent + usd
    if spent > budget / 2 then
      late = late + usd
      late_on_best = late_on_best + (asked.worth == best and usd or 0)
    end
    local wins = math.random() < chance
    if wins then gained = gained + gain end
    add(one.proposer, wins, gain)
    add(asked.record, wins, gain)
  end
  return gained, late_on_best / late
end

local function rate(worth) return worth[2] * worth[3] / worth[4] end

print("| chance, gain and dollars of each | " .. table.concat({ "$20", "$60", "$120" }, " | ") .. " |")
print("|---|--:|--:|--:|")
for _, worths in ipairs(CASES) do
  local best, words, cells = worths[1], {}, {}
  for i, worth in ipairs(worths) do
    if rate(worth) > rate(best) then best = worth end
    words[i] = ("%.2f x %.2f for $%d"):format(worth[2], worth[3], worth[4])
  end
  for i, budget in ipairs(BUDGETS) do
    local gained, on_best = 0, 0
    for seed = 1, CAMPAIGNS do
      math.randomseed(seed)
      local gain, share = campaign(worths, best, budget)
      gained, on_best = gained + gain, on_best + share
    end
    cells[i] = ("%.0f %% (%.0f %%)"):format(100 * gained / CAMPAIGNS / (budget * rate(best)), 100 * on_best / CAMPAIGNS)
  end
  print(("| %s | %s |"):format(table.concat(words, "; "), table.concat(cells, " | ")))
end
