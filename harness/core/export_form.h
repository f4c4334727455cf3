#pragma once
#include <cstdint>
#include <iosfwd>
#include <map>
#include <string>

#include "harness/core/hash.h"
#include "harness/core/json.h"

// The outer form of an exported text, of which nobody can lose a part unseen: the first line counts what follows, the
// last one holds the number of lines before it and the SHA-256 of their bytes, line ends included.
//
//   {"counts":{"campaign":1,"iteration":12,...},"harness_export":2,"schema":17}
//   ... one object a line, each with its "type" ...
//   {"lines":27,"sha256":"...","type":"end"}
//
// "schema" is the version of the lines between. Up to 16 it was that of the store that was exported; since then it
// counts by itself, and lines of every version can be read.
//
// Texts of the form 1, {"harness_export":1,"schema":5}, have neither: they are read, and nobody knows if they are
// whole.
namespace harness {

using ExportCounts = std::map<std::string, std::int64_t>;  // lines by type; a type that is not named has none

/// The version of the lines that this program writes, and the newest that it reads.
inline constexpr int kExportLines = 19;

class ExportWriter {
 public:
  /// `lines`: the version of the lines that follow.
  ExportWriter(std::ostream& out, int lines, const ExportCounts& counts);
  void line(const json& row);
  void finish();

 private:
  std::ostream& out_;
  Sha256 digest_;
  std::int64_t lines_ = 0;
};

class ExportChecker {
 public:
  /// Takes the next line, as it stands in the text and as JSON. false: it is of the outer form, not of the record.
  /// Throws Error(bad_input): lines of a newer version, a number of more than 9e18 with a fraction or an exponent, the
  /// first line is no header, the digest or a count is wrong, lines follow the last one.
  bool take(const std::string& line, const json& row);
  /// The text has ended here. Throws Error(bad_input) if that is before its last line.
  void end() const;
  /// false: the form 1, which cannot be checked.
  bool has_digest() const { return form_ == 2; }

 private:
  void begin(const json& header);
  void close(const json& trailer);

  int form_ = 0;
  bool closed_ = false;
  ExportCounts promised_, seen_;
  Sha256 digest_;
  std::int64_t lines_ = 0;
};

}  // namespace harness
