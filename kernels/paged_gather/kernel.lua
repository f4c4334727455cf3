-- out[b, j, :] = pool[block_table[b, j / block], j % block, :] for j < lengths[b]; the rest of out stays untouched.
-- The read side of a paged KV cache: sequences of different lengths, in pages scattered over a pool.
local bytes_of = { f32 = 4, f16 = 2, bf16 = 2 }

-- Rows of all sequences: fixed, so that every draw is the same amount of work. Lengths lie around the middle.
local function all_rows(w) return w.B * (w.shortest + w.max_pages * w.block) // 2 end

return kernel {
  contract = 1,
  name     = "paged_gather",
  summary  = "gather ragged sequences out of a paged cache",
  domain   = {
    B = range(1, 256), max_pages = range(1, 128), block = one_of { 8, 16, 32 }, pages = range(4, 16384), N = range(1, 1024),
    shortest = range(1, 4096), dtype = one_of { "f16", "bf16", "f32" },
    -- No two sequences share a page: the pool has one for each.
    where = function(w)
      return all_of(le(w.B * w.max_pages, w.pages), le(w.shortest, w.max_pages * w.block),
                    le(w.pages * w.block * w.N, 268435456))
    end,
  },
  workloads = {
    { name = "b8l512n128_f16", B = 8, max_pages = 32, block = 16, pages = 512, N = 128, shortest = 256, dtype = "f16",
      sets = { "default" }, devices = { "cpu" } },
    { name = "b64l2048n1024_f16", B = 64, max_pages = 128, block = 16, pages = 8192, N = 1024, shortest = 1024, dtype = "f16",
      sets = { "large" }, devices = { "cuda" } },
    { name = "b64l2048n128_bf16", B = 64, max_pages = 128, block = 16, pages = 8192, N = 128, shortest = 1024, dtype = "bf16",
      sets = { "default" }, devices = { "cuda" } },
    { name = "b5l48n20_f32", B = 5, max_pages = 6, block = 8, pages = 64, N = 20, shortest = 1, dtype = "f32", sets = { "small" } },
    { name = "b3l64n33_bf16", B = 3, max_pages = 4, block = 16, pages = 16, N = 33, shortest = 1, dtype = "bf16", sets = { "small" } },
    { name = "b1l8n1_f16", B = 1, max_pages = 1, block = 8, pages = 4, N = 1, shortest = 1, dtype = "f16", sets = { "small" } },
  },
  arguments = {
    input  { "pool",        dtype = "$dtype", shape = { "pages", "block", "N" }, gen = normal {} },
    input  { "lengths",     dtype = "s32", shape = { "B" },
             gen = ragged { lo = "shortest", hi = function(w) return w.max_pages * w.block end, total = all_rows } },
    input  { "block_table", dtype = "s32", shape = { "B", "max_pages" },
             gen = block_table { lengths = "lengths", block = "block", blocks = "pages" } },
    output { "out",         dtype = "$dtype", shape = { "B", function(w) return w.max_pages * w.block end, "N" },
             valid_rows = "lengths", outside = "untouched", compare = exact {} },
  },
  reference = { source = "reference.cu", entry = "reference<$dtype>", sizes = { "B", "max_pages", "block", "N" },
                threads = function(w) return w.B * w.max_pages * w.block end },
  -- A row of the table is read before the rows that it leads to.
  work = function(w)
    local rows = all_rows(w)
    return { bytes = 2 * rows * w.N * bytes_of[w.dtype] + 4 * w.B + 4 * cdiv(rows, w.block), exps = 0, dependent = 1 }
  end,
}
