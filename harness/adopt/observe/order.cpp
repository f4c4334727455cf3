#include "harness/adopt/observe/order.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <map>
#include <numeric>
#include <optional>
#include <set>

#include "harness/adopt/source/tokens.h"

namespace harness::adopt {
namespace {

/// A set of extents, as bits.
using Extents = unsigned;

constexpr std::size_t kMostExtents = 6, kLevels = 3;

/// Of one point: where it begins, how long the first part is, then for each loop around it the distance of its turns
/// and how far all of them go.
struct Distances {
  std::int64_t begin = 0, length = 0, end = 0;
  std::vector<std::int64_t> steps, totals;
};

/// Loops around the first part, innermost first, as far as the parts repeat.
Distances distances_of(const Parts& parts, bool bordered) {
  Distances distances;
  if (parts.empty()) return distances;
  distances.begin = parts[0].first;
  distances.length = parts[0].second - parts[0].first;
  distances.end = parts.back().second + (bordered ? distances.begin : 0);
  std::size_t group = 1;  // parts that one turn has
  while (group < parts.size() && distances.steps.size() < kLevels) {
    const std::int64_t step = parts[group].first - parts[0].first;
    std::size_t turns = 1;
    const auto repeats = [&](std::size_t i) {
      return parts[i].first == parts[i % group].first + static_cast<std::int64_t>(turns) * step;
    };
    while ((turns + 1) * group <= parts.size()) {
      bool all = true;
      for (std::size_t i = turns * group; i < (turns + 1) * group && all; ++i) all = repeats(i);
      if (!all) break;
      ++turns;
    }
    distances.steps.push_back(step);
    if (turns > 1) distances.totals.push_back(step * static_cast<std::int64_t>(turns));
    if (turns == 1) break;
    group *= turns;
  }
  return distances;
}

/// Which extents a quantity is a product of, at all points.
class Votes {
 public:
  Votes(const std::vector<FormulaPtr>& shape, const Glimpse& glimpse) : points_(glimpse.points.size()) {
    const Extents all = (1U << shape.size()) - 1;
    const auto product_of = [&](Extents set) {
      std::vector<std::int64_t> product(points_, 1);
      for (std::size_t p = 0; p < points_; ++p)
        for (std::size_t e = 0; e < shape.size(); ++e)
          if ((set >> e & 1U) != 0) product[p] *= evaluate(*shape[e], glimpse.points[p]).value_or(0);
      return product;
    };
    whole_ = product_of(all);
    for (Extents set = 1; set < all; ++set) {
      const std::vector<std::int64_t> product = product_of(set);
      const bool differs = std::ranges::any_of(product, [&](std::int64_t value) { return value != product[0]; });
      if (!differs && product[0] > 1) numbers_[set] = product[0];
      if (differs && std::ranges::all_of(product, [](std::int64_t value) { return value > 1; }))
        products_[set] = product;
    }
  }

  /// How a quantity is made of extents: the product itself, the same few of them at all points, or any number of them.
  enum class How { exact, few, any };

  /// Nothing: none, or it is the whole array.
  std::optional<Extents> extents_of(const std::vector<std::int64_t>& quantity, How how) const {
    if (quantity.size() != points_ || std::ranges::any_of(quantity, [](std::int64_t value) { return value <= 0; }))
      return std::nullopt;
    if (is_times(quantity, whole_, 1)) return std::nullopt;
    if (how == How::any && std::ranges::all_of(quantity, [&](std::int64_t value) { return value == quantity[0]; }))
      for (const auto& [set, number] : numbers_)  // a head of 64 is a distance, too
        if (number == quantity[0]) return set;
    std::optional<Extents> best;
    std::int64_t fewest = kMostTimes + 1;
    for (const auto& [set, product] : products_) {
      const std::int64_t times = quantity[0] / product[0];
      if (times < 1 || times >= fewest || (how == How::exact && times > 1)) continue;
      if (!is_times(quantity, product, times)) continue;
      best = set;
      fewest = times;
    }
    if (best || how == How::exact) return best;
    for (const auto& [set, product] : products_)  // halves of a row
      if (is_half(quantity, product)) return set;
    return how == How::any ? divisor_of(quantity) : std::nullopt;
  }

 private:
  static constexpr std::int64_t kMostTimes = 64, kLeastDivisor = 24;

  bool is_times(const std::vector<std::int64_t>& quantity, const std::vector<std::int64_t>& product,
                std::int64_t times) const {
    for (std::size_t p = 0; p < points_; ++p)
      if (quantity[p] != times * product[p]) return false;
    return true;
  }

  bool is_half(const std::vector<std::int64_t>& quantity, const std::vector<std::int64_t>& product) const {
    for (std::size_t p = 0; p < points_; ++p)
      if (2 * quantity[p] != product[p]) return false;
    return true;
  }

  /// Whole rows, another number of them at each point: as many as fit in a block, or as an index says. The greatest
  /// product that divides; small ones divide by chance.
  std::optional<Extents> divisor_of(const std::vector<std::int64_t>& quantity) const {
    std::optional<Extents> best;
    for (const auto& [set, product] : products_) {
      bool divides = true;
      for (std::size_t p = 0; p < points_ && divides; ++p)
        divides = product[p] >= kLeastDivisor && quantity[p] % product[p] == 0;
      if (divides && (!best || product[0] > products_.at(*best)[0])) best = set;
    }
    return best;
  }

  std::size_t points_;
  std::vector<std::int64_t> whole_;
  std::map<Extents, std::vector<std::int64_t>> products_;
  std::map<Extents, std::int64_t> numbers_;  // of extents that are the same at all points
};

/// How often each set of extents was seen to be innermost.
std::map<Extents, int> votes_of(const std::vector<FormulaPtr>& shape, const Glimpse& glimpse, bool bordered) {
  std::map<Extents, int> votes;
  if (glimpse.points.size() < 2) return votes;
  const Votes sets(shape, glimpse);
  std::vector<Distances> all;
  for (const Parts& touched : glimpse.parts) all.push_back(distances_of(touched, bordered));
  Extents numbers = 0;
  for (std::size_t e = 0; e < shape.size(); ++e)
    if (shape[e]->kind == Op::number) numbers |= 1U << e;
  const auto vote = [&](const auto& quantity_of, Votes::How how, int weight, bool whole_rows = false) {
    std::vector<std::int64_t> quantity;
    for (const Distances& distances : all) quantity.push_back(quantity_of(distances));
    const auto set = sets.extents_of(quantity, how);
    if (!set) return;
    votes[*set] += weight;
    // Two halves of a row rather than pairs, of which one thread has one (put_constants_last).
    if (whole_rows && (*set & numbers) != 0 && (*set & ~numbers) != 0) votes[*set & ~numbers] += weight;
  };
  const auto at = [](const std::vector<std::int64_t>& list, std::size_t i) { return i < list.size() ? list[i] : 0; };
  vote([](const Distances& distances) { return distances.begin; }, Votes::How::any, 1);
  vote([](const Distances& distances) { return distances.length; }, Votes::How::few, 1, true);
  vote([](const Distances& distances) { return distances.end; }, Votes::How::exact, 1, true);
  for (std::size_t level = 0; level < kLevels; ++level) {
    vote([&](const Distances& distances) { return at(distances.steps, level); }, Votes::How::any, 2);
    vote([&](const Distances& distances) { return at(distances.totals, level); }, Votes::How::exact, 1);
  }
  return votes;
}

/// Are these extents the last ones of an order?
bool is_innermost(Extents set, const std::vector<std::size_t>& order) {
  const auto count = static_cast<std::size_t>(std::popcount(set));
  for (std::size_t i = order.size() - count; i < order.size(); ++i)
    if ((set >> order[i] & 1U) == 0) return false;
  return true;
}

int moved(const std::vector<std::size_t>& order) {
  int count = 0;
  for (std::size_t i = 0; i < order.size(); ++i)
    for (std::size_t k = i + 1; k < order.size(); ++k) count += order[i] > order[k] ? 1 : 0;
  return count;
}

/// Each of its suffixes was seen.
bool is_proven(const std::vector<std::size_t>& order, const std::map<Extents, int>& votes) {
  Extents suffix = 0;
  for (std::size_t i = order.size() - 1; i > 0; --i) {
    suffix |= 1U << order[i];
    if (!votes.contains(suffix)) return false;
  }
  return true;
}

/// How many of these products of sizes are the last ones of the order, numbers left out.
int agreeing(const std::vector<std::set<std::string>>& strides, const std::vector<FormulaPtr>& shape,
             const std::vector<std::size_t>& order) {
  const auto is_innermost_product = [&](const std::set<std::string>& stride) {
    std::size_t count = 0;
    for (auto index = order.rbegin(); index != order.rend() && count < stride.size(); ++index) {
      const std::set<std::string> symbols = symbols_of(*shape[*index]);  // two of `2 * half`
      if (symbols.empty()) continue;
      if (!std::ranges::includes(stride, symbols)) return false;
      count += symbols.size();
    }
    return count == stride.size();
  };
  return static_cast<int>(std::ranges::count_if(strides, is_innermost_product));
}

}  // namespace

Order order_of(const std::vector<FormulaPtr>& shape, const std::vector<Glimpse>& glimpses, bool bordered,
               const std::vector<std::set<std::string>>& strides) {
  if (shape.size() < 2 || shape.size() > kMostExtents) return {shape, true};
  std::map<Extents, int> votes;
  for (const Glimpse& glimpse : glimpses)
    for (const auto& [set, count] : votes_of(shape, glimpse, bordered)) votes[set] += count;
  std::vector<std::size_t> order(shape.size()), best;
  std::iota(order.begin(), order.end(), 0);
  constexpr int kOfText = 1000;  // the kernel's own words count for more than what a few launches happened to touch
  int most = -1, fewest = 0;
  do {
    int agree = kOfText * agreeing(strides, shape, order);
    for (const auto& [set, count] : votes) agree += is_innermost(set, order) ? count : 0;
    if (agree < most || (agree == most && moved(order) >= fewest)) continue;
    best = order;
    most = agree;
    fewest = moved(order);
  } while (std::next_permutation(order.begin(), order.end()));
  Order result;
  for (const std::size_t index : best) result.shape.push_back(shape[index]);
  result.sure = is_proven(best, votes);
  return result;
}

bool only_compares(const std::string& text, const std::string& name) {
  static const std::set<std::string_view> kComparisons{"<", ">", "<=", ">=", "==", "!="};
  const Tokens tokens = tokens_of(text);
  bool compared = false;
  for (std::size_t i = 1; i + 1 < tokens.size(); ++i) {
    if (!tokens[i].is_word() || !tokens[i].is(name)) continue;
    const bool declared = tokens[i - 1].is_word() && (tokens[i + 1].is(",") || tokens[i + 1].is(")"));
    const bool compares = kComparisons.contains(tokens[i - 1].text) || kComparisons.contains(tokens[i + 1].text);
    if (!declared && !compares) return false;
    compared = compared || compares;
  }
  return compared;
}

namespace {

/// Finds parts and multiples of sizes in a text.
class LikelyExtents {
 public:
  LikelyExtents(const std::string& text, const std::vector<std::string>& names)
      : names_(names), tokens_(tokens_of(text)) {
    for (std::size_t i = 1; i + 4 < tokens_.size(); ++i) {
      if (is_size(i)) part_at(i);
      if (tokens_[i].is("=") && (tokens_[i + 4].is(";") || tokens_[i + 4].is(","))) multiple_at(i + 1);
    }
  }

  std::vector<FormulaPtr> extents;

 private:
  static constexpr double kMostParts = 64, kMostTimes = 8;

  bool is_size(std::size_t i) const {
    return tokens_[i].is_word() && std::ranges::find(names_, tokens_[i].text) != names_.end();
  }

  double value_at(std::size_t i) const {
    return tokens_[i].kind == Token::Kind::number ? std::atof(std::string(tokens_[i].text).c_str()) : 0;
  }

  void add(Op kind, std::size_t name, double value, double most) {
    if (value >= 2 && value <= most) add(formula(kind, {symbol(std::string(tokens_[name].text)), number(value)}));
  }

  void add(FormulaPtr extent) {
    if (std::ranges::none_of(extents, [&](const FormulaPtr& operand) { return equal(*operand, *extent); }))
      extents.push_back(std::move(extent));
  }

  void part_at(std::size_t i) {
    const bool of_product = tokens_[i - 1].is("*") || tokens_[i - 1].is("/") || tokens_[i - 1].is("%");
    if (!of_product && tokens_[i + 1].is("/")) add(Op::divide, i, value_at(i + 2), kMostParts);
    if (!of_product && tokens_[i + 1].is(">") && tokens_[i + 2].is(">"))
      add(Op::divide, i, std::exp2(value_at(i + 3)), kMostParts);
    if (!of_product && tokens_[i + 1].is(">>")) add(Op::divide, i, std::exp2(value_at(i + 2)), kMostParts);
    if (tokens_[i - 1].is("(") && i + 5 < tokens_.size() && tokens_[i + 1].is("+") && tokens_[i + 3].is(")") &&
        tokens_[i + 4].is("/") && value_at(i + 2) + 1 == value_at(i + 5))
      add(Op::cdiv, i, value_at(i + 5), kMostParts);
  }

  /// `oh = height * 2`: no distance between rows, by its name.
  void multiple_at(std::size_t i) {
    const std::string_view name = tokens_[i - 2].text;
    for (const char* distance : {"stride", "pitch", "step", "row", "ld"})
      if (name.find(distance) != std::string_view::npos) return;
    if (!tokens_[i + 1].is("*")) return;
    if (is_size(i) && is_size(i + 2) && !tokens_[i].is(tokens_[i + 2].text))
      add(formula(Op::multiply, {symbol(std::string(tokens_[i].text)), symbol(std::string(tokens_[i + 2].text))}));
    if (is_size(i)) add(Op::multiply, i, value_at(i + 2), kMostTimes);
    if (is_size(i + 2)) add(Op::multiply, i + 2, value_at(i), kMostTimes);
  }

  const std::vector<std::string>& names_;
  const Tokens tokens_;
};

}  // namespace

std::vector<FormulaPtr> likely_extents(const std::string& text, const std::vector<std::string>& names) {
  return LikelyExtents(text, names).extents;
}

}  // namespace harness::adopt
