#include "harness/adopt/plugin/revision.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "harness/adopt/host/unpack.h"
#include "harness/adopt/kernel/answers.h"
#include "harness/adopt/kernel/launched.h"
#include "harness/adopt/kernel/read_again.h"
#include "harness/adopt/plugin/variant.h"
#include "harness/adopt/source/kernels.h"
#include "harness/adopt/source/launch.h"
#include "harness/adopt/source/slice.h"
#include "harness/core/dtype.h"
#include "harness/core/error.h"

namespace harness::adopt {
namespace {

/// A number that the host alone knows is a size only where the contract has it.
void fill_in_host_numbers(AdoptedKernel& kernel, const std::set<std::string>& fields) {
  std::map<std::string, FormulaPtr> numbers;
  for (const AdoptedSize& size : kernel.sizes) {
    if (fields.contains(size.name)) continue;
    if (!size.host)
      throw bad_input(
          fmt::format("the launch of '{}' depends on '{}', which its contract does not have; adopt the "
                      "file anew",
                      kernel.shown_name(), size.name));
    numbers[size.symbol] = number(static_cast<double>(*size.host));
  }
  kernel.replace_in_launches(numbers);
}

/// Memory from one launch to the next is as large as the host's function asks for.
void size_scratch(AdoptedKernel& kernel) {
  for (AdoptedParameter& parameter : kernel.parameters) {
    if (parameter.kind != Param::scratch) continue;
    FormulaPtr bytes;
    for (const LaunchShape* launch : kernel.launches())
      if (const auto asked_for = launch->allocated.find(parameter.name); asked_for != launch->allocated.end())
        bytes = asked_for->second;
    if (!bytes)
      throw bad_input(fmt::format(
          "how large '{}' is cannot be read from {}; make a package of it and guard that: harness guard DIR",
          parameter.name, kernel.function));
    parameter.shape = {formula(Op::divide, {bytes, number(storage_bytes(parameter.dtype))})};
    parameter.evidence = "as the function asks for it";
  }
}

AdoptOptions options_of(const std::string& file, const AdoptedFrom& from) {
  AdoptOptions options;
  options.file = file;
  options.yes = true;
  const std::string entry =
      from.entry.substr(from.entry.rfind(':') == std::string::npos ? 0 : from.entry.rfind(':') + 1);
  const std::string behind = behind_front(entry);  // the file has the kernel behind the one in front
  options.entries = {behind.empty() ? entry : behind};
  take_options(options, from.options);
  return options;
}

}  // namespace

Revision revision_of(const std::string& file, const AdoptedFrom& from, const std::set<std::string>& fields) {
  const Declared declared = declare(options_of(file, from));
  AdoptedKernel kernel = choose_kernel(declared);
  apply_answers(kernel, {.settings = declared.answers.settings});
  size_scratch(kernel);
  fill_in_host_numbers(kernel, fields);
  std::set<std::string> tuned, further;
  for (const auto& [name, values] : kernel.tuned) tuned.insert(name);
  for (const FurtherLaunch& launch : kernel.further) further.insert(launch.name);
  Revision revision;
  revision.source = device_source(declared.source, kernel.index, tuned, false, "", further).text;
  revision.manifest = variant_manifest(kernel);
  for (const Parameter& parameter : kernel.declaration.parameters)
    if (!declared.scratch.contains(parameter.name))  // which is no part of a contract
      revision.parameters +=
          fmt::format("{}{} {}", revision.parameters.empty() ? "" : ", ", parameter.type, parameter.name);
  return revision;
}

std::vector<std::string> defines_of(const AdoptedFrom& from) {
  AdoptOptions options;
  take_options(options, from.options);
  return options.defines;
}

std::string device_part(const std::string& file, const std::string& text, const AdoptedFrom& from,
                        const std::set<std::string>& tuned) {
  if (std::ranges::none_of(tokens_of(text), [](const Token& token) { return token.is("<<<"); })) return text;
  const Declared declared = declare(options_of(file, from));
  std::string types;  // headers of the types that a dispatch goes over
  for (const HostLaunch& launch : declared.source.launches) types += launch.dispatch + "\n";
  std::set<std::string> further;
  for (std::size_t i = 1; i < declared.kernels.size(); ++i)
    further.insert(declared.source.parsed.declarations[declared.kernels[i]].name);
  return device_source(declared.source, declared.kernels.front(), tuned, false, types, further).text;
}

}  // namespace harness::adopt
