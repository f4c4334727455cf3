#include "harness/device/cuda/compile/builder_answer.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/core/error.h"
#include "harness/device/cuda/compile/capability.h"
#include "harness/device/cuda/compile/compile_log.h"
#include "harness/device/cuda/compile/cubin.h"
#include "harness/device/cuda/compile/entry_facts.h"
#include "harness/device/cuda/compile/module_state.h"
#include "harness/device/cuda/compile/parameter_kinds.h"

namespace harness::cuda {
namespace {

constexpr std::int64_t kMostThreads = 1024, kMostCluster = 16, kMostShared = 1 << 20;

Error answered(const std::string& what) {
  return bad_input("answered " + what);
}

std::int64_t number_within(const json& of, const char* field, std::int64_t absent, std::int64_t most) {
  if (!of.contains(field) || of[field].is_null()) return absent;
  const json& value = of[field];
  if (value.is_number_integer() && value >= 0 && value <= most) return value.get<std::int64_t>();
  throw answered(fmt::format("{} = {}, which is no whole number from 0 to {}", field, json_text(value), most));
}

std::string text_field(const json& of, const char* field) {
  if (!of.contains(field) || of[field].is_null()) return "";
  if (of[field].is_string()) return of[field].get<std::string>();
  throw answered(fmt::format("a {} that is no text", field));
}

BuiltParameter read_parameter(const json& given) {
  if (!given.is_object()) throw answered("a parameter that is no object");
  BuiltParameter parameter;
  parameter.size = number_within(given, "size", 0, 4096);
  const std::string kind = text_field(given, "kind");
  parameter.kind = named_if<ParameterKind>(kind).value_or(ParameterKind::unknown);
  parameter.argument = static_cast<int>(number_within(given, "argument", kNullArgument, 4096));
  return parameter;
}

BuiltEntry read_entry(const json& given) {
  if (!given.is_object()) throw answered("an entry that is no object");
  BuiltEntry entry;
  entry.entry = text_field(given, "name");
  entry.symbol = text_field(given, "symbol");
  if (entry.symbol.empty()) entry.symbol = entry.entry;
  entry.threads = static_cast<int>(number_within(given, "threads", 0, kMostThreads));
  entry.cluster = static_cast<int>(number_within(given, "cluster", 1, kMostCluster));
  entry.shared = number_within(given, "shared", 0, kMostShared);
  entry.scratch_bytes = number_within(given, "scratch_bytes", 0, std::int64_t{1} << 40);
  if (given.contains("parameters")) {
    if (!given["parameters"].is_array()) throw answered("parameters that are no list");
    int next = 0;
    for (const json& parameter : given["parameters"]) {
      entry.parameters.push_back(read_parameter(parameter));
      // Without a word on which argument it takes: the one at its place.
      if (parameter.is_object() && !parameter.contains("argument")) entry.parameters.back().argument = next;
      ++next;
    }
  }
  return entry;
}

/// The compute capability that the image was made for (its ELF header; the place changed with CUDA 13's ABI).
int capability_of(const std::string& cubin) {
  constexpr std::size_t kFlags = 48, kAbiVersion = 8;
  if (cubin.size() < kFlags + 4) return 0;
  const auto byte = [&](std::size_t at) { return static_cast<int>(static_cast<unsigned char>(cubin[at])); };
  return byte(kAbiVersion) >= 8 ? byte(kFlags + 1) : byte(kFlags);
}

std::vector<std::int64_t> sizes_of(const BuiltEntry& entry) {
  std::vector<std::int64_t> sizes;
  for (const BuiltParameter& parameter : entry.parameters) sizes.push_back(parameter.size);
  return sizes;
}

}  // namespace

BuilderAnswer read_builder_answer(std::string_view text) {
  const json given = parse_json_if_valid(text);
  if (!given.is_object()) throw answered("something that is no JSON object");
  BuilderAnswer answer;
  answer.error = text_field(given, "error");
  answer.missing = text_field(given, "missing");
  answer.log = text_field(given, "log");
  answer.compiler = text_field(given, "compiler");
  if (!answer.error.empty() || !answer.missing.empty()) return answer;
  answer.code = text_field(given, "code");
  answer.listing = text_field(given, "listing");
  const std::string kind = text_field(given, "kind");
  if (answer.code.empty() || (kind != "cubin" && kind != "ptx"))
    throw answered("no `code` with a `kind` of cubin or ptx");
  answer.is_ptx = kind == "ptx";
  if (!given.contains("entries") || !given["entries"].is_array()) throw answered("no list of `entries`");
  for (const json& entry : given["entries"]) answer.entries.push_back(read_entry(entry));
  if (!given.contains("read")) return answer;
  for (const json& path : given["read"]) {
    if (!path.is_string()) throw answered("a path in `read` that is no text");
    answer.read.push_back(path.get<std::string>());
  }
  return answer;
}

json builder_request(const BuildSpec& spec, const std::string& architecture, const std::string& scratch,
                     const std::vector<std::string>& folders, const std::string& toolkit) {
  json entries = json::array();
  for (const std::string& entry : spec.entries) {
    const auto use = std::ranges::find(spec.uses, entry, &EntryUse::entry);
    entries.push_back({{"name", entry}, {"arguments", use == spec.uses.end() ? json::array() : json(use->arguments)}});
  }
  return {{"schema", 1},
          {"source_name", spec.source_name},
          {"source", spec.source},
          {"files", folders},
          {"entries", std::move(entries)},
          {"config", spec.defines},
          {"architecture", architecture},
          {"options", spec.options},
          {"toolkit", toolkit},
          {"scratch", scratch}};
}

BuiltImage checked_image(const BuildSpec& spec, const BuilderAnswer& answer, const std::string& cubin,
                         const std::string& ptx, const std::string& architecture) {
  Cubin image;
  try {
    image = parse_cubin(cubin);
  } catch (const Error&) {
    throw answered("code that is no cubin");
  }
  if (const int made_for = capability_of(cubin); made_for != compute_capability(architecture))
    throw answered(fmt::format("code for sm_{} where {} was asked for", made_for, architecture));
  const auto logged = parse_ptxas_log(answer.log);
  const auto kinds = parameter_kinds(ptx);
  BuiltImage built{{}, image.code_hash, kept_state(image.variables, ptx)};
  for (const std::string& name : spec.entries) {
    const auto entry = std::ranges::find(answer.entries, name, &BuiltEntry::entry);
    if (entry == answer.entries.end()) throw answered(fmt::format("no entry '{}', which the plan launches", name));
    const auto kernel = image.kernels.find(entry->symbol);
    if (kernel == image.kernels.end())
      throw answered(fmt::format("'{}' as the symbol of {}, which its code does not have", entry->symbol, name));
    const std::vector<std::int64_t> said = sizes_of(*entry);
    if (!said.empty() && said != kernel->second.parameter_bytes)
      throw answered(fmt::format("parameters of {} of other sizes than its code has ({} of [{}] bytes, not {} of [{}])",
                                 name, kernel->second.parameter_bytes.size(),
                                 fmt::join(kernel->second.parameter_bytes, ", "), said.size(), fmt::join(said, ", ")));
    if (entry->scratch_bytes > 0)
      throw answered(
          fmt::format("that {} needs {} bytes of scratch memory a block: declare a workspace of at least so "
                      "many times the blocks, and pass it as the last argument",
                      name, entry->scratch_bytes));
    const auto line = logged.find(entry->symbol);
    EntryResources resources =
        entry_facts(name, kernel->second, line == logged.end() ? LoggedResources{} : line->second,
                    known_kinds(kinds, entry->symbol, kernel->second.parameter_bytes.size()));
    resources.threads = entry->threads;
    resources.shared = entry->shared;
    resources.cluster = entry->cluster;
    for (std::size_t i = 0; i < entry->parameters.size(); ++i) {
      const BuiltParameter& parameter = entry->parameters[i];
      resources.passes.push_back(parameter.argument);
      if (resources.parameter_kinds.empty()) continue;
      // A null pointer is passed as a number of its size.
      if (parameter.argument == kNullArgument) resources.parameter_kinds[i] = ParameterKind::unknown;
    }
    built.entries.push_back(std::move(resources));
  }
  return built;
}

}  // namespace harness::cuda
