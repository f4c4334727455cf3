return diagnosis {
  name = "launch-bound",
  summary = "starting the launches takes a large part of the time",
  source = "an empty kernel in a graph takes 0.5 to 1.1 us on an H200 (bench/h200/gates.json, launch_ns); below a third of "
    .. "the time the kernels themselves are what counts",
  counters = { "launches", "launch_ns" },
  counted = { "predicted_launch_ns", "predicted_ns" },
  also = { "timed_ns", "time_ns", "predicted_ns" },
  page = "116-tiny-shapes",
  defaults = { share = 0.33 },

  when = function(profile, options)
    local time = profile.timed_ns or profile.time_ns or profile.predicted_ns
    if not time or time <= 0 then return nil end
    local measured = profile.launches and profile.launch_ns
    local spent = measured and profile.launches * profile.launch_ns or profile.predicted_launch_ns
    local share = math.min(1, spent / time)
    if share < options.share then return nil end
    return share, ("launch-bound: starting %s takes %.2f of %.3g us, %.0f %%"):format(measured and profile.launches > 1 and
      ("%d launches"):format(profile.launches // 1) or "the launches", spent / 1e3, time / 1e3, 100 * share)
  end,
  applies_in = { launches = 3, launch_ns = 600, timed_ns = 4000 },
  silent_in  = { launches = 1, launch_ns = 600, timed_ns = 40000 },
}
