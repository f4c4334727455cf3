#include <fmt/format.h>
#include <fmt/ranges.h>

#include <sstream>

#include "harness/core/error.h"
#include "harness/core/export_form.h"
#include "harness/core/suggest.h"
#include "harness/simulate/read_space.h"

// The text of `harness export` (store/transfer.h) as a recorded space: the attempts of one arm, or of one workload,
// with what came of them. Attempts are numbered from 1 within their campaign; later records of a configuration count.
namespace harness::simulate {
namespace {

struct Attempt {
  std::string kernel, workload, technique, variant;
  Config config;
  std::string arm() const { return kernel + "/" + workload + "/" + technique; }
  bool is_of(const std::string& wanted) const { return arm() == wanted || kernel + "/" + workload == wanted; }
};

struct Ended {
  Attempt attempt;
  Record record;
};

Record record_of(const json& iteration) {
  Record record;
  record.outcome = iteration.at("outcome").get<OutcomeKind>();
  if (is_timed(record.outcome) && iteration.at("time_ns").is_number())
    record.time_ms = iteration["time_ns"].get<double>() / 1e6;
  const json& cost = iteration.at("cost");
  for (const char* stage : {"build_s", "gates_s", "timing_s"}) record.cost_s += cost.value(stage, 0.0);
  if (record.cost_s == 0) record.cost_s = cost.value("wall_s", 0.0);  // imported: stages are not told apart
  return record;
}

Attempt attempt_of(const json& row) {
  return {row.at("kernel"), row.at("workload"), row.at("technique"), row.at("variant"),
          config_from_json(row.at("config"))};
}

std::vector<Ended> read_lines(const std::string& text, const std::string& file) {
  std::vector<Ended> ended;
  std::vector<Attempt> attempts;  // of the campaign being read
  std::istringstream lines(text);
  int number = 0;
  ExportChecker form;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    try {
      const json row = parse_json(line);
      if (!form.take(line, row)) continue;
      const std::string type = row.value("type", "");
      if (type == "campaign") attempts.clear();
      if (type == "attempt") attempts.push_back(attempt_of(row));
      if (type != "iteration" || row.at("outcome") == "interrupted") continue;
      ended.push_back({attempts.at(row.at("attempt").get<std::size_t>() - 1), record_of(row)});
    } catch (const std::exception& error) {
      throw bad_input(fmt::format("{}:{}: not a line of harness export: {}", file, number, error.what()));
    }
  }
  try {
    form.end();
  } catch (const Error& error) {
    throw bad_input(fmt::format("{}: {}", file, error.what()));
  }
  return ended;
}

std::string only_arm(const std::vector<std::string>& arms, const std::string& asked, const std::string& file) {
  if (asked.empty() && arms.size() == 1) return arms.front();
  std::vector<std::string> known = arms;
  for (const std::string& arm : arms) {
    const std::string workload = arm.substr(0, arm.rfind('/'));
    if (std::ranges::find(known, workload) == known.end()) known.push_back(workload);
  }
  if (std::ranges::find(known, asked) != known.end()) return asked;
  if (asked.empty())
    throw bad_input(fmt::format("'{}' holds {} arms; name one with --arm KERNEL/WORKLOAD[/TECHNIQUE], such as {}", file,
                                arms.size(), arms.empty() ? "" : arms.front()));
  throw bad_input(fmt::format("'{}' has no arm '{}'{}; it has: {}", file, asked, did_you_mean(asked, known),
                              fmt::join(arms, ", ")));
}

}  // namespace

RecordedSpace read_export(const std::string& text, const std::string& file, const std::string& asked) {
  const std::vector<Ended> all = read_lines(text, file);
  std::vector<std::string> arms;
  for (const Ended& ended : all)
    if (std::ranges::find(arms, ended.attempt.arm()) == arms.end()) arms.push_back(ended.attempt.arm());
  if (arms.empty()) throw bad_input(fmt::format("'{}' holds no iterations", file));
  const std::string arm = only_arm(arms, asked, file);
  RecordedSpaceBuilder builder;
  ArmId id;
  for (const Ended& ended : all) {
    if (!ended.attempt.is_of(arm)) continue;
    builder.add(ended.attempt.variant, {ended.attempt.config.begin(), ended.attempt.config.end()}, ended.record);
    id = {ended.attempt.kernel, ended.attempt.workload, ended.attempt.technique};
  }
  RecordedSpace space = builder.finish(file);
  space.name = arm;
  space.arm.id = id;
  return space;
}

}  // namespace harness::simulate
