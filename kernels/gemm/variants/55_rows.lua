local function shared_bytes(p) return 512 * p.TOKENS * p.COLUMNS * p.WARPS end

return variant {
  technique = "rows-of-weights", risk = "medium",
  -- Over 60_narrow where there are at most 8 rows: 0.5 us less before the first byte and after the last. 8 x 768 x 768:
  -- 4.5 to 3.9 us; 1 x 6144 x 4096: 14.9 to 14.
  estimate  = function(w)
    local few = w.M <= 8
    return { speedup = few and { 10, 230 } or { 5, 150 }, probability = 0.9, evaluations = few and 20 or 8 }
  end,
  requires  = { arch = ">=80" },
  params = {
    TOKENS  = { values = { 1, 2 }, bind = "template" },      -- times 8 rows of d
    COLUMNS = { values = { 1, 2, 4 }, bind = "template" },   -- times 16 columns of d
    WARPS   = { values = { 4, 8, 16 }, bind = "template" },  -- of a block, which share K
    DEEP    = { values = { 1, 2, 4, 8 }, bind = "template" },  -- loads of a batch
  },
  start = function(w)
    local tokens, wide = w.M <= 8 and 1 or 2, w.N >= 8192 and 2 or 1
    local list = {}
    for _, shape in ipairs { { 8, 4 }, { 16, 2 }, { 8, 2 }, { 4, 4 }, { 4, 1 } } do
      list[#list + 1] = { TOKENS = tokens, COLUMNS = wide, WARPS = shape[1], DEEP = shape[2] }
    end
    return list
  end,
  valid = function(p, w, device)
    -- registers of a batch and of the sums
    return w.linear and 4 * p.DEEP * (2 * p.COLUMNS + p.TOKENS) + 4 * p.TOKENS * p.COLUMNS <= (p.WARPS == 16 and 80 or 120)
      and shared_bytes(p) <= 49152
      and all_of(le(w.M, 8 * p.TOKENS), le(p.TOKENS, cdiv(w.M, 8)), le(32 * p.WARPS * p.DEEP, 2 * round_up(w.K, 128)))
  end,
  steps = function(p, w, device)
    return { launch { entry = "gemm_rows<$dtype,$out,$bias,$gelu,$silu,$other,$residual,$TOKENS,$COLUMNS,$WARPS,$DEEP>",
                      grid = { cdiv(w.N, 16 * p.COLUMNS) }, block = { 32 * p.WARPS }, shared = 0,
                      args = { "a", "b", "bias", "other", "residual", "d", i32(w.M), i32(w.N), i32(w.K), i64(w.lda),
                               i64(w.ldb), i64(w.ldd) } } }
  end,
}
