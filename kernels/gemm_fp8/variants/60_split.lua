-- Bytes: the ring of slices, or the sums, which come after it in the same place.
local function shared_bytes(p)
  return max(p.STAGES * 128 * (64 * p.WARPGROUPS + 128), 4 * 64 * p.WARPGROUPS * 132)
end

return variant {
  technique = "split-k", risk = "high",
  estimate  = function(w) return { speedup = w.M <= 256 and { 100, 2000 } or { 50, 500 }, probability = 0.8, evaluations = 15 } end,
  requires  = { arch = ">=90a" },
  params = {
    WARPGROUPS = { values = { 1, 2 }, bind = "template" },          -- times 64 rows of d
    STAGES     = { values = { 3, 4, 6, 8 }, bind = "template" },
    SPLITS     = { values = { 1, 2, 4, 8 }, bind = "template" },    -- blocks of a cluster, which share K
  },
  -- So many blocks that most multiprocessors have one or two, and each has a few slices.
  start = function(w)
    local warpgroups = w.M > 64 and 2 or 1
    local tiles = cdiv(w.M, 64 * warpgroups) * cdiv(w.N, 128)
    local splits = tiles >= 128 and 1 or tiles >= 64 and 2 or tiles >= 32 and 4 or 8
    while splits > 1 and splits * 384 > w.K do splits = splits // 2 end
    return { { WARPGROUPS = warpgroups, STAGES = 6, SPLITS = splits }, { WARPGROUPS = warpgroups, STAGES = 3, SPLITS = splits },
             { WARPGROUPS = 1, STAGES = 4, SPLITS = 1 } }
  end,
  valid = function(p, w, device)
    return all_of(le(shared_bytes(p) + 1024, device.max_shared_bytes), le(64 * p.WARPGROUPS, round_up(w.M, 64)),
                  le(128 * p.SPLITS, w.K))
  end,
  steps = function(p, w, device)
    local function map(name, rows) return tensor_map { name, box = { rows, 128 }, swizzle = "128b", promotion = "256b" } end
    return { launch { entry = "gemm_fp8_split<$WARPGROUPS,$STAGES,$SPLITS>",
                      grid = { p.SPLITS * cdiv(w.M, 64 * p.WARPGROUPS) * cdiv(w.N, 128) }, cluster = { p.SPLITS },
                      block = { 128 * p.WARPGROUPS + 32 }, shared = shared_bytes(p),
                      args = { map("a", 64 * p.WARPGROUPS), map("b", 128), "a_scale", "b_scale", "d", i32(w.M), i32(w.N),
                               i32(w.K) } } }
  end,
}
