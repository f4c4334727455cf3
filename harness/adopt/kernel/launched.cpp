#include "harness/adopt/kernel/launched.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "harness/adopt/host/resolve_launch.h"
#include "harness/adopt/kernel/answers.h"
#include "harness/adopt/kernel/chosen.h"
#include "harness/adopt/kernel/classify.h"
#include "harness/adopt/kernel/constants.h"
#include "harness/adopt/kernel/tuned.h"
#include "harness/adopt/source/kernels.h"
#include "harness/adopt/source/option_text.h"
#include "harness/core/error.h"

namespace harness::adopt {
namespace {

LaunchShape launch_shape(const Source& source, const FoundLaunch* launch, const Declaration& declaration,
                         const AdoptOptions& options, const std::set<std::string>& tuned) {
  const bool given = !options.grid.empty() && !options.block.empty();
  LaunchShape shape;
  if (launch != nullptr) {
    try {
      shape = resolve_launch({source, launch, declaration, tuned}, options.function.empty());
    } catch (const Error&) {
      if (!given) throw;
    }
  } else if (!given) {
    throw bad_input(
        fmt::format("{} has no launch {}<<<...>>> that says its grid and block; give --grid EXPR and --block EXPR "
                    "in terms of its parameters",
                    shown_file(source.main().path), declaration.name));
  }
  if (!options.grid.empty()) shape.grid = read_dimensions("--grid", options.grid, declaration, tuned);
  if (!options.block.empty()) shape.block = read_dimensions("--block", options.block, declaration, tuned);
  if (!options.shared.empty()) shape.shared = read_dimensions("--shared", options.shared, declaration, tuned).front();
  if (launch != nullptr) shape.written = written_by_host({source, launch, declaration, tuned}, shape.grid);
  if (!options.grid.empty() || !options.block.empty()) shape.from = "--grid and --block";
  return shape;
}

/// Reads the launches of a kernel, or of several.
void read_launches(AdoptedKernel& kernel, const Declared& declared, const std::vector<FoundLaunch>& launches,
                   const FoundLaunch* first) {
  std::set<std::string> tuned;
  for (const auto& [name, values] : kernel.tuned) tuned.insert(name);
  kernel.launch = launch_shape(declared.source, first, kernel.declaration, declared.options, tuned);
  for (FurtherLaunch& further : kernel.further) {
    const Declaration& declaration = declared.source.parsed.declarations[index_of(declared.source, further.name)];
    further.launch = launch_shape(declared.source, launch_of(declared.source, launches, further.name), declaration,
                                  declared.options, tuned);
  }
}

void read_parameters(AdoptedKernel& kernel, const AdoptOptions& options) {
  for (const Parameter& parameter : kernel.declaration.parameters)
    kernel.parameters.push_back(classify(kernel, parameter));
  for (AdoptedParameter& parameter : kernel.parameters) {
    if (options.scratch.contains(parameter.name)) parameter.kind = Param::scratch;
    const bool data = parameter.kind == Param::pointer && parameter.declared_read_only;
    for (const LaunchShape* launch : kernel.launches())  // of what is only read, zeros are one program's data
      if (launch->zeroed.contains(parameter.name) && !data) parameter.zeroed = true;
  }
}

std::set<std::string> names_of_tuned(const AdoptedKernel& kernel) {
  std::set<std::string> names;
  for (const auto& [name, how] : kernel.bound)
    if (how == "define") names.insert(name);
  return names;
}

/// Names that the device part needs besides its own: template arguments of the launch, and headers of its types.
std::string words_of_launch(const AdoptedKernel& kernel) {
  std::string words;
  for (const auto& [name, text] : kernel.launch.templates) words += text + "\n";
  for (const Dtype dtype : kernel.dtypes) words += std::string(cuda_type(dtype)) + "\n";
  return words;
}

/// A dispatch over all floating types includes double. A kernel that computes in float is no kernel for it: no
/// tolerance could tell its rounding from a wrong answer.
void leave_out_double(AdoptedKernel& kernel, const DeviceSource& device, std::vector<std::string>& notes) {
  const std::vector<std::string> words = words_of(device.text);
  const bool in_float = std::find(words.begin(), words.end(), "float") != words.end();
  if (!in_float || kernel.dtypes.size() < 2) return;
  if (std::erase(kernel.dtypes, Dtype::f64) > 0) notes.emplace_back("f64 is left out: the kernel computes in float");
}

std::string plugin_name(const AdoptOptions& options, const AdoptedKernel& kernel) {
  std::string name = options.name.empty() ? kernel.declaration.name : options.name;
  const bool plain = !name.empty() && std::all_of(name.begin(), name.end(), [](unsigned char c) {
    return std::isalnum(c) || c == '_' || c == '-';
  });
  if (!plain)
    throw bad_input(fmt::format("'{}' is no name for a kernel; use --name with letters, digits, _ and -", name));
  return name;
}

}  // namespace

AdoptedKernel choose_kernel(const Declared& declared) {
  const Source& source = declared.source;
  const AdoptOptions& options = declared.options;
  const std::vector<FoundLaunch> launches = find_launches(source);
  const bool several = !options.function.empty();
  const std::string name = several ? options.entries.front() : kernel_to_adopt(source, options, launches);
  AdoptedKernel kernel;
  kernel.index = index_of(source, name);
  refuse_broken_signature(source, kernel.index);
  kernel.declaration = source.parsed.declarations[kernel.index];
  kernel.qualified = qualified_name(source, kernel.index);
  kernel.function = options.function;
  kernel.in_front_of = options.in_front_of;
  kernel.tuned = read_tuned(options);
  for (std::size_t i = 1; several && i < options.entries.size(); ++i)
    kernel.further.push_back({options.entries[i], qualified_name(source, index_of(source, options.entries[i])), {}});
  const FoundLaunch* const first = launch_of(source, launches, name);
  read_launches(kernel, declared, launches, first);
  if (tune_blocks(kernel, source)) read_launches(kernel, declared, launches, first);
  choose_types(kernel);
  if (kernel.dtypes.empty()) kernel.dtypes = {Dtype::f32};
  read_parameters(kernel, options);
  bind_tuned(kernel, source, options);
  begin_with_the_originals(kernel, source, first, !options.block.empty());
  refuse_open_templates(kernel, source);
  add_sizes(kernel, first);
  return kernel;
}

Launched launch(const Declared& declared) {
  Launched launched{choose_kernel(declared), {}, "", declared.notes};
  AdoptedKernel& kernel = launched.kernel;
  kernel.path = declared.options.path;
  launched.name = plugin_name(declared.options, kernel);
  choose_dtype(kernel, declared.options.dtypes);
  std::set<std::string> further;
  for (const FurtherLaunch& launch : kernel.further) further.insert(launch.name);
  launched.device =
      device_source(declared.source, kernel.index, names_of_tuned(kernel), false, words_of_launch(kernel), further);
  add_constants(kernel, declared.source, launched.device.constants);
  apply_answers(kernel, declared.options);
  leave_out_double(kernel, launched.device, launched.notes);
  return launched;
}

}  // namespace harness::adopt
