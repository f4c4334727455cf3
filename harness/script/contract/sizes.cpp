#include "harness/script/contract/sizes.h"

#include <fmt/format.h>

#include <cctype>
#include <cmath>

#include "harness/core/suggest.h"

namespace harness::script {
namespace {

std::vector<std::string> names_of(const std::map<std::string, Value>& values) {
  std::vector<std::string> names;
  for (const auto& [name, value] : values) names.push_back(name);
  return names;
}

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

}  // namespace

Sizes::Sizes(Manifest& manifest, const Workload& workload)
    : manifest_(manifest),
      workload_(workload),
      facts_(manifest, "workload", Facts(workload.values.begin(), workload.values.end())) {}

const Value& Sizes::field(const std::string& name, const Reader& where) {
  const auto found = workload_.values.find(name);
  if (found != workload_.values.end()) return found->second;
  throw where.error(fmt::format("names '{}', which workload '{}' does not have{}", name, workload_.name,
                                did_you_mean(name, names_of(workload_.values))));
}

Value Sizes::value(const Node& node, const Reader& where, const std::string& name) {
  if (node.text() != nullptr) return field(*node.text(), where);
  const Node result = node.function() != nullptr ? call(*node.function()) : node;
  const auto value = result.value();
  if (!value || result.text() != nullptr) {
    throw manifest_.error(
        result.line > 0 ? result.line : where.line(),
        fmt::format("{}: '{}' must be a number, a workload field or a function that returns a number, not {}",
                    where.what(), name, result.described()));
  }
  return *value;
}

std::int64_t Sizes::whole(const Node& node, const Reader& where, const std::string& name) {
  Node result;
  result.leaf = std::visit([](auto held) { return decltype(Node::leaf)(held); }, value(node, where, name));
  const auto whole = result.integer();
  if (!whole) {
    throw where.error(fmt::format("has a '{}' of {} on workload '{}'; it must be a whole number", name,
                                  result.described(), workload_.name));
  }
  return *whole;
}

double Sizes::number(const Node& node, const Reader& where, const std::string& name) {
  const Value held = value(node, where, name);
  if (const auto* whole = std::get_if<std::int64_t>(&held)) return static_cast<double>(*whole);
  const auto* real = std::get_if<double>(&held);
  if (real != nullptr && std::isfinite(*real)) return *real;
  throw where.error(fmt::format("has a '{}' of {} on workload '{}'; it must be a finite number", name, to_text(held),
                                workload_.name));
}

std::vector<std::int64_t> Sizes::list(const Node& node, const Reader& where, const std::string& name) {
  const Node made = node.function() != nullptr ? call(*node.function()) : node;
  if (!made.table || !made.fields.empty()) throw where.error(fmt::format("needs a list of numbers as '{}'", name));
  std::vector<std::int64_t> all;
  all.reserve(made.list.size());
  for (const Node& item : made.list) all.push_back(whole(item, where, name));
  return all;
}

Dtype Sizes::dtype(const Reader& where, const std::string& name) {
  std::string text = where.text(name);
  if (text.starts_with('$')) text = to_text(field(text.substr(1), where));
  const auto dtype = parse_dtype(text);
  if (!dtype) {
    static const std::vector<std::string> known = {"f64", "f32", "f16", "bf16", "e4m3", "e5m2", "s8",  "u8",
                                                   "s16", "u16", "s32", "u32",  "s64",  "u64",  "bool"};
    throw where.error(fmt::format("has an unknown element type '{}'{}", text, did_you_mean(text, known)));
  }
  if (*dtype == Dtype::s4 || *dtype == Dtype::e2m1 || *dtype == Dtype::e8m0) {
    throw where.error(fmt::format("has the element type '{}', which is reserved and not yet supported", text));
  }
  return *dtype;
}

std::string source_text(const Value& value) {
  const auto* text = std::get_if<std::string>(&value);
  const auto dtype = text != nullptr ? parse_dtype(*text) : std::nullopt;
  return dtype ? std::string(cuda_type(*dtype)) : to_text(value);
}

std::string fill_in(const std::string& text, const std::map<std::string, Value>& values, const Reader& where) {
  std::string filled;
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] != '$') {
      filled += text[at++];
      continue;
    }
    std::size_t end = at + 1;
    while (end < text.size() && is_word(text[end])) ++end;
    const std::string name = text.substr(at + 1, end - at - 1);
    const auto found = values.find(name);
    if (found == values.end()) {
      throw where.error(fmt::format("has '${}' in '{}', which is no parameter and no workload field{}", name, text,
                                    did_you_mean(name, names_of(values))));
    }
    filled += source_text(found->second);
    at = end;
  }
  return filled;
}

}  // namespace harness::script
