#include "harness/adopt/patch.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "harness/adopt/kernel.h"
#include "harness/adopt/launches.h"
#include "harness/adopt/moved_lines.h"
#include "harness/adopt/source.h"
#include "harness/core/error.h"

namespace harness::adopt {
namespace {

constexpr std::int64_t kSharedWithoutAsking = 48 * 1024;

std::string last_name(const std::string& qualified) {
  const std::size_t colon = qualified.rfind(':');
  return colon == std::string::npos ? qualified : qualified.substr(colon + 1);
}

/// A whole formula of the sizes as C++ of the host writes it.
class HostText {
 public:
  /// `names`: a size -> what the host calls it.
  explicit HostText(const std::map<std::string, std::string>& names) : names_(names) {}

  std::string of(const json& formula) const {
    if (formula.is_number_integer()) return fmt::format("{}", formula.get<std::int64_t>());
    if (!formula.is_object() || formula.size() != 1) throw unknown(formula);
    const std::string operation = formula.begin().key();
    const json& operands = formula.begin().value();
    if (operation == "size") {
      const auto found = names_.find(operands.get<std::string>());
      if (found == names_.end())
        throw bad_input(fmt::format("its launch needs '{}', which the file's own launch does not know",
                                    operands.get<std::string>()));
      return found->second;
    }
    if (!operands.is_array() || operands.empty()) throw unknown(formula);
    std::vector<std::string> texts;
    for (const json& each : operands) texts.push_back(of(each));
    static const std::map<std::string, const char*> kSigns = {{"+", " + "},  {"-", " - "},   {"*", " * "},
                                                              {"//", " / "}, {"%", " % "},   {"eq", " == "},
                                                              {"lt", " < "}, {"le", " <= "}, {"ne", " != "}};
    if (const auto sign = kSigns.find(operation); sign != kSigns.end() && texts.size() > 1)
      return fmt::format("({})", fmt::join(texts, sign->second));
    if (operation == "cdiv" && texts.size() == 2) return fmt::format("(({0} + {1} - 1) / {1})", texts[0], texts[1]);
    if (operation == "round_up" && texts.size() == 2)
      return fmt::format("(({0} + {1} - 1) / {1} * {1})", texts[0], texts[1]);
    if (operation == "select" && texts.size() == 3) return fmt::format("({} ? {} : {})", texts[0], texts[1], texts[2]);
    if (operation == "min" || operation == "max") {
      std::string made = texts[0];
      for (std::size_t i = 1; i < texts.size(); ++i)
        made = fmt::format("({0} {2} {1} ? {0} : {1})", made, texts[i], operation == "min" ? "<" : ">");
      return made;
    }
    throw unknown(formula);
  }

 private:
  static Error unknown(const json& formula) {
    return bad_input(fmt::format("its launch has {}, which the file's own launch cannot say", formula.dump()));
  }
  const std::map<std::string, std::string>& names_;
};

struct TokenEdit {
  std::size_t begin = 0, end = 0;
  std::string text;
};

class Patch {
 public:
  explicit Patch(const Winner& winner)
      : winner_(winner),
        source_(read_cuda_source(winner.file)),
        name_(last_name(winner.entry)),
        shown_(std::filesystem::path(winner.file).filename().string()) {
    for (const Declaration& each : source_.parsed.declarations)
      if (each.kernel && each.name == name_ && (kernel_ == nullptr || each.defined)) kernel_ = &each;
    if (kernel_ == nullptr) throw bad_input(fmt::format("{} has no kernel '{}' any more", shown_, name_));
    for (FoundLaunch& each : find_launches(source_))
      if (each.entry == name_) launches_.push_back(std::move(each));
    if (launches_.empty())
      throw bad_input(
          fmt::format("{} does not launch '{}' itself, so its grid and block stand elsewhere", shown_, name_));
  }

  std::vector<PatchedFile> make() {
    for (const auto& [name, value] : winner_.set) set(name, value);
    if (!launches_as_measured()) write_launch();
    std::vector<PatchedFile> all;
    for (const auto& file : source_.files) {
      std::string text = edited(*file);
      if (file.get() == &source_.main() && winner_.source != winner_.original)
        text = with_moved_lines(winner_.original, winner_.source, file->text, text, shown_);
      if (text != file->text) all.push_back({file->path, file->text, text});
    }
    return all;
  }

 private:
  void replace(const SourceText& file, const std::vector<Token>& tokens, const std::string& text) {
    replace(file, tokens.front().begin, tokens.back().end, text);
  }
  void replace(const SourceText& file, std::size_t begin, std::size_t end, const std::string& text) {
    if (file.text.substr(begin, end - begin) == text) return;
    for (const TokenEdit& each : edits_[&file])
      if (each.begin == begin && each.end == end) return;
    edits_[&file].push_back({begin, end, text});
  }

  std::string edited(const SourceText& file) {
    std::vector<TokenEdit>& edits = edits_[&file];
    std::ranges::sort(edits, {}, &TokenEdit::begin);
    std::string text = file.text;
    for (auto each = edits.rbegin(); each != edits.rend(); ++each)
      text.replace(each->begin, each->end - each->begin, each->text);
    return text;
  }

  /// In the order in which `adopt --tune` binds a name: template argument, macro or constant, variable of the launch.
  void set(const std::string& name, std::int64_t value) {
    const std::string text = fmt::format("{}", value);
    for (std::size_t i = 0; i < kernel_->templates.size(); ++i)
      if (kernel_->templates[i].name == name && !kernel_->templates[i].type) return set_template(i, name, text);
    bool done = false;
    for (const auto& file : source_.files)
      done = set_macro(*file, name, text) || set_constant(*file, name, text) || done;
    if (done) return;
    for (const FoundLaunch& launch : launches_) done = set_variable(launch, name, text) || done;
    if (!done && name == "block") {
      for (const FoundLaunch& launch : launches_) replace(*launch.file, launch.configuration.at(1), text);
      done = true;
    }
    if (!done) throw bad_input(fmt::format("{} has no '{}' that could be given the value {}", shown_, name, text));
  }

  void set_template(std::size_t place, const std::string& name, const std::string& text) {
    for (const FoundLaunch& launch : launches_) {
      if (place >= launch.template_tokens.size())
        throw bad_input(
            fmt::format("{} launches '{}' without the template argument {}, so it would need more than a "
                        "value",
                        shown_, name_, name));
      replace(*launch.file, launch.template_tokens[place], text);
    }
  }

  bool set_macro(const SourceText& file, const std::string& name, const std::string& text) {
    bool done = false;
    for (const Macro& macro : file.macros) {
      if (macro.name != name) continue;
      const std::size_t at = file.text.find(name, macro.begin);
      if (at == std::string::npos || at >= macro.end) continue;
      std::size_t begin = at + name.size(), end = macro.end;
      while (begin < end && (file.text[begin] == ' ' || file.text[begin] == '\t')) ++begin;
      const std::size_t comment = std::min(file.text.find("//", begin), file.text.find("/*", begin));
      end = std::min(end, comment);
      while (end > begin && std::isspace(static_cast<unsigned char>(file.text[end - 1])) != 0) --end;
      replace(file, begin, end, text);
      done = true;
    }
    return done;
  }

  /// `constexpr int NAME = ...;` outside of functions.
  bool set_constant(const SourceText& file, const std::string& name, const std::string& text) {
    bool done = false;
    for (const Chunk& chunk : file.chunks) {
      if (chunk.body != chunk.end) continue;
      for (std::size_t i = 0; i + 2 < file.tokens.size(); ++i) {
        const Token& token = file.tokens[i];
        if (token.begin < chunk.begin || token.end > chunk.end || !token.is(name) || !file.tokens[i + 1].is("="))
          continue;
        replace_value(file, i + 2, text);
        done = true;
      }
    }
    return done;
  }

  void replace_value(const SourceText& file, std::size_t first, const std::string& text) {
    std::size_t end = first;
    for (int depth = 0; end < file.tokens.size(); ++end) {
      const Token& token = file.tokens[end];
      if (token.is("(") || token.is("{") || token.is("[")) ++depth;
      if (token.is(")") || token.is("}") || token.is("]")) --depth;
      if (depth < 0 || (depth == 0 && (token.is(";") || token.is(",")))) break;
    }
    if (end > first) replace(file, file.tokens[first].begin, file.tokens[end - 1].end, text);
  }

  /// A variable of the host's function, or a parameter of it: that one is replaced where it is used.
  bool set_variable(const FoundLaunch& launch, const std::string& name, const std::string& text) {
    if (launch.chunk == nullptr) return false;
    const std::vector<Token>& tokens = launch.file->tokens;
    for (std::size_t i = tokens.size() - 1; i-- > 1;) {
      if (tokens[i].begin >= launch.place || tokens[i].begin < launch.chunk->body || !tokens[i].is(name)) continue;
      if (tokens[i - 1].is(".") || tokens[i - 1].is("->") || !tokens[i + 1].is("=")) continue;
      replace_value(*launch.file, i + 2, text);
      return true;
    }
    bool parameter = false, used = false;
    for (std::size_t i = 1; i < tokens.size(); ++i) {
      if (tokens[i].begin < launch.chunk->begin || tokens[i].end > launch.chunk->end || !tokens[i].is(name)) continue;
      if (tokens[i].begin < launch.chunk->body) {
        parameter = true;
        continue;
      }
      if (!parameter || tokens[i - 1].is(".") || tokens[i - 1].is("->") || tokens[i - 1].is("::")) continue;
      replace(*launch.file, tokens[i].begin, tokens[i].end, text);
      used = true;
    }
    return used;
  }

  /// Would the file's own launch, with the names set, be the one that was measured?
  bool launches_as_measured() const {
    std::set<std::string> names;
    Values values;
    for (const auto& [name, value] : winner_.set) {
      names.insert(name);
      values["p." + name] = value;
    }
    for (const auto& [name, value] : winner_.sizes)
      if (const auto* number = std::get_if<std::int64_t>(&value)) values[name] = *number;
    for (const FoundLaunch& found : launches_) {
      try {
        LaunchShape shape = resolve_launch(source_, found, *kernel_, names);
        if (names.contains("block") && !uses(shape, "p.block")) shape.block = {symbol("p.block")};
        Values here = values;
        add_element_sizes(shape, here);
        if (!is(shape.grid, winner_.launch.grid, here) || !is(shape.block, winner_.launch.block, here)) return false;
        if (evaluate(*shape.shared, here) != winner_.launch.shared) return false;
      } catch (const Error&) {
        return false;
      }
    }
    return true;
  }

  static bool uses(const LaunchShape& shape, const std::string& name) {
    return std::ranges::any_of(shape.block, [&](const FormulaPtr& each) { return symbols_of(*each).contains(name); });
  }

  void add_element_sizes(const LaunchShape& shape, Values& values) const {
    const auto dtype = winner_.sizes.find("dtype");
    const auto* text = dtype == winner_.sizes.end() ? nullptr : std::get_if<std::string>(&dtype->second);
    const auto parsed = text == nullptr ? std::nullopt : parse_dtype(*text);
    for (const std::string& each : symbols_of(*shape.shared)) {
      if (!each.starts_with("sizeof ")) continue;
      const auto named = dtype_of_type(each.substr(7));
      if (named || parsed) values[each] = storage_bytes(named ? *named : *parsed);
    }
  }

  static bool is(const std::vector<FormulaPtr>& formulas, const Dim3& wanted, const Values& values) {
    const std::uint32_t numbers[3] = {wanted.x, wanted.y, wanted.z};
    for (std::size_t i = 0; i < 3; ++i) {
      const std::optional<std::int64_t> got = i < formulas.size() ? evaluate(*formulas[i], values) : 1;
      if (got != static_cast<std::int64_t>(numbers[i])) return false;
    }
    return true;
  }

  void write_launch() {
    if (launches_.size() != 1)
      throw bad_input(
          fmt::format("{} launches '{}' in {} places, and not as it was measured", shown_, name_, launches_.size()));
    if (winner_.launch.shared > kSharedWithoutAsking)
      throw bad_input(
          fmt::format("its launch takes {} bytes of shared memory, which the host must ask for with "
                      "cudaFuncSetAttribute first",
                      winner_.launch.shared));
    const FoundLaunch& found = launches_.front();
    std::map<std::string, std::string> names;
    for (std::size_t i = 0; i < std::min(found.arguments.size(), kernel_->parameters.size()); ++i)
      if (kernel_->parameters[i].pointee.empty() && !found.arguments[i].empty()) {
        const std::string text = text_of(*found.file, found.arguments[i]);
        names[kernel_->parameters[i].name] = found.arguments[i].size() == 1 ? text : "(" + text + ")";
      }
    if (found.chunk != nullptr)  // what only the host knows, under its own name
      for (const auto& [name, value] : winner_.sizes)
        for (const Token& token : found.file->tokens)
          if (token.is(name) && token.begin >= found.chunk->begin && token.begin < found.place)
            names.emplace(name, name);
    const HostText host(names);
    replace(*found.file, found.configuration[0], dimensions(winner_.formulas.grid, host));
    replace(*found.file, found.configuration[1], dimensions(winner_.formulas.block, host));
    const std::string shared = host.of(winner_.formulas.shared);
    if (found.configuration.size() > 2 && !found.configuration[2].empty())
      replace(*found.file, found.configuration[2], shared);
    else if (shared != "0") edits_[found.file].back().text += ", " + shared;
  }

  static std::string text_of(const SourceText& file, const std::vector<Token>& tokens) {
    return file.text.substr(tokens.front().begin, tokens.back().end - tokens.front().begin);
  }

  static std::string dimensions(const std::array<json, 3>& formulas, const HostText& host) {
    if (formulas[1] == json(1) && formulas[2] == json(1)) return host.of(formulas[0]);
    std::string text = fmt::format("dim3({}, {}", host.of(formulas[0]), host.of(formulas[1]));
    if (formulas[2] != json(1)) text += ", " + host.of(formulas[2]);
    return text + ")";
  }

  const Winner& winner_;
  Source source_;
  std::string name_, shown_;
  const Declaration* kernel_ = nullptr;
  std::vector<FoundLaunch> launches_;
  std::map<const SourceText*, std::vector<TokenEdit>> edits_;
};

}  // namespace

std::vector<PatchedFile> patched(const Winner& winner) {
  return Patch(winner).make();
}

}  // namespace harness::adopt
