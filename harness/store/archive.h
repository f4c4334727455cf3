#pragma once
#include <memory>
#include <string>

#include "harness/core/archive.h"

namespace harness::store {

/// The store at `path`; ":memory:" is a private one that vanishes with the archive. Errors: see Connection::open.
std::unique_ptr<Archive> open_archive(const std::string& path, ArchiveAccess access);

}  // namespace harness::store
