return diagnosis {
  name = "at-the-floor",
  summary = "the time is close to what the device's limits allow",
  source = "the floor is this program's own (the work model over the device's peak rates); a copy reaches 90 % of an H200's "
    .. "peak bandwidth (bench/h200/gates.json), so nothing is promised beyond 85 %",
  counters = { "floor_ns" },
  also = { "timed_ns", "time_ns", "predicted_ns" },
  page = "14-measure-first",
  defaults = { share = 0.85 },

  when = function(profile, options)
    local time = profile.timed_ns or profile.time_ns or profile.predicted_ns
    if not time or time <= 0 or profile.floor_ns / time < options.share then return nil end
    local share = math.min(1, profile.floor_ns / time)
    return share, ("at the floor: it takes %.3g us and the device allows %.3g us, %.0f %% of its limit"):format(time / 1e3,
      profile.floor_ns / 1e3, 100 * share)
  end,
  applies_in = { floor_ns = 9300, timed_ns = 10000 },
  silent_in  = { floor_ns = 4000, timed_ns = 10000 },
}
