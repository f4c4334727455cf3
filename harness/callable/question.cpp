#include "harness/callable/question.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "harness/core/error.h"
#include "harness/core/hash.h"

namespace harness::callable {
namespace {

constexpr std::size_t kMostText = 1 << 20, kMostName = 100, kMostParameters = 64, kMostValues = 4096;
constexpr std::size_t kMostArguments = 256, kMostRank = 16;

Error refused(const std::string& what) {
  return bad_input("harness callable: " + what + "; see docs/callables.md");
}

std::string text_of_field(const json& line, const char* key, std::size_t most) {
  const auto field = line.find(key);
  if (field == line.end() || !field->is_string()) throw refused(fmt::format("'{}' is no text", key));
  std::string text = field->get<std::string>();
  if (text.size() > most) throw refused(fmt::format("'{}' has more than {} bytes", key, most));
  return text;
}

/// A word that commands take: letters, digits, and a few marks that no shell reads.
std::string word_of_field(const json& line, const char* key) {
  std::string word = text_of_field(line, key, kMostName);
  const auto is_plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' ||
           c == '.' || c == ':';
  };
  if (word.empty() || !std::ranges::all_of(word, is_plain))
    throw refused(fmt::format("'{}' is '{}': letters, digits and _ - . : are allowed", key, word));
  return word;
}

const json& list_of_field(const json& line, const char* key, std::size_t most) {
  const auto field = line.find(key);
  if (field == line.end() || !field->is_array()) throw refused(fmt::format("'{}' is no list", key));
  if (field->size() > most) throw refused(fmt::format("'{}' has more than {} entries", key, most));
  return *field;
}

Argument read_argument(const json& from) {
  if (!from.is_object()) throw refused("an argument is no object");
  Argument argument;
  argument.name = word_of_field(from, "name");
  const std::string type = text_of_field(from, "dtype", kMostName), kind = text_of_field(from, "kind", kMostName);
  const auto dtype = parse_dtype(type);
  if (!dtype) throw refused(fmt::format("'{}' has the type '{}', which is not known", argument.name, type));
  argument.dtype = *dtype;
  if (kind != "input" && kind != "output" && kind != "inout")
    throw refused(fmt::format("'{}' is an '{}', not an input, output or inout", argument.name, kind));
  argument.kind = kind == "input" ? ArgumentKind::input : kind == "output" ? ArgumentKind::output : ArgumentKind::inout;
  double elements = 1;
  for (const json& extent : list_of_field(from, "shape", kMostRank)) {
    if (!extent.is_number_unsigned()) throw refused(fmt::format("the shape of '{}' is wrong", argument.name));
    elements *= extent.get<double>();
    argument.shape.push_back(elements < 1e15 ? extent.get<std::int64_t>() : 0);
  }
  if (elements >= 1e15) throw refused(fmt::format("'{}' is too large", argument.name));
  argument.strides = contiguous_strides(argument.shape);
  if (const json tolerance = from.value("tolerance", json()); !tolerance.is_null()) {
    if (!tolerance.is_number() || !(tolerance > 0) || !(tolerance < 1))
      throw refused(fmt::format("the tolerance of '{}' is not between 0 and 1", argument.name));
    argument.compare = Compare{"relative", tolerance.get<double>()};
  }
  return argument;
}

Parameter read_parameter(const json& from) {
  if (!from.is_object()) throw refused("a parameter is no object");
  Parameter parameter{word_of_field(from, "name"), {}, "launch"};
  for (const json& value : list_of_field(from, "values", kMostValues)) {
    if (!value.is_boolean() && !value.is_number() && !value.is_string())
      throw refused(fmt::format("a value of '{}' is no number, text or truth value", parameter.name));
    if (value.is_number_unsigned() && value.get<std::uint64_t>() > std::uint64_t{INT64_MAX})
      throw refused(fmt::format("a value of '{}' is too large", parameter.name));
    parameter.values.push_back(value_from_json(value));
    if (place_of(parameter, parameter.values.back()) + 1 < parameter.values.size())
      throw refused(fmt::format("'{}' has the value {} twice", parameter.name, to_text(parameter.values.back())));
  }
  if (parameter.values.empty()) throw refused(fmt::format("'{}' has no value", parameter.name));
  return parameter;
}

void refuse_twice(const std::string& name, std::set<std::string>& names) {
  if (!names.insert(name).second) throw refused(fmt::format("the name '{}' is given twice", name));
}

/// The caller's list where it has a constraint, else every combination, the last parameter varying fastest.
void read_points(const json& line, Question& question) {
  if (line.contains("points") && !line["points"].is_null()) {
    for (const json& from : list_of_field(line, "points", kMostPoints)) {
      if (!from.is_array() || from.size() != question.parameters.size()) throw refused("a point has a wrong length");
      std::vector<std::uint16_t>& point = question.points.emplace_back();
      for (std::size_t p = 0; p < from.size(); ++p) {
        if (!from[p].is_number_unsigned() || from[p].get<std::uint64_t>() >= question.parameters[p].values.size())
          throw refused("a point names a value that is not there");
        point.push_back(from[p].get<std::uint16_t>());
      }
    }
    if (question.points.empty()) throw refused("its constraint leaves no configuration");
    return;
  }
  double product = 1;
  for (const Parameter& parameter : question.parameters) product *= static_cast<double>(parameter.values.size());
  if (product > static_cast<double>(kMostPoints))
    throw refused(
        fmt::format("the space has {:.3g} configurations; {} are the most: give fewer values", product, kMostPoints));
  question.points.emplace_back(question.parameters.size(), std::uint16_t{0});
  for (std::size_t p = 0; p < question.parameters.size(); ++p) {
    std::vector<std::vector<std::uint16_t>> longer;
    for (const std::vector<std::uint16_t>& point : question.points)
      for (std::size_t value = 0; value < question.parameters[p].values.size(); ++value)
        (longer.emplace_back(point))[p] = static_cast<std::uint16_t>(value);
    question.points = std::move(longer);
  }
}

}  // namespace

Question read_question(const json& line) {
  if (!line.is_object() || line.value("schema", json()) != 1)
    throw refused("the first line is no JSON object with \"schema\": 1");
  Question question;
  question.name = word_of_field(line, "name");
  question.device = word_of_field(line, "device");
  question.device_name = text_of_field(line, "device_name", kMostName);
  question.program = text_of_field(line, "program", kMostName);
  question.compile_source = text_of_field(line, "compile_source", kMostText);
  question.baseline_source = text_of_field(line, "baseline_source", kMostText);
  std::set<std::string> names;
  for (const json& from : list_of_field(line, "arguments", kMostArguments)) {
    question.arguments.push_back(read_argument(from));
    refuse_twice(question.arguments.back().name, names);
  }
  if (std::ranges::none_of(question.arguments, [](const Argument& a) { return is_written(a.kind); }))
    throw refused("the baseline returns and writes nothing, so nothing can be compared");
  for (const json& from : list_of_field(line, "parameters", kMostParameters)) {
    question.parameters.push_back(read_parameter(from));
    refuse_twice("parameter " + question.parameters.back().name, names);
  }
  if (question.parameters.empty()) throw refused("the space has no parameter");
  if (!std::ranges::is_sorted(question.parameters, {}, &Parameter::name))
    throw refused("the parameters are not sorted by name");
  read_points(line, question);
  return question;
}

std::string workload_name(const Question& question) {
  constexpr std::size_t kShown = 60, kDigits = 8;
  std::string whole;
  for (const Argument& argument : question.arguments) {
    if (argument.kind == ArgumentKind::output) continue;
    whole += fmt::format("{}{}[{}]", whole.empty() ? "" : " ", name(argument.dtype), fmt::join(argument.shape, "x"));
  }
  if (whole.empty()) return "no-arguments";
  if (whole.size() <= kShown) return whole;
  return whole.substr(0, kShown) + "..." + sha256_hex(whole).substr(0, kDigits);
}

}  // namespace harness::callable
