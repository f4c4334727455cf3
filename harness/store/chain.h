#pragma once
#include <string>
#include <vector>

#include "harness/store/connection.h"

// The chain of the record: each iteration has the hash of what was found and of the link before it. Whoever changes,
// takes away or adds a row in between changes every hash after it.
namespace harness::store {

/// Adds the link of the newest iteration, inside the caller's transaction.
void add_link(Connection& connection, std::int64_t iteration);

/// Of the newest link; "" where there is none.
std::string chain_head(Connection& connection);

/// Reads every link again. What does not agree, a sentence each, at most 20.
std::vector<std::string> broken_links(Connection& connection);

}  // namespace harness::store
