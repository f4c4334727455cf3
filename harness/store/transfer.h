#pragma once
#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>

#include "harness/store/store.h"

// A store as text: JSON lines, one object a line, so that it can be kept in a repository, compared and read by
// anything.
//
//   {"harness_export":1,"schema":2}
//   {"type":"source","hash":...,"text":...}   {"type":"build_log",...}          texts, by hash
//   {"type":"campaign","uuid":...}                                              then, of this campaign, in order:
//   {"type":"decision",...}  {"type":"attempt",...}  {"type":"iteration",...}  {"type":"charge",...}
//
// Decisions, attempts and iterations are numbered from 1 within their campaign, never by the ids of a store: exporting
// twice, or after an import elsewhere, gives the same bytes.
namespace harness::store {

struct ExportOptions {
  std::optional<std::int64_t> campaign;  // only this one
  bool samples = true;                   // raw samples: most of the size
  bool logs = true;                      // compiler logs
  bool evidence = true;  // of gates that passed: their details, and the gates themselves where a time is unconfirmed
};

/// One consistent state, also while others write. Throws Error(bad_input) for an unknown campaign.
void export_store(Store& store, std::ostream& out, const ExportOptions& options = {});
/// The same into a file, which appears whole or not at all. Throws Error(environment) if it cannot be written.
void export_store(Store& store, const std::string& file, const ExportOptions& options = {});

struct ImportReport {
  std::int64_t campaigns = 0, iterations = 0;  // added
  std::int64_t skipped = 0;                    // campaigns that were already there
};

/// Adds the campaigns that the store does not have yet; a campaign is imported whole and once. Nothing in the input is
/// trusted: the first line that is malformed is an Error(bad_input) with its number, and then nothing is imported.
/// `name` is for messages.
ImportReport import_store(Store& store, std::istream& in, const std::string& name);
ImportReport import_store(Store& store, const std::string& file);

}  // namespace harness::store
