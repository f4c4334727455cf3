#pragma once
#include <cstddef>
#include <optional>
#include <string>

#include "harness/report/cell.h"

// Numbers within sentences, as text() of cell.h writes them.
namespace harness::report {

std::string nanoseconds(std::optional<double> ns);  // "5.12 us", "-" when unknown
std::string seconds(double s);                      // "48 s", "2m05s", "1h30m"
std::string ratio(std::optional<double> value);     // "10.2x"
std::string share(std::optional<double> value);     // "34 %"
std::string money(std::optional<double> usd);       // "$1.50", "unknown"
std::string dash_if_empty(const std::string& text);
/// What stands where no best is: "none passed", or "not tried".
std::string missing_best(bool tried);
/// "; 5 of 12 workloads were tried, the others count as 1x", where some were not; else "".
std::string score_coverage(std::size_t tried, std::size_t workloads);

}  // namespace harness::report
