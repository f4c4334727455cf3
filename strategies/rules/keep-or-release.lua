-- Where the wait is known, its price decides. Where it is not, this is the ski rental problem: waiting until it has cost as
-- much as coming back costs never more than twice the best in hindsight (Karlin, Manasse, Rudolph and Sleator,
-- Competitive snoopy caching, 1988).
return rule {
  name = "keep-or-release",
  summary = "ends the campaign, so that a rented GPU can be given back, when waiting costs more than coming back",
  source = "seeds 001 and 002, pattern 7: keep the device iff gap x rate < what is lost by stopping ($0.80 to 1.20 of "
    .. "context; $0.30 saved once against $50 to 75 of an engineer's)",
  pattern = 7,
  effect = "stop",
  reason = "strategy",
  defaults = { return_usd = 1.0, return_s = 180 },

  when = function(campaign, options)
    local rate = campaign.usd_per_hour
    if not rate or campaign.emulation then return nil end
    local idle, known = campaign.wait_s or campaign.since_evaluation_s, campaign.wait_s ~= nil
    if not idle then return nil end
    local cost, back = idle * rate / 3600, options.return_usd + options.return_s * rate / 3600
    if cost <= back then return nil end
    return ("%s %.0f min at $%.2f an hour cost $%.2f, coming back costs $%.2f: the GPU is released"):format(
      known and "the next" or "the last", idle / 60, rate, cost, back),
      { idle_min = idle / 60, usd_per_hour = rate, waiting_usd = cost, coming_back_usd = back, known = known }
  end,
}
