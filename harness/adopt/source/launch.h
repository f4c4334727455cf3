#pragma once
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "harness/adopt/source/host_calls.h"
#include "harness/adopt/source/source_text.h"

namespace harness::adopt {

/// A `kernel<...><<<grid, block, shared>>>(arguments)` as it stands in a file.
struct HostLaunch {
  const SourceText* file = nullptr;
  const Chunk* chunk = nullptr;                  // the function that it stands in; nullptr: in none
  std::shared_ptr<const HostFunction> function;  // the same, where the piece is one
  std::size_t place = 0, token = 0;              // of its `<<<`: bytes, and the index of the token
  int line = 0;
  std::string where;  // "softmax.cu:41"
  std::string entry;
  std::vector<std::string> templates;  // texts
  std::vector<Tokens> template_tokens;
  std::vector<Tokens> configuration;  // grid, block, shared, stream
  std::vector<Tokens> arguments;
  std::vector<std::string> passed;  // the same as texts, without casts and parentheses around all of it: "x.size(0)"
  std::string dispatch;             // AT_DISPATCH_... around it, with its types: text up to the lambda
  /// What names of its function stand for right before it: of `using name = ...;`, `typedef ... name;` or
  /// `const int name = ...;`. Launches that are copied share it.
  std::shared_ptr<const std::map<std::string, Tokens, std::less<>>> locals;

  /// How its function is called; filled in where all files are read (source.h). nullptr: it stands in none.
  std::shared_ptr<const TemplateCalls> calls;

  /// nullptr: the function has no such name.
  const Tokens* local(std::string_view name) const;
  /// float of `run<float, 4>(...)`: what a template parameter of its function is where that is called or instantiated,
  /// each value once. Empty: it is no such parameter, or nobody says.
  const std::vector<Tokens>& values_of(std::string_view name) const;
};

/// Of a file, in their order.
std::vector<HostLaunch> launches_of(const SourceText& file);

}  // namespace harness::adopt
