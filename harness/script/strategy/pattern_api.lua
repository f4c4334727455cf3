-- The Lua behind the playbook: sets the global `pattern` and adds applies, check_examples, describe and playbook to the
-- API of library_api.lua. Called with that API and the C++ functions where, place, freeze and wrap.
local api, where, place, freeze, wrap = ...
local tools = api.tools
local check_fields, article, is_number = tools.check_fields, tools.article, tools.is_number

local pattern_fields = { id = "number", name = "string", techniques = "table", expect = "table", when = "function",
                         applies_in = "table", silent_in = "table" }

local function check_expect(expect, at)
  check_fields(expect, "expect", { speedup = "table", probability = "number" }, at)
  local low, high = (expect.speedup or {})[1], (expect.speedup or {})[2]
  if not is_number(low) or not is_number(high) or low <= 0 or low > high then
    error(at .. "expect.speedup is not { low, high } with 0 < low <= high", 0)
  end
  local p = expect.probability
  if p and not (p > 0 and p <= 1) then error(("%sexpect.probability is %s, not above 0 and at most 1"):format(at, p), 0) end
end

pattern = wrap(function(declared)
  local at = where()
  check_fields(declared, "a pattern", pattern_fields, at)
  for _, needed in ipairs { "id", "name", "when", "applies_in", "silent_in" } do
    if declared[needed] == nil then
      error(("%sa pattern needs '%s'; harness new pattern writes a page with all of them"):format(at, needed), 0)
    end
  end
  for i, technique in ipairs(declared.techniques or {}) do
    if type(technique) ~= "string" then error(("%stechniques[%d] is %s, not a name"):format(at, i, article(type(technique))), 0) end
  end
  if declared.expect then check_expect(declared.expect, at) end
  tools.kind_of[declared] = "pattern"
  return declared
end)

-- Limits of a multiprocessor by architecture: CUDA C++ Programming Guide, table "Technical Specifications per Compute
-- Capability". Another architecture has no estimate of occupancy.
local multiprocessors = {
  [80] = { warps = 64, ctas = 32, shared = 164 << 10 }, [86] = { warps = 48, ctas = 16, shared = 100 << 10 },
  [89] = { warps = 48, ctas = 24, shared = 100 << 10 }, [90] = { warps = 64, ctas = 32, shared = 228 << 10 },
}
local kRegisters, kRegisterUnit, kReservedShared = 65536, 256, 1024

-- Resident warps over the most there can be, were there CTAs enough; nil where a figure is missing.
local function occupancy(here)
  local limits = multiprocessors[here.sm or 0]
  if not limits or not here.registers or not here.shared_bytes or (here.threads or 0) < 1 then return nil end
  local warps = (here.threads + 31) // 32
  local registers = (here.registers * 32 + kRegisterUnit - 1) // kRegisterUnit * kRegisterUnit * warps
  local ctas = math.min(limits.ctas, limits.warps // warps, limits.shared // (here.shared_bytes + kReservedShared))
  if registers > 0 then ctas = math.min(ctas, kRegisters // registers) end
  return ctas * warps / limits.warps
end

local function place_name(of) return of.kernel .. "/" .. of.workload end

-- What is known of one workload: the fields of its WorkloadState, its arms, and what follows from them.
local function facts(campaign, workload, arms)
  local here = { arms = {}, techniques = {}, works = {} }
  for name, value in pairs(workload) do here[name] = value end
  for i, arm in ipairs(arms) do
    here.arms[i] = arm
    here.techniques[arm.technique] = arm
    if arm.passed + arm.earlier_passed > 0 then here.works[arm.technique] = true end
  end
  local launch = workload.launch or {}
  here.sizes = here.sizes or {}
  here.ctas, here.threads = here.ctas or launch.ctas, here.threads or launch.threads_per_cta
  here.launches, here.multiprocessors = here.launches or launch.kernels, campaign.multiprocessors
  -- Static and dynamic: known only when both are.
  here.shared_bytes = workload.shared_bytes and launch.shared_bytes and workload.shared_bytes + launch.shared_bytes
  here.sm = tonumber((campaign.architecture or ""):match("^sm_(%d+)"))
  here.occupancy = occupancy(here)
  if here.ctas and here.multiprocessors then here.ctas_per_sm = here.ctas / here.multiprocessors end
  return freeze(here, "profile")
end

local function reason_of(page, campaign, profile)
  local why = page.when(campaign, profile)
  if why == nil or why == false then return nil end
  if type(why) == "string" and why ~= "" then return why end
  error(("%sthe pattern '%s' returned %s; return a reason in words, or nil"):format(place(page.when), page.name,
    why == "" and "an empty reason" or article(type(why))), 0)
end

-- The workloads on which a page applies, with its reason. A reason that names nothing of a workload is given once.
local function applications(page, campaign, profiles, found)
  local said = {}
  for i, profile in ipairs(profiles) do
    local why = reason_of(page, campaign, profile)
    if why and not said[why] then
      said[why] = true
      found[#found + 1] = { id = page.id, name = page.name, reason = why, kernel = campaign.workloads[i].kernel,
                            workload = campaign.workloads[i].workload, techniques = page.techniques or {},
                            expect = page.expect }
    end
  end
end

local function all_facts(campaign)
  local arms, profiles = {}, {}
  for _, arm in ipairs(campaign.arms) do
    local at = place_name(arm)
    arms[at] = arms[at] or {}
    table.insert(arms[at], arm)
  end
  for i, workload in ipairs(campaign.workloads) do
    profiles[i] = facts(campaign, workload, arms[place_name(workload)] or {})
  end
  return profiles
end

function api.applies(page, campaign)
  tools.link(campaign)
  local view, found = freeze(campaign, "campaign"), {}
  applications(page, view, all_facts(view), found)
  return found
end

-- The snapshot of an example: kernel "k" on workload "w" with the arms and figures that the example gives; `workloads`: how
-- many there are, the others as the first but without arms.
local example_fields = { campaign = "table", workload = "table", workloads = "number", arms = "table", current = "string" }
local campaign_fields = { campaign = 1, device = "cuda:0", device_name = "NVIDIA H200", architecture = "sm_90a", multiprocessors = 132,
                          emulation = false, techniques = {},
                          seed = 1, now_unix = 1750000000, budget_s = 1800.0, spent_s = 0.0, reserve_s = 60.0,
                          evaluation_s = 2.0, iterations = 0, recent_outcomes = {} }
local arm_fields = { variants = {}, risk = "low", multi_kernel = false, baseline = false, weight = 1.0, space_points = 100,
                     evaluations = 0, since_improvement = 0, spent_s = 0.0, predicted_s = 40.0, timed = 0, gains = {}, records = {},
                     fingerprints = {},
                     last_fingerprint = "", same_fingerprint = 0, same_code = 0, exhausted = false, closed = false,
                     earlier_evaluations = 0, earlier_passed = 0, earlier_spent_s = 0.0 }

local function filled(given, defaults)
  local result = {}
  for name, value in pairs(defaults) do result[name] = value end
  for name, value in pairs(given or {}) do result[name] = value end
  return result
end

local function example_campaign(example, at)
  check_fields(example, "an example", example_fields, at)
  local campaign = filled(example.campaign, campaign_fields)
  campaign.arms = {}
  for i, given in ipairs(example.arms or {}) do
    if not given.technique then error(("%sarms[%d] of an example needs its technique"):format(at, i), 0) end
    local arm = filled(given, arm_fields)
    arm.id = { kernel = "k", workload = "w", technique = given.technique }
    arm.outcomes = given.outcomes or (given.passed and { passed = given.passed }) or {}
    arm.prior = filled(given.prior, { speedup_lo = 1.5, speedup_hi = 3.0, probability = 0.8, evaluations = 20 })
    campaign.arms[i] = arm
  end
  campaign.workloads = { filled(example.workload, { kernel = "k", workload = "w", weight = 1.0, best_variant = "",
                                                    best_technique = "", confirmed = false }) }
  for i = 2, example.workloads or 1 do
    campaign.workloads[i] = filled({ workload = "w" .. i }, campaign.workloads[1])
  end
  if example.current then campaign.current = { kernel = "k", workload = "w", technique = example.current } end
  return campaign
end

-- A page is only believed when its own examples behave as it says.
function api.check_examples(page)
  local at = place(page.when)
  local applies = api.applies(page, example_campaign(page.applies_in, at))
  if #applies == 0 then error(("%sthe pattern '%s' does not apply in its example applies_in"):format(at, page.name), 0) end
  local silent = api.applies(page, example_campaign(page.silent_in, at))
  if #silent > 0 then
    error(("%sthe pattern '%s' applies in its example silent_in: %s"):format(at, page.name, silent[1].reason), 0)
  end
  return applies[1].reason
end

-- What the page says of itself, for C++.
function api.describe(page)
  return { id = page.id, name = page.name, techniques = page.techniques or {}, expect = page.expect }
end

local function speaks_for(page, named)
  if not named then return true end
  for _, technique in ipairs(page.techniques or {}) do
    if named[technique] then return true end
  end
  return false
end

-- use("playbook"): asks all pages. Evidence is what the store said when the campaign began.
function api.playbook(pages)
  local playbook = {}
  for _, page in ipairs(pages) do
    if tools.kind_of[page] ~= "pattern" then error("a page of the playbook returns no pattern; harness playbook names it", 0) end
  end
  -- `named`: only pages that speak for one of these techniques (a set); nil: all.
  function playbook.applying(campaign, named)
    local found, evidence = {}, {}
    for _, row in ipairs(campaign.playbook or {}) do evidence[row.id] = row end
    local profiles   -- only made where a page is asked
    for _, page in ipairs(pages) do
      if speaks_for(page, named) then
        profiles = profiles or all_facts(campaign)
        applications(page, campaign, profiles, found)
      end
    end
    for _, applied in ipairs(found) do applied.evidence = evidence[applied.id] end
    return found
  end
  return playbook
end
