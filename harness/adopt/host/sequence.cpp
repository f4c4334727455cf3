#include "harness/adopt/host/sequence.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "harness/adopt/host/branches.h"
#include "harness/adopt/source/functions.h"
#include "harness/adopt/source/kernels.h"
#include "harness/adopt/source/option_text.h"
#include "harness/adopt/source/tokens.h"
#include "harness/core/error.h"

namespace harness::adopt {
namespace {

Error refusal(const HostFunction& function, std::size_t place, const std::string& why) {
  return bad_input(fmt::format("{}:{}: {}", function.file().name, line_of(function.file().text, place), why));
}

/// What a function does besides launching kernels and that no plan can say.
void refuse_other_work(const Source& source, const HostFunction& function, std::size_t first, std::size_t last) {
  const Tokens& tokens = function.tokens();
  const auto refuse = [&](std::size_t i, const std::string& why) {
    return refusal(function, tokens[i].begin,
                   fmt::format("{} {}; adopt takes functions that launch kernels of the file one behind the other",
                               function.name(), why));
  };
  for (std::size_t i = function.body().begin; i + 1 < function.body().end; ++i) {
    const std::string_view word = tokens[i].text;
    if (!tokens[i].is_word()) continue;
    const bool between = first < i && i < last, called = tokens[i + 1].is("(");
    if (word == "cudaStreamWaitEvent" || (between && word.starts_with("cudaEvent")))
      throw refuse(i, fmt::format("uses events ({}) between its launches", word));
    if (word.starts_with("cudaGraph") || word.starts_with("cudaStreamBeginCapture") || word.starts_with("cudaLaunch"))
      throw refuse(i, fmt::format("calls {}", word));
    if (between && word.starts_with("cudaMemcpy")) throw refuse(i, "copies memory between its launches");
    const bool library = word.starts_with("cublas") || word.starts_with("cudnn") || word.starts_with("cufft");
    if (library && called && between) throw refuse(i, fmt::format("calls {}", word));
    const bool of_cub = tokens[i + 1].is("::") && (word.starts_with("Device") || word == "thrust") && i > 0;
    if (of_cub) throw refuse(i, fmt::format("calls {}::{}", word, tokens[i + 2].text));
    if (!called || word == function.name()) {
      if (called) throw refuse(i, "calls itself");
      continue;
    }
    const auto other = function_named(source, std::string(word));
    if (other && &other->chunk() != &function.chunk() && !launches_in(source, *other).empty())
      throw refuse(i, fmt::format("calls {}, which launches kernels too", word));
  }
}

void refuse_flow(const HostFunction& function, const std::vector<HostLaunch>& launches) {
  std::string stream;
  for (std::size_t i = 0; i < launches.size(); ++i) {
    const HostLaunch& launch = launches[i];
    if (!branches_over(function, launch.token))
      throw refusal(function, launch.place,
                    fmt::format("{} launches {} in a loop ({}); adopt takes functions whose launches follow from the "
                                "sizes",
                                function.name(), launch.entry, function.control_over(launch.token)));
    std::string own = launch.configuration.size() > 3 ? spelled(launch.configuration[3]) : "0";
    if (own.empty()) own = "0";
    if (i > 0 && own != stream)
      throw refusal(function, launch.place,
                    fmt::format("{} launches on several streams ({} and {}); adopt takes functions with one stream",
                                function.name(), stream, own));
    stream = own;
  }
}

/// Builds the kernels in front.
class Fronts {
 public:
  Fronts(const Source& source, const HostFunction& function, const std::vector<HostLaunch>& launches)
      : source_(source),
        function_(function),
        launches_(launches),
        tokens_(function.tokens()),
        makes_its_own_(std::ranges::none_of(function.parameters(), &HostFunction::Parameter::array)) {
    for (const HostLaunch& launch : launches_) {
      if (!launch.configuration.empty()) note_words(launch.configuration[0], of_grids_);
      for (std::size_t i = 1; i < std::min<std::size_t>(3, launch.configuration.size()); ++i)
        note_words(launch.configuration[i], fixed_);
      for (const Tokens& argument : launch.template_tokens) note_words(argument, fixed_);
    }
  }

  Sequence write() {
    for (const HostLaunch& launch : launches_) calls_.push_back(call_of(launch));
    for (const HostLaunch& launch : launches_) add_sizes_of_branches(launch);
    add_sizes_of_grids();
    order();
    Sequence result;
    result.function = function_.name();
    for (const Array& array : arrays_)
      if (array.scratch) result.scratch.insert(array.name);
    std::string fronts;
    for (std::size_t i = 0; i < launches_.size(); ++i) {
      result.kernels.push_back(fmt::format("{}_{}", function_.name(), i + 1));
      fronts += front_text(i, result.kernels.back());
    }
    result.text = rewritten(fronts, result.kernels);
    return result;
  }

 private:
  struct Array {
    std::string name, type;
    bool read_only = true, scratch = false;
    std::size_t first_launch = 0;
  };
  struct Number {
    std::string name, type, text;  // `text`: what the host passes
  };
  struct Call {
    std::map<std::size_t, std::string> before;  // statements by their place
    std::string text;
  };

  /// Words of an expression, and of what the variables among them are computed from.
  void note_words(const Tokens& tokens, std::set<std::string>& words) {
    for (const Token& token : tokens) {
      if (!token.is_word() || !words.insert(std::string(token.text)).second) continue;
      for (const auto& setting : function_.settings_of(token.text, function_.body().end))
        note_words({tokens_.begin() + static_cast<std::ptrdiff_t>(setting.at + 1),
                    tokens_.begin() + static_cast<std::ptrdiff_t>(setting.statement.end)},
                   words);
    }
  }

  Array& array_named(const std::string& name) {
    const auto noted = std::ranges::find(arrays_, name, &Array::name);
    if (noted != arrays_.end()) return *noted;
    Array array{name, "", true, false, current_};
    const HostFunction::Parameter* const parameter = function_.parameter(name);
    array.type = parameter != nullptr ? parameter->type : function_.element_of(name);
    array.scratch = parameter == nullptr && !function_.is_handed_over(name);
    arrays_.push_back(std::move(array));
    return arrays_.back();
  }

  void add_number(const Number& number) {
    if (std::ranges::find(numbers_, number.name, &Number::name) == numbers_.end()) numbers_.push_back(number);
  }

  /// Sizes that decide how many blocks there are are sizes of the operation, whether a kernel gets them or not. A
  /// number that decides a block or a template argument is a setting.
  void add_sizes_of_grids() {
    for (const HostFunction::Parameter& parameter : function_.parameters())
      if (!parameter.array && parameter.whole && of_grids_.contains(parameter.name) && !fixed_.contains(parameter.name))
        add_number({parameter.name, parameter.type, parameter.name});
  }

  /// Sizes that decide whether there is a launch, whatever its kernel gets. What else is asked there is no size, which
  /// the launch is refused for.
  void add_sizes_of_branches(const HostLaunch& launch) {
    const auto branches = branches_over(function_, launch.token);
    for (const Branch& branch : branches.value_or(std::vector<Branch>()))
      for (const Token& word : branch.condition) {
        const std::size_t at = function_.token_at(word.begin);
        if (!word.is_word() || (at > 0 && tokens_[at - 1].is("."))) continue;
        const HostFunction::Parameter* const parameter = function_.parameter(word.text);
        if (parameter != nullptr && !parameter->array) {
          if (!branch.returns || parameter->whole) add_number({parameter->name, parameter->type, parameter->name});
        } else if (branch.returns || (parameter != nullptr && !parameter->tensor)) {
          continue;
        } else if (is_tensor(word.text)) {
          std::size_t i = at;
          if (tokens_[at + 1].is(".")) tensor_text(i, function_.body().end);
        } else {
          Call of_condition;
          add_settings(std::string(word.text), at, of_condition, 0);
        }
      }
  }

  bool is_tensor(std::string_view word) const {
    const HostFunction::Parameter* const parameter = function_.parameter(word);
    return parameter != nullptr ? parameter->tensor : function_.is_local_tensor(word);
  }

  /// x.size(0), x.numel(), x.data_ptr<float>(): its text in the front; `i` moves to its last token.
  std::string tensor_text(std::size_t& i, std::size_t end) {
    const std::string name = function_.same_tensor(tokens_[i].text);
    while (i + 4 < end && tokens_[i + 1].is(".") && tokens_[i + 2].is("contiguous")) i += 4;
    if (i + 2 >= end || !tokens_[i + 1].is(".")) {
      array_named(name);
      return name;
    }
    const std::string_view member = tokens_[i + 2].text;
    std::size_t open = i + 3;
    std::string type;
    if (open < end && tokens_[open].is("<")) {
      std::size_t close = open;
      while (close < end && !tokens_[close].is(">")) ++close;
      for (std::size_t k = open + 1; k < close; ++k) type += tokens_[k].text;
      open = close + 1;
    }
    const std::size_t close = open < end && tokens_[open].is("(") ? closing(tokens_, open) : end;
    const std::size_t first = i;
    i = std::min(close, end - 1);
    if (member == "data" || member.ends_with("data_ptr")) {
      Array& array = array_named(name);
      if (array.type.empty()) array.type = type;
      return name;
    }
    const std::string text = function_.file().text.substr(tokens_[first].begin, tokens_[i].end - tokens_[first].begin);
    if (member == "size") {
      std::string number = name + "_size_";
      for (std::size_t k = open + 1; k < close; ++k) number += tokens_[k].is("-") ? "m" : std::string(tokens_[k].text);
      add_number({number, "int", text});
      return number;
    }
    if (member == "numel") {
      add_number({name + "_numel", "int", text});
      return name + "_numel";
    }
    throw refusal(function_, tokens_[first].begin,
                  fmt::format("{} passes what '{}' says, which no array's elements or sizes are; pass numbers",
                              function_.name(), text));
  }

  /// The host's text of tokens [begin, end) as the front's; what it needs goes into `call`.
  std::string translated(TokenRange range, Call& call, int depth) {
    std::string text;
    std::size_t done = tokens_[range.begin].begin;
    const std::string& whole = function_.file().text;
    for (std::size_t i = range.begin; i < range.end; ++i) {
      if (!tokens_[i].is_word()) continue;
      const bool member =
          i > range.begin && (tokens_[i - 1].is(".") || tokens_[i - 1].is("->") || tokens_[i - 1].is("::"));
      const bool scope = i + 1 < range.end && tokens_[i + 1].is("::");
      if (member || scope) continue;
      text += whole.substr(done, tokens_[i].begin - done);
      if (is_tensor(tokens_[i].text)) text += tensor_text(i, range.end);
      else text += word_text(std::string(tokens_[i].text), range.begin, call, depth);
      done = tokens_[i].end;
    }
    return text + whole.substr(done, tokens_[range.end - 1].end - done);
  }

  std::string word_text(const std::string& word, std::size_t before, Call& call, int depth) {
    const HostFunction::Parameter* const parameter = function_.parameter(word);
    if (parameter != nullptr && parameter->array) array_named(word);
    else if (parameter != nullptr) add_number({word, parameter->type, word});
    else if (function_.allocates(word)) array_named(word);
    else if (note_helper(word)) return word;
    else add_settings(word, before, call, depth);
    return word;
  }

  /// A function of the host that a number is computed with is a function of the device too in the text.
  bool note_helper(const std::string& word) {
    const auto helper = function_named(source_, word);
    if (!helper || &helper->file() != &function_.file() || &helper->chunk() == &function_.chunk()) return false;
    if (!helpers_.insert(&helper->chunk()).second) return true;
    for (std::size_t i = helper->body().begin; i + 1 < helper->body().end; ++i)
      if (tokens_[i].is_word() && tokens_[i + 1].is("(")) note_helper(std::string(tokens_[i].text));
    return true;
  }

  /// The standard library's functions are the host's alone.
  static std::string of_device(std::string text) {
    for (const auto& [own, other] : {std::pair{"std::min", "harness::least_of"}, {"std::max", "harness::most_of"}})
      for (std::size_t at = 0; (at = text.find(own, at)) != std::string::npos;)
        text.replace(at, std::string(own).size(), other);
    return text;
  }

  /// Where `__host__ __device__` is put; nothing: it is a template, or is a function of the device already.
  std::optional<std::size_t> place_of_mark(const Chunk& helper) const {
    const std::string head = function_.file().text.substr(helper.begin, helper.body - helper.begin);
    const std::vector<std::string> words = words_of(head);
    const bool marked =
        std::ranges::any_of(words, [](const std::string& name) { return name == "__device__" || name == "template"; });
    return marked ? std::nullopt : std::optional(helper.begin);
  }

  /// A variable of the function: its statements stand in the front too, unless it is a size of its own.
  void add_settings(const std::string& word, std::size_t before, Call& call, int depth) {
    constexpr int kDeepest = 24;
    for (const HostFunction::Setting& setting : function_.settings_of(word, before)) {
      if (call.before.contains(setting.statement.begin)) continue;
      if (is_size(setting, word)) return add_number({word, type_of(setting), word});
      const std::string_view control =
          function_.may_be_skipped(setting.at, before) ? function_.control_over(setting.at) : std::string_view();
      if (control == "for" || control == "while" || control == "do" || depth > kDeepest)
        throw refusal(function_, tokens_[setting.at].begin,
                      fmt::format("{} computes '{}' in a loop, which adopt cannot follow; pass it as a parameter",
                                  function_.name(), word));
      const bool whole = control.empty() || tokens_[setting.statement.begin].is("if");
      if (!whole)
        throw refusal(function_, tokens_[setting.at].begin,
                      fmt::format("{} sets '{}' in a branch ({}), which adopt cannot follow; write c ? a : b",
                                  function_.name(), word, control));
      call.before[setting.statement.begin];  // before what it needs: that may need it in turn
      const std::string text = translated(setting.statement, call, depth + 1);
      call.before[setting.statement.begin] = text + ";";
    }
  }

  std::string type_of(const HostFunction::Setting& setting) const {
    std::string type;
    for (std::size_t i = setting.statement.begin; i < setting.at && tokens_[i].is_word(); ++i) {
      if (tokens_[i].is("const") || tokens_[i].is("static")) continue;
      type += (type.empty() ? "" : " ") + std::string(tokens_[i].text);
    }
    return type.empty() || type == "auto" ? "int" : type;
  }

  /// `int n = 1 << 20;`, `int n = atoi(argv[1]);`: of a function such as main, which makes its own arrays and sizes.
  bool is_size(const HostFunction::Setting& setting, const std::string& word) const {
    if (!setting.declaration || fixed_.contains(word)) return false;
    if (setting.at + 2 >= setting.statement.end || !tokens_[setting.at + 1].is("=")) return false;
    bool whole = false, given = false, numbers = true;
    for (std::size_t i = setting.statement.begin; i < setting.at; ++i) {
      const std::string_view type = tokens_[i].text;
      if (type == "constexpr" || type == "float" || type == "double" || type == "bool") return false;
      whole = whole || type == "int" || type == "long" || type == "unsigned" || type == "auto" || type.ends_with("_t");
    }
    for (std::size_t i = setting.at + 2; i < setting.statement.end; ++i) {
      const std::string_view word = tokens_[i].text;
      given = given || word == "argv" || word == "argc";
      numbers = numbers && !tokens_[i].is_word() &&
                !(tokens_[i].kind == Token::Kind::number && word.find('.') != std::string_view::npos);
    }
    return whole && (given || (numbers && makes_its_own_));
  }

  const Declaration& kernel_of(const HostLaunch& launch) const {
    const Declaration* declared = nullptr;
    for (const Declaration& declaration : source_.parsed.declarations)
      if (declaration.kernel && declaration.name == launch.entry &&
          declaration.parameters.size() >= launch.arguments.size() && (declared == nullptr || declaration.defined))
        declared = &declaration;
    if (declared == nullptr)
      throw refusal(function_, launch.place,
                    fmt::format("{} launches '{}', which is no kernel of this file or of a header beside it",
                                function_.name(), launch.entry));
    return *declared;
  }

  TokenRange range_of(const Tokens& part) const {
    const std::size_t begin = function_.token_at(part.front().begin);
    return {begin, begin + part.size()};
  }

  /// "ns::kernel<T, 4>" as the launch writes it: its tokens.
  TokenRange callee(const HostLaunch& launch) const {
    const std::size_t end = launch.token;
    std::size_t begin = end - 1;
    if (tokens_[begin].is(">")) {
      int depth = 0;
      for (;; --begin) {
        if (tokens_[begin].is(">")) ++depth;
        if (tokens_[begin].is("<") && --depth == 0) break;
      }
      --begin;
    }
    while (begin >= 2 && tokens_[begin - 1].is("::") && tokens_[begin - 2].is_word()) begin -= 2;
    return {begin, end};
  }

  Call call_of(const HostLaunch& launch) {
    const Declaration& kernel = kernel_of(launch);
    current_ = calls_.size();
    Call call;
    std::vector<std::string> arguments;
    for (std::size_t i = 0; i < launch.arguments.size(); ++i) {
      const Parameter& parameter = kernel.parameters[i];
      if (launch.arguments[i].empty()) continue;
      const TokenRange range = range_of(launch.arguments[i]);
      if (parameter.record)
        throw refusal(function_, launch.place,
                      fmt::format("{} passes a {} by value, which adopt takes apart for a kernel alone; pass its parts",
                                  function_.name(), parameter.type));
      arguments.push_back(translated(range, call, 0));
      if (!parameter.pointee.empty()) note_array(launch, kernel, parameter, range);
    }
    const TokenRange name = callee(launch);
    call.text = fmt::format("{}({});", translated_callee(name, call), fmt::join(arguments, ", "));
    return call;
  }

  /// Template arguments may be variables of the function too.
  std::string translated_callee(TokenRange name, Call& call) {
    std::size_t open = name.begin;
    while (open < name.end && !tokens_[open].is("<")) ++open;
    const std::string head =
        function_.file().text.substr(tokens_[name.begin].begin, tokens_[open - 1].end - tokens_[name.begin].begin);
    return open == name.end ? head : head + translated({open, name.end}, call, 0);
  }

  void note_array(const HostLaunch& launch, const Declaration& kernel, const Parameter& parameter, TokenRange range) {
    bool any = false;
    for (std::size_t i = range.begin; i < range.end; ++i) {
      const auto array = std::ranges::find(arrays_, tokens_[i].text, &Array::name);
      if (array == arrays_.end() || (i > range.begin && tokens_[i - 1].is("."))) {
        any = any || tokens_[i].is("nullptr") || !function_.settings_of(tokens_[i].text, range.begin).empty();
        continue;
      }
      any = true;
      array->read_only = array->read_only && parameter.read_only;
      if (array->type.empty() || array->type == "void") array->type = pointee_at(launch, kernel, parameter);
    }
    if (!any)
      throw refusal(function_, launch.place,
                    fmt::format("the array '{}' that {} gets cannot be traced to a parameter or a cudaMalloc of {}",
                                function_.file().text.substr(tokens_[range.begin].begin,
                                                             tokens_[range.end - 1].end - tokens_[range.begin].begin),
                                kernel.name, function_.name()));
  }

  /// "float" of a T* where the launch is kernel<float>.
  static std::string pointee_at(const HostLaunch& launch, const Declaration& kernel, const Parameter& parameter) {
    for (std::size_t i = 0; i < std::min(kernel.templates.size(), launch.templates.size()); ++i)
      if (kernel.templates[i].name == parameter.pointee) return launch.templates[i];
    return parameter.pointee;
  }

  /// As the function's own parameters stand, then what it makes itself, scratch last.
  void order() {
    const auto place = [&](const Array& array) {
      const auto& own = function_.parameters();
      const auto place = std::ranges::find(own, array.name, &HostFunction::Parameter::name);
      return std::pair(array.scratch ? 1 : 0, place - own.begin());
    };
    std::ranges::stable_sort(arrays_, {}, place);
    std::ranges::stable_sort(numbers_, {}, [&](const Number& number) {
      return std::ranges::find(function_.parameters(), number.name, &HostFunction::Parameter::name) -
             function_.parameters().begin();
    });
    // A pointer that a statement makes of another may be written through.
    for (const Call& call : calls_)
      for (const auto& [at, text] : call.before)
        for (Array& array : arrays_) {
          const std::vector<std::string> words = words_of(text);
          array.read_only = array.read_only && std::ranges::find(words, array.name) == words.end();
        }
    for (const Array& array : arrays_)
      if (array.type.empty())
        throw refusal(function_, tokens_[function_.body().begin].begin,
                      fmt::format("the type of '{}' in {} cannot be read; write it out: float* {}", array.name,
                                  function_.name(), array.name));
  }

  std::string head() const {
    const std::string own = template_head({&function_.file(), &function_.chunk()});
    if (!own.empty()) return own;
    const bool dispatched =
        std::ranges::any_of(launches_, [](const HostLaunch& launch) { return !launch.dispatch.empty(); });
    return dispatched ? "template <typename scalar_t>\n" : "";
  }

  /// "<T>": what the head declares.
  std::string head_arguments() const {
    std::vector<std::string> names;
    const std::string text = head();
    const Tokens tokens = tokens_of(text);
    for (std::size_t i = 1; i < tokens.size(); ++i)
      if ((tokens[i].is(",") || tokens[i].is(">") || tokens[i].is("=")) && tokens[i - 1].is_word())
        names.emplace_back(tokens[i - 1].text);
    return names.empty() ? "" : fmt::format("<{}>", fmt::join(names, ", "));
  }

  /// "__launch_bounds__(256) " of the kernel that the front calls.
  std::string bounds_of(const HostLaunch& launch) const {
    for (std::size_t i = 0; i < source_.parsed.declarations.size(); ++i) {
      if (&source_.parsed.declarations[i] != &kernel_of(launch)) continue;
      const Source::Place place = source_.places[i];
      if (place.chunk == nullptr) return "";
      const std::string text = place.file->text.substr(place.chunk->begin, place.chunk->body - place.chunk->begin);
      const Tokens tokens = tokens_of(text);
      for (std::size_t k = 0; k + 1 < tokens.size(); ++k)
        if (tokens[k].is("__launch_bounds__"))
          return text.substr(tokens[k].begin, tokens[closing(tokens, k + 1)].end - tokens[k].begin) + " ";
    }
    return "";
  }

  std::string front_text(std::size_t i, const std::string& name) const {
    std::vector<std::string> parameters;
    for (const Array& array : arrays_)
      parameters.push_back(fmt::format("{}{}* {}", array.read_only ? "const " : "", array.type, array.name));
    for (const Number& entry : numbers_) parameters.push_back(fmt::format("{} {}", entry.type, entry.name));
    std::string before;
    for (const auto& [at, text] : calls_[i].before) before += "  " + text + "\n";
    return fmt::format(
        "// Made by harness adopt: launch {} of {}, with all that its launches get.\n"
        "{}__global__ void {}{}({}) {{\n{}  {}\n}}\n\n",
        i + 1, function_.name(), head(), bounds_of(launches_[i]), name, fmt::join(parameters, ", "), before,
        calls_[i].text);
  }

  std::string rewritten(const std::string& fronts, const std::vector<std::string>& names) const {
    const std::string& text = function_.file().text;
    std::vector<std::string> arguments;
    for (const Array& array : arrays_) arguments.push_back(array.name);
    for (const Number& entry : numbers_) arguments.push_back(entry.text);
    std::vector<TextEdit> edits{{function_.chunk().begin, function_.chunk().begin, of_device(fronts)}};
    for (std::size_t i = 0; i < launches_.size(); ++i) {
      const TokenRange name = callee(launches_[i]);
      std::size_t open = name.end;
      while (!tokens_[open].is(">>>")) ++open;
      ++open;
      edits.push_back(
          {tokens_[open].end, tokens_[closing(tokens_, open)].begin, fmt::format("{}", fmt::join(arguments, ", "))});
      edits.push_back({tokens_[name.begin].begin, launches_[i].place, names[i] + head_arguments()});
    }
    for (const Chunk* helper : helpers_)  // helpers in front of the function become functions of the device
      if (const auto place = place_of_mark(*helper); place && helper->end <= function_.chunk().begin)
        edits.push_back(
            {*place, helper->end, "__host__ __device__ " + of_device(text.substr(*place, helper->end - *place))});
    return edited(text, std::move(edits));
  }

  const Source& source_;
  const HostFunction& function_;
  const std::vector<HostLaunch>& launches_;
  const Tokens& tokens_;
  const bool makes_its_own_;
  std::set<std::string> fixed_, of_grids_;
  std::set<const Chunk*> helpers_;
  std::vector<Array> arrays_;
  std::vector<Number> numbers_;
  std::vector<Call> calls_;
  std::size_t current_ = 0;
};

/// Scratch that is set to zero once a launch has used it would need a step of its own.
void refuse_late_memsets(const HostFunction& function, const std::vector<HostLaunch>& launches) {
  const Tokens& tokens = function.tokens();
  const std::size_t first = launches.front().token, last = launches.back().token;
  for (std::size_t i = first; i < last; ++i) {
    if (!tokens[i].text.starts_with("cudaMemset")) continue;
    for (std::size_t k = i; k < closing(tokens, i + 1); ++k)
      for (const HostLaunch& launch : launches) {
        if (launch.place > tokens[i].begin) continue;
        for (const Tokens& argument : launch.arguments)
          for (const Token& token : argument)
            if (token.is_word() && token.text == tokens[k].text && function.allocates(token.text))
              throw refusal(function, tokens[i].begin,
                            fmt::format("{} sets '{}' again between its launches; give the later launch a buffer of "
                                        "its own",
                                        function.name(), token.text));
      }
  }
}

}  // namespace

std::optional<Sequence> sequence_of(const Source& source, const std::string& name, const std::string& kernel) {
  const std::optional<HostFunction> function = function_named(source, name);
  if (!function) return std::nullopt;
  std::vector<HostLaunch> launches = launches_in(source, *function);
  if (!kernel.empty()) std::erase_if(launches, [&](const HostLaunch& launch) { return launch.entry != kernel; });
  if (launches.empty()) return std::nullopt;
  if (launches.size() == 1) return Sequence{.function = name, .only = launches[0].entry};
  if (&function->file() != &source.main())
    throw bad_input(fmt::format("'{}' stands in {}; name that file", name, function->file().name));
  refuse_flow(*function, launches);
  refuse_other_work(source, *function, launches.front().token, launches.back().token);
  refuse_late_memsets(*function, launches);
  return Fronts(source, *function, launches).write();
}

std::string function_that_chooses(const Source& source, const std::string& kernel) {
  std::vector<HostLaunch> launches = source.launches;
  std::erase_if(launches, [&](const HostLaunch& launch) { return launch.entry != kernel; });
  if (launches.size() < 2 || launches.front().file != &source.main()) return "";
  const HostFunction* const function = launches.front().function.get();
  if (function == nullptr) return "";
  bool chooses = false;
  for (const HostLaunch& launch : launches) {
    if (launch.chunk != launches.front().chunk) return "";
    const auto branches = branches_over(*function, launch.token);
    if (!branches) return "";
    chooses = chooses || !branches->empty();
  }
  return chooses ? function->name() : "";
}

}  // namespace harness::adopt
