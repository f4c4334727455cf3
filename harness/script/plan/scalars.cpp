#include "harness/script/plan/scalars.h"

#include <fmt/format.h>

#include <limits>

namespace harness::script {
namespace {

struct ScalarKind {
  const char* name;
  Dtype dtype;
  std::int64_t lowest, highest;  // integers only
};
constexpr std::int64_t kMin32 = std::numeric_limits<std::int32_t>::min(),
                       kMax32 = std::numeric_limits<std::int32_t>::max();
constexpr std::int64_t kMin64 = std::numeric_limits<std::int64_t>::min(),
                       kMax64 = std::numeric_limits<std::int64_t>::max();
constexpr ScalarKind kScalars[] = {{"i32", Dtype::s32, kMin32, kMax32},
                                   {"i64", Dtype::s64, kMin64, kMax64},
                                   {"u32", Dtype::u32, 0, std::numeric_limits<std::uint32_t>::max()},
                                   {"f32", Dtype::f32, 0, 0},
                                   {"f64", Dtype::f64, 0, 0}};

const ScalarKind* find_kind(const std::string& name) {
  for (const ScalarKind& kind : kScalars) {
    if (name == kind.name) return &kind;
  }
  return nullptr;
}

}  // namespace

bool is_scalar_constructor(const std::string& kind) {
  return find_kind(kind) != nullptr;
}

ScalarArgument read_scalar_argument(const Reader& launch, const Node& node) {
  const ScalarKind& kind = *find_kind(node.kind);
  if (node.list.size() != 1)
    throw launch.error(fmt::format("has {0}() with {1} values; write {0}(value)", kind.name, node.list.size()));
  const Node& value = node.list[0];
  if (is_floating(kind.dtype)) {
    if (const auto number = value.number()) return {kind.dtype, Value(*number)};
    throw launch.error(fmt::format("has {}({}); it takes a number", kind.name, value.described()));
  }
  if (const bool* flag = std::get_if<bool>(&value.leaf); flag != nullptr && !value.table) {
    return {kind.dtype, Value(std::int64_t{*flag ? 1 : 0})};
  }
  const auto whole = value.integer();
  if (whole && *whole >= kind.lowest && *whole <= kind.highest) return {kind.dtype, Value(*whole)};
  throw launch.error(
      fmt::format("has {}({}); it takes a whole number that fits its type", kind.name, value.described()));
}

json plain_json(const Reader& where, const Node& node) {
  if (!node.table) {
    const auto value = node.value();
    if (!value)
      throw where.error("has an option that is " + node.described() + "; options are plain values and tables");
    return value_to_json(*value);
  }
  json plain = node.fields.empty() && !node.list.empty() ? json::array() : json::object();
  if (plain.is_array()) {
    for (const Node& item : node.list) plain.push_back(plain_json(where, item));
    return plain;
  }
  if (!node.list.empty()) throw where.error("has an option table that mixes positions and names");
  for (const auto& [name, item] : node.fields) plain[name] = plain_json(where, item);
  return plain;
}

}  // namespace harness::script
