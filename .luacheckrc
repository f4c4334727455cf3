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

-- Generators are declared in one place: each row of that table begins with a name.
local generators = {}
for line in io.lines("harness/core/generators.cpp") do table.insert(generators, line:match('{%.name = "([%w_]+)"')) end

local manifest = {
  "kernel", "variant", "rival", "baseline",                                    -- what a manifest returns
  "input", "output", "inout", "scalar", "struct", "view", "pointers", "tensor_map", "workspace",
  "launch", "stage", "memset", "library", "i32", "i64", "u32", "f32", "f64", -- steps
  "range", "multiples_of", "one_of", "boolean", "sum_of",           -- domains and derived sizes
  "relative", "ulp", "exact", "quantized", "set", "custom",         -- comparisons
  "cdiv", "round_up", "min", "max", "select", "eq", "ne", "lt", "le", "divisible", "all_of", "any_of", "none_of",
}
for _, name in ipairs(generators) do table.insert(manifest, name) end
local declarations = { "strategy", "rule", "search", "diagnosis", "use" }

files["strategies/"] = { read_globals = declarations }
files["bench/strategies/"] = { read_globals = declarations }
files["strategies/api.lua"] = { ignore = { "111", "112", "113", "121", "131", "211", "212", "241" } }
files["kernels/"] = {
  ignore = { "212" },   -- constraints and steps name all their arguments: p, w, device
  read_globals = manifest,
}
files["bench/agents/kernels/"] = { ignore = { "212", "631" }, read_globals = manifest }   -- as adopt writes them
files["gpus/"] = { read_globals = { "gpu" } }
files["models/"] = { read_globals = { "model" } }
files["playbook/"] = { read_globals = { "pattern" } }
files["harness/script/strategy/"] = { globals = { "strategy", "rule", "search", "pattern", "diagnosis" }, read_globals = { "use" } }
for _, name in ipairs { "kernel", "variant" } do files["harness/service/templates/" .. name .. ".lua"] = { read_globals = manifest } end
for _, name in ipairs { "strategy", "rule", "search" } do
  files["harness/service/templates/" .. name .. ".lua"] = { read_globals = declarations }
end
