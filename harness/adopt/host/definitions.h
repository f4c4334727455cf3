#pragma once
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/adopt/source/launch.h"

// What a name stands for where a kernel is launched: a variable of the host's function, a macro or a constant of the
// files, a small function.
namespace harness::adopt {

struct Definition {
  Tokens value;                // empty: nothing defines the name
  bool of_dim3 = false;        // `dim3 name(a, b)`: what stands between the parentheses
  std::string_view type = "";  // the word in front of the name where it is declared
};

/// A function of the files that has a body.
struct SmallFunction {
  std::string_view type;  // what it returns: the word before its name
  std::vector<Tokens> parameters;
  Tokens body;
};

class Definitions {
 public:
  /// `launch`: nullptr where there is none. Both must outlive it.
  Definitions(const Source& source, const HostLaunch* launch) : source_(source), launch_(launch) {}

  /// Before the launch; else of the files.
  Definition of(std::string_view name) const;
  /// Is it a variable of the host's function, and no macro or constant of the file?
  bool is_local(std::string_view name) const;
  /// A dim3 that the host's function is given, or fills in one by one: nobody can say how many numbers it has.
  bool is_open_dim3(std::string_view name) const;
  /// Is a dim3 declared at this token of the launch's file?
  bool declares_dim3(std::size_t token) const;
  /// `blocks++` in a loop: what its declaration says is not what the launch gets.
  bool is_counted_up(std::string_view name) const;
  /// Nothing: there is none.
  std::optional<SmallFunction> function_named(std::string_view name) const;
  /// A macro with arguments; a name that it is given is the last word of each parameter.
  std::optional<SmallFunction> macro_named(std::string_view name) const;
  /// Which field of what the called function returns has this name; `called`: "f(a, b)".
  std::optional<std::size_t> field_of(const Tokens& called, std::string_view name) const;
  /// The other name that a type has: of `using name = other;` and `typedef other name;`. "": it has none.
  std::string type_behind(const std::string& type) const;

 private:
  bool is_taken(const SourceText& file, const Macro& macro) const;
  bool is_changed(std::string_view name) const;
  std::optional<Definition> in_function(std::string_view name) const;

  const Source& source_;
  const HostLaunch* launch_;
};

}  // namespace harness::adopt
