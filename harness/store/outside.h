#pragma once
#include <cstdint>
#include <string>

#include "harness/store/store.h"

namespace harness::store {

/// Transfer::import_outside.
std::int64_t import_outside(Store& store, const std::string& file);

}  // namespace harness::store
