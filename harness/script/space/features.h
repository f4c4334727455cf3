#pragma once
#include <string>
#include <utility>
#include <vector>

#include "harness/script/space/search_space.h"

namespace harness::script {

/// Points of a space as numbers that a model can learn from: a column for each parameter that varies (the rank of its
/// value: numbers ascending, others in the order of the manifest), the variant being one, and a column for each pair of
/// numeric parameters (the logarithm of their product: threads of a block, elements of a tile and bytes of shared
/// memory are products). Where a variant lacks a parameter the column is -1.
class SpaceFeatures {
 public:
  explicit SpaceFeatures(const SearchSpace& space);

  std::size_t width() const { return parameters_.size() + products_.size(); }
  void append(std::size_t point, std::vector<float>& cells) const;  // width() numbers more

  /// The same point as terms of a smooth function: 1, of each parameter its rank (from -1 to 1) and, where it has three
  /// values or more, the square of that, then the products of two ranks; where values have no order, 1 for the one
  /// held.
  std::size_t terms() const { return terms_; }
  void append_terms(std::size_t point, std::vector<double>& cells) const;

  /// How far apart two ranks of a parameter lie, 0 to 1: values without an order are alike or not.
  double apart(std::size_t parameter, float one, float other) const;

  std::size_t parameters() const { return parameters_.size(); }
  /// By parameter, the squares of the weights of its terms; those of a product count half to each.
  std::vector<double> shares_of(const std::vector<double>& weights) const;
  const std::string& name(std::size_t parameter) const { return parameters_[parameter].name; }
  /// The two parameters of a product: column parameters() + i.
  const std::vector<std::pair<std::size_t, std::size_t>>& products() const { return products_; }

 private:
  struct Source {  // of a parameter, in one variant
    std::size_t place = 0;
    std::vector<float> ranks, logarithms;  // by index of the value; empty where the variant lacks the parameter
  };
  struct Column {
    std::string name;
    bool positive = false;  // numbers > 0 everywhere, at least three of them
    bool ordered = false;   // numbers, or two values
    std::size_t values = 0;
    std::vector<Source> variants;  // of each variant
  };

  void add_column(const std::string& name);
  static std::size_t terms_of(const Column& column);
  double centred_rank(const Column& column, std::size_t variant, const std::uint16_t* places) const;
  const SearchSpace& space_;
  std::vector<Column> parameters_;
  std::vector<std::pair<std::size_t, std::size_t>> products_;
  std::vector<std::pair<std::size_t, std::size_t>> rank_products_;
  std::size_t terms_ = 1;
};

}  // namespace harness::script
