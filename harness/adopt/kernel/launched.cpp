#include "harness/adopt/kernel/launched.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>

#include "harness/adopt/host/resolve_launch.h"
#include "harness/adopt/kernel/answers.h"
#include "harness/adopt/kernel/chosen.h"
#include "harness/adopt/kernel/classify.h"
#include "harness/adopt/kernel/constants.h"
#include "harness/adopt/kernel/read_again.h"
#include "harness/adopt/kernel/tuned.h"
#include "harness/adopt/source/kernels.h"
#include "harness/adopt/source/option_text.h"
#include "harness/adopt/source/tokens.h"
#include "harness/core/error.h"

namespace harness::adopt {
namespace {

LaunchShape launch_shape(const Declared& declared, std::size_t kernel, const HostLaunch* launch,
                         const std::set<std::string>& tuned) {
  const Source& source = declared.source;
  const AdoptOptions& options = declared.options;
  const Declaration& declaration = source.parsed.declarations[kernel];
  const bool has_options = !options.grid.empty() && !options.block.empty();
  LaunchShape shape;
  if (launch != nullptr) {
    try {
      shape = resolve_launch({source, launch, declaration, tuned}, declared.function.empty());
    } catch (const Error&) {
      if (!has_options) throw;
    }
  } else if (!has_options) {
    throw bad_input(
        fmt::format("{} has no launch {}<<<...>>> that says its grid and block; give --grid EXPR and --block EXPR "
                    "in terms of its parameters",
                    source.main().name, declaration.name));
  }
  if (!options.grid.empty()) shape.grid = read_dimensions("--grid", options.grid, declaration, tuned);
  if (!options.block.empty()) shape.block = read_dimensions("--block", options.block, declaration, tuned);
  if (!options.shared.empty()) shape.shared = read_dimensions("--shared", options.shared, declaration, tuned).front();
  if (launch != nullptr) shape.written = written_by_host({source, launch, declaration, tuned}, shape.grid);
  if (has_options) shape.when = number(1);  // not the file's launch any more
  if (!options.grid.empty() || !options.block.empty()) shape.from = "--grid and --block";
  return shape;
}

std::string shown_configuration(const HostLaunch& launch) {
  std::string text;
  for (const Tokens& piece : launch.configuration) text += (text.empty() ? "" : ", ") + spelled(piece);
  return text;
}

/// Reads the launches of a kernel, or of several.
void read_launches(AdoptedKernel& kernel, const Declared& declared, const HostLaunch* first) {
  std::set<std::string> tuned;
  for (const auto& [name, values] : kernel.tuned) tuned.insert(name);
  kernel.launch = launch_shape(declared, kernel.index, first, tuned);
  for (FurtherLaunch& further : kernel.further)
    further.launch = launch_shape(declared, further.index, launch_of(declared.source, further.index), tuned);
}

/// A flag or a mode that two launches pass as two numbers: sizes of other calls are no other way to launch.
bool passes_another_mode(const LaunchShape& a, const LaunchShape& b, const Parameter& parameter) {
  constexpr double kMostModes = 16;
  const auto own = a.constants.find(parameter.name), other = b.constants.find(parameter.name);
  if (!parameter.pointee.empty() || own == a.constants.end() || other == b.constants.end()) return false;
  const bool whole = parameter.whole && std::max(own->second, other->second) <= kMostModes;
  return (whole || parameter.resolved == "bool") && own->second != other->second;
}

bool is_same_launch(const LaunchShape& a, const LaunchShape& b, const AdoptedKernel& kernel, const Declared& declared) {
  const AdoptOptions& options = declared.options;
  const auto alike = [](const FormulaPtr& x, const FormulaPtr& y) { return equal(*x, *y); };
  const bool grid = !options.grid.empty() || std::ranges::equal(a.grid, b.grid, alike),
             block = !options.block.empty() || std::ranges::equal(a.block, b.block, alike),
             shared = !options.shared.empty() || alike(a.shared, b.shared);
  if (!grid || !block || !shared) return false;
  if (std::ranges::any_of(kernel.declaration.parameters, [&](const Parameter& parameter) {
        return !declared.answers.sets(parameter.name) && passes_another_mode(a, b, parameter);
      }))
    return false;
  return std::ranges::all_of(kernel.declaration.templates, [&](const TemplateParameter& parameter) {
    const bool is_answered = kernel.tuned.contains(parameter.name) || declared.answers.types.contains(parameter.name);
    const auto own = a.templates.find(parameter.name), other = b.templates.find(parameter.name);
    if (is_answered || (own == a.templates.end() && other == b.templates.end())) return true;
    return own != a.templates.end() && other != b.templates.end() && own->second == other->second;
  });
}

/// Launches of the kernel that differ from the first: nobody may choose for a person.
void refuse_other_launches(const AdoptedKernel& kernel, const Declared& declared, const HostLaunch* first) {
  std::set<std::string> tuned;
  for (const auto& [name, values] : kernel.tuned) tuned.insert(name);
  std::vector<std::string> texts;
  std::string tune;
  for (const HostLaunch& launch : declared.source.launches) {
    if (first == nullptr || launch.entry != first->entry) continue;
    const std::string where =
        fmt::format("{}: {}{}<<<{}>>>", launch.line, launch.entry,
                    launch.templates.empty() ? "" : fmt::format("<{}>", fmt::join(launch.templates, ",")),
                    shown_configuration(launch));
    bool same = &launch == first;
    try {
      const LaunchShape shape = resolve_launch({declared.source, &launch, kernel.declaration, tuned}, true);
      same = same || is_same_launch(kernel.launch, shape, kernel, declared);
      for (const TemplateParameter& parameter : kernel.declaration.templates)
        if (!parameter.type && !same && shape.templates.contains(parameter.name) &&
            kernel.launch.templates.contains(parameter.name) &&
            shape.templates.at(parameter.name) != kernel.launch.templates.at(parameter.name))
          tune = fmt::format("; --tune {}={},{} makes a parameter of what is different", parameter.name,
                             kernel.launch.templates.at(parameter.name), shape.templates.at(parameter.name));
    } catch (const Error&) {
      same = same || (!declared.options.grid.empty() && !declared.options.block.empty());
    }
    if (!same || &launch == first) texts.push_back(where);
  }
  if (texts.size() < 2) return;
  throw bad_input(fmt::format(
      "{} launches {} in {} ways, as its host chooses, and a plan has one ({}); name one with --launch LINE{}",
      first == nullptr ? declared.source.main().name : first->file->name, kernel.shown_name(), texts.size(),
      fmt::join(texts, ", "), tune));
}

void read_parameters(AdoptedKernel& kernel, const std::set<std::string>& scratch) {
  constexpr std::size_t kMostParameters = 64;  // that a launch of the cpu device takes
  if (kernel.declaration.parameters.size() > kMostParameters)
    throw bad_input(
        fmt::format("{}: '{}' has {} parameters once its structures are taken apart, and a plugin's kernel has at most "
                    "{}; pass it what it uses one by one",
                    shown_file(kernel.declaration.file), kernel.shown_name(), kernel.declaration.parameters.size(),
                    kMostParameters));
  for (const Parameter& parameter : kernel.declaration.parameters)
    kernel.parameters.push_back(classify(kernel, parameter));
  for (AdoptedParameter& parameter : kernel.parameters) {
    if (scratch.contains(parameter.name)) parameter.kind = Param::scratch;
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

/// Sizes that bound a loop of one thread: `for (int k = 0; k < K; ++k)`. One in steps of all threads is shared by them.
std::map<std::string, bool> looped_sizes(const AdoptedKernel& kernel, const std::string& text) {
  std::map<std::string, bool> looped;
  const Tokens tokens = tokens_of(text);
  for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
    if (!(tokens[i].is("for") || tokens[i].is("while")) || !tokens[i + 1].is("(")) continue;
    const Tokens head = part(tokens, i + 2, std::min(closing(tokens, i + 1), tokens.size()));
    const auto has = [&](std::string_view word) {
      return std::ranges::any_of(head, [&](const Token& token) { return token.is(word); });
    };
    if (has("gridDim")) continue;
    for (const AdoptedSize& size : kernel.sizes)
      if (has(size.symbol)) {
        const bool by_block = has("threadIdx") || has("blockDim") || has("tid") || has("lane");
        const auto [own, fresh] = looped.emplace(size.symbol, by_block);
        if (!fresh) own->second = own->second && by_block;
      }
  }
  return looped;
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
  const bool several = !declared.function.empty();
  AdoptedKernel kernel;
  kernel.index = declared.kernels.front();
  refuse_broken_signature(source, kernel.index);
  kernel.declaration = source.parsed.declarations[kernel.index];
  kernel.qualified = kernel.declaration.qualified;
  kernel.function = declared.function;
  kernel.in_front_of = declared.in_front_of;
  kernel.tuned = declared.answers.tuned;
  for (std::size_t i = 1; i < declared.kernels.size(); ++i) {
    const Declaration& further = source.parsed.declarations[declared.kernels[i]];
    kernel.further.push_back({declared.kernels[i], further.name, further.qualified, {}});
  }
  const HostLaunch* const first = launch_of(source, kernel.index, options.launch_line);
  read_launches(kernel, declared, first);
  if (!several && options.launch_line == 0) refuse_other_launches(kernel, declared, first);
  if (tune_blocks(kernel, declared, first)) read_launches(kernel, declared, first);
  choose_types(kernel, declared.answers);
  if (kernel.dtypes.empty()) kernel.dtypes = {Dtype::f32};
  read_parameters(kernel, declared.scratch);
  if (!several) take_values_of_the_file(kernel, source, first);
  bind_tuned(kernel, source);
  begin_with_the_originals(kernel, source, first, !options.block.empty());
  refuse_open_templates(kernel, source);
  add_sizes(kernel, first);
  return kernel;
}

Launched launch(const Declared& declared) {
  Launched launched{choose_kernel(declared), {}, "", declared.notes};
  AdoptedKernel& kernel = launched.kernel;
  kernel.path = declared.options.path;
  kernel.options = options_to_read_again(declared.source, declared.options, kernel.declaration.name);
  launched.name = plugin_name(declared.options, kernel);
  choose_dtype(kernel, declared.options.dtypes);
  std::set<std::string> further;
  for (const FurtherLaunch& launch : kernel.further) further.insert(launch.name);
  launched.device =
      device_source(declared.source, kernel.index, names_of_tuned(kernel), false, words_of_launch(kernel), further);
  add_constants(kernel, declared.source, launched.device.constants);
  apply_answers(kernel, declared.answers);
  leave_out_double(kernel, launched.device, launched.notes);
  kernel.looped = looped_sizes(kernel, launched.device.text);
  const std::vector<std::string> words = words_of(launched.device.text);
  for (const AdoptedSize& size : kernel.sizes)
    if (std::ranges::count(words, size.symbol) == 1) kernel.unread.insert(size.symbol);
  return launched;
}

}  // namespace harness::adopt
