-- A warp's request touches at most this many sectors if its lanes are neighbours: 32 lanes of 16 bytes, in sectors of 32.
local kMostCoalesced = 16
-- What scattered sectors come at. An H200's L2 gives whole lines at 5,500 bytes a ns; planted loads and stores moved 1,100 to 1,800
-- of those beyond the least a ns of their kernels' whole time (bench/h200/planted.json). This lies between.
local kScatteredBytesPerNs = 2500

-- Sectors beyond the least: as counted, or as far as requests of more than 16 sectors betray them.
local function excess(profile)
  local loads, stores = profile.global_load_sectors, profile.global_store_sectors
  if profile.least_sectors then return loads + stores - profile.least_sectors end
  local load_requests, store_requests = profile.global_load_requests, profile.global_store_requests
  if not load_requests or not store_requests then return 0 end
  local beyond = 0
  if loads > kMostCoalesced * load_requests then beyond = beyond + loads - 4 * load_requests end
  if stores > kMostCoalesced * store_requests then beyond = beyond + stores - 4 * store_requests end
  return beyond
end

return diagnosis {
  name = "uncoalesced",
  summary = "a warp's loads or stores touch many more sectors of memory than they need",
  source = "CUDA C++ Best Practices Guide, Coalesced Access to Global Memory: a warp's accesses become as many 32-byte transactions "
    .. "as needed. Without the counted least, only requests of more than 16 sectors are sure to be scattered",
  counters = { "global_load_sectors", "global_store_sectors" },
  also = { "least_sectors", "global_load_requests", "global_store_requests", "timed_ns", "time_ns", "predicted_ns",
           "predicted_l1_ns", "predicted_l2_ns", "predicted_memory_ns" },
  page = "126-neighbours",
  defaults = { share = 0.2 },

  when = function(profile, options)
    local all, beyond = profile.global_load_sectors + profile.global_store_sectors, excess(profile)
    if all <= 0 or beyond <= 0 then return nil end
    local severity, time = beyond / all, profile.timed_ns or profile.time_ns or profile.predicted_ns
    if time and time > 0 then severity = math.min(severity, beyond * 32 / kScatteredBytesPerNs / time) end
    -- Where the prediction's parts are known, what moves sectors is all that fewer of them can save.
    if profile.predicted_ns and profile.predicted_l1_ns and profile.predicted_l2_ns then
      local moving = math.max(profile.predicted_l1_ns, profile.predicted_l2_ns, profile.predicted_memory_ns or 0)
      severity = math.min(severity, beyond / all * math.min(1, moving / math.max(1, profile.predicted_ns)))
    end
    if severity < options.share then return nil end
    return math.min(1, severity), ("uncoalesced: %.3g sectors of memory are touched, %.1fx what the same loads and stores need"):format(
      all, all / math.max(1, all - beyond))
  end,
  applies_in = { global_load_sectors = 131072, global_store_sectors = 1048576, least_sectors = 262144, predicted_ns = 9000 },
  silent_in  = { global_load_sectors = 131072, global_store_sectors = 131072, least_sectors = 262144, predicted_ns = 4000 },
}
