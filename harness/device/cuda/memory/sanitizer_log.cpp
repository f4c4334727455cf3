#include "harness/device/cuda/memory/sanitizer_log.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

namespace harness::cuda {
namespace {

constexpr std::string_view kPrefix = "=========";

/// One report: the line that begins it and those indented under it, both trimmed.
struct Report {
  std::string_view head;
  std::vector<std::string_view> details;
};

std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

std::vector<Report> split_reports(std::string_view log) {
  std::vector<Report> reports;
  bool open = false;
  while (!log.empty()) {
    const std::size_t end = std::min(log.find('\n'), log.size());
    const std::string_view line = log.substr(0, end);
    log.remove_prefix(std::min(end + 1, log.size()));
    if (!line.starts_with(kPrefix)) continue;  // the program's own output
    const std::string_view rest = line.substr(kPrefix.size()), text = trimmed(rest);
    if (text.empty()) {
      open = false;
    } else if (rest.starts_with("     ")) {
      if (open) reports.back().details.push_back(text);
    } else {
      reports.push_back({text, {}});
      open = true;
    }
  }
  return reports;
}

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

bool says(const Report& report, std::string_view part) {
  return std::ranges::any_of(report.details, [&](std::string_view line) { return contains(line, part); });
}

bool is_device_location(std::string_view detail) {
  return detail.starts_with("at ") || detail.starts_with("by thread");
}

/// "" for a line that reports no error of device code.
std::string kind_of(const Report& report) {
  const std::string_view head = report.head;
  if (head.starts_with("Invalid __")) return says(report, "misaligned") ? "misaligned" : "out_of_bounds";
  if (head.starts_with("Uninitialized __")) return "uninitialized";
  if (contains(head, "Race reported") || contains(head, " hazard detected")) return "race";
  if (head.starts_with("Barrier error") || contains(head, "Divergent thread")) return "barrier_divergence";
  if (head.starts_with("Leaked ")) return "leak";
  if (head.starts_with("Program hit")) return "";
  return std::ranges::any_of(report.details, is_device_location) ? "other" : "";
}

/// Frames of the host say where this program launched: nothing about the kernel.
bool is_about_host(std::string_view detail) {
  return contains(detail, "backtrace") || detail.starts_with("Host Frame") || detail.starts_with("#");
}

std::optional<std::uint64_t> accessed_address(const Report& report) {
  for (std::string_view line : report.details) {
    for (const std::string_view mark : {"Access at 0x", "Access to 0x", "Address 0x", "address 0x"}) {
      const std::size_t at = line.find(mark);
      if (at == std::string_view::npos) continue;
      std::uint64_t address = 0;
      const std::string_view digits = line.substr(at + mark.size());
      std::from_chars(digits.data(), digits.data() + digits.size(), address, 16);
      return address;
    }
  }
  return std::nullopt;
}

/// The buffer that an address lies in or, if in none, comes closest to.
std::string place_of(std::uint64_t address, const std::vector<PlacedBuffer>& buffers) {
  const PlacedBuffer* nearest = nullptr;
  std::uint64_t nearest_distance = UINT64_MAX;
  for (const PlacedBuffer& b : buffers) {
    const std::uint64_t end = b.address + static_cast<std::uint64_t>(b.bytes);
    if (address >= b.address && address < end) {
      return fmt::format("element {} of '{}'", (address - b.address) / static_cast<std::uint64_t>(b.element_bytes),
                         b.name);
    }
    const std::uint64_t distance = address < b.address ? b.address - address : address - end;
    if (distance < nearest_distance) nearest = &b;
    nearest_distance = std::min(nearest_distance, distance);
  }
  if (!nearest) return "";
  const bool before = address < nearest->address;
  return fmt::format("{} bytes {} '{}' of {} bytes", nearest_distance, before ? "before" : "behind the end of",
                     nearest->name, nearest->bytes);
}

std::string sentence(const Report& report, const std::vector<PlacedBuffer>& buffers) {
  constexpr std::size_t kMost = 800;
  std::string text(report.head);
  if (const auto address = accessed_address(report)) {
    if (const std::string place = place_of(*address, buffers); !place.empty()) text += ": " + place;
  }
  for (std::string_view detail : report.details) {
    if (!is_about_host(detail)) text.append(", ").append(detail);
  }
  if (text.size() > kMost) text.resize(kMost);
  return text;
}

/// What errors at one place have in common.
std::string place_key(const Report& report) {
  for (std::string_view detail : report.details) {
    if (detail.starts_with("at ")) return fmt::format("{}|{}", report.head, detail);
  }
  return std::string(report.head);
}

}  // namespace

std::vector<Finding> read_sanitizer_log(std::string_view log, const std::vector<PlacedBuffer>& buffers) {
  std::vector<Finding> findings;
  std::vector<std::string> keys;
  std::vector<int> more;
  for (const Report& report : split_reports(log)) {
    const std::string kind = kind_of(report);
    if (kind.empty()) continue;
    const std::string key = place_key(report);
    const auto seen = std::ranges::find(keys, key);
    if (seen != keys.end()) {
      ++more[static_cast<std::size_t>(seen - keys.begin())];
      continue;
    }
    keys.push_back(key);
    more.push_back(0);
    findings.push_back({kind, sentence(report, buffers)});
  }
  for (std::size_t i = 0; i < findings.size(); ++i) {
    if (more[i] > 0) findings[i].message += fmt::format(" (and {} more there)", more[i]);
  }
  return findings;
}

bool has_sanitizer_summary(std::string_view log) {
  return contains(log, "========= ERROR SUMMARY:") || contains(log, "========= RACECHECK SUMMARY:");
}

}  // namespace harness::cuda
