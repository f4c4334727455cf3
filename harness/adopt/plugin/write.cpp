#include "harness/adopt/plugin/write.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "harness/adopt/observe/reference_launch.h"
#include "harness/adopt/plugin/lua_text.h"
#include "harness/adopt/plugin/reference_source.h"
#include "harness/adopt/plugin/variant.h"
#include "harness/adopt/plugin/workloads.h"
#include "harness/adopt/source/tokens.h"
#include "harness/core/dtype.h"
#include "harness/core/hash.h"

namespace harness::adopt {
namespace {

/// What an adopted kernel computes is not known, and so not where it divides by what has nearly cancelled: f32 is held
/// to half way to ten bits of mantissa, not to the few units that a sum of known terms allows.
std::string comparison_text(Dtype dtype, const std::string& tolerance) {
  if (!is_floating(dtype)) return "exact {}";
  return tolerance == name(Dtype::f32) ? "relative { impostor_bits = 10 }" : "relative {}";
}

/// The condition on all sizes together: what the host asks for, and that every point fits in memory.
std::string where_text(const AdoptedKernel& kernel, const Coverage& coverage) {
  const std::string fits = fmt::format("le({}, {})", lua(kernel, *coverage.total), coverage.elements);
  if (kernel.conditions.empty())
    return noted(fmt::format("    where = function(w) return {} end,", fits), "so that every point fits in memory");
  std::vector<std::string> all;
  for (const Condition& condition : kernel.conditions) all.push_back(lua(kernel, *condition.formula));
  return noted(fmt::format("    where = function(w) return all_of({}, {}) end,", fmt::join(all, ", "), fits),
               kernel.conditions.front().evidence + "; and so that every point fits in memory");
}

std::string domain_text(const AdoptedKernel& kernel, const Coverage& coverage) {
  std::string text = "  domain = {\n";
  for (std::size_t i = 0; i < kernel.sizes.size(); ++i) {
    const AdoptedSize& size = kernel.sizes[i];
    const std::int64_t high = coverage.highest[i];
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
  if (!kernel.sizes.empty()) text += where_text(kernel, coverage);
  return text + "  },\n";
}

std::string workloads_text(const AdoptedKernel& kernel, const std::vector<Workload>& workloads) {
  std::string text = "  workloads = {\n";
  std::vector<std::string> names;
  const std::vector<Dtype> types = kernel.dtype_parameter.empty() ? std::vector<Dtype>{Dtype::f32} : kernel.dtypes;
  for (const Workload& workload : workloads) {
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

/// grid, block and shared of one launch; what is tuned has its first value.
std::string launch_text(const AdoptedKernel& kernel, const LaunchShape& launch,
                        const std::map<std::string, FormulaPtr>& first, bool wide, const std::string& indent) {
  const auto plain = [&](const std::vector<FormulaPtr>& formulas) {
    std::vector<FormulaPtr> all;
    for (const FormulaPtr& extent : formulas) all.push_back(with(extent, first));
    return lua_list(kernel, all);
  };
  std::string text;
  if (launch.when->kind != Op::number)
    text += fmt::format("{}when = function(w) return {} end,\n", indent, lua(kernel, *with(launch.when, first)));
  text += fmt::format("{0}grid = function(w) return {1} end,\n{0}block = function(w) return {2} end,\n", indent,
                      plain(launch.grid), plain(launch.block));
  FormulaPtr shared = with(launch.shared, first);
  if (wide) shared = formula(Formula::Kind::multiply, {shared, number(static_cast<double>(wide_factor(kernel)))});
  if (!(launch.shared->kind == Formula::Kind::number && launch.shared->number == 0))
    text += fmt::format("{}shared = function(w) return {} end,\n", indent, lua(kernel, *shared));
  return text;
}

std::string further_launches(const AdoptedKernel& kernel, const std::map<std::string, FormulaPtr>& first, bool wide) {
  if (kernel.further.empty()) return "";
  std::string text = "                steps = {\n";
  const std::string type = wide || kernel.dtype_parameter.empty() ? "" : "<$dtype>";
  for (std::size_t i = 0; i < kernel.further.size(); ++i)
    text += fmt::format("                  {{ entry = \"{}{}\",\n{}                  }},\n", reference_entry(i + 1),
                        type, launch_text(kernel, kernel.further[i].launch, first, wide, "                    "));
  text += "                },\n";
  std::string scratch;
  for (const AdoptedParameter& parameter : kernel.parameters)
    if (parameter.kind == Param::scratch)
      scratch += fmt::format("                  {{ \"{}\", bytes = function(w) return {} end, init = \"{}\" }},\n",
                             parameter.name, lua(kernel, *with(scratch_bytes(parameter, wide), first)),
                             parameter.zeroed ? "zeroed" : "dirty");
  return scratch.empty() ? text : text + "                scratch = {\n" + scratch + "                },\n";
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
    text += launch_text(kernel, kernel.launch, first, reference.wide, "                ");
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
    std::erase_if(own, [&](const std::string& name) { return kernel.size(name) == nullptr; });
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

/// Where the plugin comes from, for `doctor`, `guard` and `show --patch`.
std::string origin_text(const AdoptedKernel& kernel, const std::string& file, const std::string& digest,
                        const std::string& original) {
  const std::string path = kernel.path.empty() ? "" : fmt::format(", path = {}", quoted(kernel.path));
  std::string options;
  for (const std::string& option : kernel.options) options += (options.empty() ? "" : ", ") + quoted(option);
  if (!options.empty()) options = fmt::format(",\n              options = {{ {} }}", options);
  return fmt::format(
      "  adopted = {{ file = {}, entry = \"{}\", digest = \"{}\"{},\n              original = \"{}\"{} }},\n",
      quoted(file), kernel.function.empty() ? kernel.qualified : kernel.function, digest, path, sha256_hex(original),
      options);
}

std::string policy_text(const AdoptedKernel& kernel) {
  if (kernel.libraries.empty()) return "";
  std::string text = "  policy = {\n";
  for (const std::string& library : kernel.libraries)
    text += fmt::format("    [\"library {}\"] = \"adopted with the kernel\",\n", library);
  return text + "  },\n";
}

std::string kernel_manifest(const AdoptedKernel& kernel, const std::string& source, const ChosenReference& reference,
                            const std::string& name, const std::string& file, const std::string& digest) {
  std::string text =
      fmt::format("return kernel {{\n  contract = 1,\n  name = \"{}\",\n  summary = {},\n", name,
                  quoted(fmt::format("{} of {}, adopted; reference: {}", kernel.shown_name(), file, reference.words)));
  const Coverage coverage = coverage_of(kernel);
  text += domain_text(kernel, coverage) + workloads_text(kernel, coverage.workloads) + "  arguments = {\n";
  for (const AdoptedParameter& parameter : kernel.parameters)
    if (parameter.kind != Param::size && parameter.kind != Param::derived && parameter.kind != Param::scratch)
      text += argument_text(kernel, parameter);
  text += "  },\n" + reference_text(kernel, reference) + work_text(kernel, source);
  const bool sums = std::ranges::any_of(kernel.parameters, [](const AdoptedParameter& parameter) {
    return parameter.atomic && is_floating(parameter.dtype);
  });
  if (sums) text += noted("  deterministic = false,", "atomics on floating-point numbers");
  text += policy_text(kernel) + origin_text(kernel, file, digest, source) + "}\n";
  return with_bytes_of(
      fmt::format("-- Made by harness adopt out of {}. What a line was inferred from stands behind it.\n", file), text);
}

}  // namespace

std::vector<PluginFile> plugin_files(const AdoptedKernel& kernel, const DeviceSource& device,
                                     const ChosenReference& reference, const std::string& name, const std::string& file,
                                     const std::string& digest) {
  std::vector<PluginFile> files{{"kernel.lua", kernel_manifest(kernel, device.text, reference, name, file, digest)},
                                {"variants/00_original.lua", variant_manifest(kernel)},
                                {"variants/00_original.cu", device.text},
                                {"reference.cu", reference.text}};
  files.insert(files.end(), reference.files.begin(), reference.files.end());
  return files;
}

}  // namespace harness::adopt
