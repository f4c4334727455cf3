return variant {
  technique = "few-tokens", risk = "medium", multi_kernel = true,
  -- 00_naive reads weights at half of the memory's rate at best and has four launches; each token more reads them again.
  estimate  = function(w)
    return { speedup = w.T <= 2 and { 1.3, 4 } or { 2, 12 }, probability = 0.9, evaluations = 20 }
  end,
  params = {
    TOKENS = { values = { 1, 2, 4, 8, 16 }, bind = "template" },  -- at most
    WARPS  = { values = { 4, 8, 16 }, bind = "template" },
    AHEAD  = { values = { 1, 2, 4, 8 }, bind = "template" },      -- vectors of a row that a lane asks for before it uses one
    BLOCKS = { values = { 1, 2, 4, 8 }, bind = "template" },      -- of a multiprocessor at least, which bounds the registers
    MB     = { values = { 0, 8, 24 }, bind = "scalar" },          -- of down, asked of the L2 by the first launch
  },
  start = { { WARPS = 8, AHEAD = 4, BLOCKS = 2, MB = 24 }, { WARPS = 8, AHEAD = 2, BLOCKS = 4, MB = 24 },
              { WARPS = 8, AHEAD = 2, BLOCKS = 2, MB = 24 },
              { WARPS = 8, AHEAD = 4, BLOCKS = 2, MB = 0 }, { WARPS = 8, AHEAD = 1, BLOCKS = 1 } },
  valid = function(p, w, device)
    return p.WARPS * p.BLOCKS <= 64 and p.TOKENS * p.AHEAD <= 64
      and 16 + 21 * p.AHEAD + 5 * p.TOKENS // 2 <= 2048 // (p.WARPS * p.BLOCKS) and all_of(le(w.T, p.TOKENS), lt(p.TOKENS, 2 * w.T))
  end,
  workspaces = function(p, w, device)
    return { workspace { "inner", bytes = 2 * w.T * (w.K + (w.shared and 1 or 0)) * w.I, align = 256 } }
  end,
  steps = function(p, w, device)
    local of_token = w.K + (w.shared and 1 or 0)
    local hits = min(w.E + (w.shared and 1 or 0), w.T * of_token)  -- at most
    local sizes = { i32(w.T), i32(w.H), i32(w.I), i32(w.E), i32(w.K), i32(of_token) }
    return {
      launch { entry = "inner_products<$routed,$TOKENS,$WARPS,$AHEAD,$BLOCKS>", grid = { cdiv(hits * w.I, p.WARPS) }, resident = 1,
               block = { 32 * p.WARPS }, args = { "x", "logits", "offsets", "gate_up", "down", "inner", i32(w.T), i32(w.H),
                                                 i32(w.I), i32(w.E), i32(w.K), i32(of_token), i32(p.MB * 524288 // w.I) } },
      launch { entry = "outer_products<$routed,$TOKENS,$WARPS,$AHEAD,$BLOCKS>", grid = { cdiv(w.H, p.WARPS) }, resident = 1, pdl = true,
               block = { 32 * p.WARPS }, args = { "inner", "logits", "offsets", "down", "y", table.unpack(sizes) } },
    }
  end,
}
