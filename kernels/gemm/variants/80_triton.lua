return variant {
  technique = "triton", build = "triton", risk = "medium",
  estimate  = function(w)
    return { speedup = w.M >= 512 and { 200, 1200 } or { 10, 100 }, probability = 0.8, evaluations = 20 }
  end,
  requires  = { arch = ">=80" },
  params = {
    BLOCK_M = { values = { 16, 64, 128, 256 }, bind = "template" },
    BLOCK_N = { values = { 32, 64, 128, 256 }, bind = "template" },
    BLOCK_K = { values = { 32, 64, 128 }, bind = "template" },
    GROUP   = { values = { 1, 8 }, bind = "template" },
    WARPS   = { values = { 4, 8 }, bind = "template" },
    STAGES  = { values = { 3, 4, 5 }, bind = "template" },
  },
  start = function(w)
    if w.M <= 128 then
      return { { BLOCK_M = w.M <= 16 and 16 or 64, BLOCK_N = 64, BLOCK_K = 128, GROUP = 1, WARPS = 4, STAGES = 4 },
               { BLOCK_M = 16, BLOCK_N = 64, BLOCK_K = 64, GROUP = 1, WARPS = 4, STAGES = 3 } }
    end
    return { { BLOCK_M = 128, BLOCK_N = 256, BLOCK_K = 64, GROUP = 8, WARPS = 8, STAGES = 3 },
             { BLOCK_M = 128, BLOCK_N = 128, BLOCK_K = 64, GROUP = 8, WARPS = 8, STAGES = 3 } }
  end,
  valid = function(p, w, device)
    local slices = 2 * p.STAGES * p.BLOCK_K * (p.BLOCK_M + p.BLOCK_N)
    return p.BLOCK_M * p.BLOCK_N <= 128 * 32 * p.WARPS
      and all_of(le(slices, device.max_shared_bytes), le(p.BLOCK_M, 4 * round_up(w.M, 16)))
  end,
  steps = function(p, w, device)
    local values = "BLOCK_M=$BLOCK_M,BLOCK_N=$BLOCK_N,BLOCK_K=$BLOCK_K,GROUP=$GROUP,num_warps=$WARPS,num_stages=$STAGES"
    return { launch { entry = "gemm<LINEAR=$linear,GELU=$gelu,SILU=$silu," .. values .. ">",
                      grid = { cdiv(w.M, p.BLOCK_M) * cdiv(w.N, p.BLOCK_N) },
                      args = { "a", "b", "bias", "other", "residual", "d", i32(w.M), i32(w.N), i32(w.K), i64(w.lda),
                               i64(w.ldb), i64(w.ldd) } } }
  end,
}
