-- The playbook for strategies: which of its patterns apply, and what they say of an arm's prior.
--
--   local patterns = use("lib/patterns")
--   local applying = patterns.applying(campaign)                  -- once a decision: asks every page
--   local p, favour, ids = patterns.shifted(arm, applying, 0.8)   -- what the pages that apply make of a chance of 0.8
--   return { action = "try", arm = arm, why = why, patterns = ids }
--
-- A strategy that uses this file is made of the pages too: they are part of its hash.
local playbook, places = use("playbook"), use("lib/places")

local patterns = {}

-- All that apply now: { id, name, reason, kernel, workload, techniques, expect, evidence }, by id. `kernel` and `workload` say
-- where; `evidence` is what the store said when the campaign began: { applied, measured, improved, met, mean_gain, seconds,
-- usd, against }, or nil.
function patterns.applying(campaign) return playbook.applying(campaign) end

-- The same of the pages only that speak for a technique of an open arm: all that an expectation needs, in a fraction of the time.
function patterns.naming(campaign)
  local named = {}
  for _, arm in ipairs(campaign.open) do named[arm.technique] = true end
  return playbook.applying(campaign, named)
end

-- By workload; a decision asks for every arm.
local sorted, sorted_of = {}, nil
local function on_workload(applying, arm)
  if sorted_of ~= applying then sorted, sorted_of = places.sorted(applying), applying end
  return sorted[places.of(arm)] or {}
end

-- Those that apply on an arm's workload, and name its technique or (with `any`) name none.
function patterns.of(arm, applying, any)
  local found = {}
  for _, applied in ipairs(on_workload(applying, arm)) do
    local names = any and #applied.techniques == 0
    for _, technique in ipairs(applied.techniques) do names = names or technique == arm.technique end
    if names then found[#found + 1] = applied end
  end
  return found
end

-- What a page says shifts how likely its technique is to pass and how soon it is tried. It never narrows a range: an author's
-- advice is no measurement.
local FAVOUR = 0.5        -- a page that has kept its promise in one of two applications raises the order by a quarter, in all by half,
local MOST_FAVOUR = 2     -- and all pages together by no more than this factor
local ODDS = 1.5          -- and the odds of passing by this factor, all together
local SOON = 4            -- an arm's own evaluations speak louder: after so many, advice counts half

-- The share of a page's applications that met its promise, one of two assumed; nil where the record speaks against the page.
local function kept(applied)
  local evidence = applied.evidence
  if not evidence then return 0.5 end
  if evidence.against ~= "" then return nil end
  return (evidence.met + 1) / (evidence.measured + 2)
end

-- For an arm whose chance of passing is `p`: the chance as the pages that name its technique see it, the factor by which they
-- would have it sooner, and their numbers, for the decision.
function patterns.shifted(arm, applying, p)
  local ids, favour = {}, 1
  for _, applied in ipairs(patterns.of(arm, applying)) do
    ids[#ids + 1] = applied.id
    local share = kept(applied)
    if share then favour = favour * (1 + FAVOUR * share) end
  end
  if favour == 1 then return p, 1, ids end
  local weight = SOON / (SOON + arm.evaluations)
  favour = 1 + (math.min(favour, MOST_FAVOUR) - 1) * weight
  local odds = ODDS ^ weight * p / math.max(1 - p, 1e-9)
  return math.max(p, odds / (1 + odds)), favour, ids
end

-- The prior of an arm in the form of the manifest's, as its patterns see it; `speedup`: the workload's best over its baseline, 1 when
-- nothing is known. Its probability rises, and its range reaches as far as the pages promise over the best there is. Then the
-- numbers of the patterns.
function patterns.prior(arm, applying, speedup)
  local prior = {}
  for name, value in pairs(arm.prior) do prior[name] = value end
  local probability, _, ids = patterns.shifted(arm, applying, prior.probability)
  prior.probability = probability
  for _, applied in ipairs(patterns.of(arm, applying)) do
    if applied.expect and kept(applied) then
      prior.speedup_hi = math.max(prior.speedup_hi, (speedup or 1) * applied.expect.speedup[2])
    end
  end
  return prior, ids
end

return patterns
