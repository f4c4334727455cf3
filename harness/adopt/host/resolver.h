#pragma once
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "harness/adopt/host/definitions.h"
#include "harness/adopt/host/expression.h"
#include "harness/adopt/host/host_body.h"
#include "harness/adopt/source/host_function.h"

namespace harness::adopt {

/// A launch of a kernel, and the files that say what its words mean. All of it must outlive who reads it.
struct KernelLaunch {
  const Source& source;
  const HostLaunch* launch = nullptr;  // nullptr: there is none, and words are the kernel's parameters
  const Declaration& kernel;
  const std::set<std::string>& tuned;  // names that become parameters
};

/// Reads expressions of the host's function at a launch, in terms of the kernel's parameters.
class Resolver {
 public:
  /// `but`: an argument of the launch whose parameter says nothing, as if the launch did not pass it.
  explicit Resolver(const KernelLaunch& at, std::optional<std::size_t> but = std::nullopt);

  /// An expression; nullptr where it cannot be traced.
  FormulaPtr read(const Tokens& tokens, int depth = 0) const;
  /// dim3(a, b), a variable of that type, or a number; empty where it cannot be traced.
  std::vector<FormulaPtr> dimensions(const Tokens& tokens, int depth = 0) const;
  /// The host's constant behind an argument.
  std::optional<double> constant(const Tokens& tokens) const;

  /// The host's function that launches; nullptr: there is none.
  const HostFunction* function() const { return function_; }

  /// From here on the grid is read: a number of blocks that has a name of its own may be a size.
  void begin_grid() { of_grid_ = true; }
  /// Launch sizes that are numbers on the host.
  const std::map<std::string, double>& numbers() const { return numbers_; }
  /// A variable of the grid that a loop of the host counts up; "" where there is none.
  const std::string& counted() const { return counted_; }

 private:
  FormulaPtr meaning_of(const std::string& text, int depth) const;
  FormulaPtr meaning_of_definition(const std::string& text, const Definition& definition, int depth) const;
  FormulaPtr axis_of(const std::string& text, int depth) const;
  FormulaPtr size_of(const std::string& type, int depth) const;
  FormulaPtr settled_value(const std::string& name, int depth) const;
  bool is_chosen(const std::string& name) const;
  std::vector<FormulaPtr> with_members(const std::string& name, std::vector<FormulaPtr> extents, int depth) const;
  bool is_part_of_all(const Formula& formula) const;
  bool is_of_sizes(const Formula& formula, const HostFunction& function) const;
  std::size_t foreign_symbols(const Formula& formula) const;
  std::optional<HostValue> returned_value(const Tokens& tokens, int depth) const;
  std::optional<HostValue> returned_by_call(std::string_view name, const std::vector<FormulaPtr>& arguments,
                                            int depth) const;
  FormulaPtr call(const std::string& name, const std::vector<FormulaPtr>& arguments, int depth) const;
  FormulaPtr call_of_lambda(const Tokens& lambda, const std::vector<FormulaPtr>& arguments, int depth) const;
  FormulaPtr applied(const std::vector<Tokens>& parameters, const Tokens& body,
                     const std::vector<FormulaPtr>& arguments, int depth) const;
  std::vector<Tokens> parts_of_dimensions(const Tokens& tokens) const;
  Meaning meaning_at(int depth) const;
  const std::string& keep(std::string text) const;

  KernelLaunch at_;
  Definitions definitions_;
  const HostFunction* function_ = nullptr;
  std::map<std::string, std::string> arguments_;    // text of an argument -> parameter
  std::map<std::string, std::string> tuned_names_;  // BS of kernel<BS> -> the tuned template parameter
  std::map<std::string, FormulaPtr> multiples_;     // `cols` where `cols / 2` is passed: twice the parameter
  bool of_grid_ = false;
  // What reading leaves behind: tokens are views of texts that must stay, and what was seen of the grid.
  mutable std::vector<std::unique_ptr<std::string>> texts_;
  mutable std::set<std::string> of_block_;  // variables that a block or its shared memory is computed from
  mutable std::map<std::string, double> numbers_;
  mutable std::string counted_;
};

/// An argument of the launch in terms of the kernel's other parameters.
FormulaPtr argument_of_others(const KernelLaunch& at, std::size_t argument);

}  // namespace harness::adopt
