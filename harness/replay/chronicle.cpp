#include "harness/replay/chronicle.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <set>

#include "harness/core/error.h"
#include "harness/core/suggest.h"

namespace harness {
namespace {

const std::vector<std::string> kOutcomes{"passed",    "wrong_answer", "compile_error",
                                         "no_effect", "interrupted",  "unmeasured"};
const std::vector<std::string> kFigures{"minutes", "hours", "gpu", "ai", "engineer", "rows"};

/// One object of the file with a name for messages. Every field must be asked for: what is left over is unknown.
class Fields {
 public:
  Fields(const json& object, std::string where) : object_(object), where_(std::move(where)) {
    if (!object_.is_object()) refuse("is not an object of fields");
  }

  [[noreturn]] void refuse(const std::string& what) const { throw bad_input(fmt::format("{} {}", where_, what)); }

  const json* find(const std::string& name) {
    known_.push_back(name);
    const auto field = object_.find(name);
    return field == object_.end() || field->is_null() ? nullptr : &*field;
  }

  std::string text(const std::string& name, bool needed = false) {
    const json* field = find(name);
    if (field == nullptr && needed) refuse(fmt::format("has no '{}'", name));
    if (field != nullptr && !field->is_string()) refuse(fmt::format("has a '{}' that is no text", name));
    return field == nullptr ? "" : field->get<std::string>();
  }

  std::optional<double> number(const std::string& name, bool negative = false) {
    const json* field = find(name);
    if (field == nullptr) return std::nullopt;
    if (!field->is_number()) refuse(fmt::format("has a '{}' that is no number: {}", name, field->dump()));
    if (!negative && field->get<double>() < 0) refuse(fmt::format("has a '{}' below 0: {}", name, field->dump()));
    return field->get<double>();
  }

  double needed_number(const std::string& name) {
    const auto value = number(name);
    if (!value) refuse(fmt::format("has no '{}'", name));
    return *value;
  }

  std::optional<Range> range(const std::string& name) {
    const json* field = find(name);
    if (field == nullptr) return std::nullopt;
    if (field->is_number()) return Range{field->get<double>(), field->get<double>()};
    const bool pair = field->is_array() && field->size() == 2 && (*field)[0].is_number() && (*field)[1].is_number();
    if (!pair || (*field)[0] > (*field)[1] || (*field)[0] < 0)
      refuse(fmt::format("has a '{}' that is neither a number nor [low, high]: {}", name, field->dump()));
    return Range{(*field)[0].get<double>(), (*field)[1].get<double>()};
  }

  template <typename T>
  std::vector<T> list(const std::string& name) {
    const json* field = find(name);
    if (field == nullptr) return {};
    try {
      return field->get<std::vector<T>>();
    } catch (const json::exception&) {
      refuse(fmt::format("has a '{}' that is no list of the right kind: {}", name, field->dump()));
    }
  }

  void refuse_others() const {
    for (const auto& [name, value] : object_.items())
      if (std::find(known_.begin(), known_.end(), name) == known_.end())
        refuse(fmt::format("has an unknown field '{}'{}", name, did_you_mean(name, known_)));
  }

 private:
  const json& object_;
  std::string where_;
  std::vector<std::string> known_;
};

void refuse_unknown(const Fields& fields, const std::string& what, const std::string& word,
                    const std::vector<std::string>& known) {
  if (std::find(known.begin(), known.end(), word) == known.end())
    fields.refuse(
        fmt::format("has an unknown {} '{}'; use {}{}", what, word, fmt::join(known, ", "), did_you_mean(word, known)));
}

ChronicleRow read_row(const json& object, const std::string& where) {
  Fields fields(object, where);
  ChronicleRow row;
  row.iteration = fields.text("iteration", true);
  row.technique = fields.text("technique", true);
  row.minutes = fields.needed_number("minutes");
  row.outcome = fields.text("outcome", true);
  refuse_unknown(fields, "outcome", row.outcome, kOutcomes);
  row.result = fields.text("result");
  row.predicted_minutes = fields.range("predicted_minutes");
  row.predicted_speedup = fields.range("predicted_speedup");
  row.predicted_probability = fields.number("predicted_probability");
  if (const json* usd = fields.find("usd")) {
    Fields money(*usd, where + ", usd,");
    row.gpu_usd = money.number("gpu");
    row.ai_usd = money.number("ai");
    row.engineer_usd = money.number("engineer");
    money.refuse_others();
  }
  row.speedup = fields.number("speedup");
  row.workload = fields.text("workload");
  row.over_workload = fields.text("over_workload");
  if (row.speedup && row.workload.empty()) fields.refuse("claims a speedup and names no 'workload'");
  if (const auto ctas = fields.number("ctas")) row.ctas = static_cast<std::int64_t>(*ctas);
  row.from_repository = fields.list<std::string>("from_repository");
  row.notes = fields.list<std::string>("notes");
  row.flags = fields.list<std::string>("flags");
  row.source = fields.text("source", true);
  fields.refuse_others();
  return row;
}

DeclaredFigure read_declared(const json& object, const std::string& where, const std::vector<std::string>& iterations) {
  Fields fields(object, where);
  DeclaredFigure figure;
  figure.what = fields.text("what", true);
  figure.source = fields.text("source", true);
  figure.note = fields.text("note");
  const auto rows = fields.list<std::string>("rows");
  if (rows.size() == 2) {
    figure.first = rows[0];
    figure.last = rows[1];
  }
  for (const std::string& row : rows) refuse_unknown(fields, "iteration", row, iterations);
  figure.figures = fields.list<std::string>("figures");
  for (const std::string& each : figure.figures) refuse_unknown(fields, "figure", each, kFigures);
  figure.times = fields.number("times").value_or(1);
  for (const char* operation : {"sum", "product", "quotient"}) {
    const auto numbers = fields.list<double>(operation);
    if (numbers.empty()) continue;
    figure.operation = operation;
    figure.numbers = numbers;
  }
  figure.declared = fields.number("declared", true);
  figure.at_least = fields.number("at_least", true);
  figure.within = fields.number("within").value_or(0);
  if (figure.first.empty() == figure.operation.empty() || (!figure.first.empty() && figure.figures.empty()))
    fields.refuse("needs either 'rows' [first, last] with 'figures', or one of 'sum', 'product', 'quotient'");
  if (figure.declared.has_value() == figure.at_least.has_value())
    fields.refuse("needs either 'declared' or 'at_least'");
  fields.refuse_others();
  return figure;
}

MenuEntry read_menu_entry(const json& object, const std::string& where) {
  Fields fields(object, where);
  MenuEntry entry;
  entry.technique = fields.text("technique", true);
  const auto speedup = fields.range("speedup"), minutes = fields.range("minutes");
  if (!speedup || !minutes || speedup->lo <= 0 || minutes->lo <= 0)
    fields.refuse("needs 'speedup' and 'minutes' above 0");
  entry.speedup = *speedup;
  entry.minutes = *minutes;
  entry.kernels = static_cast<int>(fields.number("kernels").value_or(1));
  entry.source = fields.text("source", true);
  fields.refuse_others();
  return entry;
}

ChronicleTechnique read_technique(const json& object, const std::string& where) {
  Fields fields(object, where);
  ChronicleTechnique technique;
  technique.kernels = static_cast<int>(fields.number("kernels").value_or(1));
  technique.predicted_minutes = fields.number("predicted_minutes");
  technique.source = fields.text("source", true);
  fields.refuse_others();
  return technique;
}

template <typename T, typename Read>
std::vector<T> read_list(Fields& top, const std::string& file, const std::string& name, Read read) {
  std::vector<T> list;
  const json* array = top.find(name);
  if (array == nullptr) return list;
  if (!array->is_array()) top.refuse(fmt::format("has a '{}' that is no list", name));
  for (std::size_t i = 0; i < array->size(); ++i) {
    const json& each = (*array)[i];
    const std::string label =
        each.is_object()
            ? each.value("iteration", json()).is_string() ? " (" + each["iteration"].get<std::string>() + ")" : ""
            : "";
    list.push_back(read(each, fmt::format("{}: {}[{}]{}", file, name, i, label)));
  }
  return list;
}

std::vector<std::string> iterations_of(const Chronicle& chronicle) {
  std::vector<std::string> names;
  for (const ChronicleRow& row : chronicle.rows) names.push_back(row.iteration);
  return names;
}

void refuse_repeated(const Chronicle& chronicle) {
  std::set<std::string> seen;
  for (const ChronicleRow& row : chronicle.rows)
    if (!seen.insert(row.iteration).second)
      throw bad_input(fmt::format("{}: the iteration '{}' is there twice; give each sitting a name of its own",
                                  chronicle.file, row.iteration));
}

double figure_of(const ChronicleRow& row, const std::string& figure) {
  if (figure == "minutes") return row.minutes;
  if (figure == "hours") return row.minutes / 60;
  if (figure == "gpu") return row.gpu_usd.value_or(0);
  if (figure == "ai") return row.ai_usd.value_or(0);
  if (figure == "engineer") return row.engineer_usd.value_or(0);
  return 1;  // rows
}

double found_in_rows(const Chronicle& chronicle, const DeclaredFigure& figure) {
  double sum = 0;
  bool inside = false;
  for (const ChronicleRow& row : chronicle.rows) {
    inside = inside || row.iteration == figure.first;
    if (!inside) continue;
    for (const std::string& each : figure.figures) sum += figure_of(row, each);
    if (row.iteration == figure.last) break;
  }
  return sum * figure.times;
}

double found_from_numbers(const DeclaredFigure& figure) {
  const auto& numbers = figure.numbers;
  if (figure.operation == "sum") return std::accumulate(numbers.begin(), numbers.end(), 0.0);
  if (figure.operation == "product") return std::accumulate(numbers.begin(), numbers.end(), 1.0, std::multiplies<>());
  return std::accumulate(numbers.begin() + 1, numbers.end(), numbers.front(), std::divides<>());
}

}  // namespace

bool looks_like_chronicle(const std::string& text) {
  return text.substr(0, 400).find("\"harness_chronicle\"") != std::string::npos;
}

Chronicle read_chronicle(const std::string& text, const std::string& file) {
  json document;
  try {
    document = parse_json(text);
  } catch (const json::exception& error) {
    throw bad_input(fmt::format("{} is no JSON: {}", file, error.what()));
  }
  Fields fields(document, file);
  Chronicle chronicle;
  chronicle.file = file;
  if (fields.needed_number("harness_chronicle") != 1) fields.refuse("has another 'harness_chronicle' than 1");
  chronicle.name = fields.text("name", true);
  chronicle.about = fields.text("about");
  chronicle.kernel = fields.text("kernel", true);
  chronicle.workload = fields.text("workload", true);
  chronicle.device = fields.text("device");
  chronicle.multiprocessors = static_cast<std::int64_t>(fields.number("multiprocessors").value_or(0));
  chronicle.speedup_over = fields.text("speedup_over");
  chronicle.began_unix = static_cast<std::int64_t>(fields.number("began_unix").value_or(0));
  if (const json* sources = fields.find("sources"))
    chronicle.sources = sources->get<std::map<std::string, std::string>>();
  if (const json* techniques = fields.find("techniques"))
    for (const auto& [name, object] : techniques->items())
      chronicle.techniques[name] = read_technique(object, fmt::format("{}: techniques.{}", file, name));
  chronicle.rows = read_list<ChronicleRow>(fields, file, "sittings", read_row);
  if (chronicle.rows.empty()) fields.refuse("has no 'sittings'");
  refuse_repeated(chronicle);
  const auto iterations = iterations_of(chronicle);
  chronicle.declared = read_list<DeclaredFigure>(
      fields, file, "declared",
      [&](const json& object, const std::string& where) { return read_declared(object, where, iterations); });
  chronicle.menu = read_list<MenuEntry>(fields, file, "menu", read_menu_entry);
  fields.refuse_others();
  return chronicle;
}

std::vector<FigureCheck> check_figures(const Chronicle& chronicle) {
  std::vector<FigureCheck> checks;
  for (const DeclaredFigure& figure : chronicle.declared) {
    FigureCheck check{figure.what, figure.source, figure.note, figure.declared.value_or(figure.at_least.value_or(0))};
    check.found = figure.first.empty() ? found_from_numbers(figure) : found_in_rows(chronicle, figure);
    check.at_least = figure.at_least.has_value();
    check.holds =
        check.at_least ? check.found >= check.declared : std::abs(check.found - check.declared) <= figure.within + 1e-9;
    checks.push_back(std::move(check));
  }
  return checks;
}

std::optional<std::string> refused_speedup(const ChronicleRow& row) {
  if (!row.speedup) return std::nullopt;
  if (!row.over_workload.empty() && row.over_workload != row.workload)
    return fmt::format(
        "{:g}x is no speedup of the kernel: the time is of {}, compared with one of {}, and times of "
        "different workloads are never divided",
        *row.speedup, row.workload, row.over_workload);
  if (row.outcome == "wrong_answer" || row.outcome == "compile_error")
    return fmt::format("{:g}x is no speedup: the answer was wrong", *row.speedup);
  return std::nullopt;
}

std::optional<double> dollars(const ChronicleRow& row) {
  std::optional<double> sum;
  for (const auto& part : {row.gpu_usd, row.ai_usd, row.engineer_usd})
    if (part) sum = sum.value_or(0) + *part;
  return sum;
}

}  // namespace harness
