#pragma once
#include <iosfwd>
#include <string>

#include "harness/core/transfer.h"
#include "harness/store/store.h"

// A store as text: JSON lines, one object a line, so that it can be kept in a repository, compared and read by
// anything.
//
//   {"harness_export":2,...}                                                    the first line and the last one:
//   {"type":"end",...}                                                          core/export_form.h; between them:
//   {"type":"source","hash":...,"text":...}   {"type":"build_log",...}          texts, by hash
//   {"type":"campaign","uuid":...}                                              then, of this campaign, in order:
//   {"type":"decision",...}  {"type":"attempt",...}  {"type":"iteration",...}  {"type":"charge",...}
//
// Decisions, attempts and iterations are numbered from 1 within their campaign, never by the ids of a store: exporting
// twice, or after an import elsewhere, gives the same bytes.
namespace harness::store {

/// One consistent state, also while others write. Throws Error(bad_input) for an unknown campaign.
ExportReport export_store(Store& store, std::ostream& out, const ExportOptions& options = {});
/// The same into a file, which appears whole or not at all. Throws Error(environment) if it cannot be written.
ExportReport export_store(Store& store, const std::string& file, const ExportOptions& options = {});

/// Adds the campaigns that the store does not have yet; a campaign is imported whole and once. Nothing in the input is
/// trusted: the first line that is malformed is an Error(bad_input) with its number, and then nothing is imported.
/// What was imported is marked, and no best, experience or verdict of this store rests on it unless the options say so.
/// `name` is for messages.
ImportReport import_store(Store& store, std::istream& in, const std::string& name, const ImportOptions& options = {});
ImportReport import_store(Store& store, const std::string& file, const ImportOptions& options = {});

}  // namespace harness::store
