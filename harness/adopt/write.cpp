#include "harness/adopt/write.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "harness/adopt/tokens.h"
#include "harness/core/dtype.h"

namespace harness::adopt {
namespace {

constexpr double kCpuElements = 32768, kGpuElements = 1 << 22, kOddElements = 1 << 20;
constexpr std::int64_t kDomainElements = 1 << 24;
constexpr double kSharedOfBlock = 227 << 10;  // bytes of dynamic shared memory that a block may have

/// How a symbol of a formula stands in Lua.
std::string lua_name(const AdoptedKernel& kernel, const std::string& symbol) {
  if (symbol.starts_with("p.")) return symbol;
  if (symbol.starts_with("sizeof ")) return "bytes_of[w.dtype]";
  const AdoptedSize* const size = kernel.size(symbol);
  return "w." + (size == nullptr ? symbol : size->name);
}

std::string lua(const AdoptedKernel& kernel, const Formula& formula) {
  return as_lua(formula, [&](const std::string& symbol) { return lua_name(kernel, symbol); });
}

std::string lua_list(const AdoptedKernel& kernel, const std::vector<FormulaPtr>& formulas) {
  std::vector<std::string> texts;
  for (const FormulaPtr& each : formulas) texts.push_back(lua(kernel, *each));
  return fmt::format("{{ {} }}", fmt::join(texts, ", "));
}

/// An extent of an argument: a field's name, a number or a function.
std::string extent_text(const AdoptedKernel& kernel, const Formula& formula) {
  if (formula.kind == Formula::Kind::symbol && kernel.size(formula.symbol) != nullptr)
    return fmt::format("\"{}\"", kernel.size(formula.symbol)->name);
  if (formula.kind == Formula::Kind::number) return fmt::format("{}", static_cast<std::int64_t>(formula.number));
  return fmt::format("function(w) return {} end", lua(kernel, formula));
}

std::string extents_text(const AdoptedKernel& kernel, const std::vector<FormulaPtr>& formulas) {
  std::vector<std::string> texts;
  for (const FormulaPtr& each : formulas) texts.push_back(extent_text(kernel, *each));
  return fmt::format("{{ {} }}", fmt::join(texts, ", "));
}

FormulaPtr count_of(const AdoptedParameter& parameter) {
  FormulaPtr count = number(1);
  for (const FormulaPtr& extent : parameter.shape) count = formula(Formula::Kind::multiply, {count, extent});
  return count;
}

FormulaPtr total_of(const AdoptedKernel& kernel) {
  FormulaPtr total = number(0);
  for (const AdoptedParameter& parameter : kernel.parameters)
    if (is_array(parameter)) total = formula(Formula::Kind::add, {total, count_of(parameter)});
  return total;
}

/// The line's code, then where it comes from.
std::string noted(const std::string& code, const std::string& from) {
  constexpr std::size_t kColumn = 78;
  const std::size_t blanks = code.size() + 2 < kColumn ? kColumn - code.size() : 2;
  return from.empty() ? code + "\n" : fmt::format("{}{}-- {}\n", code, std::string(blanks, ' '), from);
}

/// What an adopted kernel computes is not known, and so not where it divides by what has nearly cancelled: f32 is held
/// to half way to ten bits of mantissa, not to the few units that a sum of known terms allows.
std::string comparison_text(Dtype dtype, const std::string& written) {
  if (!is_floating(dtype)) return "exact {}";
  return written == name(Dtype::f32) ? "relative { impostor_bits = 10 }" : "relative {}";
}

/// The end of a size's range: what was found, and where nothing was, what is to be timed at least.
std::int64_t highest(const AdoptedSize& size) {
  std::int64_t high = size.high;
  if (high == AdoptedSize{}.high)
    for (const std::int64_t value : size.values) high = std::max(high, value);
  return high / size.step * size.step;
}

double elements_at(const AdoptedKernel& kernel, const std::vector<std::int64_t>& sizes) {
  Values values = kernel.settings(kernel.dtypes.front());
  for (std::size_t i = 0; i < sizes.size(); ++i) values[kernel.sizes[i].symbol] = sizes[i];
  return static_cast<double>(evaluate(*total_of(kernel), values).value_or(0));
}

/// Elements of all arrays together, at most: so many, and what the sizes that are to be timed have.
std::int64_t domain_elements(const AdoptedKernel& kernel) {
  std::size_t given = 0;
  for (const AdoptedSize& size : kernel.sizes) given = std::max(given, size.values.size());
  double most = kDomainElements;
  for (std::size_t i = 0; i < given; ++i) {
    std::vector<std::int64_t> sizes;
    for (const AdoptedSize& size : kernel.sizes)
      sizes.push_back(size.values.empty() ? size.low : size.values[std::min(i, size.values.size() - 1)]);
    most = std::max(most, elements_at(kernel, sizes));
  }
  return static_cast<std::int64_t>(most);
}

/// What is tuned has its first value where no configuration is known.
std::map<std::string, FormulaPtr> first_values(const AdoptedKernel& kernel) {
  std::map<std::string, FormulaPtr> first;
  for (const auto& [name, values] : kernel.tuned) first["p." + name] = number(static_cast<double>(values.front()));
  return first;
}

/// The condition on all sizes together: what the host asks for, and that every point fits in memory.
std::string where_text(const AdoptedKernel& kernel) {
  const FormulaPtr total = with(total_of(kernel), first_values(kernel));
  const std::string fits = fmt::format("le({}, {})", lua(kernel, *total), domain_elements(kernel));
  if (kernel.conditions.empty())
    return noted(fmt::format("    where = function(w) return {} end,", fits), "so that every point fits in memory");
  std::vector<std::string> all;
  for (const Condition& each : kernel.conditions) all.push_back(lua(kernel, *each.formula));
  return noted(fmt::format("    where = function(w) return all_of({}, {}) end,", fmt::join(all, ", "), fits),
               kernel.conditions.front().evidence + "; and so that every point fits in memory");
}

std::string domain_text(const AdoptedKernel& kernel) {
  std::string text = "  domain = {\n";
  for (const AdoptedSize& size : kernel.sizes) {
    const std::int64_t high = highest(size);
    const std::string range = size.step > 1 ? fmt::format("multiples_of({}, {}, {})", size.step, size.low, high)
                                            : fmt::format("range({}, {})", size.low, high);
    text += noted(fmt::format("    {} = {},", size.name, range), size.evidence);
  }
  if (!kernel.dtype_parameter.empty()) {
    std::vector<std::string> types;
    for (const Dtype dtype : kernel.dtypes) types.push_back(fmt::format("\"{}\"", name(dtype)));
    text += noted(fmt::format("    dtype = one_of {{ {} }},", fmt::join(types, ", ")),
                  fmt::format("{} of the template, as it is launched", kernel.dtype_parameter));
  }
  if (!kernel.sizes.empty()) text += where_text(kernel);
  return text + "  },\n";
}

struct Workload {
  std::vector<std::int64_t> sizes;
  std::string sets = "default", devices;
};

std::int64_t fitting(const AdoptedSize& size, double wanted) {
  const double power = std::exp2(std::round(std::log2(std::max(1.0, wanted))));
  const std::int64_t value = static_cast<std::int64_t>(power) / size.step * size.step;
  return std::clamp(value, size.low, size.high / size.step * size.step);
}

bool holds(const AdoptedKernel& kernel, const std::vector<std::int64_t>& sizes) {
  Values values;
  for (std::size_t i = 0; i < sizes.size(); ++i) values[kernel.sizes[i].symbol] = sizes[i];
  return conditions_hold(kernel, values);
}

/// Sizes of equal weight with about so many elements in all arrays together; the host's own numbers where they are
/// given and fit.
std::vector<std::int64_t> sizes_for(const AdoptedKernel& kernel, double elements, bool host) {
  std::vector<std::int64_t> best;
  for (double wanted = 2; wanted <= 1 << 24; wanted *= 2) {
    std::vector<std::int64_t> sizes;
    for (const AdoptedSize& size : kernel.sizes)
      sizes.push_back(host && size.host ? std::clamp(*size.host, size.low, size.high) : fitting(size, wanted));
    if (!best.empty() && elements_at(kernel, sizes) > elements) break;
    if (best.empty() || holds(kernel, sizes)) best = sizes;
  }
  return best;
}

/// No powers of two; the fewer of each, the more sizes there are.
std::vector<std::int64_t> odd_sizes(const AdoptedKernel& kernel) {
  std::vector<std::int64_t> odd;
  for (const std::int64_t wanted : {33, 17, 9, 5, 3}) {
    odd.clear();
    for (const AdoptedSize& size : kernel.sizes)
      odd.push_back(std::clamp(size.step * (size.step == 1 ? wanted : 3), size.low, size.high / size.step * size.step));
    if (elements_at(kernel, odd) <= kOddElements) break;
  }
  return odd;
}

std::vector<Workload> workloads_of(const AdoptedKernel& kernel) {
  std::size_t given = 0;
  for (const AdoptedSize& size : kernel.sizes) given = std::max(given, size.values.size());
  const std::vector<std::int64_t> cpu = sizes_for(kernel, kCpuElements, false);
  std::vector<std::int64_t> gpu = sizes_for(kernel, kGpuElements, true);  // the host's own, unless they are too many
  if (elements_at(kernel, gpu) > static_cast<double>(kDomainElements)) gpu = sizes_for(kernel, kGpuElements, false);
  std::vector<Workload> all;
  for (std::size_t i = 0; i < given; ++i) {
    Workload workload;
    for (std::size_t s = 0; s < kernel.sizes.size(); ++s) {
      const std::vector<std::int64_t>& values = kernel.sizes[s].values;
      workload.sizes.push_back(values.empty() ? cpu[s] : values[std::min(i, values.size() - 1)]);
    }
    if (elements_at(kernel, workload.sizes) > 1 << 20) workload.devices = "cuda";
    all.push_back(std::move(workload));
  }
  const auto here = [](const Workload& workload) { return workload.devices.empty(); };
  if (std::none_of(all.begin(), all.end(), here)) all.push_back({cpu, "default", "cpu"});
  if (given == 0 && !kernel.sizes.empty()) {
    if (elements_at(kernel, gpu) <= static_cast<double>(kDomainElements) && gpu != cpu)
      all.push_back({gpu, "default", "cuda"});
    const std::vector<std::int64_t> odd = odd_sizes(kernel);
    if (odd != cpu && holds(kernel, odd)) all.push_back({odd, "small", ""});
  }
  const auto timed_there = [](const Workload& each) { return each.sets == "default" && each.devices != "cpu"; };
  if (std::none_of(all.begin(), all.end(), timed_there)) all.front().devices.clear();  // some machine must time it
  return all;
}

std::string workload_name(const AdoptedKernel& kernel, const Workload& workload, Dtype dtype) {
  std::string name;
  for (std::size_t i = 0; i < kernel.sizes.size(); ++i)
    name += fmt::format("{}{}{}", name.empty() ? "" : "_", kernel.sizes[i].name, workload.sizes[i]);
  if (name.empty()) name = "only";
  if (!kernel.dtype_parameter.empty()) name += fmt::format("_{}", harness::name(dtype));
  return name;
}

std::string workloads_text(const AdoptedKernel& kernel) {
  std::string text = "  workloads = {\n";
  std::vector<std::string> names;
  const std::vector<Dtype> types = kernel.dtype_parameter.empty() ? std::vector<Dtype>{Dtype::f32} : kernel.dtypes;
  for (const Workload& workload : workloads_of(kernel)) {
    for (const Dtype dtype : types) {
      const std::string name = workload_name(kernel, workload, dtype);
      std::string fields;
      for (std::size_t i = 0; i < kernel.sizes.size(); ++i)
        fields += fmt::format(", {} = {}", kernel.sizes[i].name, workload.sizes[i]);
      if (!kernel.dtype_parameter.empty()) fields += fmt::format(", dtype = \"{}\"", harness::name(dtype));
      if (std::find(names.begin(), names.end(), name) != names.end()) continue;
      names.push_back(name);
      text += fmt::format("    {{ name = \"{}\"{}, sets = {{ \"{}\" }}{} }},\n", name, fields, workload.sets,
                          workload.devices.empty() ? "" : fmt::format(", devices = {{ \"{}\" }}", workload.devices));
    }
  }
  return text + "  },\n";
}

std::string generator_text(const AdoptedKernel& kernel, const AdoptedParameter& parameter) {
  const bool few =
      parameter.shape.size() == 1 && parameter.shape[0]->kind == Op::number && parameter.shape[0]->number <= 16;
  if (parameter.zeroed && few) return "gen = constant { value = 0 }";
  if (is_floating(parameter.dtype) && parameter.positive)
    return fmt::format("gen = uniform {{ lo = 0, hi = {} }}", parameter.scale);
  if (is_floating(parameter.dtype))
    return parameter.scale == 1 ? "gen = normal {}" : fmt::format("gen = normal {{ std = {} }}", parameter.scale);
  if (parameter.dtype == Dtype::b8) return "gen = mask { density = 0.5 }";
  if (parameter.below)
    return fmt::format("gen = integers {{ lo = {}, hi = function(w) return {} - 1 end }}", parameter.from,
                       lua(kernel, *parameter.below));
  return fmt::format("gen = integers {{ lo = {}, hi = {} }}", parameter.from, parameter.from + 99);
}

std::string argument_text(const AdoptedKernel& kernel, const AdoptedParameter& parameter) {
  const std::string dtype = parameter.type.empty() ? std::string(name(parameter.dtype)) : "$dtype";
  if (parameter.kind != Param::pointer) {
    std::string value = fmt::format("{}", parameter.value);
    if (parameter.kind == Param::flag) value = parameter.value != 0 ? "true" : "false";
    return noted(fmt::format("    scalar {{ \"{}\", dtype = \"{}\", value = {} }},", parameter.name, dtype, value),
                 parameter.evidence);
  }
  std::string fields = fmt::format("dtype = \"{}\", shape = {}", dtype, extents_text(kernel, parameter.shape));
  if (!parameter.strides.empty()) fields += fmt::format(", strides = {}", extents_text(kernel, parameter.strides));
  fields += ", align = 256";
  if (parameter.role != "output") fields += ", " + generator_text(kernel, parameter);
  if (parameter.role != "input") fields += ", compare = " + comparison_text(parameter.dtype, dtype);
  return noted(fmt::format("    {} {{ \"{}\", {} }},", parameter.role, parameter.name, fields), parameter.evidence);
}

std::string sizes_list(const AdoptedKernel& kernel) {
  std::vector<std::string> names;
  for (const AdoptedSize& size : kernel.sizes) names.push_back(fmt::format("\"{}\"", size.name));
  return fmt::format("{{ {} }}", fmt::join(names, ", "));
}

std::string quoted(const std::string& text) {
  std::string safe;
  for (const char c : text) {
    if (c == '"' || c == '\\') safe += '\\';
    safe += c == '\n' || c == '\r' ? ' ' : c;
  }
  return "\"" + safe + "\"";
}

/// grid, block and shared of one launch; what is tuned has its first value.
std::string reference_launch(const AdoptedKernel& kernel, const LaunchShape& launch,
                             const std::map<std::string, FormulaPtr>& first, bool wide, const std::string& indent) {
  const auto plain = [&](const std::vector<FormulaPtr>& formulas) {
    std::vector<FormulaPtr> all;
    for (const FormulaPtr& each : formulas) all.push_back(with(each, first));
    return lua_list(kernel, all);
  };
  std::string text = fmt::format("{0}grid = function(w) return {1} end,\n{0}block = function(w) return {2} end,\n",
                                 indent, plain(launch.grid), plain(launch.block));
  FormulaPtr shared = with(launch.shared, first);
  if (wide) shared = formula(Formula::Kind::multiply, {shared, number(static_cast<double>(wide_factor(kernel)))});
  if (!(launch.shared->kind == Formula::Kind::number && launch.shared->number == 0))
    text += fmt::format("{}shared = function(w) return {} end,\n", indent, lua(kernel, *shared));
  return text;
}

/// Bytes of a scratch array, as the kernel stores it or in double.
FormulaPtr scratch_bytes(const AdoptedParameter& parameter, bool wide) {
  const FormulaPtr unit = wide && is_floating(parameter.dtype) ? number(8)
                          : parameter.type.empty()             ? number(storage_bytes(parameter.dtype))
                                                               : symbol("sizeof " + parameter.type);
  FormulaPtr bytes = unit;
  for (const FormulaPtr& extent : parameter.shape) bytes = formula(Formula::Kind::multiply, {bytes, extent});
  return bytes;
}

std::string further_launches(const AdoptedKernel& kernel, const std::map<std::string, FormulaPtr>& first, bool wide) {
  if (kernel.further.empty()) return "";
  std::string text = "                steps = {\n";
  const std::string type = wide || kernel.dtype_parameter.empty() ? "" : "<$dtype>";
  for (std::size_t i = 0; i < kernel.further.size(); ++i)
    text += fmt::format("                  {{ entry = \"{}{}\",\n{}                  }},\n", reference_entry(i + 1),
                        type, reference_launch(kernel, kernel.further[i].launch, first, wide, "                    "));
  text += "                },\n";
  std::string scratch;
  for (const AdoptedParameter& each : kernel.parameters)
    if (each.kind == Param::scratch)
      scratch +=
          fmt::format("                  {{ \"{}\", bytes = function(w) return {} end, init = \"{}\" }},\n", each.name,
                      lua(kernel, *with(scratch_bytes(each, wide), first)), each.zeroed ? "zeroed" : "dirty");
  return scratch.empty() ? text : text + "                scratch = {\n" + scratch + "                },\n";
}

/// A line of its own, "" where the host fills none.
std::string constants_text(const AdoptedKernel& kernel, const std::string& indent) {
  std::vector<std::string> entries;
  for (const ConstantTable& each : constants_of(kernel))
    entries.push_back(fmt::format("{{ \"{}\", from = \"{}\" }}", each.symbol, each.from));
  return entries.empty() ? "" : fmt::format("{}constants = {{ {} }},\n", indent, fmt::join(entries, ", "));
}

std::string reference_text(const AdoptedKernel& kernel, const ChosenReference& reference) {
  std::string text =
      noted(fmt::format("  reference = {{ source = \"reference.cu\", entry = \"{}\",",
                        reference.wide || kernel.dtype_parameter.empty() ? "reference" : "reference<$dtype>"),
            reference.words);
  text += fmt::format("                sizes = {}, numbers = \"{}\",\n", sizes_list(kernel),
                      reference.wide ? "wide" : "own");
  if (reference.serial) {
    text += "                grid = { 1 }, block = { 1 },\n";
  } else {
    const std::map<std::string, FormulaPtr> first = first_values(kernel);
    text += reference_launch(kernel, kernel.launch, first, reference.wide, "                ");
    text += further_launches(kernel, first, reference.wide);
  }
  if (!reference.serial) text += constants_text(kernel, "                ");
  if (!reference.weak.empty()) text += fmt::format("                weak = {},\n", quoted(reference.weak));
  if (!reference.golden.empty()) {
    text += "                golden = {";
    for (const auto& [workload, folder] : reference.golden)
      text += fmt::format(" [\"{}\"] = \"{}\",", workload, folder);
    text += " },\n";
  }
  return text + "  },\n";
}

/// Threads wait for each other: on an emulated device each such wait costs as much as many operations.
bool has_barriers(const std::string& text) {
  const std::vector<std::string> words = words_of(text);
  return std::ranges::any_of(words, [](const std::string& word) {
    return word == "__syncthreads" || word.ends_with("_sync") || word == "sync" || word.starts_with("BlockReduce") ||
           word.starts_with("BlockScan") || word.starts_with("WarpReduce") || word.starts_with("WarpScan");
  });
}

/// Where no array has all sizes that arrays have, loops may turn as often as their product says: n k d, and what arrays
/// have besides (a head of 64). "": one has, and threads do not wait for each other.
std::string turns_text(const AdoptedKernel& kernel, const std::string& source) {
  constexpr double kOfBarriers = 64;
  std::set<std::string> all;
  std::size_t most = 0;
  double numbers = 1;
  for (const AdoptedParameter& parameter : kernel.parameters) {
    if (!is_array(parameter)) continue;
    std::set<std::string> own;
    double constant = 1;
    for (const FormulaPtr& extent : parameter.shape) {
      own.merge(symbols_of(*extent));
      if (extent->kind == Op::number) constant *= extent->number;
    }
    std::erase_if(own, [&](const std::string& each) { return kernel.size(each) == nullptr; });
    most = std::max(most, own.size());
    numbers = std::max(numbers, constant);
    all.merge(own);
  }
  const bool barriers = has_barriers(source);
  if (all.empty() || (all.size() <= most && !barriers)) return "";
  std::string text;
  for (const AdoptedSize& size : kernel.sizes)
    if (all.contains(size.symbol)) text += (text.empty() ? "w." : " * w.") + size.name;
  if (barriers) numbers *= kOfBarriers;
  return numbers > 1 ? fmt::format("{} * {}", text, numbers) : text;
}

std::string work_text(const AdoptedKernel& kernel, const std::string& source) {
  std::string bytes;
  for (const AdoptedParameter& parameter : kernel.parameters) {
    if (parameter.kind != Param::pointer || !parameter.whole) continue;
    const std::string unit =
        parameter.type.empty() ? fmt::format("{}", storage_bytes(parameter.dtype)) : "bytes_of[w.dtype]";
    const FormulaPtr count = count_of(parameter);
    const std::string times = lua(kernel, *count);
    const bool product = count->kind == Formula::Kind::add || count->kind == Formula::Kind::subtract;
    bytes += fmt::format("{}{} * {}{}", bytes.empty() ? "" : " + ", product ? "(" + times + ")" : times, unit,
                         parameter.role == "inout" ? " * 2" : "");
  }
  const std::string turns = turns_text(kernel, source);
  return noted(fmt::format("  work = function(w) return {{ bytes = {}{} }} end,", bytes.empty() ? "1" : bytes,
                           turns.empty() ? "" : ", turns = " + turns),
               "what was read or written everywhere; add flops for a floor");
}

bool uses_bytes_of(const std::string& text) {
  return text.find("bytes_of[") != std::string::npos;
}

constexpr const char* kBytesOf = "local bytes_of = { f64 = 8, f32 = 4, f16 = 2, bf16 = 2, s32 = 4, s64 = 8 }\n\n";

std::string manifest(const AdoptedKernel& kernel, const std::string& source, const ChosenReference& reference,
                     const std::string& name, const std::string& file, const std::string& digest) {
  std::string text =
      fmt::format("return kernel {{\n  contract = 1,\n  name = \"{}\",\n  summary = {},\n", name,
                  quoted(fmt::format("{} of {}, adopted; reference: {}", kernel.shown_name(), file, reference.words)));
  text += domain_text(kernel) + workloads_text(kernel) + "  arguments = {\n";
  for (const AdoptedParameter& parameter : kernel.parameters)
    if (parameter.kind != Param::size && parameter.kind != Param::derived && parameter.kind != Param::scratch)
      text += argument_text(kernel, parameter);
  text += "  },\n" + reference_text(kernel, reference) + work_text(kernel, source);
  const bool sums = std::any_of(kernel.parameters.begin(), kernel.parameters.end(),
                                [](const AdoptedParameter& each) { return each.atomic && is_floating(each.dtype); });
  if (sums) text += noted("  deterministic = false,", "atomics on floating-point numbers");
  const std::string path = kernel.path.empty() ? "" : fmt::format(", path = {}", quoted(kernel.path));
  if (!kernel.libraries.empty()) {
    text += "  policy = {\n";
    for (const std::string& library : kernel.libraries)
      text += fmt::format("    [\"library {}\"] = \"adopted with the kernel\",\n", library);
    text += "  },\n";
  }
  text += fmt::format("  adopted = {{ file = {}, entry = \"{}\", digest = \"{}\"{} }},\n}}\n", quoted(file),
                      kernel.function.empty() ? kernel.qualified : kernel.function, digest, path);
  const std::string head =
      fmt::format("-- Made by harness adopt out of {}. What a line was inferred from stands behind it.\n", file);
  return head + (uses_bytes_of(text) ? kBytesOf : "") + text;
}

std::string launch_argument(const AdoptedParameter& parameter, const AdoptedKernel& kernel) {
  if (parameter.kind != Param::size && parameter.kind != Param::derived) return fmt::format("\"{}\"", parameter.name);
  const char* const type = storage_bytes(parameter.dtype) == 8 ? "i64" : parameter.dtype == Dtype::u32 ? "u32" : "i32";
  return fmt::format("{}({})", type,
                     parameter.follows ? lua(kernel, *parameter.follows) : lua_name(kernel, parameter.name));
}

std::string workspaces_text(const AdoptedKernel& kernel) {
  std::string text;
  for (const AdoptedParameter& each : kernel.parameters)
    if (each.kind == Param::scratch)
      text += noted(fmt::format("      workspace {{ \"{}\", bytes = {}, align = 256, init = \"{}\" }},", each.name,
                                lua(kernel, *scratch_bytes(each, false)), each.zeroed ? "zeroed" : "dirty"),
                    each.evidence);
  return text.empty() ? "" : "  workspaces = function(p, w, device)\n    return {\n" + text + "    }\n  end,\n";
}

std::string variant(const AdoptedKernel& kernel) {
  std::string parameters, originals, text;
  for (const auto& [name, values] : kernel.tuned) {
    std::vector<std::int64_t> by_size = values;
    std::ranges::sort(by_size);
    parameters += fmt::format("{} = {{ values = {{ {} }}, bind = \"{}\" }}, ", name, fmt::join(by_size, ", "),
                              kernel.bound.at(name));
    if (values.front() != by_size.front()) originals += fmt::format("{} = {}, ", name, values.front());
  }
  std::map<std::string, std::string> dollars;
  for (const auto& [name, how] : kernel.bound)
    if (how == "template") dollars[name] = "$" + name;
  std::vector<std::string> arguments;
  for (const AdoptedParameter& parameter : kernel.parameters)
    if (is_passed(parameter)) arguments.push_back(launch_argument(parameter, kernel));
  text = "return variant {\n  technique = \"original\", risk = \"low\",\n";
  text += "  estimate = { speedup = { 1, 1 }, probability = 1.0, evaluations = 3 },\n";
  if (!parameters.empty()) text += fmt::format("  params = {{ {} }},\n", parameters.substr(0, parameters.size() - 2));
  if (!originals.empty())
    text += noted(fmt::format("  start = {{ {{ {} }} }},", originals.substr(0, originals.size() - 2)),
                  "the original, which the others are compared with");
  if (!kernel.further.empty()) text += "  multi_kernel = true,\n" + workspaces_text(kernel);
  text += constants_text(kernel, "  ");
  text += noted("  steps = function(p, w, device)",
                kernel.further.empty() ? kernel.launch.from : "as " + kernel.function + " launches");
  text += "    return {";
  const std::string first = kernel.entry_for("$dtype", dollars);
  const std::vector<const LaunchShape*> launches = kernel.launches();
  for (std::size_t i = 0; i < launches.size(); ++i) {
    if (launches.size() > 1) text += "\n     ";
    text += fmt::format(
        " launch {{ entry = \"{}\",\n                      grid = {}, block = {}, shared = {},\n"
        "                      args = {{ {} }} }}{}",
        kernel.entry_of_launch(i, first), lua_list(kernel, launches[i]->grid), lua_list(kernel, launches[i]->block),
        lua(kernel, *launches[i]->shared), fmt::join(arguments, ", "), launches.size() > 1 ? "," : "");
  }
  text += launches.size() > 1 ? "\n    }\n  end,\n}\n" : " }\n  end,\n}\n";
  return (uses_bytes_of(text) ? kBytesOf : "") + text;
}

/// "const double* x, float eps, long long n": what the judge passes (core/contract.h, Reference).
std::string wrapper_parameters(const AdoptedKernel& kernel, bool wide, bool serial) {
  std::vector<std::string> texts, scratch;
  for (const AdoptedParameter& parameter : kernel.parameters) {
    if (parameter.kind == Param::size || parameter.kind == Param::derived || !(serial || is_passed(parameter)))
      continue;
    std::string type = parameter.type.empty() ? std::string(cuda_type(parameter.dtype)) : "T";
    if (!is_array(parameter)) {
      if (wide && !parameter.type.empty()) type = cuda_type(parameter.dtype);
      texts.push_back(fmt::format("{} {}", type, parameter.name));
      continue;
    }
    if (wide && is_floating(parameter.dtype)) type = "double";
    auto& list = parameter.kind == Param::scratch ? scratch : texts;
    list.push_back(fmt::format("{}{}* {}", parameter.role == "input" ? "const " : "", type, parameter.name));
  }
  for (const AdoptedSize& size : kernel.sizes) texts.push_back(fmt::format("long long harness_{}", size.name));
  if (!serial) texts.insert(texts.end(), scratch.begin(), scratch.end());
  return fmt::format("{}", fmt::join(texts, ", "));
}

/// What the original is called with. Vectors in its signature (float4*) are views of the same memory.
std::string wrapper_argument(const AdoptedKernel& kernel, const AdoptedParameter& parameter, const Parameter& declared,
                             bool wide) {
  const auto passed = [&](const std::string& symbol) { return "harness_" + kernel.size(symbol)->name; };
  if (parameter.kind == Param::size)
    return fmt::format("static_cast<{}>({})", declared.resolved, passed(parameter.name));
  if (parameter.kind == Param::derived)
    return fmt::format("static_cast<{}>({})", declared.resolved,
                       as_cpp(*with(parameter.follows, first_values(kernel)), passed));
  if (!declared.enumerators.empty()) return fmt::format("static_cast<{}>({})", declared.type, parameter.name);
  const bool half = is_floating(parameter.dtype) && storage_bytes(parameter.dtype) < 4;
  if (!is_array(parameter))
    return wide && half ? fmt::format("static_cast<float>({})", parameter.name) : parameter.name;
  if (parameter.lanes > 1) {
    std::string type = declared.resolved;
    if (wide && type.starts_with("float")) type = "double" + type.substr(5);
    else if (wide && is_floating(parameter.dtype)) type = with_doubles(type);
    return fmt::format("({}{}*)({})", declared.read_only ? "const " : "", type, parameter.name);
  }
  // long and long long are two types of one size, char and signed char too: int64_t is the one or the other, as the
  // compiler likes.
  const bool of_template = std::ranges::any_of(
      kernel.declaration.templates, [&](const TemplateParameter& each) { return each.name == declared.pointee; });
  if (parameter.type.empty() && !is_floating(parameter.dtype) && !of_template &&
      declared.pointee != cuda_type(parameter.dtype))
    return fmt::format("({}{}*)({})", declared.read_only ? "const " : "", declared.pointee, parameter.name);
  return parameter.role == "input" && !declared.read_only
             ? fmt::format("const_cast<{}*>({})",
                           wide && is_floating(parameter.dtype) ? "double"
                           : parameter.type.empty()             ? std::string(cuda_type(parameter.dtype))
                                                                : "T",
                           parameter.name)
             : parameter.name;
}

std::string wrapper(const AdoptedKernel& kernel, const std::string& name, const std::string& call,
                    const std::vector<std::string>& arguments, bool wide, bool serial) {
  const bool templated = !wide && !kernel.dtype_parameter.empty();
  return fmt::format("\n{}__global__ void {}({}) {{\n  {}{}({});\n}}\n", templated ? "template <class T>\n" : "", name,
                     wrapper_parameters(kernel, wide, serial), serial ? "if (blockIdx.x + threadIdx.x == 0) " : "",
                     call, fmt::join(arguments, ", "));
}

std::string first_tuned(const AdoptedKernel& kernel) {
  std::string defines;
  for (const auto& [name, values] : kernel.tuned)
    if (kernel.bound.at(name) == "define") defines += fmt::format("#define {} {}\n", name, values.front());
  return defines;
}

}  // namespace

void add_shared_conditions(AdoptedKernel& kernel, bool wide) {
  for (const LaunchShape* launch : kernel.launches()) {
    FormulaPtr shared = with(launch->shared, first_values(kernel));
    if (shared->kind == Op::number) continue;
    if (wide) shared = formula(Op::multiply, {shared, number(static_cast<double>(wide_factor(kernel)))});
    const FormulaPtr fits = formula(Op::le, {shared, number(kSharedOfBlock)});
    if (std::ranges::none_of(kernel.conditions, [&](const Condition& each) { return equal(*each.formula, *fits); }))
      kernel.conditions.push_back({fits, "so that a block has enough shared memory"});
  }
}

std::string variant_manifest(const AdoptedKernel& kernel) {
  return variant(kernel);
}

std::int64_t wide_factor(const AdoptedKernel& kernel) {
  int least = 8;
  for (const AdoptedParameter& parameter : kernel.parameters)
    if (parameter.kind == Param::pointer && is_floating(parameter.dtype))
      least = std::min(least, storage_bytes(parameter.dtype));
  return 8 / std::max(1, least);
}

std::string shape_text(const AdoptedKernel& kernel, const AdoptedParameter& parameter) {
  std::vector<std::string> texts;
  for (const FormulaPtr& extent : parameter.shape)
    texts.push_back(as_lua(*extent, [&](const std::string& symbol) {
      const AdoptedSize* const size = kernel.size(symbol);
      return size == nullptr ? symbol : size->name;
    }));
  return fmt::format("[{}]", fmt::join(texts, ", "));
}

namespace {

/// `int half = dim / 2;`
bool declares_half(const std::vector<Token>& tokens) {
  for (std::size_t i = 1; i + 1 < tokens.size(); ++i) {
    const Token &before = tokens[i - 1], &next = tokens[i + 1];
    const bool typed = before.is_word() && !before.is("const") && !before.is("return");
    if (tokens[i].is("half") && typed && (next.is("=") || next.is(";") || next.is(",") || next.is(")"))) return true;
  }
  return false;
}

/// `const float cos = cosf(x)`: in double both would be called cos, so a variable of such a name gets another one. So
/// does one that is called like a type which becomes double.
std::string without_shadows(const std::string& text) {
  static const std::set<std::string, std::less<>> names{"cos", "sin", "tan", "exp",   "log",  "sqrt", "rsqrt",
                                                        "pow", "erf", "fma", "floor", "ceil", "fmax", "fmin"};
  std::string result;
  std::size_t done = 0;
  const std::vector<Token> tokens = tokens_of(text);
  std::set<std::string, std::less<>> in_float;  // cosf, __cosf: what becomes cos
  for (const Token& each : tokens)
    if (each.is_word() && each.text.ends_with("f"))
      in_float.emplace(each.text.substr(each.text.starts_with("__") ? 2 : 0));
  const bool half_is_variable = declares_half(tokens);
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const bool called = i + 1 < tokens.size() && tokens[i + 1].is("(");
    const bool of_scope = i > 0 && tokens[i - 1].is("::");
    const bool function = names.contains(tokens[i].text) && in_float.contains(std::string(tokens[i].text) + "f");
    const bool type = half_is_variable && tokens[i].is("half");
    if (!tokens[i].is_word() || called || of_scope || !(function || type)) continue;
    result += text.substr(done, tokens[i].end - done) + "_value";
    done = tokens[i].end;
  }
  return result + text.substr(done);
}

}  // namespace

std::string widened(const DeviceSource& device, const std::string& given) {
  const std::string text = without_shadows(given);
  std::string result;
  for (const std::string& header : device.headers) result += fmt::format("#include <{}>\n", header);
  if (device.torch) result += "#include <harness/torch_types.cuh>\n";
  // A word of ordinary programs too: only where it is a type.
  const bool half =
      device.torch || std::find(device.headers.begin(), device.headers.end(), "cuda_fp16.h") != device.headers.end();
  const std::string halves = half ? "#define half double\n" : "";
  return result + "#include <harness/adopted.cuh>\n#include <harness/wide_begin.cuh>\n" + halves + text +
         (half ? "\n#undef half" : "") + "\n#include <harness/wide_end.cuh>\n";
}

std::string reference_entry(std::size_t i) {
  return i == 0 ? "reference" : fmt::format("reference_{}", i + 1);
}

std::string own_reference(const AdoptedKernel& kernel, const DeviceSource& device, bool wide) {
  const bool renamed = wide && without_shadows(device.text) != device.text;  // then a text of its own
  const std::string inside =
      "// The original as a function of the device: `reference` calls it in the original's own launch.\n" +
      first_tuned(kernel) + "#include <harness/as_device_begin.cuh>\n" +
      (renamed ? device.text + "\n" : "#include \"variants/00_original.cu\"\n") +
      "#include <harness/as_device_end.cuh>\n";
  std::string text =
      wide ? "// The original's own source with double in the place of each floating type.\n" + widened(device, inside)
           : "// The original itself: equal to it is not shown to be right.\n" + inside;
  std::map<std::string, std::string> values;
  for (const auto& [name, how] : kernel.bound)
    if (how == "template") values[name] = fmt::format("{}", kernel.tuned.at(name).front());
  std::vector<std::string> arguments;
  for (std::size_t i = 0; i < kernel.parameters.size() && is_passed(kernel.parameters[i]); ++i)
    arguments.push_back(wrapper_argument(kernel, kernel.parameters[i], kernel.declaration.parameters[i], wide));
  const std::string first = kernel.entry_for(wide ? "double" : "T", values, wide);
  for (std::size_t i = 0; i <= kernel.further.size(); ++i)
    text += wrapper(kernel, reference_entry(i), kernel.entry_of_launch(i, first), arguments, wide, false);
  return text;
}

std::optional<std::string> host_reference(const AdoptedKernel& kernel, const Declaration& function,
                                          const DeviceSource& device) {
  std::vector<std::string> arguments;
  std::vector<AdoptedParameter> own = kernel.parameters;
  std::erase_if(own, [](const AdoptedParameter& each) { return each.kind == Param::scratch; });
  const bool by_place = function.parameters.size() == own.size();
  for (std::size_t i = 0; i < function.parameters.size(); ++i) {
    const Parameter& wanted = function.parameters[i];
    const auto fits = [&](const AdoptedParameter& parameter) {
      return (parameter.kind == Param::pointer) == !wanted.pointee.empty();
    };
    auto found = std::find_if(own.begin(), own.end(),
                              [&](const AdoptedParameter& each) { return each.name == wanted.name && fits(each); });
    if (found == own.end() && by_place && fits(own[i])) found = own.begin() + static_cast<std::ptrdiff_t>(i);
    if (found == own.end()) {
      const AdoptedSize* size = nullptr;
      for (const AdoptedSize& each : kernel.sizes)
        if (each.name == wanted.name) size = &each;
      if (size == nullptr || !wanted.pointee.empty()) return std::nullopt;
      arguments.push_back(fmt::format("static_cast<int>(harness_{})", size->name));
      continue;
    }
    arguments.push_back(wrapper_argument(kernel, *found, wanted, true));
  }
  return "// A function of the host, in double. One thread does it all.\n" + widened(device, device.text) +
         wrapper(kernel, reference_entry(0), function.name, arguments, true, true);
}

std::vector<TimedPoint> timed_points(const AdoptedKernel& kernel) {
  std::vector<TimedPoint> points;
  for (const Workload& workload : workloads_of(kernel)) {
    if (!workload.devices.empty() && workload.devices != "cpu") continue;
    TimedPoint point{workload_name(kernel, workload, kernel.dtypes.front()), {}, kernel.dtypes.front()};
    for (std::size_t i = 0; i < kernel.sizes.size(); ++i) point.sizes[kernel.sizes[i].symbol] = workload.sizes[i];
    points.push_back(std::move(point));
  }
  return points;
}

std::vector<PluginFile> plugin_files(const AdoptedKernel& kernel, const DeviceSource& device,
                                     const ChosenReference& reference, const std::string& name, const std::string& file,
                                     const std::string& digest) {
  std::vector<PluginFile> files{{"kernel.lua", manifest(kernel, device.text, reference, name, file, digest)},
                                {"variants/00_original.lua", variant(kernel)},
                                {"variants/00_original.cu", device.text},
                                {"reference.cu", reference.text}};
  files.insert(files.end(), reference.files.begin(), reference.files.end());
  return files;
}

}  // namespace harness::adopt
