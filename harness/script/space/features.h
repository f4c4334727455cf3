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

  std::size_t parameters() const { return parameters_.size(); }
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
    bool positive = false;         // numbers > 0 everywhere, at least three of them
    std::vector<Source> variants;  // of each variant
  };

  void add_column(const std::string& name);
  const SearchSpace& space_;
  std::vector<Column> parameters_;
  std::vector<std::pair<std::size_t, std::size_t>> products_;
};

}  // namespace harness::script
