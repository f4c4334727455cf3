#include "harness/script/contract/draws.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/core/generators.h"
#include "harness/core/suggest.h"

namespace harness::script {
namespace {

using OptionKind = ConstructorOption::Kind;

struct CompareKind {
  std::string name;
  std::vector<ConstructorOption> options;
};

const std::vector<CompareKind>& compare_kinds() {
  using enum ConstructorOption::Kind;
  static const std::vector<CompareKind> kinds{{"relative", {{"tolerance"}, {"impostor_bits"}}},
                                              {"ulp", {{"max", number, true}}},
                                              {"exact", {}},
                                              {"quantized", {{"scale", argument, true}, {"steps"}, {"share"}}},
                                              {"set", {{"indices", argument}}},
                                              {"custom", {{"source", text, true}, {"entry", text, true}, {"threads"}}}};
  return kinds;
}

template <typename Kind>
const Kind& kind_of(const Reader& options, const std::vector<Kind>& kinds, const std::string& field) {
  const auto found = std::ranges::find(kinds, options.node().kind, &Kind::name);
  if (found != kinds.end() && options.node().table) return *found;
  std::vector<std::string> names;
  for (const Kind& kind : kinds) names.push_back(kind.name);
  throw options.error(fmt::format("is {}; '{}' must be one of: {} {{ ... }}", options.node().described(), field,
                                  fmt::join(names, ", ")));
}

Error unknown_option(const Reader& options, const std::vector<ConstructorOption>& known, const std::string& name) {
  std::vector<std::string> names;
  for (const ConstructorOption& option : known) names.push_back(option.name);
  const std::string meant = did_you_mean(name, names);
  const std::string help =
      names.empty() ? "; it has no options" : fmt::format("; its options are: {}", fmt::join(names, ", "));
  return options.error(fmt::format("has an unknown option '{}'{}", name, meant.empty() ? help : meant));
}

/// Options as plain values; the names of fields are checked against `known`.
json read_options(Sizes& sizes, const Reader& options, const std::vector<ConstructorOption>& known) {
  if (!options.node().list.empty()) throw options.error("takes named options only: write NAME = value");
  for (const ConstructorOption& option : known)
    if (option.required) options.need(option.name);
  json read = json::object();
  for (const auto& [name, value] : options.node().fields) {
    const auto option = std::ranges::find(known, name, &ConstructorOption::name);
    if (option == known.end()) throw unknown_option(options, known, name);
    if (option->kind == OptionKind::number) read[name] = value_to_json(sizes.value(value, options, name));
    else if (option->kind == OptionKind::arguments) read[name] = options.texts(name);
    else read[name] = options.text(name);
  }
  return read;
}

/// Custom device code: the file by its absolute path, the entry with its names filled in.
void complete_custom(json& options, const Reader& where, const Sizes& sizes, const std::filesystem::path& folder) {
  options["entry"] = fill_in(options["entry"].get<std::string>(), sizes.workload().values, where);
  options["source"] = own_file(where, folder, options["source"].get<std::string>()).string();
}

const Argument* find(const std::vector<Argument>& arguments, const std::string& name) {
  const auto found = std::ranges::find(arguments, name, &Argument::name);
  return found == arguments.end() ? nullptr : &*found;
}

std::vector<std::string> names_of(const std::vector<Argument>& arguments) {
  std::vector<std::string> names;
  for (const Argument& argument : arguments) names.push_back(argument.name);
  return names;
}

/// The input of that name, which an option of a generator names.
const Argument& drawn_before(const Reader& options, const std::string& option, const std::string& name,
                             const std::vector<Argument>& before) {
  const Argument* other = find(before, name);
  if (other == nullptr)
    throw options.error(fmt::format("has {} = '{}', which is no argument declared before it{}", option, name,
                                    did_you_mean(name, names_of(before))));
  if (!other->gen) throw options.error(fmt::format("needs an input as {}, not '{}'", option, name));
  return *other;
}

}  // namespace

std::filesystem::path own_file(const Reader& where, const std::filesystem::path& folder, const std::string& name) {
  std::error_code failed;
  const auto base = std::filesystem::canonical(folder, failed);
  const auto file = std::filesystem::weakly_canonical(base / name, failed);
  const auto inside = file.lexically_relative(base);
  if (inside.empty() || *inside.begin() == "..")
    throw where.error(fmt::format("names '{}', outside the kernel's folder", name));
  if (!std::filesystem::exists(file)) throw where.error(fmt::format("names the file '{}', which is not there", name));
  return file;
}

Generator read_generator(Sizes& sizes, const Reader& argument, const std::vector<Argument>& before,
                         const std::filesystem::path& folder) {
  const Node& node = argument.need("gen");
  const Reader options(argument.manifest(), node, argument.what() + ": gen");
  const GeneratorKind& kind = kind_of(options, generator_kinds(), "gen");
  Generator generator{kind.name, read_options(sizes, options, kind.options)};
  for (const ConstructorOption& option : kind.options) {
    if (option.kind == OptionKind::argument) {
      const std::string name = options.text(option.name);
      const Argument& other = drawn_before(options, option.name, name, before);
      if (is_floating(other.dtype))
        throw options.error(fmt::format("needs an integer input as {}, not '{}'", option.name, name));
    } else if (option.kind == OptionKind::arguments && generator.options.contains(option.name)) {
      for (const std::string& name : generator.options[option.name].get<std::vector<std::string>>())
        drawn_before(options, option.name, name, before);
    }
  }
  if (kind.own_code) complete_custom(generator.options, options, sizes, folder);
  return generator;
}

Generator default_generator(const Reader& argument, Dtype dtype) {
  if (is_floating(dtype)) return {"normal", json::object()};
  throw argument.error("has an integer type and no generator; add gen = integers { lo = ..., hi = ... } or another");
}

Compare read_compare(Sizes& sizes, const Reader& argument, Dtype dtype, const std::filesystem::path& folder) {
  const Node* node = argument.find("compare");
  if (node == nullptr) return {is_floating(dtype) ? "relative" : "exact", 0, json::object()};
  const Reader options(argument.manifest(), *node, argument.what() + ": compare");
  const CompareKind& kind = kind_of(options, compare_kinds(), "compare");
  Compare compare{kind.name, 0, read_options(sizes, options, kind.options)};
  for (const char* tolerance : {"tolerance", "max", "share"}) {
    if (!compare.options.contains(tolerance)) continue;
    compare.tolerance = sizes.number(options.need(tolerance), options, tolerance);
    compare.options.erase(tolerance);
    if (compare.tolerance < 0) throw options.error(fmt::format("has a negative '{}'", tolerance));
  }
  if (kind.name == "quantized" && !compare.options.contains("steps")) compare.options["steps"] = 1;
  if (kind.name == "relative" && !is_floating(dtype))
    throw options.error("is for floating types; use exact {} or quantized {...}");
  if (kind.name == "custom") complete_custom(compare.options, options, sizes, folder);
  return compare;
}

void check_comparisons(const Reader& kernel, const std::vector<Argument>& arguments) {
  for (const Argument& argument : arguments) {
    if (!argument.compare) continue;
    for (const char* option : {"scale", "indices"}) {
      if (!argument.compare->options.contains(option)) continue;
      const std::string name = argument.compare->options[option].get<std::string>();
      if (find(arguments, name) != nullptr) continue;
      throw kernel.error(fmt::format("compares '{}' with {} = '{}', which is no argument{}", argument.name, option,
                                     name, did_you_mean(name, names_of(arguments))));
    }
  }
}

}  // namespace harness::script
