return variant {
  technique = "tiles", risk = "low",
  estimate  = { speedup = { 3, 20 }, probability = 0.95, evaluations = 8 },
  params    = {
    TILE    = { values = { 32, 64, 128 }, bind = "template" },  -- rows and columns of d that a block computes
    DEEP    = { values = { 8, 16, 32 }, bind = "template" },    -- of K in shared memory at a time
    OF_EACH = { values = { 4, 8 }, bind = "template" },         -- rows and columns of a thread
  },
  start = { { TILE = 128, DEEP = 8, OF_EACH = 8 }, { TILE = 32, DEEP = 32, OF_EACH = 4 } },
  valid = function(p, w, device)
    local threads = (p.TILE // p.OF_EACH) ^ 2
    return threads >= 32 and threads <= 512 and p.TILE * p.DEEP % threads == 0
  end,
  steps = function(p, w, device)
    return { launch { entry = "gemm_tiled<$dtype,$out,$bias,$gelu,$silu,$other,$residual,$TILE,$DEEP,$OF_EACH>",
                      grid = { cdiv(w.M, p.TILE) * cdiv(w.N, p.TILE) }, block = { (p.TILE // p.OF_EACH) * (p.TILE // p.OF_EACH) },
                      args = { "a", "b", "bias", "other", "residual", "d", i32(w.M), i32(w.N), i32(w.K), i64(w.lda),
                               i64(w.ldb), i64(w.ldd), i32(w.linear) } } }
  end,
}
