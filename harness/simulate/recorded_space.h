#pragma once
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "harness/core/strategy.h"

// A recorded space is a device: what every configuration did when it was measured, by us or by others.
namespace harness::simulate {

/// What was recorded of one configuration. `cost_s` is what an evaluation costs: compilation, verification, benchmark
/// and framework time, of failed ones too.
struct Record {
  OutcomeKind outcome = OutcomeKind::passed;
  std::optional<double> time_ms;  // of a passed one
  double cost_s = 0;
};

/// The only variant of a space that another tuner recorded.
inline constexpr const char* kRecordedVariant = "recorded";

struct RecordedSpace {
  std::string name;             // the last folder and the file without its endings: "convolution_milo/A100"
  std::string file;             // as it was given
  std::string device;           // "" where the file does not say
  std::string problem;          // the sizes, "4096x4096"; "" where the file does not say
  ArmSpace arm;                 // the points, in the order of Space: the last parameter varying fastest
  std::vector<Record> records;  // of all points of arm.variants, one variant after the other

  /// The place of a configuration in `records`; nullopt for what was not recorded.
  std::optional<std::size_t> find(const std::string& variant, const Config& config) const;

 private:
  friend class RecordedSpaceBuilder;
  std::vector<std::unordered_map<std::string, std::size_t>> places_;  // of each variant: packed cells -> record
};

using NamedValues = std::vector<std::pair<std::string, Value>>;

/// Puts recorded configurations in order, whatever the order of the file.
class RecordedSpaceBuilder {
 public:
  /// Parameters and values known before any configuration; what configurations have beyond them is added.
  void declare(const std::string& variant, const std::string& parameter, const std::vector<Value>& values);
  /// The last record of a configuration counts, as the last of equal keys of a JSON object does. Throws
  /// Error(bad_input) for one that lacks a parameter which others of its variant have.
  void add(const std::string& variant, const NamedValues& config, Record record);
  bool empty() const { return variants_.empty(); }
  /// Throws Error(bad_input) when nothing, or nothing that passed, was recorded. `file` is for messages and the name.
  RecordedSpace finish(const std::string& file);

 private:
  struct Variant {
    std::vector<Parameter> parameters;
    std::unordered_map<std::string, std::size_t> place;  // packed cells -> index in rows
    std::vector<std::pair<std::vector<std::uint16_t>, Record>> rows;
  };
  std::vector<std::uint16_t> cells_of(Variant& variant, const NamedValues& config);
  std::map<std::string, Variant> variants_;
};

/// Tells searches on `space` what was recorded in `known`, as results of earlier campaigns.
void tell_earlier(RecordedSpace& space, const RecordedSpace& known);

/// The name under which traces and tables know a space file: "convolution_milo/A100" of
/// ".../convolution_milo/A100.json.gz".
std::string space_name(const std::string& file);

}  // namespace harness::simulate
