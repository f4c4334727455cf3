local bytes_of = { f32 = 4, f16 = 2, bf16 = 2 }

return variant {
  technique = "rows-ahead", risk = "low",
  -- Over 20_registers: 1.05 to 1.15, few rows by a shorter way, many by loads that do not stop.
  estimate  = { speedup = { 8, 110 }, probability = 0.85, evaluations = 15 },
  requires  = { arch = ">=80" },
  params = {
    THREADS = { values = { 64, 128, 256, 512, 1024 }, bind = "template" },  -- of a row
    XVEC    = { values = { 1, 2, 4, 8 }, bind = "template" },               -- columns of a load of x
    AHEAD   = { values = { 0, 1, 2, 3 }, bind = "template" },               -- rows under way beside the one that is worked on
  },
  start = function(w)
    if w.T <= 256 then return { { THREADS = 512, AHEAD = 0 }, { THREADS = 256, AHEAD = 0 }, { THREADS = 64, AHEAD = 0 } } end
    return { { THREADS = 512, AHEAD = 1 }, { THREADS = 256, AHEAD = 1 }, { THREADS = 512, AHEAD = 2 }, { THREADS = 64, AHEAD = 1 } }
  end,
  -- Pieces of x are as wide as the distance of its rows allows. What a thread keeps fits its registers, and none has
  -- nothing to do.
  valid = function(p, w, device)
    local vector = 16 // bytes_of[w.dtype]
    return p.XVEC <= vector
      and all_of(divisible(w.ldx, p.XVEC), any_of(p.XVEC == vector, none_of(divisible(w.ldx, 2 * p.XVEC))),
                 le(vector * (p.THREADS - 32), w.N),
                 le(8 * (p.AHEAD + 1) * cdiv(w.N, vector * p.THREADS), min(96, 32768 // p.THREADS)),
                 any_of(p.AHEAD == 0, le(512, w.T)))
  end,
  steps = function(p, w, device)
    local step = { entry = "rmsnorm_ahead<$dtype,$THREADS,$XVEC,$AHEAD,$N>", grid = { w.T }, block = { p.THREADS }, shared = 0,
                   args = { "x", "residual", "q", "scale", "eps", i32(w.T), i32(w.ldx) } }
    if p.AHEAD > 0 then step.resident = 1 end
    return { launch(step) }
  end,
}
