#include "harness/package/standalone_side.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <map>

#include "harness/core/error.h"
#include "harness/core/match.h"
#include "harness/package/inlined.h"
#include "harness/package/launch_list.h"
#include "harness/package/literals.h"
#include "harness/package/resolved.h"

namespace harness::package {
namespace {

std::string dim_text(const Dim3& dim) {
  return fmt::format("dim3({}, {}, {})", dim.x, dim.y, dim.z);
}

std::string map_type(const TensorMap& map) {
  static const std::map<Dtype, const char*> kTypes = {
      {Dtype::u8, "UINT8"},      {Dtype::s8, "UINT8"},    {Dtype::b8, "UINT8"},   {Dtype::e4m3, "UINT8"},
      {Dtype::e5m2, "UINT8"},    {Dtype::u16, "UINT16"},  {Dtype::s16, "UINT16"}, {Dtype::u32, "UINT32"},
      {Dtype::s32, "INT32"},     {Dtype::u64, "UINT64"},  {Dtype::s64, "INT64"},  {Dtype::f16, "FLOAT16"},
      {Dtype::bf16, "BFLOAT16"}, {Dtype::f32, "FLOAT32"}, {Dtype::f64, "FLOAT64"}};
  const auto type = kTypes.find(map.dtype);
  if (type == kTypes.end())
    throw bad_input(fmt::format("there is no tensor map of type {} ('{}')", name(map.dtype), map.of));
  return std::string("CU_TENSOR_MAP_DATA_TYPE_") + type->second;
}

std::vector<std::int64_t> reversed(std::vector<std::int64_t> list) {
  std::ranges::reverse(list);
  return list;
}

std::string upper(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return text;
}

std::vector<unsigned long long> unsigned_of(const std::vector<std::int64_t>& list) {
  return {list.begin(), list.end()};
}

std::string map_parameter(const TensorMap& map) {
  if (const std::string problem = tensor_map_problem(map); !problem.empty())
    throw bad_input(fmt::format("the tensor map of '{}' {}", map.of, problem));
  return fmt::format(
      ".value(standalone::tensor_map(memory_.at({}), {}, {}, {}, {}, {}, CU_TENSOR_MAP_SWIZZLE_{}, "
      "CU_TENSOR_MAP_L2_PROMOTION_{}))",
      quoted(map.of), map_type(map), storage_bytes(map.dtype),
      fmt::format("{{{}}}", fmt::join(unsigned_of(reversed(map.shape)), ", ")),
      fmt::format("{{{}}}", fmt::join(unsigned_of(reversed(map.strides)), ", ")),
      fmt::format("{{{}}}", fmt::join(unsigned_of(reversed(map.box)), ", ")), upper(map.swizzle),
      map.promotion == "none" ? "NONE" : "L2_" + upper(map.promotion));
}

std::string named_parameter(const NamedArgument& passed, const Problem& problem) {
  const Argument* argument = find_argument(problem, passed.name);
  if (argument != nullptr && argument->absent) return ".value<void*>(nullptr)";
  if (argument != nullptr && argument->kind == ArgumentKind::structure) return structure_parameter(*argument);
  if (argument != nullptr && argument->kind == ArgumentKind::scalar)
    return scalar_parameter(argument->dtype, argument->value.value_or(Value{std::string("nothing")}));
  if (argument != nullptr && argument->kind == ArgumentKind::tensor_map) return map_parameter(tensor_map_of(*argument));
  const std::string offset = passed.offset == 0 ? "" : fmt::format(" + {}", passed.offset);
  return fmt::format(".value(memory_.at({}){})", quoted(passed.name), offset);
}

std::string parameter(const LaunchArgument& argument, const Problem& problem) {
  return std::visit(Match{[&](const NamedArgument& named) { return named_parameter(named, problem); },
                          [](const ScalarArgument& scalar) { return scalar_parameter(scalar.dtype, scalar.value); },
                          [](const TensorMap& map) { return map_parameter(map); }},
                    argument);
}

std::string launch_code(const Launch& launch, const Problem& problem) {
  std::string code = "  {\n    standalone::Parameters parameters_;\n";
  for (const LaunchArgument& argument : launch.args) {
    const auto* buffer = std::get_if<NamedArgument>(&argument);
    code += fmt::format("    parameters_{};", parameter(argument, problem));
    code += buffer == nullptr ? "\n" : "  " + comment(buffer->name) + "\n";
  }
  code += fmt::format(
      "    standalone::Shape shape_;\n    shape_.grid = {};\n    shape_.block = {};\n    shape_.cluster = {};\n"
      "    shape_.shared = {};\n",
      dim_text(launch.grid), dim_text(launch.block), dim_text(launch.cluster), launch.shared);
  if (launch.cooperative) code += "    shape_.cooperative = true;\n";
  if (launch.pdl) code += "    shape_.programmatic = true;\n";
  if (launch.resident > 0) code += fmt::format("    shape_.resident = {};\n", launch.resident);
  return code + fmt::format("    standalone::launch(standalone::address(&{}), shape_, parameters_, stream_);\n  }}\n",
                            launch.entry);
}

std::string memset_code(const Memset& memset) {
  return fmt::format(
      "  standalone::check(cudaMemsetAsync(memory_.at({}) + {}, {}, {}, stream_), \"cudaMemsetAsync\");\n",
      quoted(memset.target), memset.offset, memset.value, memset.bytes);
}

std::string step_code(const Step& step, const Problem& problem) {
  return std::visit(Match{[&](const Launch& launch) { return launch_code(launch, problem); },
                          [](const Memset& memset) { return memset_code(memset); },
                          [](const LibraryCall& call) -> std::string {
                            throw bad_input(fmt::format(
                                "its plan calls {} ({}), which is not in one source file; show --source --resolved "
                                "prints what it launches itself",
                                call.library, call.operation));
                          }},
                    step);
}

bool makes_maps(const Realized& realized) {
  for (const Step& step : realized.plan.steps) {
    const auto* launch = std::get_if<Launch>(&step);
    if (launch == nullptr) continue;
    for (const LaunchArgument& argument : launch->args) {
      if (std::holds_alternative<TensorMap>(argument)) return true;
      const auto* buffer = std::get_if<NamedArgument>(&argument);
      const Argument* declared = buffer == nullptr ? nullptr : find_argument(realized.problem, buffer->name);
      if (declared != nullptr && declared->kind == ArgumentKind::tensor_map) return true;
    }
  }
  return false;
}

/// "table" of "::table": the source stands in a namespace.
std::string inside(const std::string& symbol) {
  return symbol.starts_with("::") ? symbol.substr(2) : symbol;
}

std::string constants_code(const Realized& realized) {
  if (realized.plan.constants.empty()) return "";
  std::string text =
      "\n// What the host fills, once.\ninline void fill_constants(const standalone::Memory& memory_) {\n";
  for (const ConstantTable& table : realized.plan.constants) {
    const Argument& from = *find_argument(realized.problem, table.from);
    const std::string symbol = inside(table.symbol);
    if (is_tensor(from.kind)) {
      text += fmt::format(
          "  standalone::check(cudaMemcpyToSymbol({}, memory_.at({}), {}, 0, cudaMemcpyDeviceToDevice), "
          "\"cudaMemcpyToSymbol\");\n",
          symbol, quoted(table.from), count_elements(from) * storage_bytes(from.dtype));
      continue;
    }
    const std::int64_t bytes =
        from.kind == ArgumentKind::structure ? from.struct_bytes : std::int64_t{storage_bytes(from.dtype)};
    text += fmt::format(
        "  {{\n    standalone::Parameters parameters_;\n    parameters_{};\n"
        "    standalone::check(cudaMemcpyToSymbol({}, parameters_.pointers()[0], {}), \"cudaMemcpyToSymbol\");\n  }}\n",
        named_parameter({table.from, 0}, realized.problem), symbol, bytes);
  }
  return text + "}\n";
}

/// A function of the same name in C would be the same function in both namespaces.
std::string without_c_linkage(std::string text) {
  for (std::size_t at = 0; (at = text.find("extern \"C\"", at)) != std::string::npos; at += 12)
    text.replace(at, 10, "extern \"C++\"");
  return text;
}

}  // namespace

Side standalone_side(const std::string& name, const Realized& realized) {
  Side side;
  const InlinedSource source = inline_headers(realized.build, Outside::out);
  for (const std::string& line : source.outside) side.outside += line + '\n';
  std::string& text = side.text;
  for (const std::string& line : plan_comments(realized)) text += line + '\n';
  text += fmt::format("namespace {} {{\n", name);
  for (const auto& [macro, value] : realized.build.defines) text += fmt::format("#define {} {}\n", macro, value);
  text += without_c_linkage(source.text);
  text += constants_code(realized);
  text += "\n// One call: every step of the plan.\n";
  text += "inline void one_call(const standalone::Memory& memory_, cudaStream_t stream_) {\n";
  for (const Step& step : realized.plan.steps) text += step_code(step, realized.problem);
  text += fmt::format("}}\n}}  // namespace {}\n", name);
  for (const auto& [macro, value] : realized.build.defines) text += "#undef " + macro + '\n';
  for (const std::string& macro : source.macros) text += "#undef " + macro + '\n';
  side.maps = makes_maps(realized);
  return side;
}

}  // namespace harness::package
