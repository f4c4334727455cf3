#include "harness/package/launcher/formula_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <cctype>
#include <limits>
#include <set>

#include "harness/core/error.h"

namespace harness::package {
namespace {

std::string whole_constant(std::int64_t value) {
  if (value == std::numeric_limits<std::int64_t>::min()) return "INT64_MIN";
  const bool narrow = value >= -2147483647 && value <= 2147483647;
  return narrow ? fmt::format("(int64_t){}", value) : fmt::format("INT64_C({})", value);
}

std::string real_constant(double value) {
  return fmt::format("{:a}", value);
}

std::string as_real(const FormulaText& formula) {
  if (formula.type == FormulaType::real) return formula.text;
  if (formula.type == FormulaType::whole) return fmt::format("(double)({})", formula.text);
  throw bad_input("a formula of a manifest computes with true or false as if they were numbers");
}

std::string as_truth(const FormulaText& formula) {
  if (formula.type == FormulaType::truth) return formula.text;
  throw bad_input("a formula of a manifest takes a number for a condition");
}

class FormulaWriter {
 public:
  explicit FormulaWriter(const SizeTypes& types) : types_(types) {}

  FormulaText write(const Formula& formula) const {
    if (formula.is_boolean()) return {formula.get<bool>() ? "true" : "false", FormulaType::truth};
    if (formula.is_number_integer()) return {whole_constant(formula.get<std::int64_t>()), FormulaType::whole};
    if (formula.is_number_float()) return {real_constant(formula.get<double>()), FormulaType::real};
    if (!formula.is_object() || formula.size() != 1) throw bad_input("a formula of a package is malformed");
    const std::string operation = formula.begin().key();
    if (operation == "size") return size(formula.begin().value().get<std::string>());
    if (operation == "device") return {"d." + formula.begin().value().get<std::string>(), FormulaType::whole};
    std::vector<FormulaText> operands;
    for (const Formula& operand : formula.begin().value()) operands.push_back(write(operand));
    return combine(operation, operands);
  }

 private:
  using Operands = std::vector<FormulaText>;

  FormulaText size(const std::string& name) const {
    const auto type = types_.find(name);
    return {"w." + c_name(name), type == types_.end() ? FormulaType::whole : type->second};
  }

  static bool all_whole(const Operands& operands) {
    for (const FormulaText& operand : operands)
      if (operand.type != FormulaType::whole) return false;
    return true;
  }

  static void need(const std::string& operation, const Operands& operands, std::size_t count) {
    if (operands.size() != count) throw bad_input(fmt::format("a formula of a package has a malformed {}", operation));
  }

  /// A function of two numbers, which is there for integers and for floats.
  static FormulaText both(const std::string& function, const Operands& operands) {
    need(function, operands, 2);
    if (all_whole(operands))
      return {fmt::format("{}({}, {})", function, operands[0].text, operands[1].text), FormulaType::whole};
    return {fmt::format("{}({}, {})", function, as_real(operands[0]), as_real(operands[1])), FormulaType::real};
  }

  static FormulaText compared(const char* sign, const Operands& operands) {
    need(sign, operands, 2);
    if (all_whole(operands))
      return {fmt::format("({} {} {})", operands[0].text, sign, operands[1].text), FormulaType::truth};
    return {fmt::format("({} {} {})", as_real(operands[0]), sign, as_real(operands[1])), FormulaType::truth};
  }

  static FormulaText same(const Operands& operands, bool equal) {
    need("eq", operands, 2);
    const char* const sign = equal ? "==" : "!=";
    const bool a = operands[0].type == FormulaType::truth, b = operands[1].type == FormulaType::truth;
    if (a != b) return {equal ? "false" : "true", FormulaType::truth};
    if (a) return {fmt::format("({} {} {})", operands[0].text, sign, operands[1].text), FormulaType::truth};
    return compared(sign, operands);
  }

  static FormulaText extreme(const char* function, const Operands& operands) {
    if (operands.empty()) throw bad_input("a formula of a package has a min or max of nothing");
    FormulaText result = operands[0];
    for (std::size_t i = 1; i < operands.size(); ++i) result = both(function, {result, operands[i]});
    return result;
  }

  /// Every operand is computed, as in the manifest. What always holds is left out.
  static FormulaText joined(const char* function, const char* of_none, const Operands& operands) {
    std::vector<std::string> texts;
    for (const FormulaText& operand : operands)
      if (const std::string text = as_truth(operand); text != of_none) texts.push_back(text);
    if (texts.empty()) return {of_none, FormulaType::truth};
    return {fmt::format("{}({{{}}})", function, fmt::join(texts, ", ")), FormulaType::truth};
  }

  static FormulaText selected(const Operands& operands) {
    need("select", operands, 3);
    const std::string condition = as_truth(operands[0]);
    const bool truths = operands[1].type == FormulaType::truth && operands[2].type == FormulaType::truth;
    const bool wholes = all_whole({operands[1], operands[2]});
    if (truths || wholes)
      return {fmt::format("select({}, {}, {})", condition, operands[1].text, operands[2].text), operands[1].type};
    return {fmt::format("select({}, {}, {})", condition, as_real(operands[1]), as_real(operands[2])),
            FormulaType::real};
  }

  static FormulaText combine(const std::string& operation, const Operands& operands) {
    if (operation == "+") return both("add", operands);
    if (operation == "-") {
      if (operands.size() != 1) return both("sub", operands);
      if (all_whole(operands)) return {fmt::format("sub((int64_t)0, {})", operands[0].text), FormulaType::whole};
      return {fmt::format("(-{})", as_real(operands[0])), FormulaType::real};
    }
    if (operation == "*") return both("mul", operands);
    if (operation == "/") {
      need("/", operands, 2);
      return {fmt::format("({} / {})", as_real(operands[0]), as_real(operands[1])), FormulaType::real};
    }
    static const std::map<std::string, std::string> kFaulting = {
        {"//", "floor_div(f"}, {"%", "floor_mod(f"}, {"cdiv", "cdiv(f"}, {"round_up", "round_up(f"}};
    if (const auto faulting = kFaulting.find(operation); faulting != kFaulting.end()) {
      FormulaText result = both("F", operands);
      result.text = faulting->second + ", " + result.text.substr(2);
      return result;
    }
    if (operation == "min") return extreme("least", operands);
    if (operation == "max") return extreme("most", operands);
    if (operation == "select") return selected(operands);
    if (operation == "eq") return same(operands, true);
    if (operation == "ne") return same(operands, false);
    if (operation == "lt") return compared("<", operands);
    if (operation == "le") return compared("<=", operands);
    if (operation == "divisible") {
      FormulaText result = both("F", operands);
      return {fmt::format("(floor_mod(f, {} == 0)", result.text.substr(2)), FormulaType::truth};
    }
    if (operation == "all_of") return joined("every", "true", operands);
    if (operation == "any_of") return joined("any", "false", operands);
    if (operation == "none_of")
      return {fmt::format("(!{})", joined("any", "false", operands).text), FormulaType::truth};
    throw bad_input(fmt::format("a formula of a package has the unknown operation '{}'", operation));
  }

  const SizeTypes& types_;
};

}  // namespace

FormulaText formula_text(const Formula& formula, const SizeTypes& types) {
  return FormulaWriter(types).write(formula);
}

std::string whole_text(const Formula& formula, const SizeTypes& types) {
  const FormulaText converted = formula_text(formula, types);
  if (converted.type == FormulaType::whole) return converted.text;
  if (converted.type == FormulaType::truth) return fmt::format("(int64_t)({} ? 1 : 0)", converted.text);
  return fmt::format("whole(f, {})", converted.text);
}

std::string real_text(const Formula& formula, const SizeTypes& types) {
  return as_real(formula_text(formula, types));
}

std::string truth_text(const Formula& formula, const SizeTypes& types) {
  return as_truth(formula_text(formula, types));
}

std::string c_name(const std::string& name) {
  static const std::set<std::string> kTaken = {
      "auto",     "break",  "case",   "char",      "class",           "const",    "continue", "default", "delete",
      "do",       "double", "else",   "enum",      "extern",          "float",    "for",      "goto",    "if",
      "inline",   "int",    "long",   "new",       "private",         "public",   "register", "return",  "short",
      "signed",   "sizeof", "static", "struct",    "switch",          "template", "this",     "typedef", "union",
      "unsigned", "using",  "void",   "volatile",  "while",           "bool",     "true",     "false",   "namespace",
      "operator", "sizes",  "stream", "workspace", "workspace_bytes", "index",    "instance", "loaded",  "arguments"};
  std::string result;
  for (const char c : name) result += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  if (result.empty() || std::isdigit(static_cast<unsigned char>(result[0])) != 0) result = "_" + result;
  return kTaken.contains(result) ? result + "_" : result;
}

}  // namespace harness::package
