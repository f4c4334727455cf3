-- Bytes: the ring of slices, or the partial sums, which come after it in the same place.
local function shared_bytes(p)
  return max(p.STAGES * 128 * (64 * p.WARPGROUPS + p.TOKENS), 4 * p.TOKENS * (64 * p.WARPGROUPS + 4))
end

return variant {
  technique = "narrow", risk = "high",
  estimate  = function(w)
    local narrow = w.M <= 128
    return { speedup = narrow and { 10, 200 } or { 10, 500 }, probability = 0.9, evaluations = narrow and 40 or 15 }
  end,
  requires  = { arch = ">=90a" },
  params = {
    WARPGROUPS = { values = { 1, 2, 4 }, bind = "template" },         -- times 64 columns of d
    TOKENS     = { values = { 16, 32, 64, 128 }, bind = "template" },  -- rows of d
    STAGES     = { values = { 4, 6, 8, 12, 16 }, bind = "template" },
    SPLITS     = { values = { 1, 2, 4, 8 }, bind = "template" },      -- blocks of a cluster, which share K
    SHARE      = { values = { 1, 2, 4 }, bind = "template" },         -- tiles of a cluster, which share slices of a
  },
  -- All rows in one tile of tokens, and so many blocks that share K that most multiprocessors have one.
  start = function(w)
    local tokens = w.M <= 16 and 16 or w.M <= 32 and 32 or w.M <= 64 and 64 or 128
    local tiles = cdiv(w.M, tokens) * cdiv(w.N, 64)
    local splits = tiles >= 100 and 1 or tiles >= 48 and 2 or tiles >= 24 and 4 or 8
    while splits > 1 and splits * 256 > w.K do splits = splits // 2 end  -- each has a few slices
    return { { WARPGROUPS = 1, TOKENS = tokens, STAGES = tokens == 128 and 6 or 8, SPLITS = splits, SHARE = 1 },
             { WARPGROUPS = 1, TOKENS = tokens, STAGES = 4, SPLITS = splits, SHARE = 1 },
             { WARPGROUPS = 1, TOKENS = 16, STAGES = 4, SPLITS = 1, SHARE = 1 } }
  end,
  valid = function(p, w, device)
    return w.linear and p.SPLITS * p.SHARE <= 8 and p.TOKENS // p.SHARE >= 8
      and all_of(le(p.TOKENS, 4 * round_up(w.M, 16)), le(p.SPLITS * 64, 4 * round_up(w.K, 64)),
                 le(shared_bytes(p) + 1024, device.max_shared_bytes))
  end,
  steps = function(p, w, device)
    local function map(name, rows)
      return tensor_map { name, box = { rows, 64 }, swizzle = "128b", promotion = "256b" }
    end
    return { launch { entry = "gemm_narrow<$dtype,$out,$bias,$gelu,$silu,$other,$residual,$WARPGROUPS,$TOKENS,$STAGES,$SPLITS,$SHARE>",
                      grid = { p.SPLITS * p.SHARE * cdiv(w.M, p.TOKENS) * cdiv(w.N, 64 * p.WARPGROUPS * p.SHARE) },
                      cluster = { p.SPLITS * p.SHARE },
                      block = { 128 * p.WARPGROUPS + 32 }, shared = shared_bytes(p),
                      args = { map("a", p.TOKENS // p.SHARE), map("b", 64 * p.WARPGROUPS), "bias", "other", "residual", "d", i32(w.M),
                               i32(w.N), i32(w.K), i64(w.ldd) } } }
  end,
}
