#include "harness/flashinfer/formula_source.h"

#include "harness/core/error.h"
#include "harness/core/size_formula.h"

namespace harness::flashinfer {

std::string host_source(const Formula& formula) {
  const sizes::FormulaPtr read = sizes::formula_of(formula);
  if (!read) throw bad_input("a launch depends on the device's limits, which a solution does not ask");
  return sizes::as_cpp(*read, [](const std::string& size) { return size; });
}

}  // namespace harness::flashinfer
