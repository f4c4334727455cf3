#pragma once
#include <string>
#include <vector>

#include "harness/core/contract.h"
#include "harness/script/contract/manifest_reader.h"

namespace harness::script {

/// Makes the numbers of a manifest on one workload: a number stands for itself, a string names a field of the workload,
/// a function is called with the workload.
class Sizes {
 public:
  Sizes(Manifest& manifest, const Workload& workload);

  Value value(const Node& node, const Reader& where, const std::string& field);
  std::int64_t whole(const Node& node, const Reader& where, const std::string& field);
  double number(const Node& node, const Reader& where, const std::string& field);
  /// A list of whole numbers, or a function that returns one.
  std::vector<std::int64_t> list(const Node& node, const Reader& where, const std::string& field);
  /// "$dtype" or "f32"; the reserved packed types are refused.
  Dtype dtype(const Reader& where, const std::string& field);
  Node call(const FunctionRef& function) { return manifest_.call(function, {&facts_}); }

  const Workload& workload() const { return workload_; }
  Manifest& manifest() { return manifest_; }

 private:
  const Value& field(const std::string& name, const Reader& where);

  Manifest& manifest_;
  const Workload& workload_;
  FactsTable facts_;
};

/// Replaces $NAME by the value of NAME in `values`; a type's name becomes the type's name in CUDA C++. Throws Error
/// through `where` on an unknown name.
std::string fill_in(const std::string& text, const std::map<std::string, Value>& values, const Reader& where);
/// A value as it stands in source code: 4, true, __nv_bfloat16.
std::string source_text(const Value& value);

}  // namespace harness::script
