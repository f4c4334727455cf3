#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/core/contract.h"
#include "harness/script/contract/manifest_reader.h"

namespace harness::script {

/// The values one workload field may take: whole numbers from lo to hi that are multiples of `step`, or a list.
struct FieldDomain {
  std::int64_t lo = 0, hi = 0, step = 1;
  std::vector<Value> values;  // not empty: one of these
  std::string text;           // as it stands in the manifest: "multiples_of(8, 512, 16384)"
};

/// Every shape a kernel must be right for. Workload fields without an entry are bounded by `where` only.
struct Domain {
  std::map<std::string, FieldDomain> fields;
  std::optional<FunctionRef> where;  // a condition on the whole workload
};

Domain read_domain(const Reader& kernel);
bool contains(const FieldDomain& domain, const Value& value);
/// The value at `choice` (any 64 random bits) of the domain; small and large ones about equally likely.
Value draw(const FieldDomain& domain, std::uint64_t choice);
/// Throws Error at `line` if a field of the workload lies outside, or misses, or `where` refuses it.
void check_in_domain(Manifest& manifest, const Domain& domain, const Workload& workload, int line);

}  // namespace harness::script
