-- Bytes: the ring of slices, and where warps turn their sums.
local function shared_bytes(p)
  return p.STAGES * 128 * (64 * p.WARPGROUPS + p.TOKENS) + 4 * p.WARPGROUPS * p.TOKENS * 80
end

-- A block on each multiprocessor. Without a GPU the blocks of an H200 are counted, and fewer are run.
local function blocks_of(device) return device.kind == "cpu" and 132 or device.multiprocessors end

return variant {
  technique = "narrow-stream-k", risk = "high",
  -- Over 60_narrow: the share of multiprocessors that have nothing to read, or less. 16 x 6144 x 4096: 15.4 to 14 us;
  -- 64 x 4096 x 4096: 14.0 to 12; nothing below 8 us.
  estimate  = function(w)
    local narrow = w.M <= 128
    return { speedup = narrow and { 10, 220 } or { 10, 150 }, probability = 0.85, evaluations = narrow and 20 or 5 }
  end,
  requires  = { arch = ">=90a" },
  params = {
    WARPGROUPS = { values = { 1, 2 }, bind = "template" },             -- times 64 columns of d
    TOKENS     = { values = { 16, 32, 64, 96, 128 }, bind = "template" },  -- rows of d
    STAGES     = { values = { 4, 6, 8, 12, 16 }, bind = "template" },
    MOST       = { values = { 2, 4, 8 }, bind = "scalar" },            -- pieces of a tile
  },
  -- All rows in one tile. Tiles of 128 columns read slices of a half as often; but few tiles are many pieces of each,
  -- and who ends one adds up piece after piece.
  start = function(w)
    local tokens = w.M <= 16 and 16 or w.M <= 32 and 32 or w.M <= 64 and 64 or w.M <= 96 and 96 or 128
    local one = { WARPGROUPS = 1, TOKENS = tokens, STAGES = tokens <= 16 and 12 or tokens <= 64 and 8 or 6, MOST = 4 }
    local two = { WARPGROUPS = 2, TOKENS = tokens, STAGES = tokens <= 32 and 8 or tokens <= 64 and 6 or 4, MOST = 4 }
    local small = { WARPGROUPS = 1, TOKENS = 16, STAGES = 4, MOST = 2 }
    if w.N < 8192 then return { one, two, small } end
    return { two, one, small }
  end,
  valid = function(p, w, device)
    return w.linear and all_of(le(w.M, 512), le(p.TOKENS, 4 * round_up(w.M, 16)), le(64 * p.WARPGROUPS, round_up(w.N, 64)),
                               le(shared_bytes(p) + 1024, device.max_shared_bytes))
  end,
  workspaces = function(p, w, device)
    local blocks, warps = blocks_of(device), 4 * p.WARPGROUPS
    return {
      workspace { "partial_sums", bytes = 2 * blocks * warps * 64 * p.TOKENS, align = 256, init = "dirty" },
      workspace { "counters", bytes = 4 * blocks * warps, align = 256, init = "zeroed" },
    }
  end,
  steps = function(p, w, device)
    local function map(name, rows)
      return tensor_map { name, box = { rows, 64 }, swizzle = "128b", promotion = "256b" }
    end
    local tiles = cdiv(w.M, p.TOKENS) * cdiv(w.N, 64 * p.WARPGROUPS)
    return { launch { entry = "gemm_shared_line<$dtype,$out,$bias,$gelu,$silu,$other,$residual,$WARPGROUPS,$TOKENS,$STAGES>",
                      grid = { min(blocks_of(device), p.MOST * tiles) }, resident = 1,
                      block = { 128 * p.WARPGROUPS + 32 }, shared = shared_bytes(p),
                      args = { map("a", p.TOKENS), map("b", 64 * p.WARPGROUPS), "bias", "other", "residual", "d",
                               "partial_sums", "counters", i32(w.M), i32(w.N), i32(w.K), i64(w.ldd), i32(p.MOST) } } }
  end,
}
