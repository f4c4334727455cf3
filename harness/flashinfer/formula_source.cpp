#include "harness/flashinfer/formula_source.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <vector>

#include "harness/core/error.h"

namespace harness::flashinfer {
namespace {

/// {0}, {1}, {2}: the operands; each stands in parentheses.
const std::map<std::string, const char*>& forms() {
  static const std::map<std::string, const char*> all{{"*", "({0} * {1})"},
                                                      {"/", "((double){0} / (double){1})"},
                                                      {"//", "({0} / {1})"},
                                                      {"%", "({0} % {1})"},
                                                      {"cdiv", "(({0} + {1} - 1) / {1})"},
                                                      {"round_up", "(({0} + {1} - 1) / {1} * {1})"},
                                                      {"select", "({0} ? {1} : {2})"},
                                                      {"min", "std::min<int64_t>({0}, {1})"},
                                                      {"max", "std::max<int64_t>({0}, {1})"},
                                                      {"eq", "({0} == {1})"},
                                                      {"ne", "({0} != {1})"},
                                                      {"lt", "({0} < {1})"},
                                                      {"le", "({0} <= {1})"},
                                                      {"divisible", "({0} % {1} == 0)"}};
  return all;
}

std::string operation(const std::string& name, const std::vector<std::string>& operands) {
  const auto folded = [&](const char* sign) { return fmt::format("({})", fmt::join(operands, sign)); };
  if (name == "+") return folded(" + ");
  if (name == "-") return operands.size() == 1 ? fmt::format("(-{})", operands[0]) : folded(" - ");
  if (name == "all_of") return folded(" && ");
  if (name == "any_of") return folded(" || ");
  if (name == "none_of") return fmt::format("(!{})", folded(" || "));
  const auto form = forms().find(name);
  if (form == forms().end()) throw bad_input(fmt::format("the operation '{}' has no form in C++ here", name));
  std::string made = fmt::format(fmt::runtime(form->second), operands.at(0), operands.size() > 1 ? operands[1] : "",
                                 operands.size() > 2 ? operands[2] : "");
  for (std::size_t i = 2; i < operands.size() && name != "select"; ++i)
    made = fmt::format(fmt::runtime(form->second), made, operands[i]);
  return made;
}

}  // namespace

std::string host_source(const Formula& formula) {
  if (formula.is_boolean()) return formula.get<bool>() ? "true" : "false";
  if (formula.is_number_integer()) return std::to_string(formula.get<std::int64_t>());
  if (formula.is_number()) return fmt::format("{}", formula.get<double>());
  const std::string key = formula.begin().key();
  if (key == "size") return formula.at("size").get<std::string>();
  if (key == "device") throw bad_input("a launch depends on the device's limits, which a solution does not ask");
  std::vector<std::string> operands;
  for (const Formula& each : formula.at(key)) operands.push_back(host_source(each));
  return operation(key, operands);
}

}  // namespace harness::flashinfer
