local function shared_bytes(p) return 2 * 64 * (p.BLOCK_M + p.BLOCK_N) * p.STAGES end

return variant {
  technique = "tensor-cores", risk = "medium",
  estimate  = { speedup = { 30, 300 }, probability = 0.9, evaluations = 30 },
  requires  = { arch = ">=80" },
  params = {
    BLOCK_M = { values = { 16, 32, 64, 128, 256 }, bind = "template" },
    BLOCK_N = { values = { 64, 128, 256 }, bind = "template" },
    WARPS_M = { values = { 1, 2, 4 }, bind = "template" },
    WARPS_N = { values = { 1, 2, 4 }, bind = "template" },
    STAGES  = { values = { 2, 3, 4, 5 }, bind = "template" },  -- slices of K in shared memory
    GROUP   = { values = { 1, 4, 8 }, bind = "scalar" },       -- rows of tiles whose columns come first, for the L2
  },
  start = { { BLOCK_M = 128, BLOCK_N = 128, WARPS_M = 2, WARPS_N = 2, STAGES = 3, GROUP = 8 },
            { BLOCK_M = 16, BLOCK_N = 64, WARPS_M = 1, WARPS_N = 4, STAGES = 5, GROUP = 1 } },
  valid = function(p, w, device)
    -- accumulators of a lane; fragments of 16 rows and of pairs of 8 columns
    local registers = p.BLOCK_M * p.BLOCK_N // (32 * p.WARPS_M * p.WARPS_N)
    return p.BLOCK_M % (16 * p.WARPS_M) == 0 and p.BLOCK_N % (16 * p.WARPS_N) == 0 and registers <= 128 and registers >= 4
      and all_of(le(p.BLOCK_M, max(16, round_up(w.M, 16) * 2 - 16)), le(p.BLOCK_N, round_up(w.N, 64)), le(shared_bytes(p), device.max_shared_bytes))
  end,
  steps = function(p, w, device)
    return { launch { entry = "gemm_mma<$dtype,$out,$bias,$gelu,$silu,$other,$residual,$linear,$BLOCK_M,$BLOCK_N,$WARPS_M,$WARPS_N,$STAGES>",
                      grid = { cdiv(w.M, p.BLOCK_M) * cdiv(w.N, p.BLOCK_N) }, block = { 32 * p.WARPS_M * p.WARPS_N },
                      shared = shared_bytes(p),
                      args = { "a", "b", "bias", "other", "residual", "d", i32(w.M), i32(w.N), i32(w.K), i64(w.lda),
                               i64(w.ldb), i64(w.ldd), i32(p.GROUP) } } }
  end,
}
