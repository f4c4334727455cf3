#pragma once
#include <string>

#include "harness/core/catalog.h"

namespace harness::package {

/// One of the two candidates of a standalone program.
struct Side {
  std::string outside;  // the toolkit's headers that it includes, a line each
  std::string text;     // a namespace with its source and `one_call`, which runs its plan; its macros end with it
  bool maps = false;    // it makes tensor maps
};

/// `name` is the namespace: "original", "winner". Throws Error(bad_input) for what cannot be had without harness: a
/// library's step, a type that standalone_values.cu does not have.
Side standalone_side(const std::string& name, const Realized& realized);

}  // namespace harness::package
