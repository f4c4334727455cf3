#pragma once
#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

namespace harness {

struct ExportOptions {
  std::optional<std::int64_t> campaign;  // only this one
  bool samples = true;                   // raw samples: most of the size
  bool logs = true;                      // compiler logs
  bool evidence = true;  // of gates that passed: their details, and the gates themselves where a time is unconfirmed
};

struct ExportReport {
  std::int64_t campaigns = 0, iterations = 0;  // written
};

struct ImportOptions {
  /// Whether what is imported counts as this record's own evidence: bests, rivals, the experience of strategies and
  /// searches, the playbook's figures. It is a stranger's word, so only a person can say so.
  bool as_evidence = false;
};

/// What of the rows that were imported could be held against each other, by counts.
struct ImportChecks {
  std::int64_t times = 0;                           // rows with a time
  std::int64_t samples = 0, gates = 0, floors = 0;  // of them with samples, with gates that passed, with a floor
};

struct ImportReport {
  std::int64_t campaigns = 0, iterations = 0;  // added
  std::int64_t skipped = 0;                    // campaigns that were already there
  std::int64_t evidence = 0;                   // campaigns that count as evidence from now on
  ImportChecks checks;
  /// Campaigns with rows that contradict themselves, a sentence each: they are kept and never count as evidence.
  std::vector<std::string> not_believed;
  bool whole = true;  // false: an older form, where a lost end would not show
};

/// Port to a record as text: JSON lines that can be kept in a repository, compared, and taken into another store.
class Transfer {
 public:
  virtual ~Transfer() = default;
  /// The file appears whole or not at all; what is there and no file (a pipe, a device) is written into. Throws
  /// Error(bad_input): unknown campaign; Error(environment): the file cannot be written.
  virtual ExportReport export_to(const std::string& file, const ExportOptions& options) = 0;
  virtual ExportReport export_to(std::ostream& out, const ExportOptions& options) = 0;
  /// Adds the campaigns that are not there yet. A campaign counts as evidence only if none of its iterations
  /// contradicts itself (core/contradictions.h). Throws Error(bad_input) with the line that is malformed; then nothing
  /// is added. `name` is for messages.
  virtual ImportReport import_from(std::istream& text, const std::string& name, const ImportOptions& options) = 0;
  virtual ImportReport import_from(const std::string& file, const ImportOptions& options) = 0;
  /// Figures of programs outside of harness, from the JSON object of a file of bench/: {"device", "date", "results": [
  /// {"kernel", "workload", "program", "time_us", "method"}, ...]}. Lines without a time (the program refused) are left
  /// out. Returns how many were added; the same figure of the same day is not added twice. Throws Error(bad_input)
  /// with what is malformed; then nothing is added.
  virtual std::int64_t import_outside(const std::string& file) = 0;
};

}  // namespace harness
