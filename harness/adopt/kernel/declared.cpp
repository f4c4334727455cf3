#include "harness/adopt/kernel/declared.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "harness/adopt/host/branches.h"
#include "harness/adopt/host/launchers.h"
#include "harness/adopt/host/sequence.h"
#include "harness/adopt/host/unpack.h"
#include "harness/adopt/kernel/chosen.h"
#include "harness/adopt/kernel/pragma.h"
#include "harness/adopt/kernel/read_again.h"
#include "harness/adopt/source/host_files.h"
#include "harness/adopt/source/kernels.h"
#include "harness/adopt/source/launch_calls.h"
#include "harness/adopt/source/launch_macros.h"
#include "harness/adopt/source/option_text.h"
#include "harness/core/error.h"

namespace harness::adopt {
namespace {

Beside beside_of(const AdoptOptions& options) {
  return {.folders = options.includes, .defines = options.defines, .hosts = options.hosts};
}

/// The same file with another text.
void read_again(Declared& declared, const std::string& text) {
  declared.source = read_cuda_text(declared.options.file, text, beside_of(declared.options));
}

/// "WIDTH" of the parser's "use of undeclared identifier 'WIDTH'"; "": it complains of something else.
std::string undeclared_in(const Complaint& complaint) {
  constexpr std::string_view kUndeclared = "use of undeclared identifier '";
  const std::size_t at = complaint.text.find(kUndeclared);
  if (at == std::string::npos) return "";
  const std::string rest = complaint.text.substr(at + kUndeclared.size());
  return rest.substr(0, rest.find('\''));
}

/// Does a directive ask for the name, as in `#if WIDTH > 32`?
bool is_asked_by_directive(const SourceText& file, const std::string& name) {
  return std::ranges::any_of(file.tokens, [&](const Token& token) {
    if (token.kind != Token::Kind::directive) return false;
    const std::vector<std::string> words = words_of(token.text.substr(1));
    return !words.empty() && words[0].find("if") != std::string::npos && std::ranges::find(words, name) != words.end();
  });
}

/// A macro that --tune gives values and no file defines is one of the compiler's command line.
void define_tuned(Declared& declared) {
  const Source& source = declared.source;
  bool again = false;
  for (const std::string& text : declared.options.tune) {
    const std::string name = text.substr(0, text.find('='));
    const bool defined = std::ranges::any_of(source.parsed.declarations, [&](const Declaration& declaration) {
      return declaration.name == name ||
             std::ranges::any_of(declaration.templates, [&](const auto& parameter) { return parameter.name == name; });
    });
    const bool undeclared = std::ranges::any_of(
        source.parsed.complaints, [&](const Complaint& complaint) { return undeclared_in(complaint) == name; });
    if (defined || name == text || !(undeclared || is_asked_by_directive(source.main(), name))) continue;
    const std::string values = text.substr(name.size() + 1);
    declared.options.defines.push_back(name + "=" + values.substr(0, values.find(',')));
    again = true;
  }
  if (again) read_again(declared, source.main().text);
}

/// The functions' launches as written, and the one overload that is meant.
void write_out(Declared& declared) {
  if (const auto text = with_launch_calls_written_out(declared.source)) read_again(declared, *text);
  for (int depth = 0; depth < 3; ++depth) {  // a macro may use another one that holds the launch
    const auto text = with_launch_macros_written_out(declared.source);
    if (!text) break;
    read_again(declared, *text);
  }
  if (const auto text = with_one_overload(declared.source, declared.options)) read_again(declared, *text);
}

/// Reads the file that launches the kernel, where its own does not. Several files: nobody may choose for a person.
void read_hosts(Declared& declared) {
  AdoptOptions& options = declared.options;
  const Source& source = declared.source;
  const bool has_launch = !options.grid.empty() && !options.block.empty();
  const std::vector<std::string>& kernels = source.kernels;
  const std::string name = options.entries.size() == 1 ? options.entries[0] : kernels.size() == 1 ? kernels[0] : "";
  if (!options.hosts.empty() || std::ranges::find(kernels, name) == kernels.end()) return;
  if (launch_of(source, index_of(source, name)) != nullptr) return;
  const std::vector<std::string> hosts = files_that_launch(options.file, name);
  if (hosts.size() > 1 && has_launch) return;
  if (hosts.size() > 1)
    throw bad_input(fmt::format("{} does not launch {}, and {} other files do; name one of them: --host {}",
                                source.main().name, name, hosts.size(), fmt::join(hosts, " or --host ")));
  if (hosts.empty()) return;
  options.hosts = hosts;
  read_again(declared, source.main().text);
}

/// `function`: what is adopted, as messages call it.
void take(Declared& declared, Sequence sequence, const std::string& function) {
  AdoptOptions& options = declared.options;
  if (options.name.empty()) options.name = function;
  declared.function = function;
  declared.scratch = std::move(sequence.scratch);
  options.entries = std::move(sequence.kernels);
  read_again(declared, sequence.text);
}

/// Calls of launchers that are templates, as the launches that they make.
void write_out_launchers(Declared& declared) {
  for (int depth = 0; depth < 3; ++depth) {  // a launcher may call another one
    const auto text = with_launchers_written_out(declared.source);
    if (!text) return;
    read_again(declared, *text);
  }
}

/// A function that launches several kernels. False: another one was asked for.
bool take_sequence(Declared& declared) {
  AdoptOptions& options = declared.options;
  const std::vector<std::string>& kernels = declared.source.kernels;
  if (options.entries.size() == 1 && std::ranges::find(kernels, options.entries[0]) == kernels.end())
    write_out_launchers(declared);
  const auto sequence = chosen_sequence(declared.source, options);
  if (!sequence) return false;
  if (!options.grid.empty() || !options.block.empty() || !options.shared.empty())
    throw bad_input(fmt::format("--grid, --block and --shared say one launch, and {} has {}; leave them out",
                                sequence->function, sequence->kernels.size()));
  take(declared, *sequence, sequence->function);
  return true;
}

/// Do sizes alone say which of the launches are made?
bool are_chosen_by_sizes(const Declared& declared) {
  const std::set<std::string> none;
  return std::ranges::all_of(declared.options.entries, [&](const std::string& entry) {
    const std::size_t index = index_of(declared.source, entry);
    const HostLaunch* const launch = launch_of(declared.source, index);
    const Declaration& kernel = declared.source.parsed.declarations[index];
    const KernelLaunch at{declared.source, launch, kernel, none};
    return launch != nullptr && reached(at, Resolver(at)) != nullptr;
  });
}

/// A kernel that a function of the host launches in several ways, as its sizes say. False: it does not, or an option
/// has chosen.
bool take_branches(Declared& declared, const std::string& kernel) {
  const AdoptOptions& options = declared.options;
  const bool answered = options.launch_line > 0 || options.launch_number > 0 || !options.grid.empty() ||
                        !options.block.empty() || !options.shared.empty() || !options.tune.empty();
  if (answered) return false;
  const AdoptOptions before = options;
  const std::string text = declared.source.main().text;
  try {
    write_out_launchers(declared);
    const std::string function = function_that_chooses(declared.source, kernel);
    if (!function.empty()) {
      take(declared, sequence_of(declared.source, function, kernel).value(), kernel);
      if (are_chosen_by_sizes(declared)) return true;
    }
  } catch (const Error&) {  // then it is asked which one is meant
  }
  declared.options = before;
  declared.function.clear();
  declared.scratch.clear();
  if (declared.source.main().text != text) read_again(declared, text);
  return false;
}

void take_kernel(Declared& declared) {
  const Source& source = declared.source;
  AdoptOptions& options = declared.options;
  const std::string name = kernel_to_adopt(source, options);
  const std::size_t index = index_of(source, name);
  refuse_broken_signature(source, index);
  refuse_overloads(source, index);
  if (take_branches(declared, name)) return;
  declared.notes = take_pragmas(source, index, options);
  find_launch_line(source, options);
  const bool has_launch = !options.grid.empty() && !options.block.empty();
  const HostLaunch* launch = launch_of(source, index, options.launch_line);
  if (has_launch && launch != nullptr && launch->file != &source.main()) launch = nullptr;
  const auto unpacked = unpack(source, index, launch, options.from_begin);
  if (!unpacked) return;
  if (options.name.empty()) options.name = name;
  options.entries = {unpacked->kernel};
  declared.in_front_of = name;
  read_again(declared, unpacked->text);
}

}  // namespace

Declared declare(const AdoptOptions& options) {
  Declared declared{.source = read_cuda_source(options.file, beside_of(options)), .options = options};
  refuse_unclosed(declared.source);
  declared.digest = declared.source.digest;
  define_tuned(declared);
  write_out(declared);
  read_hosts(declared);
  if (!take_sequence(declared)) take_kernel(declared);
  if (declared.function.empty())
    declared.kernels = {index_of(declared.source, kernel_to_adopt(declared.source, declared.options))};
  else
    for (const std::string& entry : declared.options.entries)
      declared.kernels.push_back(index_of(declared.source, entry));
  declared.answers = answers_of(declared.options);
  return declared;
}

}  // namespace harness::adopt
