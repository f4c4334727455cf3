#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/core/strategy.h"

namespace harness::script {

/// All points of an arm's variants under one numbering from 0, variants in order. Flat and indexed on demand: spaces of
/// a million points are searched without ever becoming Lua tables.
class SearchSpace {
 public:
  struct Variant {
    std::string name;
    std::vector<Parameter> parameters;
    std::size_t first = 0, count = 0;  // its points are first .. first + count - 1
    std::vector<std::uint16_t> cells;  // count x parameters: indices into the parameters' values
  };

  explicit SearchSpace(const ArmSpace& space);

  std::size_t size() const { return size_; }
  const std::vector<Variant>& variants() const { return variants_; }
  const Variant& variant_of(std::size_t point) const { return variants_[variant_index(point)]; }
  const std::uint16_t* cells_of(std::size_t point) const;
  const Value& value(std::size_t point, std::size_t parameter) const;
  std::pair<std::string, Config> configuration(std::size_t point) const;

  /// The point of a configuration; nullopt: it is not in the space, and `why` says what is wrong, with the nearest
  /// name.
  std::optional<std::size_t> find(const std::string& variant, const Config& config, std::string& why) const;

  /// Valid points that differ in one parameter, ascending by parameter, then by value; then for each other variant the
  /// point that agrees in all parameters of equal name, or its first point where there is none.
  std::vector<std::size_t> neighbours(std::size_t point) const;

 private:
  using Entry = std::pair<std::uint64_t, std::uint32_t>;  // hash of the cells, point within the variant

  std::size_t variant_index(std::size_t point) const;
  std::optional<std::size_t> find_cells(std::size_t variant, const std::uint16_t* cells) const;
  std::size_t counterpart(std::size_t point, std::size_t variant) const;
  const std::vector<Entry>& index_of(std::size_t variant) const;

  std::vector<Variant> variants_;
  std::size_t size_ = 0;
  mutable std::vector<std::vector<Entry>> indexes_;  // sorted by hash; empty until first used
};

}  // namespace harness::script
