#include "harness/adopt/host/zeroed.h"

#include <algorithm>

#include "harness/adopt/host/local_values.h"
#include "harness/adopt/source/tokens.h"

namespace harness::adopt {
namespace {

/// `logits_ptr` and `logits` of `float* logits_ptr = logits.data_ptr<float>()`.
std::set<std::string> names_of_array(const HostLaunch& launch, const Tokens& argument) {
  std::set<std::string> names;
  Tokens value = argument;
  for (int depth = 0; depth < kDeepestName; ++depth) {
    const auto word = std::ranges::find_if(value, [](const Token& token) {
      return token.is_word() && !token.is("thrust") && !token.is("raw_pointer_cast") && !token.is("reinterpret_cast");
    });
    if (word == value.end() || !names.insert(std::string(word->text)).second) break;
    const Tokens* const further = launch.local(word->text);
    // A pointer into another array; whatever a function makes has no other name.
    const bool view = further != nullptr && !further->empty() &&
                      (further->size() == 1 || std::ranges::any_of(*further, [](const Token& token) {
                         return token.is("data_ptr") || token.is("data") || token.is("raw_pointer_cast") ||
                                token.is("contiguous") || token.is("mutable_data_ptr");
                       }));
    if (!view) break;
    value = *further;
  }
  return names;
}

/// What the host does to an array, token by token.
class Events {
 public:
  Events(const KernelLaunch& at, std::set<std::string> names)
      : tokens_(at.launch->file->tokens), names_(std::move(names)) {}

  bool zeroed_between(std::size_t begin, std::size_t end) const {
    bool zeroed = false;
    for (std::size_t i = 0; i + 1 < tokens_.size() && tokens_[i].begin < end; ++i) {
      if (tokens_[i].begin < begin) continue;
      if (tokens_[i].text.starts_with("cudaMemset") && tokens_[i + 1].is("(")) {
        const auto arguments = arguments_at(i + 1);
        if (!arguments.empty() && is_array(arguments[0]))
          zeroed = arguments.size() > 1 && arguments[1].size() == 1 && is_zero(arguments[1][0]);
        i = closing(tokens_, i + 1);
      } else if (names_.contains(std::string(tokens_[i].text)) && !is_part(i)) {
        if (tokens_[i + 1].is("=")) zeroed = zeroed_by(i + 2, zeroed);
        else if (tokens_[i + 1].is(".") && i + 2 < tokens_.size() && tokens_[i + 2].is("zero_")) zeroed = true;
        else if (is_written(i)) zeroed = false;
      }
    }
    return zeroed;
  }

 private:
  std::vector<Tokens> arguments_at(std::size_t open) const {
    return split_by_commas(part(tokens_, open + 1, std::min(closing(tokens_, open), tokens_.size())));
  }

  bool is_part(std::size_t i) const {
    return i > 0 && (tokens_[i - 1].is(".") || tokens_[i - 1].is("->") || tokens_[i - 1].is("::"));
  }

  /// `x`, `(void*)x`, `&x`, `x.data_ptr<float>()`
  bool is_array(const Tokens& argument) const {
    return std::ranges::any_of(argument,
                               [&](const Token& token) { return names_.contains(std::string(token.text)); }) &&
           std::ranges::none_of(argument, [](const Token& token) { return token.is("+"); });
  }

  static bool is_zero(const Token& token) { return token.is("0") || token.is("0x00") || token.is("0x0"); }

  /// The value that begins at `from`; another name of the array changes nothing.
  bool zeroed_by(std::size_t from, bool before) const {
    bool other_name = false;
    for (std::size_t i = from; i < tokens_.size() && !tokens_[i].is(";"); ++i) {
      if (tokens_[i].text.find("zeros") != std::string_view::npos) return true;
      other_name = other_name || names_.contains(std::string(tokens_[i].text));
    }
    return other_name && before;
  }

  /// Is it an argument, alone, of a call that may write it: of a launch, of a copy into it, of a function?
  bool is_written(std::size_t i) const {
    int depth = 0;
    for (std::size_t k = i; k-- > 0 && !tokens_[k].is(";") && !tokens_[k].is("{") && !tokens_[k].is("}");) {
      if (tokens_[k].is(")")) ++depth;
      if (!tokens_[k].is("(") || depth-- > 0) continue;
      depth = 0;
      if (k == 0) return false;
      const Token& callee = tokens_[k - 1];
      if (callee.is(">>>")) return true;
      if (!callee.is_word() && !callee.is(">")) continue;  // a cast
      if (callee.text.starts_with("cudaMemcpy")) return is_array(arguments_at(k).front());
      if (harmless(callee)) continue;
      return true;
    }
    return false;
  }

  /// Macros of checks stand around calls; what only asks does not write.
  static bool harmless(const Token& callee) {
    const bool macro =
        std::ranges::none_of(callee.text, [](unsigned char letter) { return std::islower(letter) != 0; });
    static const std::set<std::string_view> asking{"cudaMalloc", "cudaFree", "raw_pointer_cast", "if",   "while",
                                                   "sizeof",     "printf",   "data_ptr",         "size", "for"};
    return macro || asking.contains(callee.text);
  }

  const Tokens& tokens_;
  std::set<std::string> names_;
};

}  // namespace

std::set<std::string> zeroed_arguments(const KernelLaunch& at) {
  const HostLaunch& written = *at.launch;
  std::set<std::string> zeroed;
  if (written.chunk == nullptr) return zeroed;
  for (std::size_t p = 0; p < std::min(at.kernel.parameters.size(), written.arguments.size()); ++p) {
    if (at.kernel.parameters[p].pointee.empty() || written.arguments[p].empty()) continue;
    const Events events(at, names_of_array(written, written.arguments[p]));
    if (events.zeroed_between(written.chunk->begin, written.place)) zeroed.insert(at.kernel.parameters[p].name);
  }
  return zeroed;
}

}  // namespace harness::adopt
