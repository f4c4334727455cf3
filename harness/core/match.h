#pragma once

namespace harness {

/// Lambdas as one visitor of a variant: std::visit(Match{[](const Passed&) { ... }, ...}, outcome).
template <typename... Cases>
struct Match : Cases... {
  using Cases::operator()...;
};
// Clang 14 does not deduce it by itself.
template <typename... Cases>
Match(Cases...) -> Match<Cases...>;

}  // namespace harness
