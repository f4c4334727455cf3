#include "harness/adopt/options.h"

#include <fmt/format.h>

#include "harness/adopt/chosen.h"
#include "harness/adopt/classify.h"
#include "harness/adopt/launch_macros.h"
#include "harness/adopt/option_text.h"
#include "harness/adopt/pragma.h"
#include "harness/adopt/sequence.h"
#include "harness/adopt/tuned.h"
#include "harness/adopt/unpack.h"
#include "harness/core/error.h"
#include "harness/core/hash.h"

namespace harness::adopt {
namespace {

/// Its own, else the only one through a variable that may hold it: of as many arguments, and of no kernel's name.
const FoundLaunch* launch_of(const Source& source, const std::vector<FoundLaunch>& launches, const std::string& entry) {
  for (const FoundLaunch& each : launches)
    if (each.entry == entry) return &each;
  const FoundLaunch* through = nullptr;
  const std::size_t parameters = source.parsed.declarations[index_of(source, entry)].parameters.size();
  for (const FoundLaunch& each : launches) {
    const bool named = std::ranges::any_of(source.parsed.declarations, [&](const Declaration& declaration) {
      return declaration.kernel && declaration.name == each.entry;
    });
    if (named || each.arguments.size() != parameters) continue;
    if (through != nullptr) return nullptr;
    through = &each;
  }
  return through;
}

LaunchShape launch_shape(const Source& source, const FoundLaunch* found, const Declaration& declaration,
                         const AdoptOptions& options, const std::set<std::string>& tuned) {
  const bool given = !options.grid.empty() && !options.block.empty();
  LaunchShape shape;
  if (found != nullptr) {
    try {
      shape = resolve_launch(source, *found, declaration, tuned, options.function.empty());
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
  if (found != nullptr) shape.written = written_by_host(source, *found, declaration, shape.grid);
  if (!options.grid.empty() || !options.block.empty()) shape.from = "--grid and --block";
  return shape;
}

/// Where braces do not close, nothing that follows is what it seems.
void refuse_unclosed(const Source& source) {
  const SourceText& main = source.main();
  for (const Complaint& complaint : source.parsed.complaints)
    if (shown_file(complaint.file) == shown_file(main.path) &&
        (complaint.text.starts_with("expected '}'") || complaint.text.starts_with("extraneous closing brace")))
      throw bad_input(fmt::format("{}:{}: {}; mend the file, which no compiler takes", shown_file(main.path),
                                  line_of(main.text, complaint.place), complaint.text));
}

}  // namespace

Source source_of(AdoptOptions& options, std::string& digest, std::vector<std::string>& notes) {
  Source source = read_cuda_source(options.file, options.includes);
  refuse_unclosed(source);
  digest = sha256_hex(source.main().text);
  // A macro may use another one that holds the launch.
  for (int depth = 0; depth < 3; ++depth)
    if (const auto text = with_launch_macros_written_out(source))
      source = read_cuda_text(options.file, *text, options.includes);
    else break;
  if (const auto text = with_one_overload(source, options))
    source = read_cuda_text(options.file, *text, options.includes);
  if (auto sequence = chosen_sequence(source, options)) {
    if (!options.grid.empty() || !options.block.empty() || !options.shared.empty())
      throw bad_input(fmt::format("--grid, --block and --shared say one launch, and {} has {}; leave them out",
                                  sequence->function, sequence->kernels.size()));
    if (options.name.empty()) options.name = sequence->function;
    options.function = sequence->function;
    options.scratch = std::move(sequence->scratch);
    options.entries = std::move(sequence->kernels);
    return read_cuda_text(options.file, sequence->text, options.includes);
  }
  const std::vector<FoundLaunch> launches = find_launches(source);
  const std::string name = kernel_to_adopt(source, options, launches);
  const std::size_t index = index_of(source, name);
  refuse_broken_signature(source, index);
  refuse_overloads(source, index);
  notes = take_pragmas(source, index, options);
  note_of_templates(launches, source.parsed.declarations[index], notes);
  const auto unpacked = unpack(source, index, launch_of(source, launches, name), options.from_begin);
  if (!unpacked) return source;
  if (options.name.empty()) options.name = name;
  options.entries = {unpacked->kernel};
  options.in_front_of = name;
  return read_cuda_text(options.file, unpacked->text, options.includes);
}

AdoptedKernel choose_kernel(const Source& source, const AdoptOptions& options) {
  const std::vector<FoundLaunch> launches = find_launches(source);
  const bool several = !options.function.empty();
  const std::string name = several ? options.entries.front() : kernel_to_adopt(source, options, launches);
  const std::size_t index = index_of(source, name);
  refuse_broken_signature(source, index);
  AdoptedKernel kernel;
  kernel.index = index;
  kernel.declaration = source.parsed.declarations[index];
  kernel.qualified = qualified_name(source, index);
  kernel.function = options.function;
  kernel.in_front_of = options.in_front_of;
  kernel.tuned = read_tuned(options);
  for (std::size_t i = 1; several && i < options.entries.size(); ++i)
    kernel.further.push_back({options.entries[i], qualified_name(source, index_of(source, options.entries[i])), {}});
  const FoundLaunch* const found = launch_of(source, launches, name);
  const auto read_launches = [&] {
    std::set<std::string> tuned;
    for (const auto& [each, values] : kernel.tuned) tuned.insert(each);
    kernel.launch = launch_shape(source, found, kernel.declaration, options, tuned);
    for (FurtherLaunch& each : kernel.further) {
      const Declaration& declaration = source.parsed.declarations[index_of(source, each.name)];
      each.launch = launch_shape(source, launch_of(source, launches, each.name), declaration, options, tuned);
    }
  };
  read_launches();
  if (tune_blocks(kernel, source)) read_launches();
  choose_types(kernel);
  if (kernel.dtypes.empty()) kernel.dtypes = {Dtype::f32};
  for (const Parameter& parameter : kernel.declaration.parameters)
    kernel.parameters.push_back(classify(kernel, parameter));
  for (AdoptedParameter& parameter : kernel.parameters) {
    if (options.scratch.contains(parameter.name)) parameter.kind = AdoptedParameter::Kind::scratch;
    const bool data = parameter.kind == AdoptedParameter::Kind::pointer && parameter.declared_read_only;
    for (const LaunchShape* launch : kernel.launches())  // of what is only read, zeros are one program's data
      if (launch->zeroed.contains(parameter.name) && !data) parameter.zeroed = true;
  }
  bind_tuned(kernel, source, options);
  begin_with_the_originals(kernel, source, found, !options.block.empty());
  refuse_open_templates(kernel, source);
  add_sizes(kernel, found);
  return kernel;
}

}  // namespace harness::adopt
