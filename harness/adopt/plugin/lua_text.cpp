#include "harness/adopt/plugin/lua_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/core/dtype.h"

namespace harness::adopt {

std::string lua_name(const AdoptedKernel& kernel, const std::string& symbol) {
  if (symbol.starts_with("p.")) return symbol;
  if (symbol.starts_with("sizeof ")) return "bytes_of[w.dtype]";
  const AdoptedSize* const size = kernel.size(symbol);
  return "w." + (size == nullptr ? symbol : size->name);
}

std::string lua(const AdoptedKernel& kernel, const Formula& formula) {
  return as_lua(formula, [&](const std::string& symbol) { return lua_name(kernel, symbol); });
}

std::string lua_list(const AdoptedKernel& kernel, const std::vector<FormulaPtr>& formulas) {
  std::vector<std::string> texts;
  for (const FormulaPtr& extent : formulas) texts.push_back(lua(kernel, *extent));
  return fmt::format("{{ {} }}", fmt::join(texts, ", "));
}

namespace {

/// An extent of an argument: a field's name, a number or a function.
std::string extent_text(const AdoptedKernel& kernel, const Formula& formula) {
  if (formula.kind == Formula::Kind::symbol && kernel.size(formula.symbol) != nullptr)
    return fmt::format("\"{}\"", kernel.size(formula.symbol)->name);
  if (formula.kind == Formula::Kind::number) return fmt::format("{}", static_cast<std::int64_t>(formula.number));
  return fmt::format("function(w) return {} end", lua(kernel, formula));
}

}  // namespace

std::string extents_text(const AdoptedKernel& kernel, const std::vector<FormulaPtr>& formulas) {
  std::vector<std::string> texts;
  for (const FormulaPtr& extent : formulas) texts.push_back(extent_text(kernel, *extent));
  return fmt::format("{{ {} }}", fmt::join(texts, ", "));
}

std::string noted(const std::string& code, const std::string& from) {
  constexpr std::size_t kColumn = 78;
  const std::size_t blanks = code.size() + 2 < kColumn ? kColumn - code.size() : 2;
  return from.empty() ? code + "\n" : fmt::format("{}{}-- {}\n", code, std::string(blanks, ' '), from);
}

std::string quoted(const std::string& text) {
  std::string safe;
  for (const char c : text) {
    if (c == '"' || c == '\\') safe += '\\';
    safe += c == '\n' || c == '\r' ? ' ' : c;
  }
  return "\"" + safe + "\"";
}

std::string constants_text(const AdoptedKernel& kernel, const std::string& indent) {
  std::vector<std::string> entries;
  for (const ConstantTable& table : constants_of(kernel))
    entries.push_back(fmt::format("{{ \"{}\", from = \"{}\" }}", table.symbol, table.from));
  return entries.empty() ? "" : fmt::format("{}constants = {{ {} }},\n", indent, fmt::join(entries, ", "));
}

std::string shape_text(const AdoptedKernel& kernel, const AdoptedParameter& parameter) {
  std::vector<std::string> texts;
  for (const FormulaPtr& extent : parameter.shape)
    texts.push_back(as_lua(*extent, [&](const std::string& symbol) {
      const AdoptedSize* const size = kernel.size(symbol);
      return size == nullptr ? symbol : size->name;
    }));
  return fmt::format("[{}]", fmt::join(texts, ", "));
}

std::string with_bytes_of(const std::string& head, const std::string& text) {
  constexpr const char* kBytesOf = "local bytes_of = { f64 = 8, f32 = 4, f16 = 2, bf16 = 2, s32 = 4, s64 = 8 }\n\n";
  return head + (text.find("bytes_of[") != std::string::npos ? kBytesOf : "") + text;
}

std::map<std::string, FormulaPtr> first_values(const AdoptedKernel& kernel) {
  std::map<std::string, FormulaPtr> first;
  for (const auto& [name, values] : kernel.tuned) first["p." + name] = number(static_cast<double>(values.front()));
  return first;
}

FormulaPtr count_of(const AdoptedParameter& parameter) {
  FormulaPtr count = number(1);
  for (const FormulaPtr& extent : parameter.shape) count = formula(Formula::Kind::multiply, {count, extent});
  return count;
}

FormulaPtr scratch_bytes(const AdoptedParameter& parameter, bool wide) {
  const FormulaPtr unit = wide && is_floating(parameter.dtype) ? number(8)
                          : parameter.type.empty()             ? number(storage_bytes(parameter.dtype))
                                                               : symbol("sizeof " + parameter.type);
  FormulaPtr bytes = unit;
  for (const FormulaPtr& extent : parameter.shape) bytes = formula(Formula::Kind::multiply, {bytes, extent});
  return bytes;
}

}  // namespace harness::adopt
