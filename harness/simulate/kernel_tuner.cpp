#include <fmt/format.h>

#include <array>
#include <cmath>
#include <map>

#include "harness/core/error.h"
#include "harness/simulate/read_space.h"

// The cache file of Kernel Tuner: tune_params_keys, tune_params, and cache: "16,1,4" -> the parameters, time (ms, or
// the name of a failure), compile_time, verification_time, benchmark_time and framework_time (ms), and what we do not
// need. Read as a stream: files of 100,000 configurations with 32 samples each are too large for a tree.
namespace harness::simulate {
namespace {

constexpr std::array<const char*, 4> kCosts{"compile_time", "verification_time", "benchmark_time", "framework_time"};

OutcomeKind outcome_of_failure(const std::string& failure) {
  if (failure == "CompilationFailedConfig") return OutcomeKind::compile_error;
  if (failure == "RuntimeFailedConfig") return OutcomeKind::crashed;
  return OutcomeKind::launch_error;  // InvalidConfig: the device refuses it
}

class CacheReader : public nlohmann::json_sax<json> {
 public:
  CacheReader(RecordedSpaceBuilder& builder, std::string file) : builder_(builder), file_(std::move(file)) {}

  bool null() override { return scalar(std::string()); }
  bool boolean(bool value) override { return scalar(value); }
  bool number_integer(number_integer_t value) override { return scalar(static_cast<std::int64_t>(value)); }
  bool number_unsigned(number_unsigned_t value) override { return scalar(static_cast<std::int64_t>(value)); }
  bool number_float(number_float_t value, const string_t&) override { return scalar(value); }
  bool string(string_t& value) override { return scalar(value); }
  bool binary(binary_t&) override { return true; }

  bool start_object(std::size_t) override {
    ++depth_;
    if (in_cache() && depth_ == 3) entry_.clear();
    return true;
  }
  bool key(string_t& value) override {
    if (depth_ == 1) top_ = value;
    else if (depth_ == 2) second_ = value;
    else key_ = value;
    return true;
  }
  bool end_object() override {
    if (in_cache() && depth_ == 3) take_entry();
    --depth_;
    return true;
  }
  bool start_array(std::size_t) override {
    ++depth_;
    return true;
  }
  bool end_array() override {
    --depth_;
    return true;
  }
  bool parse_error(std::size_t position, const std::string&, const nlohmann::detail::exception& error) override {
    position_ = position;
    message_ = error.what();
    return false;
  }

  std::size_t position() const { return position_; }
  const std::string& message() const { return message_; }
  const std::string& device() const { return device_; }
  const std::string& kernel() const { return kernel_; }
  const std::string& problem() const { return problem_; }
  std::size_t entries() const { return entries_; }

 private:
  bool in_cache() const { return top_ == "cache"; }

  bool scalar(Value value) {
    if (depth_ == 1 && top_ == "device_name") device_ = to_text(value);
    if (depth_ == 1 && top_ == "kernel_name") kernel_ = to_text(value);
    if ((depth_ == 1 || depth_ == 2) && top_ == "problem_size")
      problem_ += (problem_.empty() ? "" : "x") + to_text(value);
    if (depth_ == 2 && top_ == "tune_params_keys") names_.push_back(to_text(value));
    if (depth_ == 3 && top_ == "tune_params") values_[second_].push_back(std::move(value));
    else if (depth_ == 3 && in_cache()) entry_[key_] = std::move(value);
    return true;
  }

  void declare() {
    if (names_.empty())
      throw bad_input(
          fmt::format("'{}' lists no tune_params_keys before its cache; it is no whole Kernel Tuner file", file_));
    for (const std::string& name : names_) builder_.declare(kRecordedVariant, name, values_[name]);
    values_.clear();
  }

  static double number(const Value& value) {
    if (const auto* real = std::get_if<double>(&value)) return *real;
    if (const auto* whole = std::get_if<std::int64_t>(&value)) return static_cast<double>(*whole);
    return std::nan("");
  }

  void take_entry() {
    if (entries_++ == 0) declare();
    NamedValues config;
    for (const std::string& name : names_) {
      const auto held = entry_.find(name);
      if (held == entry_.end())
        throw bad_input(fmt::format("'{}': the configuration \"{}\" lacks the parameter '{}'", file_, second_, name));
      config.emplace_back(name, held->second);
    }
    Record record;
    for (const char* name : kCosts) {
      const auto held = entry_.find(name);
      const double ms = held == entry_.end() ? 0 : number(held->second);
      if (std::isfinite(ms)) record.cost_s += ms;
    }
    record.cost_s /= 1000;
    const auto time = entry_.find("time");
    if (time == entry_.end())
      throw bad_input(fmt::format("'{}': the configuration \"{}\" has no time", file_, second_));
    const double ms = number(time->second);
    if (std::isfinite(ms)) record.time_ms = ms;
    record.outcome = record.time_ms ? OutcomeKind::passed : outcome_of_failure(to_text(time->second));
    builder_.add(kRecordedVariant, config, std::move(record));
  }

  RecordedSpaceBuilder& builder_;
  std::string file_;
  int depth_ = 0;
  std::string top_, second_, key_;
  std::vector<std::string> names_;
  std::map<std::string, std::vector<Value>> values_;
  std::map<std::string, Value> entry_;
  std::string device_, kernel_, problem_, message_;
  std::size_t position_ = 0, entries_ = 0;
};

/// Python writes NaN and Infinity, which JSON does not know; a time that is none counts as a failure.
std::string without_python_numbers(std::string text) {
  for (const std::string word : {"-Infinity", "Infinity", "NaN"}) {
    for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
      const std::size_t before = text.find_last_not_of(" \t\r\n", at - 1);
      if (at == 0 || before == std::string::npos || (text[before] != ':' && text[before] != ',' && text[before] != '['))
        continue;
      text.replace(at, word.size(), "null" + std::string(word.size() > 4 ? word.size() - 4 : 0, ' '));
    }
  }
  return text;
}

}  // namespace

RecordedSpace read_kernel_tuner(const std::string& given, const std::string& file) {
  const std::string text = without_python_numbers(given);
  if (const auto at = too_deep_at(text))
    throw bad_input(fmt::format("'{}' is nested too deeply at byte {}", file, *at));
  RecordedSpaceBuilder builder;
  CacheReader reader(builder, file);
  const bool whole = json::sax_parse(text, &reader);
  // An interrupted run has whole entries and then simply ends; damage anywhere else is refused.
  const std::size_t last = text.find_last_not_of(" \t\r\n");
  if (!whole && (reader.entries() == 0 || reader.position() <= last + 1))
    throw bad_input(fmt::format("'{}' is not JSON: {}", file, reader.message()));
  RecordedSpace space = builder.finish(file);
  space.device = reader.device();
  space.problem = reader.problem();
  space.arm.id = {reader.kernel().empty() ? space.name : reader.kernel(), space.name, kRecordedVariant};
  return space;
}

}  // namespace harness::simulate
