#pragma once
#include <string>
#include <vector>

#include "harness/store/store.h"

namespace harness::store {

/// What is wrong with a store, a sentence each; empty: nothing. Reads all of it: SQLite's own check of pages and
/// indexes, references to rows that are not there, and texts whose SHA-256 is not the key they stand under.
std::vector<std::string> integrity(Store& store);

}  // namespace harness::store
