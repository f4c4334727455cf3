#include "harness/problem/plugin.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <vector>

#include "harness/core/torch_call.h"

namespace harness::problem {
namespace {

using Texts = std::vector<std::string>;

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size())
    text.replace(at, what.size(), by);
  return text;
}

/// One line for a comment, whatever its owner wrote.
std::string one_line(std::string text) {
  std::ranges::replace_if(
      text, [](unsigned char c) { return std::iscntrl(c) != 0; }, ' ');
  return text;
}

std::string quoted(const std::string& text) {
  return '"' + replaced(replaced(one_line(text), "\\", "\\\\"), "\"", "\\\"") + '"';
}

bool is_number(const std::string& lua) {
  return !lua.empty() && std::ranges::all_of(lua, [](unsigned char c) { return std::isdigit(c) != 0; });
}

/// "w.M" alone is the field M.
bool is_field(const std::string& lua) {
  return lua.starts_with("w.") &&
         std::ranges::all_of(lua.substr(2), [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; });
}

std::string extent_text(const std::string& lua) {
  if (is_number(lua)) return lua;
  if (is_field(lua)) return quoted(lua.substr(2));
  return fmt::format("function(w) return {} end", lua);
}

std::string in_cuda(const std::string& lua) {
  return replaced(replaced(lua, "w.", ""), "//", "/");
}

Texts extents_of(const json& argument) {
  return argument.at("shape").get<Texts>();
}

std::string shape_text(const json& argument) {
  Texts extents;
  for (const std::string& lua : extents_of(argument)) extents.push_back(extent_text(lua));
  if (extents.empty()) extents.emplace_back("1");
  return fmt::format("{{ {} }}", fmt::join(extents, ", "));
}

bool is_floating_text(const std::string& dtype) {
  return dtype.starts_with("f") || dtype.starts_with("bf") || dtype.starts_with("e");
}

std::string argument_line(const json& argument, const std::string& terms) {
  const std::string kind = argument.at("kind"), dtype = argument.at("dtype"), why = argument.at("why");
  std::string line = fmt::format("    {} {{ {}, dtype = {}, shape = {}", kind, quoted(argument.at("name")),
                                 quoted(dtype), shape_text(argument));
  if (kind == "input") line += fmt::format(", gen = {}", argument.at("gen").get<std::string>());
  else if (!is_floating_text(dtype)) line += ", compare = exact {}";
  else if (terms == "1") line += ", compare = relative {}";
  else line += fmt::format(", compare = relative {{}},\n             accuracy = {{ sum = {} }}", extent_text(terms));
  return fmt::format("{} }},{}\n", line, why.empty() ? "" : "  -- " + one_line(why));
}

std::string point_text(const json& point) {
  Texts parts;
  for (const auto& [name, value] : point.items()) parts.push_back(fmt::format("{} = {}", name, value.get<long long>()));
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string workload_line(const json& point, const std::string& name, const std::string& devices) {
  const std::string sizes = point_text(point);
  return fmt::format("    {{ name = {}, {}{}sets = {{ \"default\" }}, devices = {{ {} }} }},\n", quoted(name), sizes,
                     sizes.empty() ? "" : ", ", devices);
}

std::string workload_name(const json& point) {
  Texts parts;
  for (const auto& [name, value] : point.items()) parts.push_back(fmt::format("{}{}", name, value.get<long long>()));
  return parts.empty() ? "only" : fmt::format("{}", fmt::join(parts, "_"));
}

/// The owner's workloads are for a GPU; the cpu device has a small one, unless theirs is as small.
std::string workloads_text(const json& observed) {
  const json& small = observed.at("small");
  std::string text;
  bool small_is_theirs = false;
  for (const json& point : observed.at("workloads")) {
    const bool same = point == small;
    small_is_theirs = small_is_theirs || same;
    text += workload_line(point, workload_name(point), same ? "\"cpu\", \"cuda\"" : "\"cuda\"");
  }
  if (!small_is_theirs) text += workload_line(small, "small_" + workload_name(small), "\"cpu\"");
  return text;
}

std::string domain_text(const json& observed) {
  Texts fields;
  for (const json& size : observed.at("sizes")) {
    const long long low = size.at("low"), high = size.at("high"), step = size.at("step");
    fields.push_back(
        step > 1 ? fmt::format("{} = multiples_of({}, {}, {})", size.at("name").get<std::string>(), step, low,
                               std::max(low, high))
                 : fmt::format("{} = range({}, {})", size.at("name").get<std::string>(), low, std::max(low, high)));
  }
  if (const Texts where = observed.at("where").get<Texts>(); where.size() == 1)
    fields.push_back(fmt::format("where = function(w) return {} end", where.front()));
  else if (where.size() > 1)
    fields.push_back(fmt::format("where = function(w) return all_of({}) end", fmt::join(where, ", ")));
  return fmt::format("{{ {} }}", fmt::join(fields, ",\n               "));
}

std::string contract_text(const std::string& name, const std::string& file, const json& observed) {
  const std::string terms = observed.at("terms");
  std::string text = fmt::format("-- From {} (harness new kernel --from).\n", one_line(file));
  for (const char* part : {"policy", "notes"})
    for (const json& line : observed.at(part)) text += fmt::format("-- {}\n", one_line(line.get<std::string>()));
  text += fmt::format("return kernel {{\n  contract  = 1,\n  name      = {},\n  summary   = {},\n", quoted(name),
                      quoted(observed.at("summary")));
  text += fmt::format("  domain    = {},\n  workloads = {{\n{}  }},\n  arguments = {{\n", domain_text(observed),
                      workloads_text(observed));
  for (const json& argument : observed.at("arguments")) text += argument_line(argument, terms);
  for (const json& scalar : observed.at("scalars"))
    text += fmt::format("    scalar {{ {}, dtype = {}, value = {} }},  -- {}\n", quoted(scalar.at("name")),
                        quoted(scalar.at("dtype")), scalar.at("value").dump(), one_line(scalar.at("why")));
  text += fmt::format(
      "  }},\n  reference = {{ source = \"reference.py\" }},\n"
      "  work      = function(w)\n    return {{ bytes = {},\n             turns = {} * ({}) }}\n  end,\n}}\n",
      observed.at("bytes").get<std::string>(), observed.at("elements").get<std::string>(), terms);
  return text;
}

/// "const __half*"
std::string cuda_type(const std::string& dtype) {
  static const std::map<std::string, std::string> kTypes{{"f64", "double"},
                                                         {"f32", "float"},
                                                         {"f16", "__half"},
                                                         {"bf16", "__nv_bfloat16"},
                                                         {"e4m3", "__nv_fp8_e4m3"},
                                                         {"e5m2", "__nv_fp8_e5m2"},
                                                         {"s8", "signed char"},
                                                         {"u8", "unsigned char"},
                                                         {"s16", "short"},
                                                         {"u16", "unsigned short"},
                                                         {"s32", "int"},
                                                         {"u32", "unsigned int"},
                                                         {"s64", "long long"},
                                                         {"u64", "unsigned long long"},
                                                         {"bool", "bool"}};
  return kTypes.at(dtype);
}

std::string parameters_text(const json& observed) {
  Texts parameters;
  for (const json& argument : observed.at("arguments"))
    if (!argument.contains("beside"))
      parameters.push_back(fmt::format("{}{}* {}", argument.at("kind") == "input" ? "const " : "",
                                       cuda_type(argument.at("dtype")), argument.at("name").get<std::string>()));
  for (const json& scalar : observed.at("scalars"))
    parameters.push_back(fmt::format("{} {}", cuda_type(scalar.at("dtype")), scalar.at("name").get<std::string>()));
  for (const json& size : observed.at("sizes"))
    parameters.push_back(fmt::format("long long {}", size.at("name").get<std::string>()));
  return fmt::format("{}", fmt::join(parameters, ", "));
}

const json& first_output(const json& observed) {
  return *std::ranges::find_if(observed.at("arguments"), [](const json& a) { return a.at("kind") == "output"; });
}

/// The place of this thread's element in each dimension of the output.
std::string indices_text(const json& output) {
  const Texts extents = extents_of(output);
  std::string text, below;
  for (std::size_t d = extents.size(); d-- > 0;) {
    const bool one_word = extents[d].find(' ') == std::string::npos;
    const std::string extent = one_word ? in_cuda(extents[d]) : fmt::format("({})", in_cuda(extents[d]));
    const std::string rest = below.empty() ? "i" : fmt::format("i / ({})", below);
    text = fmt::format("  const long long i{} = {}{};\n", d, rest, d == 0 ? "" : " % " + extent) + text;
    below = below.empty() ? extent : extent + " * " + below;
  }
  return text;
}

std::string headers_text(const json& observed) {
  bool narrow = false, eight = false;
  for (const json& argument : observed.at("arguments")) {
    const std::string dtype = argument.at("dtype");
    narrow = narrow || dtype == "f16" || dtype == "bf16";
    eight = eight || dtype.starts_with("e");
  }
  return std::string(narrow ? "#include <harness/convert.cuh>  // to_float(x), from_float<T>(x)\n" : "") +
         (eight ? "#include <cuda_fp8.h>\n" : "");
}

std::string skeleton_text(const std::string& name, const json& observed) {
  const json& output = first_output(observed);
  std::string text = fmt::format("// {}: one thread for each element of '{}'. reference.py says what is right.\n", name,
                                 output.at("name").get<std::string>());
  text += headers_text(observed);
  text +=
      fmt::format("{}: write it below, or try one with harness eval {} 00_naive --source FILE\"\n\n", kNoKernel, name);
  for (const json& argument : observed.at("arguments")) {
    Texts extents;
    for (const std::string& lua : extents_of(argument)) extents.push_back(in_cuda(lua));
    if (!argument.contains("beside"))
      text += fmt::format("// {} {}[{}] {}\n", argument.at("kind").get<std::string>(),
                          argument.at("name").get<std::string>(), fmt::join(extents, ", "),
                          argument.at("dtype").get<std::string>());
  }
  text += fmt::format("__global__ void {}({}) {{\n", name, parameters_text(observed));
  text += fmt::format(
      "  const long long i = static_cast<long long>(blockIdx.x) * blockDim.x + threadIdx.x;\n"
      "  if (i >= {}) return;\n{}",
      in_cuda(observed.at("elements")), indices_text(output));
  return text + fmt::format("  {}[i] = 0;  // what reference.py says of this element\n}}\n",
                            output.at("name").get<std::string>());
}

std::string launch_text(const std::string& name, const json& observed) {
  Texts arguments;
  for (const json& argument : observed.at("arguments"))
    if (!argument.contains("beside")) arguments.push_back(quoted(argument.at("name")));
  for (const json& scalar : observed.at("scalars")) arguments.push_back(quoted(scalar.at("name")));
  for (const json& size : observed.at("sizes"))
    arguments.push_back(fmt::format("i64(w.{})", size.at("name").get<std::string>()));
  return fmt::format(
      "return variant {{\n  technique = \"naive\", risk = \"low\",\n"
      "  estimate  = {{ speedup = {{ 1, 1 }}, probability = 1.0, evaluations = 3 }},\n"
      "  params    = {{ BLOCK = {{ values = {{ 128, 256 }}, bind = \"launch\" }} }},\n"
      "  steps = function(p, w, device)\n"
      "    return {{\n      launch {{ entry = \"{}\", grid = {{ cdiv({}, p.BLOCK) }}, block = {{ p.BLOCK }},\n"
      "               args = {{ {} }} }},\n    }}\n  end,\n}}\n",
      name, observed.at("elements").get<std::string>(), fmt::join(arguments, ", "));
}

/// PyTorch itself, as the owner's program is.
std::string torch_text(bool compile) {
  return compile ? "-- reference.py through torch.compile, timed beside what is tried.\n"
                   "return rival { \"torch\", call = \"reference.py\", compile = true }\n"
                 : "-- reference.py as it is: what speedups are over, on a GPU.\n"
                   "return baseline { \"torch\", call = \"reference.py\" }\n";
}

}  // namespace

std::map<std::string, std::string> plugin_files(const std::string& name, const std::string& file,
                                                const json& observed) {
  return {{"kernel.lua", contract_text(name, file, observed)},
          {"reference.py", observed.at("reference").get<std::string>()},
          {"variants/00_eager.lua", torch_text(false)},
          {"variants/90_compiled.lua", torch_text(true)},
          {"variants/00_naive.lua", launch_text(name, observed)},
          {"variants/00_naive.cu", skeleton_text(name, observed)}};
}

}  // namespace harness::problem
