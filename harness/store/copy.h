#pragma once
#include <string>

#include "harness/store/connection.h"

namespace harness::store {

/// Puts a consistent snapshot of the store into a folder, under the store's own name, in the place of the one before.
/// Whoever reads there sees the old one or the new one, whole. Throws Error(environment).
void copy_store(Connection& connection, const std::string& folder);

}  // namespace harness::store
