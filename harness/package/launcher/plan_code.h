#pragma once
#include <string>
#include <vector>

#include "harness/core/formula_catalog.h"
#include "harness/package/launcher/formula_text.h"

namespace harness::package {

/// Bodies of the functions of an Instance in runtime.in. They do not name the instance, so that equal ones can be
/// shared.
struct PlanCode {
  std::string inside, valid, bytes, run;
  std::size_t parameters = 0;  // most of a launch
};

PlanCode plan_code(const FormulaPlan& plan, const SizeTypes& types);

}  // namespace harness::package
