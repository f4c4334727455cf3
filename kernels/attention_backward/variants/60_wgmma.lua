local KEYS = 128  -- of a block

-- Bytes of Shared: K and V, a ring of Q, dO and two floats a query, two buffers of dS, with BULK pieces of d_q.
local function shared_bytes(p, w)
  return 4 * w.D * (KEYS + p.STAGES * p.BLOCK_M) + 4 * p.BLOCK_M * KEYS + 8 * p.STAGES * p.BLOCK_M + 32768 * p.BULK
end

return variant {
  technique = "warp-specialization", risk = "high", multi_kernel = true,
  -- 40_mma at twice the rate: wgmma reads shared memory by itself, and copies cost no warp an instruction
  estimate  = { speedup = { 40, 250 }, probability = 0.6, evaluations = 20 },
  requires  = { arch = ">=90a" },
  params = {
    BLOCK_M = { values = { 64, 128 }, bind = "template" },  -- queries of a tile
    STAGES  = { values = { 2, 3 }, bind = "template" },     -- tiles of Q and dO
    LONGEST = { values = { 0, 1 }, bind = "template" },     -- order of the blocks, 1: the longest first, heads side by side
    ORDERED = { values = { 0, 1 }, bind = "template" },     -- 1: the same bits every time
    BULK    = { values = { 0, 1 }, bind = "template" },     -- 1: bulk copies add to d_q
  },
  start = { { STAGES = 2, LONGEST = 0, ORDERED = 0, BULK = 1 }, { STAGES = 2, LONGEST = 0, ORDERED = 0, BULK = 0 },
            { STAGES = 2, LONGEST = 1, ORDERED = 0, BULK = 1 }, { STAGES = 2, LONGEST = 0, ORDERED = 1, BULK = 0 } },
  valid = function(p, w, device)
    -- two pieces of 64 x 64 of d_q for two warpgroups
    return p.LONGEST + p.ORDERED < 2 and p.BULK + p.ORDERED < 2 and all_of(p.ORDERED == 1 or not w.deterministic, p.ORDERED == 0 or w.deterministic,
                  eq(p.BLOCK_M * w.D, 8192),
                  le(shared_bytes(p, w) + 1024, device.max_shared_bytes))
  end,
  workspaces = function(p, w, device)
    local rows = w.B * w.Hq * round_up(w.Sq, p.BLOCK_M)
    return {
      workspace { "lse_of_tiles", bytes = 4 * rows, align = 256, init = "dirty" },
      workspace { "deltas", bytes = 4 * rows, align = 256, init = "dirty" },
      workspace { "sums", bytes = 4 * rows * w.D, align = 256, init = "dirty" },
      workspace { "turns", bytes = p.ORDERED == 1 and 8 * rows // p.BLOCK_M or 8, align = 256, init = "zeroed" },
    }
  end,
  steps = function(p, w, device)
    local padded, heads = round_up(w.Sq, p.BLOCK_M), w.B * w.Hq
    local rows = 256 // (w.D // 8)  -- of a block of the small launches
    local tiles, kv_heads = cdiv(w.Sk, KEYS), w.B * w.Hkv
    local function map(name, extent)
      return tensor_map { name, box = { 1, 1, extent, 64 }, swizzle = "128b", promotion = "256b" }
    end
    return {
      launch { entry = "prepare<$dtype,$D,true>", grid = { cdiv(padded, rows), heads }, block = { 256 }, shared = 0,
               args = { "o", "d_o", "lse", "lse_of_tiles", "deltas", "sums", i32(w.Sq), i32(padded) } },
      launch { entry = "backward<$dtype,$D,$BLOCK_M,$STAGES,$LONGEST,$ORDERED,$BULK>",
               grid = p.LONGEST == 1 and { kv_heads, tiles } or { tiles, kv_heads }, block = { 384 },
               shared = shared_bytes(p, w),
               args = { map("q", p.BLOCK_M), map("k", KEYS), map("v", KEYS), map("d_o", p.BLOCK_M), "lse_of_tiles",
                        "deltas", "sums", "turns", "d_k", "d_v", "scale", i32(w.Hq), i32(w.Hkv), i32(w.Sq), i32(w.Sk), i32(padded),
                        i32(w.causal) } },
      launch { entry = p.BULK == 1 and "finish_pieces<$dtype,$D,$BLOCK_M>" or "finish<$dtype,$D>",
               grid = { p.BULK == 1 and 2 * (padded // p.BLOCK_M) or cdiv(w.Sq, rows), heads }, block = { 256 }, shared = 0,
               args = { "sums", "d_q", "scale", i32(w.Sq), i32(padded) } },
    }
  end,
}
