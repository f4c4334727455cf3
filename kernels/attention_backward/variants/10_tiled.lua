local ROWS = 64  -- of a tile

-- Bytes of Shared: four tiles of padded rows, and P or dS in fp32.
local function shared_bytes(w) return 4 * ROWS * 2 * (w.D + 8) + 4 * ROWS * (ROWS + 4) end

return variant {
  technique = "tiling", risk = "low", multi_kernel = true,
  -- four multiply-adds for each element from shared memory, where 00_naive has a shuffle for every five
  estimate  = { speedup = { 2, 8 }, probability = 0.9, evaluations = 3 },
  params    = { BLOCKS = { values = { 1, 2 }, bind = "template" } },  -- of a multiprocessor, which bounds the registers
  valid     = function(p, w, device)
    return all_of(le(p.BLOCKS * (shared_bytes(w) + 1024), 233472), le(shared_bytes(w), device.max_shared_bytes))
  end,
  workspaces = function(p, w, device)
    local rows = w.B * w.Hq * round_up(w.Sq, ROWS)
    return {
      workspace { "lse_of_tiles", bytes = 4 * rows, align = 256, init = "dirty" },
      workspace { "deltas", bytes = 4 * rows, align = 256, init = "dirty" },
    }
  end,
  steps = function(p, w, device)
    local padded = round_up(w.Sq, ROWS)
    -- pointers that a launch does not touch are any pointer
    local function walk(holds_keys, rows, heads, first, second)
      return launch { entry = "backward<$dtype,$D," .. holds_keys .. ",$BLOCKS>", grid = { cdiv(rows, ROWS), w.B * heads },
                      block = { 256 }, shared = shared_bytes(w),
                      args = { "q", "k", "v", "d_o", "lse_of_tiles", "deltas", first, second, "scale", i32(w.Hq), i32(w.Hkv),
                               i32(w.Sq), i32(w.Sk), i32(padded), i32(w.causal) } }
    end
    return {
      launch { entry = "prepare<$dtype,$D,false>", grid = { cdiv(padded, 256 // (w.D // 8)), w.B * w.Hq }, block = { 256 },
               shared = 0, args = { "o", "d_o", "lse", "lse_of_tiles", "deltas", "deltas", i32(w.Sq), i32(padded) } },
      walk("true", w.Sk, w.Hkv, "d_k", "d_v"),
      walk("false", w.Sq, w.Hq, "d_q", "d_q"),
    }
  end,
}
