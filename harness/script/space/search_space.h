#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "harness/core/strategy.h"

namespace harness::script {

/// All points of an arm's variants under one numbering from 0, variants in order. Flat and indexed on demand: spaces of
/// a million points are searched without ever becoming Lua tables. Points of variants that are too large to list are
/// numbered as they are met, after those that are listed.
class SearchSpace {
 public:
  struct Variant {
    std::string name;
    std::vector<Parameter> parameters;
    std::size_t first = 0, count = 0;       // its points are first .. first + count - 1
    std::size_t start = 0;                  // of them, the one to begin with
    std::vector<std::size_t> later_starts;  // and what the author would try after it, in order
    std::vector<std::uint16_t> cells;       // of its known points: indices into the parameters' values
    std::shared_ptr<SpaceOracle> rest;      // set: too large to list
  };

  explicit SearchSpace(const ArmSpace& space);

  /// All points are known, and numbered below size().
  bool listed() const { return listed_; }
  std::size_t size() const { return listed_size_ + met_.size(); }  // points known so far
  bool empty() const { return size() == 0; }
  const std::vector<Variant>& variants() const { return variants_; }
  const Variant& variant_of(std::size_t point) const { return variants_[variant_index(point)]; }
  std::size_t variant_index(std::size_t point) const;
  const std::uint16_t* cells_of(std::size_t point) const;
  const Value& value(std::size_t point, std::size_t parameter) const;
  std::pair<std::string, Config> configuration(std::size_t point) const;

  /// The point of a configuration; nullopt: it is not in the space, and `why` says what is wrong, with the nearest
  /// name.
  std::optional<std::size_t> find(const std::string& variant, const Config& config, std::string& why) const;

  /// Uniform over what is listed; else some point of a variant drawn uniformly. `below(n)` draws from 0 to n - 1.
  std::size_t random(const std::function<std::uint64_t(std::uint64_t)>& below) const;

  /// Valid points that differ in one parameter, ascending by parameter, then by value; then for each other variant the
  /// point that agrees in all parameters of equal name, or its first point where there is none.
  std::vector<std::size_t> neighbours(std::size_t point) const;

 private:
  struct Met {
    std::uint32_t variant = 0, place = 0;
  };
  std::size_t number(std::size_t variant, const std::uint16_t* cells) const;
  using Entry = std::pair<std::uint64_t, std::uint32_t>;  // hash of the cells, point within the variant

  std::optional<std::size_t> find_cells(std::size_t variant, const std::uint16_t* cells) const;
  std::size_t counterpart(std::size_t point, std::size_t variant) const;
  const std::vector<Entry>& index_of(std::size_t variant) const;

  mutable std::vector<Variant> variants_;  // known points are added to those that are not listed
  std::size_t listed_size_ = 0;
  bool listed_ = true;
  mutable std::vector<Met> met_;
  mutable std::unordered_map<std::string, std::size_t> numbers_;  // variant and cells, packed -> point
  mutable std::vector<std::vector<Entry>> indexes_;               // sorted by hash; empty until first used
};

}  // namespace harness::script
