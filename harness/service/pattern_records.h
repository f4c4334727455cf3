#pragma once
#include "harness/report/pattern.h"
#include "harness/service/shell.h"

namespace harness {

/// The playbook's pages, or one by number or name, with the rules that act on them and what the store knows of them.
std::vector<report::PatternRecord> pattern_records_here(Shell& shell, const std::string& pattern);

}  // namespace harness
