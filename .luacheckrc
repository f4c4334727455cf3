-- What the scripts of this project may use: the sandbox's globals and nothing else.
std = {
  read_globals = {
    "_G", "_VERSION", "assert", "error", "getmetatable", "ipairs", "next", "pairs", "pcall", "print", "rawequal", "rawget",
    "rawlen", "rawset", "select", "setmetatable", "tonumber", "tostring", "type", "xpcall",
    math = { other_fields = true }, string = { other_fields = true }, table = { other_fields = true },
    utf8 = { other_fields = true },
  },
}
max_line_length = 130

files["strategies/"] = { read_globals = { "strategy", "rule", "search", "use" } }
files["strategies/api.lua"] = { ignore = { "111", "112", "113", "121", "131", "211", "212", "241" } }
files["kernels/"] = {
  read_globals = {
    "kernel", "variant",                                                                    -- what a manifest returns
    "input", "output", "inout", "scalar", "structure", "view", "pointers", "tensor_map", "workspace", "optional",
    "launch", "memset", "library", "range", "multiples_of", "sum",
    "normal", "uniform", "integers", "permutation", "ragged", "prefix_sum", "block_table", "routing", "mask", "custom",
    "relative", "ulp", "exact", "quantized", "set",
    "i8", "u8", "i16", "u16", "i32", "u32", "i64", "u64", "f16", "bf16", "f32", "f64", "s8", "s16", "s32", "s64", "b8",
    "cdiv", "round_up", "min", "max", "select", "eq", "ne", "lt", "le", "gt", "ge", "divisible", "all_of", "any_of", "none_of",
  },
}
