#pragma once
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/adopt/host/expression.h"

namespace harness::adopt {

/// What a small function of the host returns, or what a variable of it is: one number, the numbers of a dim3, or a
/// structure's fields in their order.
struct HostValue {
  std::vector<FormulaPtr> numbers;
  std::vector<HostValue> fields;
};

/// How words of a text are read that its own variables do not explain.
struct HostNames {
  std::map<std::string, FormulaPtr> parameters;  // of the function
  Meaning outside;
};

/// What the statements of a body return: declarations, assignments, `if`, and loops that double a number until it is
/// large enough. Nothing: it has other statements, or returns what is not made of whole numbers.
std::optional<HostValue> returned_by(const std::vector<Token>& body, const HostNames& names);

/// What the same statements leave in one of their variables; those that do not set it are passed over. Nothing: it gets
/// no value that can be read.
FormulaPtr left_in(const std::vector<Token>& statements, std::string_view variable, const HostNames& names);

}  // namespace harness::adopt
