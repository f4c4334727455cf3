#pragma once
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "harness/adopt/source/source_text.h"

namespace harness::adopt {

/// Tokens [begin, end) of a file.
struct TokenRange {
  std::size_t begin = 0, end = 0;
};

/// Type words of a declaration, tokens [begin, end), without what is about the variable and not about its elements.
std::string type_text(const Tokens& tokens, std::size_t begin, std::size_t end);

/// int, int64_t, size_t and the like.
bool is_whole_number(const std::string& type);

/// A function of the host by its text: libclang sees no bodies, and not every type of a host's function is known.
class HostFunction {
 public:
  struct Parameter {
    std::string name, type;  // "float" of a const float*
    bool array = false;      // a pointer or a tensor
    bool whole = false;      // a whole number by its type
    bool tensor = false;
  };
  /// A variable of its own: where it gets a value, and how that statement begins.
  struct Setting {
    TokenRange statement;
    std::size_t at = 0;        // the variable's token
    bool declaration = false;  // it is declared there
  };

  /// `name_token`: its name in the piece of the file that it is.
  HostFunction(const SourceText& file, const Chunk& chunk, std::string name, std::size_t name_token);

  /// The function that a piece of a file is; nullptr: it is none.
  static std::shared_ptr<const HostFunction> of(const SourceText& file, const Chunk& chunk);

  const SourceText& file() const { return *file_; }
  const Chunk& chunk() const { return *chunk_; }
  const std::vector<Token>& tokens() const { return file_->tokens; }
  const std::string& name() const { return name_; }
  TokenRange body() const { return body_; }  // without its braces
  const std::vector<Parameter>& parameters() const { return parameters_; }
  /// The names of `template <typename T, int BLOCK = 64>`, in their order; empty: it is no template.
  const std::vector<std::string>& templates() const { return templates_; }
  const Parameter* parameter(std::string_view name) const;

  /// Its arrays and its sizes come from outside: what it computes itself is the same in every program that calls it.
  bool is_given_its_sizes() const;
  /// What its assertions ask for, in their order: the texts between the parentheses, messages left out.
  std::vector<std::vector<Token>> assertions() const;

  /// Index of the token at a place of the file.
  std::size_t token_at(std::size_t place) const;
  /// "for", "if", "else"... that a token stands under; "" where it runs whenever the function does.
  std::string_view control_over(std::size_t token) const;
  /// Does a token stand under an `if` or a loop that `place` does not stand under?
  bool may_be_skipped(std::size_t token, std::size_t place) const;
  /// Statements before `before` that give `variable` a value, the last one first, back to its declaration.
  std::vector<Setting> settings_of(std::string_view variable, std::size_t before) const;
  /// It gets memory of its own here: cudaMalloc(&x, ...), x = torch::empty(...).
  bool allocates(std::string_view variable) const;
  bool is_local_tensor(std::string_view variable) const;
  /// "input" of `auto x = input.contiguous()`; else the variable itself.
  std::string same_tensor(std::string_view variable) const;
  /// What leaves the function or comes from outside: returned, or an end of a copy.
  bool is_handed_over(std::string_view variable) const;
  /// What cudaMalloc is asked for, an expression; empty: it gets its memory otherwise.
  std::vector<Token> bytes_of(std::string_view variable) const;
  /// "float" of `float* x`; "" where that is not written.
  std::string element_of(std::string_view variable) const;

 private:
  void read_templates();
  void read_parameters(std::size_t open);
  void read_body(std::size_t open);
  void read_control();

  const SourceText* file_;
  const Chunk* chunk_;
  std::string name_;
  TokenRange body_;
  std::vector<Parameter> parameters_;
  std::vector<std::string> templates_;
  std::vector<TokenRange> statements_;
  std::vector<std::pair<TokenRange, std::string_view>> control_;
};

}  // namespace harness::adopt
