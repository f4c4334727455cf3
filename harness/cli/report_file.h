#pragma once
#include <cstdint>
#include <string>

#include "harness/cli/command.h"

namespace harness {

/// Writes the report of a campaign as the file's ending says: a page for .html, else Markdown; "-" is standard output.
/// Throws Error(environment) where it cannot be written.
void write_report_file(Shell& shell, std::int64_t campaign, const std::string& file);

}  // namespace harness
