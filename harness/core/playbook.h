#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/core/pattern_evidence.h"
#include "harness/core/strategy.h"

// The playbook: one page a pattern, playbook/<id>-<name>.md. What a page claims stands in the page; what came of it is
// asked of the store (store/pattern_evidence.h).
namespace harness {

struct Pattern {
  int id = 0;
  std::string name, title, summary;     // summary: the page's first paragraph
  std::string file, text;               // text: the whole page
  std::vector<std::string> techniques;  // those that it speaks for
  std::optional<Expectation> expect;
  std::string error;  // not empty: the page cannot be read, and this sentence says why; then only `file` is known
};

/// A pattern that applies: its reason, and the workload on which it does.
struct AppliedPattern {
  int id = 0;
  std::string name, reason, kernel, workload;
};

/// Port to the playbook folders.
class Playbook {
 public:
  virtual ~Playbook() = default;
  /// All pages by id; one that cannot be read hides no other.
  virtual std::vector<Pattern> patterns() = 0;
  /// By number or name. Throws Error(bad_input): unknown, with the nearest; or the page's own error.
  virtual Pattern pattern(const std::string& id_or_name) = 0;
  /// Which apply to a snapshot, by id. Throws Error(bad_input) with the page's file and line when a `when` fails.
  virtual std::vector<AppliedPattern> applying(const Snapshot& snapshot) = 0;
};

}  // namespace harness
