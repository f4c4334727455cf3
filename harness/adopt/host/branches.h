#pragma once
#include <cstddef>
#include <optional>
#include <vector>

#include "harness/adopt/host/expression.h"
#include "harness/adopt/host/resolver.h"
#include "harness/adopt/source/host_function.h"

// Under which conditions a host's function reaches a launch.
namespace harness::adopt {

struct Branch {
  std::vector<Token> condition;
  bool holds = true;     // or its opposite does
  bool returns = false;  // the function has returned where it is otherwise: mostly because of an error
};

/// The conditions over a token, outermost first: of `if` and `else`, of the cases of a switch, and of returns before
/// it. Nothing: it stands in a loop, or in a case that the one before runs on into.
std::optional<std::vector<Branch>> branches_over(const HostFunction& function, std::size_t token);

/// 1 where a launch is reached and 0 where it is not; the number 1: always. nullptr: what the host asks is nothing that
/// the sizes say. Returns that nobody can follow count as not taken.
FormulaPtr reached(const KernelLaunch& at, const Resolver& resolver);

/// a and b of a && b.
std::vector<FormulaPtr> parts_of_all(const FormulaPtr& formula);

/// 0 where a condition is not, else 1. Conditions of manifests are no numbers, so this changes the comparison itself.
FormulaPtr opposite(const FormulaPtr& condition);

}  // namespace harness::adopt
