#pragma once
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/adopt/source/tokens.h"
#include "harness/core/size_formula.h"

namespace harness::adopt {

using sizes::as_cpp;
using sizes::as_lua;
using sizes::equal;
using sizes::evaluate;
using sizes::factors_of;
using sizes::Formula;
using sizes::formula;
using sizes::FormulaPtr;
using sizes::is_whole;
using sizes::number;
using sizes::symbol;
using sizes::symbols_of;
using sizes::Values;
using sizes::with;
using Op = Formula::Kind;

/// What a word or a postfix expression of C++ ("x.size(0)") stands for; nothing: unknown. `call`: with its arguments.
struct Meaning {
  std::function<FormulaPtr(const std::string& text)> of;
  std::function<FormulaPtr(const std::string& name, const std::vector<FormulaPtr>& arguments)> of_call;
};
/// Reads C++: operators, casts, min, max, sizeof (a symbol "sizeof TYPE"). Nothing: it cannot be read. What `meaning`
/// does not know becomes a symbol with its text. Values are whole or floating as in C++: 1.0f / 6.0f is 0.1667, 1 / 6
/// is 0, and a floating quotient of sizes is a ratio, which is_whole() tells. Quotients of numbers truncate, as in C++.
/// Those of sizes round down, as the manifest will: the two differ where less than nothing is divided, and what adopt
/// observes must be what the manifest computes.
FormulaPtr read_formula(const std::vector<Token>& tokens, const Meaning& meaning);

/// a / b and a << b, a >> b as C++ computes them; nullptr: they cannot be read, or one of the two is.
FormulaPtr divided(const FormulaPtr& above, const FormulaPtr& below);
FormulaPtr shifted(const FormulaPtr& value, const FormulaPtr& by, bool left);
/// Is it a word of the types that numbers are cast to?
bool is_number_type(std::string_view word);
/// What a variable of this type, named by its last word, holds of a value. Another word: the value itself.
FormulaPtr as_type(const FormulaPtr& value, std::string_view type);

}  // namespace harness::adopt
