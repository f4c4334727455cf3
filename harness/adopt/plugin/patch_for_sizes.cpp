#include "harness/adopt/plugin/patch_for_sizes.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <set>
#include <utility>

#include "harness/adopt/host/resolve_launch.h"
#include "harness/adopt/host/sequence.h"
#include "harness/adopt/kernel/kernel.h"
#include "harness/adopt/plugin/second_kernel.h"
#include "harness/adopt/source/element_type.h"
#include "harness/adopt/source/functions.h"
#include "harness/adopt/source/launch.h"
#include "harness/adopt/source/source.h"
#include "harness/core/error.h"

namespace harness::adopt {
namespace {

constexpr std::int64_t kMostShared = 48 * 1024;  // without cudaFuncSetAttribute

std::string dim3_text(const Dim3& extents) {
  if (extents.y == 1 && extents.z == 1) return fmt::format("{}", extents.x);
  return extents.z == 1 ? fmt::format("dim3({}, {})", extents.x, extents.y)
                        : fmt::format("dim3({}, {}, {})", extents.x, extents.y, extents.z);
}

/// "float", "256" of "k<float,256>".
std::vector<std::string> arguments_of_entry(const std::string& entry) {
  std::vector<std::string> arguments;
  const std::size_t open = entry.find('<');
  if (open == std::string::npos) return arguments;
  int depth = 0;
  std::string argument;
  for (const char c : entry.substr(open + 1, entry.rfind('>') - open - 1)) {
    depth += c == '<' || c == '(' ? 1 : c == '>' || c == ')' ? -1 : 0;
    if (c == ',' && depth == 0) arguments.push_back(std::string(trimmed(std::exchange(argument, ""))));
    else argument += c;
  }
  arguments.push_back(std::string(trimmed(argument)));
  return arguments;
}

/// A launch as a statement of its own: where it begins, with "ns::" before the kernel's name, and its tokens.
struct Statement {
  std::size_t begin = 0, name = 0;  // tokens
};

std::optional<Statement> statement_of(const HostLaunch& launch) {
  const Tokens& tokens = launch.file->tokens;
  std::size_t chevrons = 0, depth = 0;
  while (chevrons < tokens.size() && tokens[chevrons].begin < launch.place) ++chevrons;
  if (chevrons == 0 || chevrons == tokens.size()) return std::nullopt;
  Statement statement;
  for (statement.name = chevrons - 1; statement.name > 0; --statement.name) {
    const Token& token = tokens[statement.name];
    if (token.is(">")) ++depth;
    else if (token.is("<")) --depth;
    else if (depth == 0) break;
  }
  statement.begin = statement.name;
  while (statement.begin > 0 && tokens[statement.begin - 1].is("::"))
    statement.begin -= statement.begin > 1 && tokens[statement.begin - 2].is_word() ? 2 : 1;
  std::size_t end = chevrons;
  while (end < tokens.size() && !tokens[end].is(">>>")) ++end;
  end = end + 1 < tokens.size() && tokens[end + 1].is("(") ? closing(tokens, end + 1) : tokens.size();
  if (end + 1 >= tokens.size() || !tokens[end + 1].is(";") || statement.begin == 0) return std::nullopt;
  const Token& before = tokens[statement.begin - 1];
  const bool begins =
      before.is(";") || before.is("{") || before.is("}") || before.is(")") || before.is("else") || before.is(":");
  return begins ? std::optional(statement) : std::nullopt;
}

/// "run_2" of "ns::run_2<float>".
std::string base_name(const std::string& entry) {
  const std::string name = entry.substr(0, entry.find('<'));
  const std::size_t colon = name.rfind(':');
  return colon == std::string::npos ? name : name.substr(colon + 1);
}

class PatchForSizes {
 public:
  explicit PatchForSizes(const Winner& winner)
      : winner_(winner),
        source_(read_cuda_source(winner.file, {.folders = {}, .defines = winner.defines, .hosts = {}})),
        shown_(std::filesystem::path(winner.file).filename().string()),
        name_(base_name(winner.entry)) {
    if (winner.launches.size() != 1 || winner.originals.size() != 1)
      throw bad_input(fmt::format("'{}' is no kernel that {} launches by itself", name_, shown_));
    const std::string launched = base_name(winner.originals.front().entry);
    if (launched != name_ && declaration_of(source_, launched) == nullptr && takes_branch(launched)) return;
    kernel_ = declaration_of(source_, name_);
    if (kernel_ == nullptr) throw bad_input(fmt::format("'{}' is no kernel that {} launches by itself", name_, shown_));
    for (const HostLaunch& launch : source_.launches)
      if (launch.entry == name_) places_.push_back({launch, launch});
    if (places_.empty())
      throw bad_input(fmt::format("{} has no {}<<<...>>>, so there is no launch that could ask", shown_, name_));
  }

  std::vector<PatchedFile> make() {
    if (is_original()) return {};
    const bool second = fronts_ || has_own_kernel();
    for (const Place& place : places_)
      if (guard(place, second)) launches_.push_back(place.written);
    if (launches_.empty())
      throw bad_input(fmt::format("{} launches '{}' on no sizes that it was measured on", shown_, name_));
    const SourceText& file = *launches_.front().file;
    if (std::ranges::any_of(launches_, [&](const HostLaunch& launch) { return launch.file != &file; }))
      throw bad_input(fmt::format("several files launch '{}'", name_));
    const std::string text = edited(file.text, insertions_);
    return {{file.path, file.text, second ? with_second_kernel(file, text) : text}};
  }

 private:
  /// A launch of the file, and the same where its words are traced: in the file too, or in the text with kernels in
  /// front (adopt/host/sequence.h), which have all that the function's launches get.
  struct Place {
    HostLaunch written, traced;
  };

  static const Declaration* declaration_of(const Source& source, const std::string& name) {
    const Declaration* declared = nullptr;
    for (const Declaration& declaration : source.parsed.declarations)
      if (declaration.kernel && declaration.name == name && (declared == nullptr || declaration.defined))
        declared = &declaration;
    return declared;
  }

  /// Of a function that chooses among launches, the one that the measured sizes take. `front`: the kernel in front.
  bool takes_branch(const std::string& front) {
    const bool of_kernel = declaration_of(source_, name_) != nullptr;
    const std::string function = of_kernel ? function_that_chooses(source_, name_) : name_;
    const auto sequence =
        function.empty() ? std::nullopt : sequence_of(source_, function, of_kernel ? name_ : std::string());
    if (!sequence) return false;
    const auto own = std::ranges::find(sequence->kernels, front);
    if (own == sequence->kernels.end()) return false;
    fronts_ = read_cuda_text(winner_.file, sequence->text, {.folders = {}, .defines = winner_.defines, .hosts = {}});
    kernel_ = declaration_of(*fronts_, front);
    std::vector<HostLaunch> written = launches_in(source_, *function_named(source_, function));
    std::vector<HostLaunch> traced = launches_in(*fronts_, *function_named(*fronts_, function));
    if (of_kernel) std::erase_if(written, [&](const HostLaunch& launch) { return launch.entry != name_; });
    std::erase_if(traced, [&](const HostLaunch& launch) { return launch.entry != front; });
    const auto index = static_cast<std::size_t>(own - sequence->kernels.begin());
    if (kernel_ == nullptr || traced.size() != 1 || index >= written.size()) return false;
    places_.push_back({written[index], traced.front()});
    return true;
  }

  const Source& traced_source() const { return fronts_ ? *fronts_ : source_; }

  const Launch& measured() const { return winner_.launches.front().launch; }

  bool is_original() const {
    if (winner_.source != winner_.original || winner_.originals.size() != 1) return false;
    const Launch& original = winner_.originals.front();
    return std::ranges::all_of(winner_.set,
                               [&](const auto& set) {
                                 const auto was = winner_.was.find(set.first);
                                 return was != winner_.was.end() && was->second == set.second;
                               }) &&
           original.entry == measured().entry && original.grid == measured().grid &&
           original.block == measured().block && original.shared == measured().shared;
  }

  bool is_template_argument(const std::string& name) const {
    return std::ranges::any_of(kernel_->templates, [&](const TemplateParameter& parameter) {
      return parameter.name == name && !parameter.type;
    });
  }

  /// Other lines, or other values of what the device part says outside of a template: the kernel itself is another one.
  bool has_own_kernel() const {
    if (winner_.source != winner_.original) return true;
    const std::vector<std::string> words = words_of(winner_.original);
    return std::ranges::any_of(winner_.set, [&](const auto& set) {
      const auto was = winner_.was.find(set.first);
      const bool same = was != winner_.was.end() && was->second == set.second;
      return !same && !is_template_argument(set.first) && std::ranges::find(words, set.first) != words.end();
    });
  }

  std::string space() const {
    std::string name = "for";
    for (const auto& [size, value] : winner_.sizes)
      if (const auto* number = std::get_if<std::int64_t>(&value)) name += fmt::format("_{}{}", size, *number);
    return name;
  }

  std::string with_second_kernel(const SourceText& file, const std::string& text) const {
    const HostLaunch& first = launches_.front();
    if (first.chunk == nullptr)
      throw bad_input(fmt::format("no function of {} launches '{}', so a second kernel has no place", shown_, name_));
    const SecondKernel second{winner_.original, winner_.source, winner_.set, space(), sizes_measured(winner_)};
    return with_kernel_in_front(traced_source(), file, text, *first.chunk, *kernel_, second);
  }

  /// True: the launch asks now. False: it is on other sizes.
  bool guard(const Place& at, bool second) {
    const HostLaunch &launch = at.written, &traced = at.traced;
    if (measured().shared > kMostShared)
      throw bad_input(
          fmt::format("its launch takes {} bytes of shared memory, which the host must ask for with "
                      "cudaFuncSetAttribute first",
                      measured().shared));
    std::vector<std::string> conditions;
    if (!add_types(traced, conditions) || !add_arguments(traced, conditions)) return false;
    add_other_sizes(traced, conditions);
    const std::optional<Statement> statement = statement_of(launch);
    if (!statement) throw bad_input(fmt::format("{}:{} is no statement of its own", shown_, launch.line));
    if (conditions.empty() && second) conditions.emplace_back("true");  // the file itself has no other sizes
    const Tokens& tokens = launch.file->tokens;
    const std::size_t place = tokens[statement->begin].begin;
    const std::size_t line = launch.file->text.rfind('\n', place) + 1;
    const std::string before = launch.file->text.substr(line, place - line);
    const bool alone = before.find_first_not_of(" \t") == std::string::npos;
    const std::string next = alone ? "\n" + before : " ";
    insertions_.push_back({place, place,
                           fmt::format("if ({}){}{}{};{}else{}",
                                       conditions.empty() ? "true" : fmt::format("{}", fmt::join(conditions, " && ")),
                                       next, alone ? "  " : "", call(at, *statement, second), next, next)});
    return true;
  }

  std::string call(const Place& at, const Statement& statement, bool second) const {
    const HostLaunch& launch = at.traced;
    const SourceText &file = *launch.file, &written = *at.written.file;
    const std::string qualifier =
        second ? space() + "::" + namespaces_of(traced_source(), *kernel_)
               : written.text.substr(written.tokens[statement.begin].begin,
                                     written.tokens[statement.name].begin - written.tokens[statement.begin].begin);
    std::vector<std::string> templates;
    for (const Tokens& argument : launch.template_tokens) templates.push_back(file.text_of(argument));
    for (std::size_t i = 0; i < kernel_->templates.size(); ++i) {
      const auto value = winner_.set.find(kernel_->templates[i].name);
      if (value == winner_.set.end() || kernel_->templates[i].type) continue;
      if (i >= templates.size())
        throw bad_input(
            fmt::format("{} launches '{}' without the template argument {}, so it would need more than a "
                        "value",
                        shown_, name_, kernel_->templates[i].name));
      templates[i] = fmt::format("{}", value->second);
    }
    std::string configuration = dim3_text(measured().grid) + ", " + dim3_text(measured().block);
    const bool stream = launch.configuration.size() > 3 && !launch.configuration[3].empty();
    if (measured().shared > 0 || stream) configuration += fmt::format(", {}", measured().shared);
    if (stream) configuration += ", " + file.text_of(launch.configuration[3]);
    std::vector<std::string> arguments;
    for (const Tokens& argument : launch.arguments) arguments.push_back(file.text_of(argument));
    return fmt::format("{}{}{}<<<{}>>>({})", qualifier, kernel_->name,
                       templates.empty() ? "" : fmt::format("<{}>", fmt::join(templates, ", ")), configuration,
                       fmt::join(arguments, ", "));
  }

  /// A kernel for several types was measured for one. False: the launch is for another.
  bool add_types(const HostLaunch& launch, std::vector<std::string>& conditions) const {
    const std::vector<std::string> own = arguments_of_entry(measured().entry);
    for (std::size_t i = 0; i < kernel_->templates.size(); ++i) {
      if (!kernel_->templates[i].type || i >= own.size()) continue;
      const auto dtype = dtype_of_type(own[i]);
      if (!dtype || i >= launch.template_tokens.size())
        throw bad_input(fmt::format("it was measured for {} = {}, and the launch at {}:{} does not say its type",
                                    kernel_->templates[i].name, own[i], shown_, launch.line));
      const std::string argument_text = launch.file->text_of(launch.template_tokens[i]);
      if (const auto type = dtype_of_type(argument_text)) {
        if (*type != *dtype) return false;
        continue;
      }
      conditions.push_back(fmt::format("std::is_same<{}, {}>::value", argument_text, type_of_host(own[i], *dtype)));
    }
    return true;
  }

  /// PyTorch's dispatch macros have types of their own.
  std::string type_of_host(const std::string& type, Dtype dtype) const {
    if (source_.main().text.find("AT_DISPATCH") == std::string::npos) return type;
    return dtype == Dtype::f16 ? "at::Half" : dtype == Dtype::bf16 ? "at::BFloat16" : type;
  }

  void add_equal(const std::string& text, const Value& value, std::vector<std::string>& conditions) const {
    if (const auto* flag = std::get_if<bool>(&value)) conditions.push_back((*flag ? "" : "!") + text);
    else if (const auto* number = std::get_if<std::int64_t>(&value))
      conditions.push_back(fmt::format("{} == {}", text, *number));
  }

  /// What the kernel is passed: sizes, flags, and whole numbers that every measured call had. False: the launch passes
  /// another number.
  bool add_arguments(const HostLaunch& launch, std::vector<std::string>& conditions) {
    said_.clear();
    const std::vector<LaunchArgument>& values = measured().args;
    for (std::size_t i = 0; i < std::min({launch.arguments.size(), kernel_->parameters.size(), values.size()}); ++i) {
      const auto* const scalar = std::get_if<ScalarArgument>(&values[i]);
      const Tokens& tokens = launch.arguments[i];
      if (scalar == nullptr || tokens.empty() || std::holds_alternative<double>(scalar->value)) continue;
      said_.insert(name_in_workloads(kernel_->parameters[i].name));
      const std::string text = launch.file->text_of(tokens);
      if (tokens.size() == 1 && tokens[0].kind == Token::Kind::number) {
        const auto* const number = std::get_if<std::int64_t>(&scalar->value);
        if (number != nullptr && std::strtoll(text.c_str(), nullptr, 0) != *number) return false;
        continue;
      }
      add_equal(tokens.size() == 1 ? text : "(" + text + ")", scalar->value, conditions);
    }
    return true;
  }

  /// Sizes that the kernel is not passed, in the host's words.
  void add_other_sizes(const HostLaunch& launch, std::vector<std::string>& conditions) const {
    std::set<std::string> names, symbols;
    for (const auto& [name, value] : winner_.set) names.insert(name);
    try {
      const LaunchShape shape = resolve_launch({traced_source(), &launch, *kernel_, names}, true);
      for (const auto* list : {&shape.grid, &shape.block})
        for (const FormulaPtr& extent : *list) symbols.merge(symbols_of(*extent));
      for (const auto& [name, formula] : shape.follows) symbols.merge(symbols_of(*formula));
    } catch (const Error&) {  // then its names stand in the function, or the size cannot be asked for
    }
    for (const auto& [size, value] : winner_.sizes) {
      if (said_.contains(size) || std::holds_alternative<std::string>(value)) continue;
      std::string text;
      for (const std::string& symbol : symbols)
        if (name_of_size(symbol) == size) text = symbol;
      if (!stands_before(launch, text.empty() ? size : text))
        throw bad_input(fmt::format("the launch at {}:{} cannot ask for {}, which the host does not name", shown_,
                                    launch.line, size));
      add_equal(text.empty() ? size : text, value, conditions);
    }
  }

  /// Does the function say it before the launch? Words of another function mean nothing here.
  static bool stands_before(const HostLaunch& launch, const std::string& text) {
    if (launch.chunk == nullptr) return false;
    const Tokens condition = tokens_of(text);
    const Tokens& tokens = launch.file->tokens;
    for (std::size_t i = 0; i + condition.size() <= tokens.size(); ++i) {
      if (tokens[i].begin < launch.chunk->begin || tokens[i].begin >= launch.place) continue;
      if (std::ranges::equal(condition, part(tokens, i, i + condition.size()),
                             [](const Token& a, const Token& b) { return a.text == b.text; }))
        return true;
    }
    return false;
  }

  const Winner& winner_;
  Source source_;
  std::string shown_, name_;
  std::optional<Source> fronts_;  // of a launch that is chosen by sizes
  const Declaration* kernel_ = nullptr;
  std::vector<Place> places_;
  std::vector<HostLaunch> launches_;
  std::set<std::string> said_;  // sizes that the kernel is passed
  std::vector<TextEdit> insertions_;
};

}  // namespace

std::string sizes_measured(const Winner& winner) {
  std::string text;
  for (const auto& [name, value] : winner.sizes) {
    text += text.empty() ? name + "=" : ", " + name + "=";
    if (const auto* number = std::get_if<std::int64_t>(&value)) text += fmt::format("{}", *number);
    else if (const auto* flag = std::get_if<bool>(&value)) text += *flag ? "true" : "false";
    else if (const auto* word = std::get_if<std::string>(&value)) text += *word;
  }
  return text;
}

std::vector<PatchedFile> patched_for_sizes(const Winner& winner) {
  return PatchForSizes(winner).make();
}

}  // namespace harness::adopt
