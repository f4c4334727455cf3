-- The playbook for strategies: which of its patterns apply, and what they say of an arm's prior.
--
--   local patterns = use("lib/patterns")
--   local applying = patterns.applying(campaign)          -- once a decision: asks every page
--   local prior, ids = patterns.prior(arm, applying)      -- the manifest's prior, moved by what applies
--   return { action = "try", arm = arm, why = why, patterns = ids }
--
-- A strategy that uses this file is made of the pages too: they are part of its hash.
local playbook = use("playbook")

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

-- Those that apply on an arm's workload, and name its technique or (with `any`) name none.
function patterns.of(arm, applying, any)
  local found = {}
  for _, applied in ipairs(applying) do
    if applied.kernel == arm.kernel and applied.workload == arm.workload then
      local names = any and #applied.techniques == 0
      for _, technique in ipairs(applied.techniques) do names = names or technique == arm.technique end
      if names then found[#found + 1] = applied end
    end
  end
  return found
end

-- Spread of ln(gain) from one application of a pattern to another, and the least doubt that a page's range leaves.
local BETWEEN = 0.3
local LEAST_DOUBT = 0.2
-- Half the width of a 90 % range in standard deviations.
local HALF_OF_90 = 1.645

-- What the patterns that name an arm's technique expect of it, over the best there is now: { id, mean, doubt }, the latter two of
-- ln(gain) of its best configuration. The page's range, and what was seen after decisions that named it; what has evidence
-- against it expects nothing. The second result: the numbers of all patterns that name the technique, for the decision.
function patterns.expected(arm, applying)
  local beliefs, ids = {}, {}
  for _, applied in ipairs(patterns.of(arm, applying)) do
    ids[#ids + 1] = applied.id
    local evidence = applied.evidence
    if applied.expect and not (evidence and evidence.against ~= "") then
      local low, high = math.log(applied.expect.speedup[1]), math.log(applied.expect.speedup[2])
      local doubt = math.max((high - low) / (2 * HALF_OF_90), LEAST_DOUBT)
      local mean, precision = (low + high) / 2, 1 / doubt ^ 2
      if evidence and evidence.measured > 0 then
        local seen = evidence.measured / BETWEEN ^ 2
        mean = (mean * precision + math.log(evidence.mean_gain) * seen) / (precision + seen)
        precision = precision + seen
      end
      beliefs[#beliefs + 1] = { id = applied.id, mean = mean, doubt = 1 / math.sqrt(precision) }
    end
  end
  return beliefs, ids
end

-- The prior of an arm in the form of the manifest's, moved by what its patterns expect; `speedup`: the workload's best over its
-- baseline, 1 when nothing is known. Beliefs are summed by their precisions. Then the numbers of the patterns, as above.
function patterns.prior(arm, applying, speedup)
  local beliefs, ids = patterns.expected(arm, applying)
  local prior = {}
  for name, value in pairs(arm.prior) do prior[name] = value end
  local low, high = math.log(prior.speedup_lo), math.log(prior.speedup_hi)
  local precision = 1 / math.max((high - low) / (2 * HALF_OF_90), LEAST_DOUBT) ^ 2
  local mean = (low + high) / 2
  for _, belief in ipairs(beliefs) do
    local more = 1 / belief.doubt ^ 2
    mean = (mean * precision + (belief.mean + math.log(speedup or 1)) * more) / (precision + more)
    precision = precision + more
  end
  if #beliefs > 0 then
    local half = HALF_OF_90 / math.sqrt(precision)
    prior.speedup_lo, prior.speedup_hi = math.exp(mean - half), math.exp(mean + half)
  end
  return prior, ids
end

return patterns
