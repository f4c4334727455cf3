#include "harness/adopt/observe/index_text.h"

#include <algorithm>
#include <map>

#include "harness/adopt/source/tokens.h"

namespace harness::adopt {
namespace {

using Sizes = std::set<std::string>;

bool is_type_word(const Token& token) {
  return token.is_word() && !token.is("return") && !token.is("else");
}

/// Local variables of one definition each: `int row = blockIdx.x * 4 + y;`
class LocalVariables {
 public:
  explicit LocalVariables(const Tokens& all) : tokens(all) {
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

  const Tokens& tokens;  // of the whole text

  const Tokens* value_of(const std::string& name) const {
    const auto value = values_.find(name);
    return value == values_.end() || several_.contains(name) ? nullptr : &value->second;
  }

 private:
  std::map<std::string, Tokens> values_;
  std::set<std::string> several_;
};

/// A divisor in a text: one size, or a product of several in parentheses. Empty: another one.
struct Divisor {
  Sizes sizes;
  std::size_t end = 0;  // behind it
};

Divisor divisor_at(const Tokens& tokens, std::size_t at, const Sizes& sizes) {
  Divisor divisor;
  if (at >= tokens.size()) return divisor;
  const bool bracket = tokens[at].is("(");
  const std::size_t last = bracket ? std::min(closing(tokens, at), tokens.size() - 1) : at;
  for (std::size_t i = at + (bracket ? 1 : 0); i < last + (bracket ? 0 : 1); ++i) {
    if (tokens[i].is("*")) continue;
    if (!sizes.contains(std::string(tokens[i].text))) return {};
    divisor.sizes.insert(std::string(tokens[i].text));
  }
  divisor.end = last + 1;
  return divisor;
}

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
    for (const Tokens& part_of_term : split(term, {"*"})) {
      const Tokens factor = without_casts(part_of_term);
      if (const Sizes sizes = sizes_alone(factor, depth); !sizes.empty()) own.insert(sizes.begin(), sizes.end());
      else if (factor.size() != 1 || factor[0].kind != Token::Kind::number) others.push_back(factor);
    }
    for (const Tokens& factor : others) {
      const Tokens* const value = factor.size() == 1 ? locals_.value_of(std::string(factor[0].text)) : nullptr;
      const bool bracket = factor[0].is("(") && closing(factor, 0) + 1 == factor.size();
      if (factor.size() == 1 && factor[0].is_word()) read_parts(factor[0].text, own, depth);
      if (value != nullptr) read(*value, own, depth + 1);
      else if (bracket) read(part(factor, 1, factor.size() - 1), own, depth + 1);
      else note(own);
    }
  }

  /// {half} of `dim` where `dim = 2 * half`; empty: it is no product of sizes and numbers alone.
  Sizes sizes_alone(const Tokens& factor, int depth) const {
    if (depth > kDeepest) return {};
    Sizes sizes;
    for (const Tokens& part_of_factor : split(factor, {"*"})) {
      const Tokens piece = without_casts(part_of_factor);
      if (piece.size() != 1) return {};
      const std::string name(piece[0].text);
      if (piece[0].kind == Token::Kind::number) continue;
      const Tokens* const value = sizes_.contains(name) ? nullptr : locals_.value_of(name);
      const Sizes own = sizes_.contains(name) ? Sizes{name}
                        : value != nullptr    ? sizes_alone(*value, depth + 1)
                                              : Sizes();
      if (own.empty()) return {};
      sizes.insert(own.begin(), own.end());
    }
    return sizes;
  }

  /// Of a counter that the text takes apart: `w = i % W, h = i / W % H`. What it is divided by lies inside of the rest.
  void read_parts(std::string_view counter, const Sizes& inner, int depth) {
    if (depth > kDeepest) return;
    const Tokens& all = locals_.tokens;
    for (std::size_t i = 1; i + 2 < all.size(); ++i) {
      if (!all[i].is(counter) || all[i - 1].is(".") || all[i - 1].is("*")) continue;
      Sizes own = inner;
      std::size_t at = i + 1;
      while (at + 1 < all.size() && (all[at].is("/") || all[at].is("%"))) {
        const bool quotient = all[at].is("/");
        const Divisor divisor = divisor_at(all, at + 1, sizes_);
        if (divisor.sizes.empty()) break;
        own.insert(divisor.sizes.begin(), divisor.sizes.end());
        note(own);
        at = divisor.end;
        if (!quotient) break;
        if (at < all.size() && all[at].is(")")) ++at;  // (i / W) % H
        const bool defines = i >= 3 && all[i - 1].is("=") && at < all.size() && (all[at].is(";") || all[at].is(","));
        if (defines) read_parts(all[i - 2].text, own, depth + 1);
      }
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
