-- The gradients of attention. Forward was o = P v with P = softmax(scale * q k^T, masked), head by head, and
-- lse = log(sum(exp(scale * q k^T))) of each row. Given d_o, the gradient of o, in the same layout:
--   P = exp(scale * q k^T - lse)      dP = d_o v^T      delta = sum over the columns of d_o * o, of each row
--   dS = P * (dP - delta)             d_v = P^T d_o     d_q = scale * dS k      d_k = scale * dS^T q
-- `causal` aligns the mask to the bottom right: query i sees key j iff j <= i + Sk - Sq. Query head h uses key/value head
-- h / (Hq / Hkv), whose gradients are sums over its query heads. A row that sees no key has lse = -inf, o = 0 and d_q = 0.
-- lse and o are what forward.cu computes from q, k and v: a gradient at any other lse and o would be no gradient.
-- With `deterministic` two runs must leave the same bits, so no sum may depend on who comes first.

-- A workload on its sizes, with the name that states them: seed_b2h8s65_f16_causal, gqa_b2h8kv2s96_f16.
local function workload(prefix, sizes, dtype, options)
  local w = { B = sizes.B, Hq = sizes.H, Hkv = sizes.Hkv or sizes.H, Sq = sizes.S, Sk = sizes.Sk or sizes.S, D = sizes.D or 64,
              dtype = dtype, causal = options.causal or false, deterministic = options.deterministic or false,
              sets = options.sets, devices = options.devices, weight = options.weight or 1 }
  w.name = prefix .. "_b" .. w.B .. "h" .. w.Hq
    .. (w.Hkv ~= w.Hq and "kv" .. w.Hkv or "") .. "s" .. w.Sq .. (w.Sk ~= w.Sq and "k" .. w.Sk or "")
    .. (w.D ~= 64 and "d" .. w.D or "") .. "_" .. dtype .. (w.causal and "_causal" or "") .. (w.deterministic and "_deterministic" or "")
  return w
end

local workloads = {}
local function add(...) workloads[#workloads + 1] = workload(...) end

-- What a CPU tries by default: seconds of emulation, one shape on the tile, one off it and masked, with shared heads.
add("quick", { B = 1, H = 2, S = 64 }, "f16", { sets = { "default" }, devices = { "cpu" } })
add("quick", { B = 1, H = 2, Hkv = 1, S = 65, D = 128 }, "bf16", { sets = { "default" }, devices = { "cpu" }, causal = true })

-- Long sequences, 16k tokens in all: bound by the tensor cores.
for _, S in ipairs { 2048, 4096, 8192, 16384 } do
  for _, causal in ipairs { false, true } do
    local of = causal and "long_causal" or "long_full"
    add("long", { B = 16384 // S, H = 16, S = S, D = 128 }, "bf16",
        { sets = { "long", of, S == 2048 and "default" or nil }, devices = { "cuda" }, causal = causal })
    add("long", { B = 16384 // S, H = 32, S = S }, "bf16", { sets = { "long", of }, devices = { "cuda" }, causal = causal })
    add("long", { B = 16384 // S, H = 16, S = S, D = 128 }, "bf16",
        { sets = { "deterministic" }, devices = { "cuda" }, causal = causal, deterministic = true })
  end
end

-- Heads of models at training lengths: 32 on 8 and 64 on 8 of 128 columns, and short batches of 12 of 64.
for _, causal in ipairs { false, true } do
  add("model", { B = 2, H = 32, Hkv = 8, S = 4096, D = 128 }, "bf16", { sets = { "models" }, devices = { "cuda" }, causal = causal })
  add("model", { B = 1, H = 64, Hkv = 8, S = 8192, D = 128 }, "bf16", { sets = { "models" }, devices = { "cuda" }, causal = causal })
  add("model", { B = 32, H = 12, S = 512 }, "f16", { sets = { "models" }, devices = { "cuda" }, causal = causal })
end

-- Below, at and above a tile, several tiles, for a CPU too.
for _, S in ipairs { 4, 63, 128, 200 } do
  add("seed", { B = 1, H = 2, S = S }, "f16", { sets = { "seeds" } })
  add("seed", { B = 1, H = 2, S = S, D = 128 }, "bf16", { sets = { "seeds" }, causal = true })
end
add("seed", { B = 1, H = 2, S = 129 }, "bf16", { sets = { "seeds" }, causal = true, deterministic = true })

-- Shared heads, also groups of three; lengths that differ, also more queries than keys: rows that see nothing.
add("gqa", { B = 2, H = 8, Hkv = 2, S = 96 }, "f16", { sets = { "shapes" }, causal = true })
add("gqa", { B = 1, H = 6, Hkv = 2, S = 70, D = 128 }, "bf16", { sets = { "shapes" } })
add("chunk", { B = 1, H = 2, S = 33, Sk = 161 }, "f16", { sets = { "shapes" }, causal = true })
add("chunk", { B = 1, H = 2, S = 150, Sk = 45 }, "bf16", { sets = { "shapes" }, causal = true, deterministic = true })
add("chunk", { B = 1, H = 2, S = 1, Sk = 300, D = 128 }, "f16", { sets = { "shapes" } })

-- Query-key pairs of one head that the mask lets through.
local function visible_pairs(w)
  if not w.causal then return w.Sq * w.Sk end
  local shift = w.Sk - w.Sq
  if shift < 0 then return w.Sk * (w.Sk + 1) / 2 end
  return w.Sq * (shift + 1) + w.Sq * (w.Sq - 1) / 2
end

-- Of forward.cu and reference.cu: a thread a row where there are few pairs, else blocks of 128 threads with 64 rows of a head.
local FEW_PAIRS = 2 ^ 22
local function threads_of(w, heads, rows)
  if w.B * w.Hq * w.Sq * w.Sk < FEW_PAIRS then return heads * rows end
  return 128 * heads * ((rows + 63) // 64)
end
local function query_threads(w) return threads_of(w, w.B * w.Hq, w.Sq) end
local function all_threads(w) return query_threads(w) + threads_of(w, w.B * w.Hkv, w.Sk) end

local ALIGN = 256  -- what CUDA's allocators give

local function of_queries(name) return { name, dtype = "$dtype", shape = { "B", "Hq", "Sq", "D" }, align = ALIGN } end
local function of_keys(name) return { name, dtype = "$dtype", shape = { "B", "Hkv", "Sk", "D" }, align = ALIGN } end
local function with(fields, name, value) fields[name] = value; return fields end

return kernel {
  contract = 1,
  name     = "attention_backward",
  summary  = "gradients of scaled dot-product attention: causal or not, GQA, optionally the same bits every time",
  domain   = {
    B = range(1, 65535), Hq = range(1, 128), Hkv = range(1, 128),
    Sq = range(1, 32768), Sk = range(2, 32768),  -- to one key every query gives all its weight: d_q and d_k would be 0
    D = one_of { 64, 128 },
    dtype = one_of { "f16", "bf16" }, causal = boolean(), deterministic = boolean(),
    -- Whole groups of query heads, tensors of at most 2^20 rows, and a grid's second extent for the heads of all batches.
    where = function(w)
      return all_of(divisible(w.Hq, w.Hkv), le(w.B * w.Hq, 65535), le(w.B * w.Hq * w.Sq, 1048576),
                    le(w.B * w.Hkv * w.Sk, 1048576))
    end,
  },
  workloads = workloads,
  arguments = {
    input  (with(of_queries "q", "gen", normal {})),
    input  (with(of_keys "k", "gen", normal {})),
    input  (with(of_keys "v", "gen", normal {})),
    input  { "lse", dtype = "f32", shape = { "B", "Hq", "Sq" }, align = ALIGN,
             gen = custom { source = "forward.cu", entry = "draw_lse<$dtype,$D,$causal>", of = { "q", "k" }, threads = query_threads } },
    input  (with(of_queries "o", "gen", custom { source = "forward.cu", entry = "draw_o<$dtype,$D,$causal>",
                                                 of = { "q", "k", "v", "lse" }, threads = query_threads })),
    input  (with(of_queries "d_o", "gen", normal {})),
    output (with(of_queries "d_q", "compare", relative {})),
    output (with(of_keys "d_k", "compare", relative {})),
    output (with(of_keys "d_v", "compare", relative {})),
    scalar { "scale", dtype = "f32", value = function(w) return w.D ^ -0.5 end },
  },
  deterministic = "deterministic",
  -- Where all of a row's weight is one key's, dP - delta is the difference of two equal sums, and the gradient is what
  -- their rounding leaves. At a hundredth of nominal it is below what fp16 holds.
  forms = { except = { "scaled 1e-2", "scaled 1e2", "large", "few spikes", "wide spikes", "lowered", "constant rows" },
            because = "gradients of a softmax with one key left or of equal values, or below what fp16 holds, are rounding alone" },
  reference = { source = "reference.cu", entry = "reference<$dtype,$D,$causal>", sizes = { "B", "Hq", "Hkv", "Sq", "Sk" },
                threads = all_threads },
  -- Five products of 2 flops a multiply-add, one exponential a visible pair. Queries that see nothing need not be read.
  -- Neither must o and lse be: delta is also the sum of P * dP over a row, which a block that has the whole row can form.
  work = function(w)
    local pairs_of_all = w.B * w.Hq * visible_pairs(w)
    local reading = w.causal and min(w.Sq, w.Sk) or w.Sq
    local elements = w.B * (w.Hq * (2 * reading + w.Sq) + 4 * w.Hkv * w.Sk) * w.D
    return { bytes = 2 * elements, flops = { [w.dtype] = 10 * pairs_of_all * w.D }, exps = pairs_of_all }
  end,
}
