#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "harness/core/json.h"

// A chronicle: a campaign as people wrote it down. Its rows are sittings of minutes and dollars, not evaluations of
// seconds; strategies/seeds/campaign.json is one, docs/replay.md explains the format.
namespace harness {

/// From one to another, both included; equal where a single number was given.
struct Range {
  double lo = 0, hi = 0;
  friend bool operator==(const Range&, const Range&) = default;
};

/// Somebody sat down to one technique. What is not stated is absent, never 0.
struct ChronicleRow {
  std::string iteration, technique, result, source;
  std::string outcome;  // passed, wrong_answer, compile_error, no_effect, interrupted; "unmeasured": nothing was tried
  double minutes = 0;
  std::optional<Range> predicted_minutes;  // set before the sitting
  std::optional<Range> predicted_speedup;  // over the state before it
  std::optional<double> predicted_probability;
  std::optional<double> gpu_usd, ai_usd, engineer_usd;
  std::optional<double> speedup;             // as claimed
  std::string workload, over_workload;       // of the time, and of the time it is compared with; "" not stated
  std::optional<std::int64_t> ctas;          // launched by what was timed
  std::vector<std::string> from_repository;  // fields that have another source than the row's
  std::vector<std::string> notes, flags;
};

/// A technique whose minutes were predicted as a whole, over all its sittings.
struct ChronicleTechnique {
  int kernels = 1;  // launches of what is worked on
  std::optional<double> predicted_minutes;
  std::string source;
};

/// A number that the reports state and that can be found again from others.
struct DeclaredFigure {
  std::string what, source, note;
  std::string first, last;           // rows; "" where `numbers` are given
  std::vector<std::string> figures;  // minutes, hours, gpu, ai, engineer, rows: summed over these rows
  double times = 1;
  std::string operation;  // sum, product, quotient of `numbers`
  std::vector<double> numbers;
  std::optional<double> declared, at_least;
  double within = 0;
};

/// What could have been done next, as it was promised then.
struct MenuEntry {
  std::string technique, source;
  Range speedup, minutes;
  int kernels = 1;
};

struct Chronicle {
  std::string name, about, file;
  std::string kernel, workload, device, speedup_over;
  std::int64_t multiprocessors = 0;
  std::int64_t began_unix = 0;
  std::map<std::string, std::string> sources;
  std::map<std::string, ChronicleTechnique> techniques;
  std::vector<ChronicleRow> rows;
  std::vector<DeclaredFigure> declared;
  std::vector<MenuEntry> menu;
};

bool looks_like_chronicle(const std::string& text);
/// Throws Error(bad_input) that names the file, the row and what to do: a figure without a source, an unknown field, an
/// unknown outcome, the same iteration twice, minutes or dollars below 0.
Chronicle read_chronicle(const std::string& text, const std::string& file);

/// Whether a declared figure is what the others make of it.
struct FigureCheck {
  std::string what, source, note;
  double declared = 0, found = 0;
  bool at_least = false;  // `declared` is a lower limit
  bool holds = false;
};
std::vector<FigureCheck> check_figures(const Chronicle& chronicle);

/// Why a claimed speedup does not count as one of the kernel; nullopt: it counts, or none was claimed. A time on
/// another workload is no speedup, whatever it is divided by; what did not pass claims nothing.
std::optional<std::string> refused_speedup(const ChronicleRow& row);

std::optional<double> dollars(const ChronicleRow& row);  // of what is stated; nullopt: nothing is

}  // namespace harness
