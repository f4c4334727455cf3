#include "harness/adopt/observe/index_text.h"

#include <algorithm>
#include <map>

#include "harness/adopt/source/token_lists.h"

namespace harness::adopt {
namespace {

using Sizes = std::set<std::string>;

bool is_type_word(const Token& token) {
  return token.is_word() && !token.is("return") && !token.is("else");
}

/// Local variables of one definition each: `int row = blockIdx.x * 4 + y;`
class LocalVariables {
 public:
  explicit LocalVariables(const Tokens& tokens) {
    for (std::size_t i = 1; i + 2 < tokens.size(); ++i) {
      if (!tokens[i].is_word() || tokens[i - 1].is(".") || tokens[i - 1].is("->")) continue;
      const std::string name(tokens[i].text);
      const bool declares = is_type_word(tokens[i - 1]) || tokens[i - 1].is("*") || tokens[i - 1].is(",");
      static const std::set<std::string_view> kChanges{"+=", "-=", "*=", "/=", "++", "--"};
      if (tokens[i + 1].is("=") && declares && !values_.contains(name))
        values_[name] = part(tokens, i + 2, end_of_value(tokens, i + 2));
      else if (tokens[i + 1].is("=") || kChanges.contains(tokens[i + 1].text)) several_.insert(name);
    }
  }

  const Tokens* value_of(const std::string& name) const {
    const auto value = values_.find(name);
    return value == values_.end() || several_.contains(name) ? nullptr : &value->second;
  }

 private:
  std::map<std::string, Tokens> values_;
  std::set<std::string> several_;
};

/// Reads sums of products, and notes which sizes each index in them is multiplied by.
class IndexReader {
 public:
  IndexReader(const LocalVariables& locals, const Sizes& sizes) : locals_(locals), sizes_(sizes) {}

  void read(const Tokens& tokens, const Sizes& outer, int depth = 0) {
    if (depth > kDeepest || tokens.empty()) return;
    for (const Tokens& term : split(tokens, {"+", "-"})) read_term(term, outer, depth);
  }

  std::vector<Sizes> strides;

 private:
  static constexpr int kDeepest = 8;

  /// At these signs outside of brackets.
  static std::vector<Tokens> split(const Tokens& tokens, const std::set<std::string_view>& signs) {
    std::vector<Tokens> pieces(1);
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      if (tokens[i].is("(") || tokens[i].is("[")) {
        const std::size_t close = std::min(closing(tokens, i), tokens.size() - 1);
        for (; i < close; ++i) pieces.back().push_back(tokens[i]);
      } else if (signs.contains(tokens[i].text)) {
        pieces.emplace_back();
        continue;
      }
      pieces.back().push_back(tokens[i]);
    }
    std::erase_if(pieces, [](const Tokens& piece) { return piece.empty(); });
    return pieces;
  }

  void read_term(const Tokens& term, const Sizes& outer, int depth) {
    static const std::set<std::string_view> kOpaque{"/", "%", "?", "<", ">", "<<", ">>", "&", "|", "=="};
    if (split(term, kOpaque).size() > 1) return note(outer);
    Sizes own = outer;
    std::vector<Tokens> others;
    for (const Tokens& given : split(term, {"*"})) {
      const Tokens factor = without_casts(given);
      const bool size = factor.size() == 1 && sizes_.contains(std::string(factor[0].text));
      if (size) own.insert(std::string(factor[0].text));
      else if (factor.size() != 1 || factor[0].kind != Token::Kind::number) others.push_back(factor);
    }
    for (const Tokens& factor : others) {
      const Tokens* const value = factor.size() == 1 ? locals_.value_of(std::string(factor[0].text)) : nullptr;
      const bool bracket = factor[0].is("(") && closing(factor, 0) + 1 == factor.size();
      if (value != nullptr) read(*value, own, depth + 1);
      else if (bracket) read(part(factor, 1, factor.size() - 1), own, depth + 1);
      else note(own);
    }
  }

  /// `(size_t)x` and `static_cast<int>(x)` are x.
  static Tokens without_casts(const Tokens& factor) {
    std::size_t first = 0;
    if (factor.size() > 3 && factor[0].is("(") && closing(factor, 0) < factor.size() - 1) {
      const std::size_t close = closing(factor, 0);
      if (std::all_of(factor.begin() + 1, factor.begin() + static_cast<std::ptrdiff_t>(close),
                      [](const Token& token) { return token.is_word(); }))
        first = close + 1;
    }
    if (factor[first].is("static_cast") && first + 1 < factor.size() && factor[first + 1].is("<"))
      first = end_of_template(factor, first + 1) + 1;
    return first < factor.size() ? part(factor, first, factor.size()) : factor;
  }

  void note(const Sizes& sizes) {
    if (!sizes.empty() && std::ranges::find(strides, sizes) == strides.end()) strides.push_back(sizes);
  }

  const LocalVariables& locals_;
  const Sizes& sizes_;
};

}  // namespace

std::vector<Sizes> strides_in_text(const std::string& text, const std::string& array, const Sizes& sizes) {
  const Tokens tokens = tokens_of(text);
  const LocalVariables locals(tokens);
  IndexReader reader(locals, sizes);
  for (std::size_t i = 1; i + 1 < tokens.size(); ++i) {
    if (!tokens[i].is(array) || tokens[i - 1].is(".") || tokens[i - 1].is("->")) continue;
    if (tokens[i + 1].is("[")) reader.read(part(tokens, i + 2, std::min(closing(tokens, i + 1), tokens.size())), {});
    else if (tokens[i + 1].is("+")) reader.read(part(tokens, i + 2, end_of_value(tokens, i + 2)), {});
  }
  return reader.strides;
}

}  // namespace harness::adopt
