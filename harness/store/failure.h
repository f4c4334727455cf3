#pragma once
#include <SQLiteCpp/Exception.h>

#include <string>

#include "harness/core/error.h"

namespace harness::store {

/// What SQLite reported, as one sentence about the store at `path` that says what to do. Locked, not writable, full and
/// failing files are of the environment; a file that is no store, or a value that breaks a constraint, is bad input.
Error failure(const std::string& path, const SQLite::Exception& exception);

}  // namespace harness::store
