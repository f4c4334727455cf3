-- What the scripts of this project may use: the sandbox's globals and nothing else.
std = {
  read_globals = {
    "_G", "_VERSION", "assert", "error", "getmetatable", "ipairs", "next", "pairs", "pcall", "print", "rawequal", "rawget",
    "rawlen", "rawset", "select", "setmetatable", "tonumber", "tostring", "type", "xpcall",
    math = { other_fields = true }, string = { other_fields = true }, table = { other_fields = true },
    utf8 = { other_fields = true },
  },
}
max_line_length = 160
self = false

files["strategies/"] = { read_globals = { "strategy", "rule", "search", "use" } }
files["strategies/api.lua"] = { ignore = { "111", "112", "113", "121", "131", "211", "212", "241" } }
files["kernels/"] = {
  ignore = { "212" },   -- constraints and steps name all their arguments: p, w, device
  read_globals = {
    "kernel", "variant",                                              -- what a manifest returns
    "input", "output", "inout", "scalar", "struct", "view", "pointers", "tensor_map", "workspace",
    "launch", "stage", "memset", "library", "i32", "i64", "u32", "f32", "f64", -- steps
    "range", "multiples_of", "one_of", "boolean", "sum_of",           -- domains and derived sizes
    "normal", "uniform", "integers", "permutation", "ragged", "prefix_sum", "block_table", "routing", "mask", "constant", "custom",
    "relative", "ulp", "exact", "quantized", "set",                   -- comparisons
    "cdiv", "round_up", "min", "max", "select", "eq", "ne", "lt", "le", "divisible", "all_of", "any_of", "none_of",
  },
}
