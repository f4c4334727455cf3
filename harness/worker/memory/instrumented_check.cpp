#include "harness/worker/memory/instrumented_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <set>

#include "harness/worker/processes/runner.h"

namespace harness {
namespace {

constexpr std::size_t kMaxFindings = 20, kMaxText = 500, kMaxSites = 2;
constexpr const char* kKinds[] = {"out_of_bounds", "misaligned",         "uninitialized",
                                  "race",          "barrier_divergence", "inactive_lane"};

std::string clean(std::string text) {
  if (text.size() > kMaxText) text.resize(kMaxText);
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c < ' ' || c > '~'; }, '?');
  return text;
}

std::string known_kind(const std::string& kind) {
  return std::find(std::begin(kKinds), std::end(kKinds), kind) == std::end(kKinds) ? "other" : kind;
}

std::string place(const RawFinding& finding, std::size_t index, const std::map<std::uint64_t, std::string>& lines) {
  const auto line = lines.find(finding.sites[index]);
  return line == lines.end() ? fmt::format("code offset {:#x}", finding.sites[index]) : clean(line->second);
}

std::string with_places(const RawFinding& finding, const std::map<std::uint64_t, std::string>& lines) {
  std::string text = clean(finding.text);
  for (std::size_t i = 0; i < std::min(finding.sites.size(), kMaxSites); ++i) {
    const std::string mark = fmt::format("@{}", i);
    if (const std::size_t at = text.find(mark); at != std::string::npos)
      text.replace(at, mark.size(), "at " + place(finding, i, lines));
  }
  return text;
}

std::string grouped(long long number) {
  std::string digits = std::to_string(number);
  for (int at = static_cast<int>(digits.size()) - 3; at > 0; at -= 3) digits.insert(static_cast<std::size_t>(at), ",");
  return digits;
}

/// The same lines again (an unrolled loop has many offsets): counted, not told.
struct Told {
  RawFinding finding;
  std::vector<std::string> places;
};
std::vector<Told> merged(const std::vector<RawFinding>& raw, const std::map<std::uint64_t, std::string>& lines) {
  std::vector<Told> merged_findings;
  for (const RawFinding& finding : raw) {
    std::vector<std::string> places;
    for (std::size_t i = 0; i < std::min(finding.sites.size(), kMaxSites); ++i)
      places.push_back(place(finding, i, lines));
    const auto same = std::find_if(merged_findings.begin(), merged_findings.end(), [&](const Told& other) {
      return !places.empty() && other.finding.kind == finding.kind && other.places == places;
    });
    if (same == merged_findings.end()) {
      merged_findings.push_back({finding, places});
      continue;
    }
    same->finding.count += finding.count;
    same->finding.same_values += finding.same_values;
  }
  return merged_findings;
}

/// A fault's text begins with its kind (DeviceFault); "": the checker stopped the launch and has said why.
Finding describe_fault(const std::string& text) {
  if (text.find("stopped by the memory checker") != std::string::npos) return {};
  const std::string message = clean(text);
  if (text.starts_with("barrier_deadlock:")) return {"barrier_divergence", message};
  return {text.starts_with("illegal_access:") ? "out_of_bounds" : "other", message};
}

void conclude_failure(const RunnerFailure& failure, double deadline_s, MemoryCheck& check) {
  switch (failure.kind) {
    case RunnerFailure::Kind::fault:
      if (const Finding finding = describe_fault(failure.detail); !finding.kind.empty())
        check.findings.push_back(finding);
      return;
    case RunnerFailure::Kind::died:
      check.checked = true;
      check.findings.push_back({"other", clean("its process ended: " + failure.detail)});
      return;
    case RunnerFailure::Kind::timed_out:
      check.checked = false;
      check.why = fmt::format("it did not end within {:g} s", deadline_s);
      return;
    case RunnerFailure::Kind::interrupted:
      check.checked = false;
      check.why = "it was interrupted";
      return;
    default:
      check.checked = false;
      check.why = clean(failure.detail);
  }
}

std::vector<Finding> resolve(const DeviceKind& kind, const Executable& executable, const std::vector<RawFinding>& raw) {
  std::set<std::uint64_t> offsets;
  for (const RawFinding& finding : raw) offsets.insert(finding.sites.begin(), finding.sites.end());
  const std::vector<std::uint64_t> wanted(offsets.begin(), offsets.end());
  return describe_findings(raw, kind.source_lines(executable.artifact, wanted));
}

}  // namespace

std::vector<Finding> describe_findings(const std::vector<RawFinding>& raw,
                                       const std::map<std::uint64_t, std::string>& lines) {
  std::vector<Finding> findings;
  const std::vector<Told> merged_findings = merged(raw, lines);
  for (const auto& [finding, places] : merged_findings) {
    if (findings.size() == kMaxFindings) {
      findings.push_back(
          {"other", fmt::format("{} more findings are not shown", merged_findings.size() - kMaxFindings)});
      break;
    }
    std::string message = with_places(finding, lines);
    if (finding.same_values > 0)
      message += finding.same_values == finding.count ? "; both stored the same value"
                                                      : "; some of them stored the same value";
    if (finding.count > 1) message += fmt::format(" ({} times)", grouped(finding.count));
    const bool one_value = finding.kind == "race" && finding.same_values == finding.count;
    findings.push_back({one_value ? "same_value" : known_kind(finding.kind), std::move(message)});
  }
  return findings;
}

MemoryCheck check_memory_instrumented(const DeviceKind& kind, const Target& target, const Executable& executable,
                                      const SharedMemory& image, double deadline_s, const std::function<bool()>& stop) {
  const auto start = std::chrono::steady_clock::now();
  const auto seconds = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(); };
  MemoryCheck check{.tool = kind.name() + "-checked"};
  const SharedMemory copy = image.copy();
  Runner runner(target, stop);
  auto failure = runner.prepare({{&executable, {&copy}}}, deadline_s);
  if (!failure) {
    std::optional<std::vector<RawFinding>> raw;
    failure = runner.run(0, 0, std::max(0.0, deadline_s - seconds()), &raw);
    const bool saw_nothing = raw && std::ranges::find(*raw, kNothingInstrumented, &RawFinding::kind) != raw->end();
    check.checked = raw.has_value() && !saw_nothing;
    if (saw_nothing) check.why = "nothing instrumented: none of its accesses to a buffer is seen by the checker";
    else if (raw) check.findings = resolve(kind, executable, *raw);
    else check.why = "the candidate was not built for the checker";
  }
  if (failure) conclude_failure(*failure, deadline_s, check);
  if (check.checked) check.why.clear();
  check.seconds = seconds();
  return check;
}

}  // namespace harness
