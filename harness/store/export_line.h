#pragma once
#include "harness/core/iteration_row.h"

namespace harness::store {

/// The columns of an iteration as one JSON object of an export, without `same_as`, which names an id of one store, and
/// without the texts.
json exported(const IterationRow& row);
/// Back again. Throws json::exception where a key is missing or of the wrong type, Error(bad_input) where a value is
/// impossible.
IterationRow imported(json j);

}  // namespace harness::store
