#include "harness/script/plan/library.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/core/suggest.h"
#include "harness/script/plan/scalars.h"

namespace harness::script {
namespace {

using OptionNames = std::vector<std::string>;

struct LibraryOperation {
  std::string library, name;
  OptionNames read, written;       // operands
  OptionNames optional_operands;   // of those
  OptionNames required, optional;  // other options
};

const std::vector<LibraryOperation>& library_operations() {
  static const std::vector<LibraryOperation> all = {
      {"cublas",
       "gemm",
       {"a", "b", "bias", "residual"},
       {"c"},
       {"bias", "residual"},
       {"m", "n", "k"},
       {"batch",   "transpose_a",    "transpose_b", "alpha",      "beta",           "algorithm",      "activation",
        "a_dtype", "b_dtype",        "c_dtype",     "bias_dtype", "residual_dtype", "a_pitch",        "b_pitch",
        "c_pitch", "residual_pitch", "a_stride",    "b_stride",   "c_stride",       "residual_stride"}},
      {"cudnn", "attention", {"q", "k", "v"}, {"o", "lse"}, {"lse"}, {}, {"causal", "scale", "engine"}},
      {"torch", "call", {}, {}, {}, {}, {"compile", "tf32"}}};
  return all;
}

void append_names(OptionNames& names, const OptionNames& more) {
  names.insert(names.end(), more.begin(), more.end());
}

bool has_name(const OptionNames& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

const LibraryOperation* find_operation(const std::string& library, const std::string& name) {
  const auto found = std::ranges::find_if(
      library_operations(), [&](const LibraryOperation& each) { return each.library == library && each.name == name; });
  return found == library_operations().end() ? nullptr : &*found;
}

const LibraryOperation& named_operation(const Reader& reader) {
  const Node& node = reader.node();
  const auto text = [&](std::size_t i) {
    return node.list.size() > i && node.list[i].text() != nullptr ? *node.list[i].text() : std::string();
  };
  if (const LibraryOperation* found = find_operation(text(0), text(1)); found != nullptr && node.list.size() == 2)
    return *found;
  OptionNames known;
  for (const LibraryOperation& each : library_operations())
    known.push_back(fmt::format("{{ \"{}\", \"{}\", ... }}", each.library, each.name));
  throw reader.error(
      fmt::format("names no operation of a library; write one of: library {}", fmt::join(known, ", library ")));
}

void check_options(const Reader& reader, const LibraryOperation& operation) {
  OptionNames known, needed = operation.required;
  for (const OptionNames* names : {&operation.read, &operation.written, &operation.required, &operation.optional})
    append_names(known, *names);
  append_names(needed, operation.read);
  append_names(needed, operation.written);
  for (const auto& [name, node] : reader.node().fields) {
    if (has_name(known, name)) continue;
    const std::string meant = did_you_mean(name, known);
    throw reader.error(fmt::format("has no option '{}'{}", name,
                                   meant.empty() ? fmt::format("; there are: {}", fmt::join(known, ", ")) : meant));
  }
  for (const std::string& name : needed)
    if (!has_name(operation.optional_operands, name)) reader.need(name);
}

}  // namespace

LibraryCall read_library(const Reader& reader) {
  const LibraryOperation& operation = named_operation(reader);
  const Reader named(reader.manifest(), reader.node(), fmt::format("library {} {}", operation.library, operation.name));
  check_options(named, operation);
  LibraryCall call{operation.library, operation.name, json::object()};
  for (const auto& [name, node] : reader.node().fields) call.options[name] = plain_json(named, node);
  for (const OptionNames* names : {&operation.read, &operation.written})
    for (const std::string& name : *names)
      if (call.options.contains(name) && !call.options[name].is_string())
        throw named.wrong(name, "the name of an argument or workspace");
  return call;
}

std::vector<LibraryOperand> operands_of(const LibraryCall& call) {
  std::vector<LibraryOperand> operands;
  const LibraryOperation* operation = find_operation(call.library, call.operation);
  if (operation == nullptr) return operands;
  const auto add = [&](const OptionNames& options, bool written) {
    for (const std::string& option : options)
      if (call.options.contains(option)) operands.push_back({option, call.options[option].get<std::string>(), written});
  };
  add(operation->read, false);
  add(operation->written, true);
  return operands;
}

}  // namespace harness::script
