-- o = softmax(scale * q k^T, masked) v, head by head. `causal` aligns the mask to the bottom right: query i sees key j iff
-- j <= i + Sk - Sq. Query head h uses key/value head h / (Hq / Hkv) (GQA). A row that sees no key gives 0, and lse -inf.

-- A workload on its sizes, with the name that states them: seed_b2h8s65_f16_causal, gqa_b2h8kv2s96_f16.
local function workload(prefix, sizes, dtype, options)
  local w = { B = sizes.B, Hq = sizes.H, Hkv = sizes.Hkv or sizes.H, Sq = sizes.S, Sk = sizes.Sk or sizes.S, D = sizes.D or 64,
              dtype = dtype, causal = options.causal or false, lse = options.lse or false,
              sets = options.sets, devices = options.devices, weight = options.weight or 1 }
  w.name = prefix .. "_b" .. w.B .. "h" .. w.Hq
    .. (w.Hkv ~= w.Hq and "kv" .. w.Hkv or "") .. "s" .. w.Sq .. (w.Sk ~= w.Sq and "k" .. w.Sk or "")
    .. (w.D ~= 64 and "d" .. w.D or "") .. "_" .. dtype .. (w.causal and "_causal" or "") .. (w.lse and "_lse" or "")
  return w
end

local workloads = {}
local function add(...) workloads[#workloads + 1] = workload(...) end

-- One head: as little parallelism as there can be.
add("seed", { B = 1, H = 1, S = 128 }, "f16", { sets = { "headline", "default" } })
add("seed", { B = 1, H = 1, S = 512 }, "f16", { sets = { "headline", "default" }, devices = { "cuda" } })
add("seed", { B = 1, H = 1, S = 128 }, "bf16", { sets = { "headline" } })
add("seed", { B = 1, H = 1, S = 512 }, "bf16", { sets = { "headline" } })

-- Below, at and just above a tile of 64 keys, and several tiles. The big one is timed by default on a GPU only.
for _, S in ipairs { 4, 64, 65, 128, 192, 256 } do
  add("seed", { B = 2, H = 8, S = S }, "f16", { sets = { "seeds" } })
  add("seed", { B = 2, H = 8, S = S }, "bf16", { sets = { "seeds" } })
end
add("seed", { B = 2, H = 8, S = 512 }, "f16", { sets = { "seeds", "default" }, devices = { "cuda" } })
add("seed", { B = 2, H = 8, S = 512 }, "bf16", { sets = { "seeds" } })
for _, S in ipairs { 4, 65, 256 } do
  add("seed", { B = 2, H = 8, S = S }, "f16", { sets = { "seeds", "causal" }, causal = true })
end
add("seed", { B = 2, H = 8, S = 65 }, "bf16", { sets = { "seeds", "causal" }, causal = true })

-- Enough heads to fill a device.
add("batch", { B = 32, H = 8, S = 128 }, "f16", { sets = { "batch", "default" }, devices = { "cuda" } })
add("batch", { B = 32, H = 8, S = 128 }, "bf16", { sets = { "batch" } })

-- Long sequences, 16k tokens in all: bound by the tensor cores.
for _, S in ipairs { 2048, 4096, 8192, 16384 } do
  for _, causal in ipairs { false, true } do
    local function long(H, D)
      local sets = { "long", causal and "long_causal" or "long_full" }
      if S == 8192 and D == 128 and not causal then sets[#sets + 1] = "default" end
      add("long", { B = 16384 // S, H = H, S = S, D = D }, "bf16", { sets = sets, devices = { "cuda" }, causal = causal })
    end
    long(16, 128)
    long(32, 64)
  end
end

-- Shared key/value heads, unequal lengths (also more queries than keys: rows that see nothing), the optional output, D = 128.
add("gqa", { B = 2, H = 8, Hkv = 2, S = 96 }, "f16", { sets = { "gqa" } })
add("gqa", { B = 2, H = 8, Hkv = 2, S = 96 }, "bf16", { sets = { "gqa" }, causal = true, lse = true })
add("chunk", { B = 1, H = 4, S = 33, Sk = 161 }, "f16", { sets = { "shapes", "causal" }, causal = true })
add("chunk", { B = 1, H = 4, S = 80, Sk = 45 }, "f16", { sets = { "shapes", "causal" }, causal = true })
add("chunk", { B = 1, H = 2, S = 1, Sk = 300 }, "bf16", { sets = { "shapes" } })
add("shape", { B = 1, H = 4, S = 100 }, "f16", { sets = { "shapes" }, lse = true })
add("wide", { B = 1, H = 4, S = 97, D = 128 }, "f16", { sets = { "shapes" } })
add("wide", { B = 1, H = 4, S = 97, D = 128 }, "bf16", { sets = { "shapes", "causal" }, causal = true })

-- Widths that are no multiple of 64, or wider than 128: with and without a mask, with shared heads, one new token.
add("width", { B = 1, H = 3, Hkv = 1, S = 70, D = 72 }, "bf16", { sets = { "widths", "causal" }, causal = true })
add("width", { B = 1, H = 2, S = 65, D = 80 }, "bf16", { sets = { "widths" } })
add("width", { B = 1, H = 3, S = 40, Sk = 77, D = 80 }, "f16", { sets = { "widths", "causal" }, causal = true, lse = true })
add("width", { B = 1, H = 2, S = 97, D = 96 }, "f16", { sets = { "widths" } })
add("width", { B = 2, H = 2, S = 65, D = 96 }, "bf16", { sets = { "widths", "causal" }, causal = true, lse = true })
add("width", { B = 1, H = 6, Hkv = 2, S = 1, Sk = 200, D = 96 }, "f16", { sets = { "widths" } })
add("width", { B = 1, H = 2, S = 40, D = 256 }, "bf16", { sets = { "widths" } })
add("width", { B = 1, H = 1, S = 65, D = 256 }, "f16", { sets = { "widths", "causal" }, causal = true, lse = true })

-- Heads that are no power of two, in groups that are none: small, and one new token of a model with 24 heads on 8.
add("heads", { B = 1, H = 12, S = 40 }, "f16", { sets = { "heads" } })
add("heads", { B = 1, H = 20, Hkv = 4, S = 33 }, "bf16", { sets = { "heads", "causal" }, causal = true })
add("heads", { B = 1, H = 24, Hkv = 8, S = 1, Sk = 130, D = 128 }, "f16", { sets = { "heads" } })

-- One new token for each sequence: bytes of keys and values over bandwidth. The small one is for a CPU too.
add("decode", { B = 1, H = 8, S = 1, Sk = 8192, D = 128 }, "bf16", { sets = { "decode" }, devices = { "cuda" } })
add("decode", { B = 16, H = 8, S = 1, Sk = 8192, D = 128 }, "bf16", { sets = { "decode" }, devices = { "cuda" } })
add("decode", { B = 4, H = 32, Hkv = 8, S = 1, Sk = 8192, D = 128 }, "bf16", { sets = { "decode" }, devices = { "cuda" } })
add("decode", { B = 1, H = 8, Hkv = 2, S = 1, Sk = 200 }, "f16", { sets = { "decode" }, lse = true })

-- What a CPU tries by default: seconds of emulation, one shape off the tile, one masked.
add("quick", { B = 1, H = 2, S = 64 }, "f16", { sets = { "default" }, devices = { "cpu" } })
add("quick", { B = 1, H = 2, S = 65 }, "bf16", { sets = { "default" }, devices = { "cpu" }, causal = true })

-- Query-key pairs of one head that the mask lets through.
local function visible_pairs(w)
  if not w.causal then return w.Sq * w.Sk end
  local shift = w.Sk - w.Sq
  if shift < 0 then return w.Sk * (w.Sk + 1) / 2 end
  return w.Sq * (shift + 1) + w.Sq * (w.Sq - 1) / 2
end

-- Of reference.cu: a thread a row; where there are many rows, blocks of 128 threads that take 64 rows of a head together.
local MANY_ROWS = 65536
local function reference_threads(w)
  if w.B * w.Hq * w.Sq < MANY_ROWS then return w.B * w.Hq * w.Sq end
  return 128 * w.B * w.Hq * ((w.Sq + 63) // 64)
end

-- What CUDA's allocators give. With less, a row of 128 bytes lies in five sectors of memory instead of four.
local ALIGN = 256

return kernel {
  contract = 1,
  name     = "attention",
  summary  = "scaled dot-product attention, forward: causal or not, GQA, optional log-sum-exp",
  domain   = {
    B = range(1, 65535), Hq = range(1, 128), Hkv = range(1, 128),
    Sq = range(1, 32768), Sk = range(1, 32768), D = one_of { 32, 40, 48, 64, 72, 80, 96, 112, 128, 160, 192, 256 },
    dtype = one_of { "f16", "bf16" }, causal = boolean(), lse = boolean(),
    -- Whole groups of query heads, tensors of at most 2^20 rows, and a grid's second extent for the heads of all batches.
    where = function(w)
      return all_of(divisible(w.Hq, w.Hkv), le(w.B * w.Hkv, 65535), le(w.B * w.Hq * w.Sq, 1048576),
                    le(w.B * w.Hkv * w.Sk, 1048576))
    end,
  },
  workloads = workloads,
  arguments = {
    input  { "q",     dtype = "$dtype", shape = { "B", "Hq",  "Sq", "D" }, align = ALIGN, gen = normal {} },
    input  { "k",     dtype = "$dtype", shape = { "B", "Hkv", "Sk", "D" }, align = ALIGN, gen = normal {} },
    input  { "v",     dtype = "$dtype", shape = { "B", "Hkv", "Sk", "D" }, align = ALIGN, gen = normal {} },
    output { "o",     dtype = "$dtype", shape = { "B", "Hq",  "Sq", "D" }, align = ALIGN, compare = relative {} },
    output { "lse",   dtype = "f32",    shape = { "B", "Hq",  "Sq" }, align = ALIGN, optional = true, present = "lse", compare = relative {} },
    scalar { "scale", dtype = "f32",    value = function(w) return w.D ^ -0.5 end },
  },
  -- Each layer calls it once in a pass. A chunk is the last 512 tokens of a prompt.
  models = function(m, q)
    local function calls(Sq, Sk, causal, layers)
      return { { B = q.batch, Hq = m.heads, Hkv = m.kv_heads, Sq = Sq, Sk = Sk, D = m.head_dim, dtype = m.dtype,
                 causal = causal, lse = false, weight = layers } }
    end
    if q.phase == "decode" then return calls(1, q.context, false, m.layers) end
    if q.phase == "encoder" then return calls(q.context, q.context, false, m.layers) end
    if q.phase == "cross" then return calls(m.cross_queries, q.context, false, m.cross_layers) end
    return calls(q.phase == "chunk" and min(512, q.context) or q.context, q.context, true, m.layers)
  end,
  accept = {
    ["sum > 0 ?"] = "the sum of a row that sees a key has the term exp(0) of its largest score; variants that are not "
      .. "valid for rows without keys ask all the same",
  },
  reference = { source = "reference.cu", entry = "reference<$dtype,$causal>", sizes = { "B", "Hq", "Hkv", "Sq", "Sk", "D" },
                threads = reference_threads },
  -- 2 flops a multiply-add, two products, one exponential a visible pair. Queries that see nothing need not be read.
  work = function(w)
    local pairs_of_all = w.B * w.Hq * visible_pairs(w)
    local reading = w.causal and min(w.Sq, w.Sk) or w.Sq
    local elements = w.B * (w.Hq * (reading + w.Sq) + 2 * w.Hkv * w.Sk) * w.D
    return { bytes = 2 * elements + (w.lse and 4 * w.B * w.Hq * w.Sq or 0),
             flops = { [w.dtype] = 4 * pairs_of_all * w.D }, exps = pairs_of_all }
  end,
}
