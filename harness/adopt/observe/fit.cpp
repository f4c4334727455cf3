#include "harness/adopt/observe/fit.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <iterator>

namespace harness::adopt {
namespace {

/// A product of base quantities with its values at all points.
struct Product {
  std::vector<FormulaPtr> factors;
  std::vector<std::int64_t> values;
  int cost = 0;
};

constexpr int kMostFactors = 6;
constexpr std::int64_t kMostConstant = 1 << 20, kMostOfRow = 64;

class Fit {
 public:
  Fit(const std::vector<FitPoint>& points, const std::vector<std::string>& symbols,
      const std::vector<FormulaPtr>& extra, const std::vector<FormulaPtr>& likely)
      : points_(points), symbols_(symbols) {
    for (const std::string& name : symbols) add_base(symbol(name), 0);
    singles_ = bases_.size();
    // One extent h * scale is dearer than two, unless one of them stands twice.
    for (const FormulaPtr& extent : likely) add_base(extent, is_multiple(*extent) ? -1 : is_pair(*extent) ? 2 : 1);
    std::ranges::copy_if(likely, std::back_inserter(pairs_), [](const FormulaPtr& extent) { return is_pair(*extent); });
    for (const FormulaPtr& extent : extra) add_base(extent, 2);
    Product one;
    one.values.assign(points.size(), 1);
    multiply(one, 0);
    std::stable_sort(products_.begin(), products_.end(),
                     [](const Product& a, const Product& b) { return a.cost < b.cost; });
  }

  std::optional<Fitted> best() {
    constants();
    for (const Product& product : products_) {
      scaled(product);
      quotients(product);
    }
    ratios();
    rows();
    rows_of_products();
    short_rows();
    rows_apart();
    sums();
    return best_;
  }

  /// See fit_bound().
  std::optional<Fitted> bound() const {
    const auto needed = std::max<std::ptrdiff_t>(3, static_cast<std::ptrdiff_t>(points_.size() / 4));
    std::optional<Fitted> only;
    for (const Product& product : products_) {
      std::ptrdiff_t reached = 0;
      bool beyond = false;
      for (std::size_t p = 0; p < points_.size(); ++p) {
        reached += product.values[p] == points_[p].elements ? 1 : 0;
        beyond = beyond || product.values[p] < points_[p].elements;
      }
      if (beyond || reached < needed) continue;
      if (only) return std::nullopt;
      only = Fitted{product.factors, {}, product.cost};
    }
    return only;
  }

 private:
  void add_base(const FormulaPtr& formula, int cost) {
    Product base{{formula}, {}, cost};
    for (const FitPoint& point : points_) {
      const auto value = evaluate(*formula, point.sizes);
      if (!value || *value < 1) return;
      base.values.push_back(*value);
    }
    for (const Product& other : bases_)
      if (other.values == base.values) return;
    if (std::all_of(base.values.begin(), base.values.end(), [&](auto value) { return value == base.values[0]; }))
      return;
    bases_.push_back(std::move(base));
  }

  /// All products of at most kMostFactors bases, from `from` on; one may stand twice.
  void multiply(const Product& so_far, std::size_t from) {
    if (!so_far.factors.empty()) products_.push_back(so_far);
    if (so_far.factors.size() == kMostFactors) return;
    for (std::size_t i = from; i < bases_.size(); ++i) {
      Product next = so_far;
      next.factors.push_back(bases_[i].factors[0]);
      next.cost += 1 + bases_[i].cost;
      if (so_far.factors.size() > 0 && equal(*so_far.factors.back(), *bases_[i].factors[0])) next.cost += 3;
      if (has_half_of(so_far, *bases_[i].factors[0])) next.cost += 3;
      bool fits = true;
      for (std::size_t p = 0; p < points_.size(); ++p)
        fits = !__builtin_mul_overflow(next.values[p], bases_[i].values[p], &next.values[p]) && fits;
      if (fits) multiply(next, i);
    }
  }

  /// [scale, w * scale]
  static bool has_half_of(const Product& product, const Formula& pair) {
    return is_pair(pair) && std::ranges::any_of(product.factors, [&](const FormulaPtr& factor) {
             return equal(*factor, *pair.operands[0]) || equal(*factor, *pair.operands[1]);
           });
  }

  template <typename Body>
  bool holds(Body value_at) const {
    for (std::size_t p = 0; p < points_.size(); ++p)
      if (value_at(p) != points_[p].elements) return false;
    return true;
  }

  void offer(std::vector<FormulaPtr> shape, int cost, std::vector<FormulaPtr> strides = {}) {
    if (best_ && cost >= best_->cost) return;
    if (strides.empty())
      std::ranges::stable_sort(shape, {}, [&](const FormulaPtr& extent) { return place_of(*extent); });
    std::vector<FormulaPtr> extents;  // one for each size of a product
    for (const FormulaPtr& extent : shape)
      for (const FormulaPtr& factor : strides.empty() && !is_whole(*extent) ? factors_of(extent) : std::vector{extent})
        extents.push_back(factor);
    best_ = Fitted{std::move(extents), std::move(strides), cost};
  }

  /// 2 * n: an extent of its own, where it is a likely one.
  static bool is_multiple(const Formula& extent) {
    return extent.kind == Op::multiply && extent.operands[0]->kind == Op::symbol &&
           extent.operands[1]->kind == Op::number;
  }

  /// h * scale
  static bool is_pair(const Formula& extent) {
    return extent.kind == Op::multiply && extent.operands[0]->kind == Op::symbol &&
           extent.operands[1]->kind == Op::symbol;
  }

  bool is_whole(const Formula& extent) const {
    return is_multiple(extent) ||
           std::ranges::any_of(pairs_, [&](const FormulaPtr& operand) { return equal(*operand, extent); });
  }

  /// Of a size or a part of it (n / 2) that of the size; behind these other quantities, then numbers.
  std::ptrdiff_t place_of(const Formula& extent) const {
    if (extent.kind == Op::number) return std::ssize(symbols_) + 1;
    const bool part = extent.kind == Op::divide || extent.kind == Op::cdiv || extent.kind == Op::multiply;
    const Formula& size = part ? *extent.operands[0] : extent;
    return size.kind == Op::symbol ? std::ranges::find(symbols_, size.symbol) - symbols_.begin() : std::ssize(symbols_);
  }

  void constants() {
    const std::int64_t first = points_[0].elements;
    if (holds([&](std::size_t) { return first; })) offer({number(static_cast<double>(first))}, 0);
  }

  static FormulaPtr whole(const Product& product) {
    FormulaPtr all = product.factors[0];
    for (std::size_t i = 1; i < product.factors.size(); ++i) all = formula(Op::multiply, {all, product.factors[i]});
    return all;
  }

  /// c M, M + c
  void scaled(const Product& product) {
    const std::int64_t first = points_[0].elements, value = product.values[0];
    if (first % value == 0 && first / value >= 1 && first / value < kMostConstant) {
      const std::int64_t factor = first / value;
      if (holds([&](std::size_t p) { return product.values[p] * factor; })) {
        std::vector<FormulaPtr> shape = product.factors;
        if (factor > 1) shape.push_back(number(static_cast<double>(factor)));
        offer(std::move(shape), product.cost + (factor > 1 ? 1 : 0));
      }
    }
    const std::int64_t beyond = first - value;
    if (beyond != 0 && std::abs(beyond) <= 4096 && holds([&](std::size_t p) { return product.values[p] + beyond; }))
      offer({beyond > 0 ? formula(Op::add, {whole(product), number(static_cast<double>(beyond))})
                        : formula(Op::subtract, {whole(product), number(static_cast<double>(-beyond))})},
            product.cost + 3);
  }

  /// M / c and cdiv(M, c)
  void quotients(const Product& product) {
    for (const std::int64_t c : {2, 4, 8, 16, 32, 64, 128, 256, 512, 1024}) {
      const FormulaPtr below = number(static_cast<double>(c));
      if (holds([&](std::size_t p) { return product.values[p] / c; }))
        offer({formula(Op::divide, {whole(product), below})}, product.cost + 3);
      if (holds([&](std::size_t p) { return (product.values[p] + c - 1) / c; }))
        offer({formula(Op::cdiv, {whole(product), below})}, product.cost + 3);
    }
  }

  /// M (A / B) and M cdiv(A, B): one for each group of B. B groups of A / B would be A, where B divides it.
  void ratios() {
    if (best_) return;
    for (std::size_t a = 0; a < singles_; ++a)
      for (std::size_t b = 0; b < singles_; ++b)
        for (const Op kind : {Op::divide, Op::cdiv})
          if (a != b && std::max(a, b) < bases_.size()) ratio(bases_[a], bases_[b], kind);
  }

  void ratio(const Product& above, const Product& below, Op kind) {
    std::vector<std::int64_t> groups;
    for (std::size_t p = 0; p < points_.size(); ++p)
      groups.push_back((above.values[p] + (kind == Op::cdiv ? below.values[p] - 1 : 0)) / below.values[p]);
    const FormulaPtr extent = formula(kind, {above.factors[0], below.factors[0]});
    const int cost = kind == Op::cdiv ? 6 : 5;
    if (holds([&](std::size_t p) { return groups[p]; })) offer({extent}, cost);
    for (const Product& product : products_) {
      const bool of_both = std::ranges::any_of(product.factors, [&](const FormulaPtr& factor) {
        return equal(*factor, *above.factors[0]) || equal(*factor, *below.factors[0]);
      });
      if (of_both || product.cost > 3 || !holds([&](std::size_t p) { return product.values[p] * groups[p]; })) continue;
      std::vector<FormulaPtr> shape = product.factors;
      shape.push_back(extent);
      offer(std::move(shape), cost + product.cost);
    }
  }

  /// (A - 1) B + C: A rows of C elements that lie B apart, or of C / 2 (cosines of half a head).
  void rows() {
    for (std::size_t a = 0; a < singles_; ++a)
      for (std::size_t b = 0; b < singles_; ++b)
        for (std::size_t c = 0; c < singles_; ++c) {
          if (b == c || b == a || a == c || std::max({a, b, c}) >= bases_.size()) continue;
          for (const std::int64_t part : {1, 2}) {
            if (!holds([&](std::size_t p) {
                  return (bases_[a].values[p] - 1) * bases_[b].values[p] + bases_[c].values[p] / part;
                }))
              continue;
            const FormulaPtr columns =
                part == 1 ? bases_[c].factors[0]
                          : formula(Op::divide, {bases_[c].factors[0], number(static_cast<double>(part))});
            offer({bases_[a].factors[0], columns}, part == 1 ? 6 : 7, {bases_[b].factors[0], number(1)});
          }
        }
  }

  /// (A1 A2 - 1) B + C: the same in several dimensions, as matrices of a batch with a leading dimension.
  void rows_of_products() {
    if (best_) return;
    for (const Product& rows : products_)
      for (std::size_t b = 0; b < singles_; ++b)
        for (std::size_t c = 0; c < singles_; ++c)
          if (rows.factors.size() > 1 && b != c && std::max(b, c) < bases_.size())
            rows_of_product(rows, bases_[b], bases_[c]);
  }

  void rows_of_product(const Product& rows, const Product& apart, const Product& columns) {
    const auto is_one_of_them = [&](const FormulaPtr& factor) {
      return factor->kind != Op::symbol || equal(*factor, *apart.factors[0]) || equal(*factor, *columns.factors[0]);
    };
    if (std::ranges::any_of(rows.factors, is_one_of_them)) return;
    if (!holds([&](std::size_t p) { return (rows.values[p] - 1) * apart.values[p] + columns.values[p]; })) return;
    std::vector<FormulaPtr> shape = rows.factors, strides;
    for (std::size_t i = 0; i < rows.factors.size(); ++i) {
      FormulaPtr stride = apart.factors[0];
      for (std::size_t k = i + 1; k < rows.factors.size(); ++k)
        stride = formula(Op::multiply, {rows.factors[k], stride});
      strides.push_back(stride);
    }
    shape.push_back(columns.factors[0]);
    strides.push_back(number(1));
    offer(std::move(shape), 7 + rows.cost, std::move(strides));
  }

  /// (A - 1) B + c: of each row that is B long only the first c elements (points of three coordinates).
  void short_rows() {
    if (best_) return;
    for (std::size_t a = 0; a < singles_; ++a)
      for (std::size_t b = 0; b < singles_; ++b) {
        if (a == b || std::max(a, b) >= bases_.size()) continue;
        const auto before_last = [&](std::size_t p) { return (bases_[a].values[p] - 1) * bases_[b].values[p]; };
        const std::int64_t few = points_[0].elements - before_last(0);
        if (few >= 1 && few <= kMostOfRow && holds([&](std::size_t p) { return before_last(p) + few; }))
          offer({bases_[a].factors[0], number(static_cast<double>(few))}, 7, {bases_[b].factors[0], number(1)});
      }
  }

  /// (A + a - 1) c + B + b: rows that lie c apart, as in x[i * PITCH + j]. A and B may be short of their sizes.
  void rows_apart() {
    if (best_) return;
    for (std::size_t a = 0; a < singles_; ++a)
      for (std::size_t b = 0; b < singles_; ++b)
        if (a != b) rows_apart(bases_[a], bases_[b]);
  }

  void rows_apart(const Product& rows, const Product& columns) {
    constexpr std::int64_t kMostShort = 4;
    const auto other = std::ranges::find_if(rows.values, [&](std::int64_t value) { return value != rows.values[0]; });
    const auto p = static_cast<std::size_t>(other - rows.values.begin());
    const auto beyond_columns = [&](std::size_t i) { return points_[i].elements - columns.values[i]; };
    const std::int64_t apart = beyond_columns(p) - beyond_columns(0), count = rows.values[p] - rows.values[0];
    if (apart % count != 0 || apart / count <= 1) return;
    const std::int64_t pitch = apart / count, rest = beyond_columns(0) - (rows.values[0] - 1) * pitch;
    const auto more_rows = static_cast<std::int64_t>(std::lround(static_cast<double>(rest) / pitch));
    const std::int64_t more_columns = rest - more_rows * pitch;
    if (std::max(std::abs(more_rows), std::abs(more_columns)) > kMostShort) return;
    if (!holds(
            [&](std::size_t i) { return (rows.values[i] + more_rows - 1) * pitch + columns.values[i] + more_columns; }))
      return;
    const auto with_more = [](const Product& size, std::int64_t more) {
      return formula(more < 0 ? Op::subtract : Op::add, {size.factors[0], number(static_cast<double>(std::abs(more)))});
    };
    offer({with_more(rows, more_rows), with_more(columns, more_columns)}, 7,
          {number(static_cast<double>(pitch)), number(1)});
  }

  /// M1 + M2
  void sums() {
    if (best_) return;
    for (std::size_t i = 0; i < products_.size(); ++i)
      for (std::size_t k = i + 1; k < products_.size(); ++k) {
        if (products_[i].cost + products_[k].cost > 5) continue;
        if (holds([&](std::size_t p) { return products_[i].values[p] + products_[k].values[p]; }))
          offer({formula(Op::add, {whole(products_[i]), whole(products_[k])})},
                products_[i].cost + products_[k].cost + 3);
      }
  }

  const std::vector<FitPoint>& points_;
  const std::vector<std::string>& symbols_;
  std::vector<FormulaPtr> pairs_;
  std::vector<Product> bases_, products_;
  std::size_t singles_ = 0;
  std::optional<Fitted> best_;
};

}  // namespace

std::optional<Fitted> fit(const std::vector<FitPoint>& points, const std::vector<std::string>& symbols,
                          const std::vector<FormulaPtr>& extra, const std::vector<FormulaPtr>& likely) {
  if (points.empty()) return std::nullopt;
  return Fit(points, symbols, extra, likely).best();
}

std::optional<Fitted> fit_bound(const std::vector<FitPoint>& points, const std::vector<std::string>& symbols) {
  if (points.size() < 8) return std::nullopt;
  return Fit(points, symbols, {}, {}).bound();
}

std::optional<std::int64_t> span_of(const Fitted& fitted, const Values& sizes) {
  std::int64_t span = 1, count = 1;
  for (std::size_t i = 0; i < fitted.shape.size(); ++i) {
    const auto extent = evaluate(*fitted.shape[i], sizes);
    if (!extent) return std::nullopt;
    count *= *extent;
    if (fitted.strides.empty()) continue;
    const auto stride = evaluate(*fitted.strides[i], sizes);
    if (!stride) return std::nullopt;
    span += (*extent - 1) * *stride;
  }
  return fitted.strides.empty() ? count : span;
}

}  // namespace harness::adopt
