#include "harness/script/catalog/trace_compare.h"

#include <fmt/format.h>

#include <stdexcept>

namespace harness::script {
namespace {

std::optional<Scalar> scalar_of(const Node& node) {
  if (const auto* flag = std::get_if<bool>(&node.leaf)) return Scalar(*flag);
  if (const auto* whole = std::get_if<std::int64_t>(&node.leaf)) return Scalar(*whole);
  if (const auto* real = std::get_if<double>(&node.leaf)) return Scalar(*real);
  return std::nullopt;
}

class Comparison {
 public:
  explicit Comparison(const std::map<std::string, Scalar>& symbols) : symbols_(symbols) {}

  std::optional<std::string> compare(const Node& traced, const Node& plain, const std::string& path) const {
    if (traced.table || plain.table) return compare_tables(traced, plain, path);
    if (traced.text() != nullptr || plain.text() != nullptr || traced.is_nil() || plain.is_nil()) {
      const bool same = traced.is_nil() == plain.is_nil() && traced.described() == plain.described();
      if (same) return std::nullopt;
      return mismatch(path, plain.described(), traced.described());
    }
    return compare_numbers(traced, plain, path);
  }

 private:
  static std::string mismatch(const std::string& path, const std::string& plain, const std::string& traced) {
    return fmt::format("{} is {}, but traced it gives {}", path.empty() ? "the result" : path, plain, traced);
  }

  std::optional<std::string> compare_numbers(const Node& traced, const Node& plain, const std::string& path) const {
    const auto expected = scalar_of(plain);
    if (!expected) return mismatch(path, plain.described(), traced.described());
    if (traced.expression() == nullptr) {
      const auto constant = scalar_of(traced);
      if (constant && same_scalar(*constant, *expected)) return std::nullopt;
      return mismatch(path, plain.described(), traced.described());
    }
    const Expression& expression = **traced.expression();
    try {
      const Scalar value = evaluate(expression, symbols_);
      if (same_scalar(value, *expected)) return std::nullopt;
      return mismatch(path, plain.described(), fmt::format("{} = {}", describe(expression), describe(value)));
    } catch (const std::domain_error& fault) {
      return mismatch(path, plain.described(), fmt::format("{}, which {}", describe(expression), fault.what()));
    }
  }

  std::optional<std::string> compare_tables(const Node& traced, const Node& plain, const std::string& path) const {
    const bool alike = traced.table && plain.table && traced.kind == plain.kind &&
                       traced.list.size() == plain.list.size() && traced.fields.size() == plain.fields.size();
    if (!alike) return mismatch(path, plain.described(), traced.described() + " of another shape");
    const std::string here = plain.kind.empty() ? path : path + (path.empty() ? "" : " ") + plain.kind;
    for (std::size_t i = 0; i < plain.list.size(); ++i) {
      const std::string place = plain.list[i].kind == "launch" ? here : fmt::format("{}[{}]", here, i + 1);
      if (auto found = compare(traced.list[i], plain.list[i], place)) return found;
    }
    for (const auto& [name, field] : plain.fields) {
      const Node* other = traced.find(name);
      const std::string place = here.empty() ? name : here + " " + name;
      if (other == nullptr) return mismatch(place, field.described(), "nothing");
      if (auto found = compare(*other, field, place)) return found;
    }
    return std::nullopt;
  }

  const std::map<std::string, Scalar>& symbols_;
};

}  // namespace

std::optional<std::string> difference(const Node& traced, const Node& plain,
                                      const std::map<std::string, Scalar>& symbols) {
  return Comparison(symbols).compare(traced, plain, "");
}

}  // namespace harness::script
