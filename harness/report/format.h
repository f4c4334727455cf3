#pragma once
#include <optional>
#include <string>

namespace harness::report {

std::string nanoseconds(std::optional<double> ns);  // "5.12 us", "-" when unknown
std::string seconds(double s);                      // "48 s", "2m05s", "1h30m"
std::string ratio(std::optional<double> value);     // "10.2x"
std::string share(std::optional<double> value);     // "34 %"
std::string money(std::optional<double> usd);       // "$1.50", "unknown"

}  // namespace harness::report
