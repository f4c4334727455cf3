-- Bytes: the ring of slices, or the partial sums of a tile, which come after it.
local function shared_bytes(p)
  return max(2 * 64 * (p.BLOCK_M + p.BLOCK_N) * p.STAGES, 4 * p.BLOCK_M * (p.BLOCK_N + 4))
end

return variant {
  technique = "split-k", risk = "medium",
  estimate  = function(w)
    local narrow = w.M <= 128
    return { speedup = narrow and { 10, 200 } or { 5, 100 }, probability = 0.9, evaluations = 40 }
  end,
  requires  = { arch = ">=90" },
  params = {
    BLOCK_M = { values = { 16, 32, 64, 128 }, bind = "template" },
    BLOCK_N = { values = { 32, 64, 128 }, bind = "template" },
    WARPS_M = { values = { 1, 2 }, bind = "template" },
    WARPS_N = { values = { 1, 2, 4 }, bind = "template" },
    STAGES  = { values = { 3, 4, 6, 8 }, bind = "template" },
    SPLITS  = { values = { 2, 4, 8 }, bind = "template" },  -- blocks of a cluster, which share K
  },
  start = function(w)
    local rows = w.M <= 16 and 16 or w.M <= 32 and 32 or 64
    local tiles = cdiv(w.M, rows) * cdiv(w.N, 64)
    local splits = tiles >= 64 and 2 or tiles >= 32 and 4 or 8
    while splits > 2 and splits * 256 > w.K do splits = splits // 2 end  -- each has a few slices
    local start = { BLOCK_M = rows, BLOCK_N = 64, WARPS_M = rows == 64 and 2 or 1, WARPS_N = rows == 64 and 2 or 4, STAGES = 6, SPLITS = splits }
    return { start, { BLOCK_M = 16, BLOCK_N = 64, WARPS_M = 1, WARPS_N = 4, STAGES = 4, SPLITS = 2 } }
  end,
  valid = function(p, w, device)
    local registers = p.BLOCK_M * p.BLOCK_N // (32 * p.WARPS_M * p.WARPS_N)
    return p.BLOCK_M % (16 * p.WARPS_M) == 0 and p.BLOCK_N % (16 * p.WARPS_N) == 0 and registers <= 128 and registers >= 4
      and all_of(le(p.BLOCK_M, 4 * round_up(w.M, 16)), le(p.SPLITS * 64, 4 * round_up(w.K, 64)),
                 w.linear or p.BLOCK_N >= 64, le(shared_bytes(p), device.max_shared_bytes))
  end,
  steps = function(p, w, device)
    return { launch { entry = "gemm_split<$dtype,$out,$bias,$gelu,$silu,$other,$residual,$linear,$BLOCK_M,$BLOCK_N,$WARPS_M,$WARPS_N,$STAGES,$SPLITS>",
                      grid = { p.SPLITS * cdiv(w.M, p.BLOCK_M) * cdiv(w.N, p.BLOCK_N) }, cluster = { p.SPLITS },
                      block = { 32 * p.WARPS_M * p.WARPS_N }, shared = shared_bytes(p),
                      args = { "a", "b", "bias", "other", "residual", "d", i32(w.M), i32(w.N), i32(w.K), i64(w.lda),
                               i64(w.ldb), i64(w.ldd) } } }
  end,
}
