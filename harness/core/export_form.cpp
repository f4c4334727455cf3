#include "harness/core/export_form.h"

#include <fmt/format.h>

#include <cmath>
#include <ostream>

#include "harness/core/error.h"
#include "harness/core/printable.h"

namespace harness {
namespace {

constexpr int kForm = 2, kDeepest = 64;

/// A float that no integer holds has no meaning in a field of integers, and no other field is so large.
void refuse_huge(const json& value, int depth = 0) {
  if (depth > kDeepest) throw bad_input("it is nested too deeply");
  constexpr double kHuge = 9e18;
  if (value.is_number_float() && !(std::fabs(value.get<double>()) < kHuge))
    throw bad_input(fmt::format("the number {} is beyond what any field holds", json_text(value)));
  if (value.is_structured())
    for (const json& part : value) refuse_huge(part, depth + 1);
}

}  // namespace

ExportWriter::ExportWriter(std::ostream& out, int lines, const ExportCounts& counts) : out_(out) {
  line({{"harness_export", kForm}, {"schema", lines}, {"counts", counts}});
}

void ExportWriter::line(const json& row) {
  const std::string text = printable_json(row) + '\n';
  digest_.update(text);
  ++lines_;
  out_ << text;
}

void ExportWriter::finish() {
  out_ << json_text({{"type", "end"}, {"lines", lines_}, {"sha256", digest_.hex()}}) << '\n';
}

void ExportChecker::begin(const json& header) {
  const json form = header.value("harness_export", json());
  if (form != 1 && form != kForm) {
    if (form.is_number_integer() && form > kForm)
      throw bad_input(
          fmt::format("it has the form {} of an export, and this harness knows forms up to {}; use the newer "
                      "harness",
                      json_text(form), kForm));
    throw bad_input("this is no export of harness; its first line must be {\"harness_export\":2,...}");
  }
  form_ = form.get<int>();
  if (const int lines = header.value("schema", 0); lines > kExportLines)
    throw bad_input(fmt::format(
        "its lines are of version {}, and this harness knows versions up to {}; use the newer harness that wrote it",
        lines, kExportLines));
  if (form_ == kForm) promised_ = header.at("counts").get<ExportCounts>();
}

void ExportChecker::close(const json& trailer) {
  closed_ = true;
  if (trailer.at("lines") != lines_ || trailer.at("sha256") != digest_.hex())
    throw bad_input(
        "the digest in its last line is not that of the lines before: some were changed, lost or added; "
        "export it again");
  for (const auto& [type, count] : promised_) {
    if (count != seen_[type])
      throw bad_input(
          fmt::format("its first line counts {} of type \"{}\", and there are {}", count, type, seen_[type]));
  }
}

bool ExportChecker::take(const std::string& line, const json& row) {
  if (closed_) throw bad_input("a line follows the one that ends the export");
  refuse_huge(row);
  const bool first = lines_ == 0 && form_ == 0;
  const std::string type = first ? "" : row.at("type").get<std::string>();
  if (first) begin(row);
  if (form_ == kForm && type == "end") {
    close(row);
    return false;
  }
  if (form_ == kForm) digest_.update(line).update("\n");
  ++lines_;
  ++seen_[type];
  return !first;
}

void ExportChecker::end() const {
  if (form_ == kForm && !closed_)
    throw bad_input("the export ends before its last line, the one with its digest: it was cut off; export it again");
}

}  // namespace harness
