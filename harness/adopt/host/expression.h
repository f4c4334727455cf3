#pragma once
#include <functional>
#include <string>
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
/// does not know becomes a symbol with its text. Quotients of numbers truncate, as in C++. Those of sizes round down,
/// as the manifest will: the two differ where less than nothing is divided, and what adopt observes must be what the
/// manifest computes.
FormulaPtr read_formula(const std::vector<Token>& tokens, const Meaning& meaning);

}  // namespace harness::adopt
