#pragma once
#include <string>

namespace harness {

/// `file` and the headers beside it that it includes, as git has them at `revision`, written into `folder`; returns the
/// file's path there. Throws Error(environment) without git, Error(bad_input) with git's words where it has no such
/// revision or file.
std::string file_at_revision(const std::string& file, const std::string& revision, const std::string& folder);

}  // namespace harness
