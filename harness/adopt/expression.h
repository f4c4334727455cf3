#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "harness/adopt/tokens.h"

namespace harness::adopt {

/// Whole-number arithmetic as a launch is computed with: of C++ when it is read, of a manifest when it is written.
struct Formula;
using FormulaPtr = std::shared_ptr<const Formula>;
struct Formula {
  enum class Kind {
    number,
    symbol,
    add,
    subtract,
    multiply,
    divide,
    modulo,
    cdiv,
    min,
    max,
    round_up,
    select,
    eq,
    ne,
    lt,
    le
  };
  Kind kind = Kind::number;
  double number = 0;
  std::string symbol;
  std::vector<FormulaPtr> operands;
};

using Op = Formula::Kind;

FormulaPtr number(double value);
FormulaPtr symbol(std::string name);
FormulaPtr formula(Formula::Kind kind, std::vector<FormulaPtr> operands);

/// Nothing: a symbol has no value, or it divides by zero.
using Values = std::map<std::string, std::int64_t>;
/// a, b and c of a * b * c, in their order; the formula itself where it is no product.
std::vector<FormulaPtr> factors_of(const FormulaPtr& formula);

std::optional<std::int64_t> evaluate(const Formula& formula, const Values& values);
bool equal(const Formula& a, const Formula& b);
std::set<std::string> symbols_of(const Formula& formula);
/// As a manifest writes it. `name`: how a symbol stands there, "w.N".
std::string as_lua(const Formula& formula, const std::function<std::string(const std::string&)>& name);
/// As C++ writes it, on whole numbers.
std::string as_cpp(const Formula& formula, const std::function<std::string(const std::string&)>& name);
/// The same with some symbols replaced.
FormulaPtr with(const FormulaPtr& formula, const std::map<std::string, FormulaPtr>& replaced);

/// What a word or a postfix expression of C++ ("x.size(0)") stands for; nothing: unknown. `call`: with its arguments.
struct Meaning {
  std::function<FormulaPtr(const std::string& text)> of;
  std::function<FormulaPtr(const std::string& name, const std::vector<FormulaPtr>& arguments)> of_call;
};
/// Reads C++: operators, casts, min, max, sizeof (a symbol "sizeof TYPE"). Nothing: it cannot be read. What `meaning`
/// does not know becomes a symbol with its text.
FormulaPtr read_formula(const std::vector<Token>& tokens, const Meaning& meaning);

}  // namespace harness::adopt
