-- One new token of each sequence attends to all keys of its own, which lie in pages: o = softmax(scale q k^T) v.
-- Key j of sequence b is row j % block of page page_table[b, j / block]. Query head h reads key and value head
-- h / (Hq / Hkv) (GQA). The step of decoding in servers that keep their keys in a paged cache.

-- Keys of all sequences: fixed, so that every draw is the same amount of work. Lengths lie around the middle.
local function all_keys(w) return w.B * (w.shortest + w.max_pages * w.block) // 2 end

local workloads = {}
local function add(prefix, sizes, dtype, sets, devices)
  local w = { B = sizes.B, Hq = sizes.H, Hkv = sizes.Hkv or sizes.H, D = sizes.D, block = sizes.block, max_pages = sizes.max_pages,
              pages = sizes.pages or sizes.B * sizes.max_pages, shortest = sizes.shortest, dtype = dtype, sets = sets, devices = devices }
  w.name = prefix .. "_b" .. w.B .. "h" .. w.Hq .. (w.Hkv ~= w.Hq and "kv" .. w.Hkv or "") .. "l" .. w.max_pages * w.block
    .. (w.D ~= 64 and "d" .. w.D or "") .. "p" .. w.block .. "_" .. dtype
  workloads[#workloads + 1] = w
end

-- Many sequences of a model with 32 heads on 8; few of them; and one long one, where only splitting fills a device.
add("serve", { B = 32, H = 32, Hkv = 8, D = 128, block = 16, max_pages = 256, shortest = 1024 }, "bf16", { "default" }, { "cuda" })
add("few", { B = 4, H = 32, Hkv = 8, D = 128, block = 16, max_pages = 512, shortest = 4096 }, "bf16", { "default" }, { "cuda" })
add("one", { B = 1, H = 8, D = 128, block = 32, max_pages = 512, shortest = 16384 }, "f16", { "default" }, { "cuda" })
add("serve", { B = 64, H = 16, D = 64, block = 16, max_pages = 128, shortest = 512 }, "f16", { "large" }, { "cuda" })

-- Seconds of emulation; in the second no length needs to fill a page.
add("quick", { B = 2, H = 4, Hkv = 2, D = 64, block = 16, max_pages = 8, pages = 20, shortest = 90 }, "f16", { "default" }, { "cpu" })
add("quick", { B = 3, H = 2, D = 128, block = 8, max_pages = 6, shortest = 1 }, "bf16", { "default" }, { "cpu" })
add("small", { B = 1, H = 1, D = 64, block = 8, max_pages = 1, pages = 4, shortest = 1 }, "f16", { "small" })
add("small", { B = 2, H = 8, Hkv = 1, D = 64, block = 32, max_pages = 3, shortest = 33 }, "bf16", { "small" })
add("small", { B = 2, H = 6, Hkv = 2, D = 128, block = 16, max_pages = 4, pages = 11, shortest = 17 }, "f16", { "small" })

return kernel {
  contract = 1,
  name     = "paged_decode",
  summary  = "attention of one new token a sequence, keys and values in pages",
  domain   = {
    B = range(1, 256), Hq = range(1, 64), Hkv = range(1, 64), D = one_of { 64, 128 }, block = one_of { 8, 16, 32 },
    max_pages = range(1, 1024), pages = range(1, 16384), shortest = range(1, 32768), dtype = one_of { "f16", "bf16" },
    -- No two sequences share a page: the pool has one for each.
    where = function(w)
      return all_of(divisible(w.Hq, w.Hkv), le(w.B * w.max_pages, w.pages), le(w.shortest, w.max_pages * w.block),
                    le(w.pages * w.block * w.Hkv * w.D, 268435456))
    end,
  },
  workloads = workloads,
  arguments = {
    input  { "q",          dtype = "$dtype", shape = { "B", "Hq", "D" }, align = 256, gen = normal {} },
    input  { "k_pages",    dtype = "$dtype", shape = { "pages", "block", "Hkv", "D" }, align = 256, gen = normal {} },
    input  { "v_pages",    dtype = "$dtype", shape = { "pages", "block", "Hkv", "D" }, align = 256, gen = normal {} },
    input  { "lengths",    dtype = "s32", shape = { "B" },
             gen = ragged { lo = "shortest", hi = function(w) return w.max_pages * w.block end, total = all_keys } },
    input  { "page_table", dtype = "s32", shape = { "B", "max_pages" },
             gen = block_table { lengths = "lengths", block = "block", blocks = "pages" } },
    output { "o",          dtype = "$dtype", shape = { "B", "Hq", "D" }, align = 256, compare = relative {} },
    scalar { "scale",      dtype = "f32", value = function(w) return w.D ^ -0.5 end },
  },
  -- Each layer of a decoder calls it once a token, on pages of 16.
  models = function(m, q)
    if q.phase ~= "decode" then return {} end
    local pages = cdiv(q.context, 16)
    return { { B = q.batch, Hq = m.heads, Hkv = m.kv_heads, D = m.head_dim, block = 16, max_pages = pages,
               pages = q.batch * pages, shortest = q.context, dtype = m.dtype, weight = m.layers } }
  end,
  reference = { source = "reference.cu", entry = "reference<$dtype>", sizes = { "B", "Hq", "Hkv", "D", "block", "max_pages" },
                threads = function(w) return w.B * w.Hq end },
  -- Two flops a multiply-add, two products. A length or a row of the table is read before what it leads to.
  work = function(w)
    local keys = all_keys(w)
    return { bytes = 4 * keys * w.Hkv * w.D + 4 * w.B * w.Hq * w.D + 4 * w.B + 4 * cdiv(keys, w.block),
             flops = { [w.dtype] = 4 * keys * w.Hq * w.D }, exps = keys * w.Hq, dependent = 1 }
  end,
}
