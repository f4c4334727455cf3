#include "harness/judge/mutants.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>

#include "harness/judge/elements.h"
#include "harness/judge/indexing.h"
#include "harness/judge/output.h"

namespace harness::judge {
namespace {

constexpr std::int64_t kTile = 16;

/// An output's elements in an image, addressed by their place in row-major order.
class Elements {
 public:
  Elements(const MutantSources& sources, const Argument& output, std::vector<std::byte>& image)
      : argument_(output),
        indexer_(output),
        bytes_(storage_bytes(output.dtype)),
        data_(payload(sources.layout, output.name, std::span(image)).data()),
        poison_(payload(sources.layout, output.name, sources.painted).data()),
        judged_(sources.problem, sources.layout, sources.painted, sources.painted, output,
                sources.right.at(output.name)) {}

  std::int64_t count() const { return indexer_.count(); }
  std::int64_t rows() const { return indexer_.rows(); }
  std::int64_t columns() const { return indexer_.row_length(); }
  bool overlapping() const { return indexer_.overlapping(); }
  /// Nothing is ever written outside the valid rows of a ragged output.
  void write(std::int64_t logical, double value) {
    if (judged_.valid(logical)) store_rounded(argument_.dtype, unit(data_, logical), value);
  }
  /// Takes a launch's answer: integers exactly.
  void take(std::int64_t logical, const ReferenceArray& values, std::int64_t from) {
    if (!judged_.valid(logical)) return;
    if (is_floating(argument_.dtype)) write(logical, values.values[static_cast<std::size_t>(from)]);
    else std::memcpy(unit(data_, logical), values.raw.data() + from * bytes_, static_cast<std::size_t>(bytes_));
  }
  void leave_unwritten(std::int64_t logical) {
    std::memcpy(unit(data_, logical), unit(poison_, logical), static_cast<std::size_t>(bytes_));
  }

 private:
  template <typename Byte>
  Byte* unit(Byte* data, std::int64_t logical) const {
    return data + indexer_.offset(logical) * bytes_;
  }
  const Argument& argument_;
  Indexer indexer_;
  std::int64_t bytes_;
  std::byte* data_;
  const std::byte* poison_;
  Output judged_;
};

struct Mutation {
  const MutantSources& sources;
  const Argument& output;
  const ReferenceArray& right;
  Elements elements;
};

/// f(i) for every element, on several threads; of elements that share storage the last one stays.
template <typename F>
void for_all(const Mutation& m, F f) {
  const std::int64_t count = m.elements.count();
  parallel_ranges(count, m.elements.overlapping() ? 1 : threads_for(count), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) f(i);
  });
}

template <typename Value>
void fill(Mutation& m, Value value) {
  for_all(m, [&](std::int64_t i) { m.elements.write(i, value(i)); });
}

void take_all(Mutation& m, const ReferenceValues& values) {
  const ReferenceArray& array = values.at(m.output.name);
  for_all(m, [&](std::int64_t i) { m.elements.take(i, array, i); });
}

/// The elements of the first input tensor, again and again.
void identity(Mutation& m) {
  const auto& arguments = m.sources.problem.arguments;
  const auto input = std::find_if(arguments.begin(), arguments.end(),
                                  [](const Argument& a) { return is_drawn(a) && count_elements(a) > 0; });
  if (input == arguments.end()) return;
  const Indexer indexer(*input);
  const std::byte* data = payload(m.sources.layout, input->name, m.sources.painted).data();
  fill(m, [&](std::int64_t i) {
    return load_as_double(input->dtype, data + indexer.offset(i % indexer.count()) * storage_bytes(input->dtype));
  });
}

/// The cleverest constant: the mean.
void constant(Mutation& m) {
  double sum = 0;
  std::int64_t count = 0;
  for (const double value : m.right.values) {
    if (!std::isfinite(value)) continue;
    sum += value;
    ++count;
  }
  const double mean = count == 0 ? 0 : sum / static_cast<double>(count);
  fill(m, [mean](std::int64_t) { return mean; });
}

void lower_precision(Mutation& m) {
  const int bits = impostor_bits(m.output);
  const ReferenceArray& impostor = m.sources.impostor.at(m.output.name);
  if (bits == 0) take_all(m, m.sources.impostor);
  else fill(m, [&](std::int64_t i) { return round_to_bits(impostor.values[static_cast<std::size_t>(i)], bits); });
}

/// Swaps rows and columns of one tile of the last two extents; of a vector, it turns a tile around.
void transpose_tile(Mutation& m) {
  const std::int64_t columns = m.elements.columns();
  const bool matrix = m.output.shape.size() >= 2 && m.output.shape[m.output.shape.size() - 2] > 1 && columns > 1;
  if (!matrix) {
    const std::int64_t n = std::min(kTile, m.elements.count());
    for (std::int64_t i = 0; i < n; ++i) m.elements.take(i, m.right, n - 1 - i);
    return;
  }
  const std::int64_t n = std::min({kTile, columns, m.output.shape[m.output.shape.size() - 2]});
  for (std::int64_t row = 0; row < n; ++row) {
    for (std::int64_t column = 0; column < n; ++column)
      m.elements.take(row * columns + column, m.right, column * columns + row);
  }
}

template <typename Unwritten>
void leave(Mutation& m, Unwritten unwritten) {
  for_all(m, [&](std::int64_t i) {
    if (unwritten(i / m.elements.columns(), i % m.elements.columns())) m.elements.leave_unwritten(i);
  });
}

void leave_last_row(Mutation& m) {
  const std::int64_t rows = m.elements.rows();
  leave(m, [rows](std::int64_t row, std::int64_t) { return row == rows - 1; });
}

void leave_last_column(Mutation& m) {
  const std::int64_t columns = m.elements.columns();
  leave(m, [columns](std::int64_t, std::int64_t column) { return column == columns - 1; });
}

void leave_second_half(Mutation& m) {
  const std::int64_t columns = m.elements.columns(), half = m.elements.count() / 2;
  leave(m, [=](std::int64_t row, std::int64_t column) { return row * columns + column >= half; });
}

struct Recipe {
  std::string name;
  std::function<void(Mutation&)> apply;
};

const std::vector<Recipe>& recipes() {
  static const std::vector<Recipe> kRecipes{
      {"all zeros", [](Mutation& m) { fill(m, [](std::int64_t) { return 0.0; }); }},
      {"identity", identity},
      {"constant", constant},
      {"previous output", [](Mutation& m) { take_all(m, m.sources.previous); }},
      {"inputs of another draw", [](Mutation& m) { take_all(m, m.sources.other); }},
      {"partly written", leave_second_half},
      {"one precision lower", lower_precision},
      {"scaled by 1.01",
       [](Mutation& m) {
         fill(m, [&](std::int64_t i) { return 1.01 * m.right.values[static_cast<std::size_t>(i)]; });
       }},
      {"transposed tile", transpose_tile},
      {"last row missing", leave_last_row},
      {"last column missing", leave_last_column},
  };
  return kRecipes;
}

}  // namespace

const std::vector<std::string>& mutant_names() {
  static const std::vector<std::string> kNames = [] {
    std::vector<std::string> names;
    for (const Recipe& recipe : recipes()) names.push_back(recipe.name);
    return names;
  }();
  return kNames;
}

std::vector<std::byte> honest_image(const MutantSources& sources) {
  std::vector<std::byte> image(sources.painted.begin(), sources.painted.end());
  for (const Argument& output : sources.problem.arguments) {
    if (!is_judged(output)) continue;
    Mutation m{sources, output, sources.right.at(output.name), Elements(sources, output, image)};
    take_all(m, sources.right);
  }
  return image;
}

std::optional<std::vector<std::byte>> mutant_image(const MutantSources& sources, const std::vector<std::byte>& honest,
                                                   const std::string& mutant, const Argument& output) {
  const auto recipe =
      std::find_if(recipes().begin(), recipes().end(), [&](const Recipe& r) { return r.name == mutant; });
  if (recipe == recipes().end()) return std::nullopt;
  std::vector<std::byte> image = honest;
  Mutation m{sources, output, sources.right.at(output.name), Elements(sources, output, image)};
  recipe->apply(m);
  if (image == honest) return std::nullopt;
  return image;
}

int impostor_bits(const Argument& argument) {
  if (!is_floating(argument.dtype)) return 0;
  if (argument.compare) {
    if (const int declared = argument.compare->options.value("impostor_bits", 0); declared > 0) return declared;
  }
  switch (argument.dtype) {
    case Dtype::f64:
      return 23;
    case Dtype::f32:
      return 10;
    case Dtype::f16:
      return 7;
    case Dtype::bf16:
      return 3;
    case Dtype::e4m3:
      return 2;
    default:
      return 1;
  }
}

double round_to_bits(double value, int mantissa_bits) {
  if (value == 0 || !std::isfinite(value)) return value;
  int exponent = 0;
  const double fraction = std::frexp(value, &exponent);  // in [0.5, 1)
  const double scale = std::ldexp(1.0, mantissa_bits + 1);
  return std::ldexp(std::nearbyint(fraction * scale) / scale, exponent);
}

void round_inputs(const Problem& problem, const ImageLayout& layout, std::span<std::byte> image) {
  for (const Argument& a : problem.arguments) {
    if (!is_drawn(a) || !is_floating(a.dtype)) continue;
    const Indexer indexer(a);
    std::byte* data = payload(layout, a.name, image).data();
    const int bits = impostor_bits(a), bytes = storage_bytes(a.dtype);
    indexer.for_elements(0, indexer.count(), [&](std::int64_t, std::int64_t storage) {
      std::byte* unit = data + storage * bytes;
      store_rounded(a.dtype, unit, round_to_bits(load_as_double(a.dtype, unit), bits));
    });
  }
}

}  // namespace harness::judge
