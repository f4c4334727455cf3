#pragma once
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "harness/adopt/expression.h"
#include "harness/adopt/source.h"

namespace harness::adopt {

/// A `kernel<...><<<grid, block, shared>>>(arguments)` as it stands in a file.
struct FoundLaunch {
  const SourceText* file = nullptr;
  const Chunk* chunk = nullptr;  // the function that it stands in; nullptr: in none
  std::size_t place = 0;         // bytes
  std::string entry;
  std::vector<std::string> templates;  // texts
  std::vector<std::vector<Token>> template_tokens;
  std::vector<std::vector<Token>> configuration;  // grid, block, shared, stream
  std::vector<std::vector<Token>> arguments;
  std::string dispatch;  // AT_DISPATCH_... around it, with its types: text up to the lambda
};

std::vector<FoundLaunch> find_launches(const Source& source);

/// A launch in terms of the kernel's parameters. Symbols: names of whole-numbered parameters; "p.NAME" of tuned ones;
/// "sizeof T"; any other is a size of the launch alone, which the host knows and the kernel is not told.
struct LaunchShape {
  std::vector<FormulaPtr> grid, block;  // one to three
  FormulaPtr shared = number(0);
  std::string from;                              // where it was found: "softmax.cu:41: softmax<<<rows, 256>>>"
  std::map<std::string, std::string> templates;  // template parameter -> argument: its value, or its text with the
                                                 // names of the host's function written out
  std::map<std::string, double> constants;       // parameter -> the host's constant for it
  /// Whole-numbered parameter -> what a function that is given its sizes passes: a number, or what it computes from
  /// other parameters.
  std::map<std::string, FormulaPtr> follows;
  std::map<std::string, std::string> written;                // written_by_host
  std::vector<std::pair<FormulaPtr, std::string>> asserted;  // conditions of parameters, and where they stand
  std::map<std::string, FormulaPtr> allocated;               // pointer -> bytes that the host allocates for it
  std::map<std::string, std::vector<FormulaPtr>> tensors;    // pointer -> extents of the tensor that the host makes
  std::set<std::string> zeroed;                              // pointers that the host sets to zero before
  std::vector<std::string> dtypes;     // that a dispatch goes over, "f32"; empty where there is none
  std::set<std::string> launch_sizes;  // symbols that are no parameter
  std::vector<std::string> order;      // sizes as the host's function takes them: arrays mostly have them in this order
};

/// `tuned`: names that become parameters. Throws Error(bad_input) where an expression cannot be read.
/// `host_sizes`: a number that the host alone knows may be a size of the launch, and is a symbol in its grid.
LaunchShape resolve_launch(const Source& source, const FoundLaunch& found, const Declaration& kernel,
                           const std::set<std::string>& tuned, bool host_sizes = true);

/// Size -> what the host computes it from, as it stands there: also where adopt cannot follow it, in a function that
/// calls the one that launches or in a loop. For messages.
std::map<std::string, std::string> written_by_host(const Source& source, const FoundLaunch& found,
                                                   const Declaration& kernel, const std::vector<FormulaPtr>& grid);

/// An expression of the host's function at a launch, in terms of the kernel's parameters; nullptr where it cannot be
/// traced to them.
FormulaPtr resolve_expression(const Source& source, const FoundLaunch& found, const Declaration& kernel,
                              const std::set<std::string>& tuned, const std::vector<Token>& tokens);

/// What the host's function gives a variable right before a launch, as it stands there; nothing: it has none.
std::optional<std::string> value_of_local(const FoundLaunch& found, const std::string& name);

/// The same of a field: n of `p.n = n;`.
std::optional<std::string> value_of_field(const FoundLaunch& found, const std::string& name, const std::string& field);

/// What a tensor of the host's function measures, a text for each dimension: out of zeros_like, empty({a, b}),
/// reshape({a, b}) and the like, else "x.size(0)".
std::vector<std::string> extents_of_tensor(const FoundLaunch* found, const std::string& tensor, int rank);

/// --grid "cdiv(n, 256), 2" and the like.
std::vector<FormulaPtr> read_dimensions(const std::string& option, const std::string& text, const Declaration& kernel,
                                        const std::set<std::string>& tuned);

/// "x . size ( 0 )" -> "x.size(0)", casts left out.
std::string normalized(const std::vector<Token>& tokens);

}  // namespace harness::adopt
