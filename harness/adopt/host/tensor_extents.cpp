#include "harness/adopt/host/tensor_extents.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

namespace harness::adopt {

std::optional<std::pair<std::string, int>> extent_of(const std::string& text, std::string_view member) {
  const std::size_t dot = text.rfind('.');
  if (dot == std::string::npos || !std::string_view(text).substr(dot + 1).starts_with(member)) return std::nullopt;
  const std::string dimension = text.substr(dot + 1 + member.size());
  if (dimension.size() < 3 || dimension.front() != '(' || dimension.back() != ')') return std::nullopt;
  char* end = nullptr;
  const long value = std::strtol(dimension.c_str() + 1, &end, 10);
  if (*end != ')' || value < -1 || value > 7) return std::nullopt;
  return std::pair{text.substr(0, dot), static_cast<int>(value)};
}

TensorExtents::TensorExtents(const std::map<std::string, std::string>& texts) {
  for (const auto& [parameter, text] : texts)
    if (const auto extent = extent_of(text, "size")) extents_[extent->first].emplace(extent->second, parameter);
}

FormulaPtr TensorExtents::follows(const std::string& text) const {
  if (text.ends_with(".numel()")) return product(text.substr(0, text.size() - 8), -1);
  const auto stride = extent_of(text, "stride");
  return stride && stride->second >= 0 ? product(stride->first, stride->second) : nullptr;
}

/// Of the extents behind a dimension; nullptr: the tensor's are not known.
FormulaPtr TensorExtents::product(const std::string& tensor, int behind) const {
  const auto dimensions = extents_.find(tensor);
  if (dimensions == extents_.end()) return nullptr;
  const std::map<int, std::string>& extents = dimensions->second;
  const bool last = extents.contains(-1);  // x.size(-1)
  const int named = extents.rbegin()->first + 1, rank = std::max(2, named + (last ? 1 : 0));
  if (behind >= rank) return nullptr;
  FormulaPtr all = number(1);
  for (int i = behind + 1; i < rank; ++i) {
    const auto passed = extents.find(last && i + 1 == rank ? -1 : i);
    all = formula(Op::multiply,
                  {all, symbol(passed != extents.end() ? passed->second : fmt::format("{}.size({})", tensor, i))});
  }
  return all;
}

}  // namespace harness::adopt
