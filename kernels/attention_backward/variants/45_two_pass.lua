local KEY_BLOCK_M = 64  -- queries of a tile of the launch that holds keys

-- Bytes of KeyBlock without dS, and of the block that holds queries.
local function key_bytes(p, w) return 4 * w.D * 16 * p.WARPS + 2 * KEY_BLOCK_M * (4 * w.D + 8) end
local function query_bytes(p, w) return 4 * w.D * (16 * p.QUERY_WARPS + 2 * p.BLOCK_N) end

return variant {
  technique = "two-pass", risk = "medium", multi_kernel = true,
  -- seven products at the rate at which 40_mma does five, and no atomics
  estimate  = { speedup = { 15, 100 }, probability = 0.85, evaluations = 20 },
  requires  = { arch = ">=80" },
  params = {
    WARPS        = { values = { 4, 8 }, bind = "template" },       -- of the launch that holds keys, 16 keys each
    QUERY_WARPS  = { values = { 4, 8 }, bind = "template" },       -- of the launch that holds queries, 16 queries each
    BLOCK_N      = { values = { 32, 64, 128 }, bind = "template" },  -- keys of a tile of the latter
    BLOCKS       = { values = { 1, 2 }, bind = "template" },       -- of a multiprocessor, of either launch
    QUERY_BLOCKS = { values = { 1, 2, 3 }, bind = "template" },
  },
  start = { { WARPS = 8, QUERY_WARPS = 8, BLOCK_N = 64, BLOCKS = 1, QUERY_BLOCKS = 1 },
            { WARPS = 4, QUERY_WARPS = 4, BLOCK_N = 64, BLOCKS = 2, QUERY_BLOCKS = 2 } },
  valid = function(p, w, device)
    local function registers(warps, blocks) return min(255, 65536 // (32 * warps * blocks)) end
    local function fit(bytes, blocks)
      return all_of(le(blocks * (bytes + 1024), 233472), le(bytes, device.max_shared_bytes))
    end
    return all_of(
      p.WARPS * p.BLOCKS <= 16, p.QUERY_WARPS * p.QUERY_BLOCKS <= 16,
      le(w.D + KEY_BLOCK_M + KEY_BLOCK_M // 4 + 40, registers(p.WARPS, p.BLOCKS)),
      le(w.D // 2 + p.BLOCK_N + p.BLOCK_N // 4 + 40, registers(p.QUERY_WARPS, p.QUERY_BLOCKS)),
      fit(key_bytes(p, w), p.BLOCKS), fit(query_bytes(p, w), p.QUERY_BLOCKS))
  end,
  workspaces = function(p, w, device)
    local rows = w.B * w.Hq * round_up(w.Sq, 128)  -- whole tiles of either launch
    return {
      workspace { "lse_of_tiles", bytes = 4 * rows, align = 256, init = "dirty" },
      workspace { "deltas", bytes = 4 * rows, align = 256, init = "dirty" },
    }
  end,
  steps = function(p, w, device)
    local padded = round_up(w.Sq, 128)
    -- with nothing to clear, `sums` is not touched: any pointer serves
    local sizes = { i32(w.Hq), i32(w.Hkv), i32(w.Sq), i32(w.Sk), i32(padded), i32(w.causal) }
    return {
      launch { entry = "prepare<$dtype,$D,false>", grid = { cdiv(padded, 256 // (w.D // 8)), w.B * w.Hq }, block = { 256 },
               shared = 0, args = { "o", "d_o", "lse", "lse_of_tiles", "deltas", "deltas", i32(w.Sq), i32(padded) } },
      launch { entry = "backward_of_keys<$dtype,$D,$WARPS,64,$BLOCKS>", grid = { cdiv(w.Sk, 16 * p.WARPS), w.B * w.Hkv },
               block = { 32 * p.WARPS }, shared = key_bytes(p, w),
               args = { "q", "k", "v", "d_o", "lse_of_tiles", "deltas", "d_k", "d_v", "scale", table.unpack(sizes) } },
      launch { entry = "backward_of_queries<$dtype,$D,$QUERY_WARPS,$BLOCK_N,$QUERY_BLOCKS>",
               grid = { cdiv(w.Sq, 16 * p.QUERY_WARPS), w.B * w.Hq }, block = { 32 * p.QUERY_WARPS },
               shared = query_bytes(p, w),
               args = { "q", "k", "v", "d_o", "lse_of_tiles", "deltas", "d_q", "scale", table.unpack(sizes) } },
    }
  end,
}
