#include "harness/report/profile_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <span>
#include <sstream>

#include "harness/report/format.h"
#include "harness/report/table.h"

namespace harness::report {
namespace {

constexpr std::size_t kDearestLines = 8;
constexpr int kContext = 1;             // lines around a dear one
constexpr std::size_t kWholeUpTo = 40;  // lines of a file that is shown as a whole

std::optional<double> find(const std::vector<ProfileNumber>& numbers, std::string_view name) {
  const auto found = std::ranges::find(numbers, name, &ProfileNumber::name);
  return found == numbers.end() ? std::nullopt : std::optional(found->value);
}

double value_or_0(const std::vector<ProfileNumber>& numbers, std::string_view name) {
  return find(numbers, name).value_or(0);
}

std::string times(double part, double whole) {
  return whole > 0 ? fmt::format("{:.3g}x", part / whole) : "-";
}

/// A number with its unit; what the table of metrics says of it.
std::string with_unit(const ProfileMetric& metric, double value) {
  if (metric.unit == "ns") return nanoseconds(value);
  if (metric.unit == "share") return share(value);
  return grouped_number(value) + (metric.unit == "bytes" ? " B" : "");
}

Table numbers_table(const std::vector<ProfileNumber>& numbers) {
  Table table{{"number", "value", "what"}, {}};
  for (const ProfileMetric& metric : profile_metrics()) {
    const auto value = find(numbers, metric.name);
    if (!value || metric.name.starts_with("predicted_")) continue;
    table.rows.push_back({std::string(metric.name), with_unit(metric, *value), std::string(metric.what)});
  }
  return table;
}

/// The parts of the prediction, the longest first.
std::string parts_text(const Profile& profile) {
  static constexpr std::string_view kPrefix = "predicted_", kSuffix = "_ns";
  std::vector<std::pair<double, std::string>> parts;
  for (const ProfileNumber& number : profile.numbers) {
    if (!number.name.starts_with(kPrefix) || number.name.size() <= kPrefix.size() + kSuffix.size()) continue;
    const std::string part = number.name.substr(kPrefix.size(), number.name.size() - kPrefix.size() - kSuffix.size());
    if (part != "lo" && part != "hi" && number.value > 0) parts.emplace_back(number.value, part);
  }
  std::ranges::stable_sort(parts, std::greater<>(), &std::pair<double, std::string>::first);
  std::string text;
  for (const auto& [ns, part] : parts) text += (text.empty() ? "" : ", ") + part + " " + nanoseconds(ns);
  return text;
}

std::string base_name(const std::string& path) {
  return path.substr(path.rfind('/') + 1);  // npos + 1 is 0
}

/// The lines of a file with what each costs beside it.
class Listing {
 public:
  explicit Listing(const std::string& text) {
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) source_.push_back(line);
  }
  void add(const ProfiledLine& line) {
    if (line.line < 1 || line.line > static_cast<int>(source_.size())) return;
    costs_[line.line] = &line;
    for (int near = line.line - kContext; near <= line.line + kContext; ++near) shown_.insert(near);
  }
  bool empty() const { return costs_.empty(); }
  Table table() {
    Table table{{"sectors", "of least", "passes", "of least", "lanes", "line", "source"}, {}};
    int last = 0;
    for (int line = 1; line <= static_cast<int>(source_.size()); ++line) {
      if (source_.size() > kWholeUpTo && !shown_.contains(line)) continue;
      if (last != 0 && line > last + 1) table.rows.push_back({"", "", "", "", "", "...", ""});
      table.rows.push_back(row(line));
      last = line;
    }
    return table;
  }

 private:
  std::vector<Cell> row(int number) const {
    const std::string text = "  " + source_[static_cast<std::size_t>(number - 1)];
    const auto found = costs_.find(number);
    if (found == costs_.end()) return {"", "", "", "", "", std::to_string(number), text};
    const auto& numbers = found->second->numbers;
    const double sectors = value_or_0(numbers, "global_load_sectors") + value_or_0(numbers, "global_store_sectors");
    const double passes = value_or_0(numbers, "shared_wavefronts");
    const auto lanes = find(numbers, "active_lanes");
    return {sectors > 0 ? grouped_number(sectors) : "",
            sectors > 0 ? times(sectors, value_or_0(numbers, "least_sectors")) : "",
            passes > 0 ? grouped_number(passes) : "",
            passes > 0 ? times(passes, passes - value_or_0(numbers, "shared_conflicts")) : "",
            lanes ? fmt::format("{:.3g}", *lanes) : "",
            std::to_string(number),
            text};
  }

  std::vector<std::string> source_;
  std::map<int, const ProfiledLine*> costs_;
  std::set<int> shown_;
};

std::string others_text(const ProfiledLine& line) {
  std::string text;
  const auto add = [&](const char* name, const char* words) {
    if (const auto value = find(line.numbers, name))
      text += fmt::format("{}{} {}", text.empty() ? "" : ", ", grouped_number(*value), words);
  };
  add("atomics", "atomic operations");
  add("atomic_contention", "lanes of a warp on one address");
  add("barriers", "barriers of warps");
  if (const auto waits = find(line.numbers, "barrier_wait_share"); waits && *waits > 0)
    text += fmt::format(", where the mean warp has {} less to do than the busiest and waits", share(*waits));
  add("bulk_sectors", "sectors by bulk copies");
  add("tensor_instructions", "tensor instructions");
  for (const std::string& note : line.notes) text += (text.empty() ? "" : ", ") + note;
  return text;
}

std::string launch_text(const LaunchProfile& launch, const ProfiledSources& sources) {
  std::string text = fmt::format("{}: {} blocks of {} threads", clean(launch.entry),
                                 grouped_number(static_cast<double>(launch.blocks)),
                                 grouped_number(value_or_0(launch.numbers, "block_threads")));
  text += launch.sampled_blocks < launch.blocks
              ? fmt::format(", {} of them counted and scaled to all\n", launch.sampled_blocks)
              : ", all counted\n";
  const auto is_of = [](const ProfiledLine& line, const std::string& name) {
    return base_name(line.file) == base_name(name);
  };
  const auto dear = std::span(launch.lines).first(std::min(kDearestLines, launch.lines.size()));
  for (const auto& [name, source] : sources) {
    Listing listing(source);
    for (const ProfiledLine& line : dear)
      if (is_of(line, name)) listing.add(line);
    if (listing.empty()) continue;
    text += clean(name) + "\n" + aligned(listing.table());
    for (const ProfiledLine& line : dear)
      if (const std::string others = is_of(line, name) ? others_text(line) : ""; !others.empty())
        text += fmt::format("line {}: {}\n", line.line, clean(others));
  }
  for (const ProfiledLine& line : dear)
    if (std::ranges::none_of(sources, [&](const auto& source) { return is_of(line, source.first); }))
      text += fmt::format("{}:{}: {} sectors, {} passes\n", clean(line.file), line.line,
                          grouped_number(value_or_0(line.numbers, "global_load_sectors") +
                                         value_or_0(line.numbers, "global_store_sectors")),
                          grouped_number(value_or_0(line.numbers, "shared_wavefronts")));
  return text;
}

}  // namespace

std::string grouped_number(double value) {
  if (value != std::floor(value) || std::abs(value) >= 1e15) return fmt::format("{:.3g}", value);
  std::string digits = fmt::format("{:.0f}", value);
  for (int at = static_cast<int>(digits.size()) - 3; at > (value < 0 ? 1 : 0); at -= 3)
    digits.insert(static_cast<std::size_t>(at), ",");
  return digits;
}

std::string prediction_text(const Profile& profile) {
  const auto ns = profile.number("predicted_ns");
  if (!ns) return "";
  return fmt::format("predicted {} for {}, not measured ({} to {})", nanoseconds(ns), profile.device,
                     nanoseconds(profile.number("predicted_lo_ns")), nanoseconds(profile.number("predicted_hi_ns")));
}

std::string profile_text(const Profile& profile, const ProfiledSources& sources) {
  std::string text;
  if (const std::string prediction = prediction_text(profile); !prediction.empty())
    text += prediction + "\n  each part alone: " + parts_text(profile) + "\n";
  if (profile.diagnosis)
    text += fmt::format("diagnosis: {} ({}{})\n", clean(profile.diagnosis->text), clean(profile.diagnosis->rule),
                        profile.diagnosis->page.empty() ? "" : ", playbook " + clean(profile.diagnosis->page));
  text += aligned(numbers_table(profile.numbers));
  if (!profile.lines_from.empty()) text += "\n" + clean(profile.lines_from) + "\n";
  for (const LaunchProfile& launch : profile.launches) text += "\n" + launch_text(launch, sources);
  return text + clean(profile.why) + "\n";
}

}  // namespace harness::report
