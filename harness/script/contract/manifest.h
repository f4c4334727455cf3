#pragma once
#include <filesystem>
#include <initializer_list>
#include <map>
#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "harness/core/error.h"
#include "harness/script/contract/manifest_node.h"
#include "harness/script/sandbox/sandbox.h"

namespace harness::script {

/// What a manifest function is told: named numbers, flags and texts, or symbols in place of numbers when it is traced.
using Fact = std::variant<Value, ExpressionPtr>;
using Facts = std::map<std::string, Fact>;

class Manifest;

/// What came of a function that was told only some of the facts.
struct PartialAnswer {
  enum class Kind { yes, no, wants, other } kind = Kind::other;  // other: not a boolean, or it failed
  std::string wanted;                                            // the fact that it read first among those not set
};

/// A read-only table of facts inside a manifest's Lua state, for as long as this object lives (and the manifest).
class FactsTable {
 public:
  /// `title` is how errors call it: "workload", "parameters", "device".
  FactsTable(Manifest& manifest, const char* title, const Facts& facts);
  ~FactsTable();
  FactsTable(const FactsTable&) = delete;
  FactsTable& operator=(const FactsTable&) = delete;
  /// Replaces the value of a fact that is there.
  void set(const std::string& name, const Value& value);
  /// Until it is set again, a function that reads this fact is given up, and try_call says what it wanted to know.
  void unset(const std::string& name);

 private:
  friend class Manifest;
  Manifest& manifest_;
  int view_ = 0, backing_ = 0;
};

/// One manifest file, run in a sandbox of its own, so that no variant can change what its kernel's functions compute.
/// Everything throws Error(bad_input) "kernels/x/kernel.lua:12: what".
class Manifest {
 public:
  /// Runs the file, which must return a table made by `constructor` ("kernel" or "variant"). `shown` is its path in
  /// messages.
  Manifest(const std::filesystem::path& file, std::string shown, const std::string& constructor);
  /// The same of a text that stands in no file; `chunk` is what Lua calls it.
  Manifest(const std::string& text, std::string chunk, std::string shown, const std::string& constructor);

  const Node& root() const { return root_; }
  const std::string& file() const { return shown_; }
  Error error(int line, const std::string& clause) const;

  /// The one result of a function of this manifest. It may not contain functions.
  Node call(const FunctionRef& function, std::initializer_list<const FactsTable*> arguments);

  /// Calls a function of this manifest once for each of the values that `name` of `facts` takes in turn (just once, as
  /// facts are, if `name` is empty). `facts` is its first argument, `others` follow. The fact is unset afterwards.
  std::vector<PartialAnswer> try_calls(const FunctionRef& function, FactsTable& facts,
                                       std::initializer_list<const FactsTable*> others, const std::string& name,
                                       const std::vector<const Value*>& values);

 private:
  friend class FactsTable;
  /// Runs `action` and gives its errors the shown path.
  template <typename Action>
  auto located(Action action);

  std::string chunk_, shown_;
  Sandbox sandbox_;
  Node root_;
};

/// The text of a file; Error(bad_input) if it cannot be read or is larger than 4 MiB.
std::string read_text(const std::filesystem::path& file, const std::string& shown);

}  // namespace harness::script
