#include "harness/adopt/adopt.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include "harness/adopt/observe/block_sizes.h"
#include "harness/adopt/observe/indexes.h"
#include "harness/adopt/observe/observed_launch.h"
#include "harness/adopt/observe/phase.h"
#include "harness/adopt/plugin/library_headers.h"
#include "harness/adopt/plugin/write.h"
#include "harness/core/dtype.h"
#include "harness/core/error.h"
#include "harness/core/hash.h"

namespace harness::adopt {
namespace {

/// How the device part is built for its runs; `file`: as messages name it.
Subject subject_of(const Launched& launched, const SourceText& file, std::vector<std::string> include_folders) {
  const AdoptedKernel& kernel = launched.kernel;
  Subject subject;
  subject.original = file.text;
  subject.build.source_name = std::filesystem::path(file.path).filename().string();
  subject.build.source = launched.device.text;
  subject.build.include_dirs = std::move(include_folders);
  for (const auto& [name, how] : kernel.bound)
    if (how == "define") subject.build.defines.emplace_back(name, fmt::format("{}", kernel.tuned.at(name).front()));
  subject.build.constants = symbols_of(constants_of(kernel));
  subject.entry = kernel.entry_for(std::string(cuda_type(kernel.dtypes.front())), kernel.first_templates());
  subject.build.entries = entries_of(kernel, subject.entry);
  return subject;
}

/// Atomics on memory that nobody is known to set: does it add to what was there, or should that be zero?
std::vector<Question> questions_of_atomics(const AdoptedKernel& kernel, const Answers& answers) {
  std::vector<Question> questions;
  for (const AdoptedParameter& parameter : kernel.parameters) {
    if (!parameter.atomic || parameter.zeroed || parameter.answered) continue;
    if (std::ranges::find(answers.arrays, parameter.name, &Answers::Array::name) != answers.arrays.end()) continue;
    questions.push_back({fmt::format("--arg \"{} zeroed\" or --arg \"{} inout\"", parameter.name, parameter.name),
                         fmt::format("atomics change '{}', and nobody says what it holds before", parameter.name)});
  }
  return questions;
}

/// "kAdd (0), kMul (1)" of an enumeration.
std::string values_of(const std::vector<Enumerator>& enumerators) {
  std::vector<std::string> texts;
  for (const Enumerator& enumerator : enumerators)
    texts.push_back(fmt::format("{} ({})", enumerator.name, enumerator.value));
  return fmt::format("{}", fmt::join(texts, ", "));
}

/// Numbers that neither the host's code nor a person says. Those of a name that says them are only told.
std::vector<Question> questions_of_numbers(const AdoptedKernel& kernel, std::vector<std::string>& notes) {
  std::vector<Question> questions;
  for (std::size_t i = 0; i < kernel.parameters.size(); ++i) {
    const AdoptedParameter& parameter = kernel.parameters[i];
    if (!parameter.unsaid || i >= kernel.declaration.parameters.size()) continue;
    const std::string option = fmt::format("--set {}=VALUE", parameter.name);
    const std::vector<Enumerator>& enumerators = kernel.declaration.parameters[i].enumerators;
    if (!enumerators.empty())
      questions.push_back(
          {option, fmt::format("'{}' is one of {}, and nobody says which", parameter.name, values_of(enumerators))});
    else if (parameter.kind == Param::flag)
      questions.push_back({fmt::format("--set {}=1 or --set {}=0", parameter.name, parameter.name),
                           fmt::format("'{}' is true or false, and nobody says which", parameter.name)});
    else if (!parameter.usual)
      questions.push_back({option, fmt::format("'{}' is a number that nobody says", parameter.name)});
    else
      notes.push_back(
          fmt::format("{} = {} is usual, and the file does not say it ({})", parameter.name, parameter.value, option));
  }
  return questions;
}

/// What was observed, with what has to be asked besides.
Observed with_questions(Observed observed, const Launched& launched, const Subject& subject, const Answers& answers,
                        Observer& observer, bool numbers_are_asked) {
  Seen& seen = observed.seen;
  seen.notes.insert(seen.notes.begin(), launched.notes.begin(), launched.notes.end());
  const std::vector<Question> questions = questions_of_atomics(observed.kernel, answers);
  seen.questions.insert(seen.questions.end(), questions.begin(), questions.end());
  if (numbers_are_asked) {
    const std::vector<Question> numbers = questions_of_numbers(observed.kernel, seen.notes);
    seen.questions.insert(seen.questions.end(), numbers.begin(), numbers.end());
  }
  if (seen.questions.empty())
    phase(subject.say, "numbers that lead into arrays",
          [&] { find_indexes(observed.kernel, subject, observer, seen); });
  return observed;
}

/// A plugin; or why the file has to be read in another way, if there is one.
using Adoption = std::variant<Adopted, BlockIsSize, RanNowhere>;

/// declared -> launched -> observed -> contract -> plugin
Adoption adopt_declared(const Declared& declared, Observer& observer, std::vector<std::string> include_folders,
                        const SeenKernel& seen, const Say& say) {
  Launched launched = launch(declared);
  const AdoptOptions& options = declared.options;
  const std::vector<PluginFile> library = library_headers(launched.device.headers, options.includes);
  if (!library.empty()) include_folders.insert(include_folders.end(), options.includes.begin(), options.includes.end());
  launched.kernel.libraries = top_folders(library);
  Subject subject = subject_of(launched, declared.source.main(), std::move(include_folders));
  subject.say = say;
  auto runs = observe(launched.kernel, subject, observer);
  if (auto* const block = std::get_if<BlockIsSize>(&runs)) return std::move(*block);
  if (auto* const nowhere = std::get_if<RanNowhere>(&runs)) return std::move(*nowhere);
  const bool numbers_are_asked = !seen && !options.problem;  // a recorded launch and a problem say them
  Observed observed = with_questions(std::get<Observed>(std::move(runs)), launched, subject, declared.answers, observer,
                                     numbers_are_asked);
  if (!observed.seen.undefined.empty()) observed.seen.notes.push_back(observed.seen.undefined);
  if (!observed.seen.questions.empty() && !launched.device.left_out.empty())  // one may say what is asked
    observed.seen.relations +=
        fmt::format("{}headers that were not found (--include DIR): {}", observed.seen.relations.empty() ? "" : "; ",
                    fmt::join(launched.device.left_out, ", "));
  if (!observed.seen.questions.empty())
    return Adopted{
        launched.name, std::move(observed.kernel), std::move(observed.seen), std::move(launched.device), {}, {}};
  Contract contract = contract_of(declared, launched.device, observed, subject, observer, seen);
  std::vector<PluginFile> files = plugin_files(contract.kernel, launched.device, contract.reference, launched.name,
                                               subject.build.source_name, declared.digest);
  files.insert(files.end(), library.begin(), library.end());
  return Adopted{launched.name,
                 std::move(contract.kernel),
                 std::move(contract.seen),
                 std::move(launched.device),
                 std::move(contract.reference),
                 std::move(files)};
}

/// Once more with each number that turns out to be a size of the problem.
std::variant<Adopted, RanNowhere> adopt_with_sizes(AdoptOptions options, Observer& observer,
                                                   const std::vector<std::string>& include_folders,
                                                   const SeenKernel& seen, const Say& say) {
  constexpr std::size_t kMostSizes = 3;  // a block has no more
  for (;;) {
    Adoption adoption = adopt_declared(declare(options), observer, include_folders, seen, say);
    if (auto* const adopted = std::get_if<Adopted>(&adoption)) return std::move(*adopted);
    if (auto* const nowhere = std::get_if<RanNowhere>(&adoption)) return std::move(*nowhere);
    const std::string size = std::get<BlockIsSize>(adoption).name;
    if (say) say(fmt::format("arrays are as large as '{}' of its block says: it is a size", size));
    options.sizes_of_block.push_back(size);
    if (options.sizes_of_block.size() > kMostSizes)
      throw bad_input(size + " of its block is no size; give --block EXPR");
  }
}

/// The host may pass x + 3: the kernel with its arrays from their begin. Nothing: it does not, or that was not all.
std::optional<Adopted> adopt_from_begin(AdoptOptions options, Observer& observer,
                                        const std::vector<std::string>& include_folders, const SeenKernel& seen,
                                        const Say& say) {
  options.from_begin = true;
  try {
    auto adoption = adopt_with_sizes(std::move(options), observer, include_folders, seen, say);
    if (auto* const adopted = std::get_if<Adopted>(&adoption)) return std::move(*adopted);
  } catch (const Error&) {  // what was seen first is what the file says
  }
  return std::nullopt;
}

}  // namespace

Adopted adopt(const AdoptOptions& options, Observer& observer, const std::vector<std::string>& include_folders,
              const SeenKernel& seen, const Say& say) {
  auto adoption = adopt_with_sizes(options, observer, include_folders, seen, say);
  if (auto* const adopted = std::get_if<Adopted>(&adoption)) return std::move(*adopted);
  const RanNowhere& nowhere = std::get<RanNowhere>(adoption);
  if (nowhere.before_begin)
    if (auto adopted = adopt_from_begin(options, observer, include_folders, seen, say)) return std::move(*adopted);
  throw nowhere.why;
}

}  // namespace harness::adopt
