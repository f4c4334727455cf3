#include "harness/script/contract/constants.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "harness/core/suggest.h"

namespace harness::script {
namespace {

constexpr std::int64_t kMostBytes = 64 << 10;  // of constant memory, on every GPU

/// "table", "filters::table", "::table".
bool is_symbol(std::string_view text) {
  if (text.starts_with("::")) text.remove_prefix(2);
  const auto is_word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  while (true) {
    const std::size_t end = text.find("::");
    const std::string_view part = text.substr(0, end);
    if (part.empty() || std::isdigit(static_cast<unsigned char>(part[0])) != 0 || !std::ranges::all_of(part, is_word))
      return false;
    if (end == std::string_view::npos) return true;
    text.remove_prefix(end + 2);
  }
}

const Argument& find_source(const Reader& constant, const std::vector<Argument>& arguments, const std::string& from) {
  const auto found = std::ranges::find(arguments, from, &Argument::name);
  if (found != arguments.end()) return *found;
  std::vector<std::string> names;
  for (const Argument& each : arguments) names.push_back(each.name);
  std::string help = did_you_mean(from, names);
  if (help.empty()) help = fmt::format("; there are: {}", fmt::join(names, ", "));
  throw constant.error(fmt::format("is filled from '{}', which is no argument{}", from, help));
}

void check_source(const Reader& constant, const Argument& from) {
  if (from.kind == ArgumentKind::scalar || from.kind == ArgumentKind::structure) return;
  if (from.kind != ArgumentKind::input)
    throw constant.error(
        fmt::format("is filled from '{}', which is {}; only an input, a scalar or a structure can fill it", from.name,
                    name(from.kind)));
  if (from.absent)
    throw constant.error(fmt::format("is filled from '{}', which this workload does not have", from.name));
  if (span_elements(from) != count_elements(from))
    throw constant.error(
        fmt::format("is filled from '{}', which has gaps or overlaps between its elements", from.name));
  const std::int64_t bytes = count_elements(from) * storage_bytes(from.dtype) / elements_per_unit(from.dtype);
  if (bytes > kMostBytes)
    throw constant.error(fmt::format("is filled from '{}', which has {} bytes; a GPU has {} bytes of constant memory",
                                     from.name, bytes, kMostBytes));
}

}  // namespace

std::vector<ConstantTable> read_constants(const Reader& reader, const std::vector<Argument>& arguments) {
  std::vector<ConstantTable> constants;
  const Node* const list = reader.find("constants");
  if (list == nullptr) return constants;
  if (!list->table || !list->fields.empty())
    throw reader.wrong("constants", "a list of { \"table\", from = \"argument\" }");
  for (const Node& node : list->list) {
    const Reader constant(reader.manifest(), node, "an entry of constants");
    constant.only({"from"}, 1);
    ConstantTable table{constant.leading_name(), constant.text("from")};
    if (!is_symbol(table.symbol))
      throw constant.error(
          fmt::format("has the name '{}'; write it as the device code does: table, or ns::table", table.symbol));
    if (std::ranges::find(constants, table.symbol, &ConstantTable::symbol) != constants.end())
      throw constant.error(fmt::format("fills '{}' a second time", table.symbol));
    check_source(constant, find_source(constant, arguments, table.from));
    constants.push_back(std::move(table));
  }
  return constants;
}

}  // namespace harness::script
