#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "harness/core/error.h"
#include "harness/judge/generators.h"
#include "harness/judge/indexing.h"
#include "harness/judge/integer_forms.h"
#include "kernels/include/harness/random.cuh"

namespace harness::judge {
namespace {

std::uint64_t stream_of(const GeneratorOptions& options, const char* purpose = "") {
  return random::stream_of((options.argument().name + purpose).c_str());
}

void check_range(const GeneratorOptions& options, std::int64_t lo, std::int64_t hi) {
  if (lo > hi)
    throw bad_input(fmt::format("the generator of '{}' has lo {} above hi {}", options.argument().name, lo, hi));
}

/// Moves every length the same share of its way to lo (or hi) and the rest one by one, until the sum is `total`.
void rescale(std::vector<std::int64_t>& lengths, std::int64_t lo, std::int64_t hi, std::int64_t total) {
  const auto count = static_cast<std::int64_t>(lengths.size());
  const std::int64_t sum = std::accumulate(lengths.begin(), lengths.end(), std::int64_t{0});
  if (sum == total) return;
  const bool shrink = sum > total;
  const std::int64_t way = shrink ? sum - count * lo : count * hi - sum;
  const std::int64_t keep = shrink ? total - count * lo : count * hi - total;
  std::int64_t reached = 0;
  for (std::int64_t& length : lengths) {
    length = shrink ? lo + (length - lo) * keep / way : hi - (hi - length) * keep / way;
    reached += length;
  }
  for (std::size_t i = 0; reached != total; i = (i + 1) % lengths.size()) {
    const std::int64_t step = reached < total ? 1 : -1;
    if (lengths[i] + step < lo || lengths[i] + step > hi) continue;
    lengths[i] += step;
    reached += step;
  }
}

/// 1 / rank^skew as an integer weight, by correctly rounded operations only; skew counts eighths.
std::vector<std::uint64_t> zipf_weights(std::int64_t experts, std::int64_t empty, std::int64_t eighths) {
  std::vector<std::uint64_t> weights(experts, 0);
  for (std::int64_t rank = 0; rank < experts - empty; ++rank) {
    const double root = std::sqrt(std::sqrt(std::sqrt(static_cast<double>(rank + 1))));
    double weight = 4294967296.0;
    for (std::int64_t i = 0; i < eighths; ++i) weight /= root;
    weights[rank] = std::max<std::uint64_t>(1, static_cast<std::uint64_t>(weight));
  }
  return weights;
}

/// k different ranks, each drawn with the weights of those that are left.
void route_token(std::vector<std::uint64_t> weights, std::uint64_t seed, std::uint64_t stream, std::uint64_t token,
                 std::span<std::int64_t> chosen) {
  std::uint64_t left = std::accumulate(weights.begin(), weights.end(), std::uint64_t{0});
  for (std::size_t slot = 0; slot < chosen.size(); ++slot) {
    std::uint64_t point = random::below(random::words(seed, stream, token * chosen.size() + slot), left);
    std::size_t rank = 0;
    while (point >= weights[rank]) point -= weights[rank++];
    left -= weights[rank];
    weights[rank] = 0;
    chosen[slot] = static_cast<std::int64_t>(rank);
  }
}

/// 0 .. n-1 in random order.
std::vector<std::int64_t> shuffled(std::uint64_t seed, std::uint64_t stream, std::int64_t n,
                                   std::uint64_t first_element) {
  std::vector<std::int64_t> order(n);
  std::iota(order.begin(), order.end(), 0);
  for (std::int64_t i = n - 1; i > 0; --i) {
    const auto other = random::below(random::words(seed, stream, first_element + i), i + 1);
    std::swap(order[i], order[other]);
  }
  return order;
}

std::vector<std::int64_t> draw_integers(const IntegerDraw& draw) {
  const GeneratorOptions& options = draw.options;
  const std::int64_t lo = options.integer("lo", 0), hi = options.integer("hi", 127);
  check_range(options, lo, hi);
  const std::uint64_t range = static_cast<std::uint64_t>(hi) - static_cast<std::uint64_t>(lo) + 1;
  const std::uint64_t stream = stream_of(options);
  std::vector<std::int64_t> values(draw.count);
  parallel_ranges(draw.count, draw.threads, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      values[i] = static_cast<std::int64_t>(static_cast<std::uint64_t>(lo) +
                                            random::below(random::words(draw.seed, stream, i), range));
    }
  });
  arrange_integers(values, draw.last_extent, lo, hi, draw.form, draw.seed ^ stream);
  return values;
}

std::vector<std::int64_t> draw_permutation(const IntegerDraw& draw) {
  const GeneratorOptions& options = draw.options;
  const std::int64_t n = options.integer("n", draw.count);
  if (n <= 0 || draw.count % n != 0) {
    throw bad_input(fmt::format("'{}' has {} elements, which is no multiple of its permutation's n = {}",
                                options.argument().name, draw.count, n));
  }
  std::vector<std::int64_t> values;
  values.reserve(draw.count);
  for (std::int64_t first = 0; first < draw.count; first += n) {
    const auto order = shuffled(draw.seed, stream_of(options), n, first);
    values.insert(values.end(), order.begin(), order.end());
  }
  return values;
}

std::vector<std::int64_t> draw_ragged(const IntegerDraw& draw) {
  const GeneratorOptions& options = draw.options;
  const std::int64_t mean = options.integer("mean", 0);
  const std::int64_t lo = options.integer("lo", mean > 0 ? (mean + 1) / 2 : 1);
  const std::int64_t hi = options.has("hi") || mean == 0 ? options.required("hi") : mean + mean / 2;
  check_range(options, lo, hi);
  std::vector<std::int64_t> lengths(draw.count);
  for (std::int64_t i = 0; i < draw.count; ++i) {
    lengths[i] =
        lo + static_cast<std::int64_t>(random::below(random::words(draw.seed, stream_of(options), i), hi - lo + 1));
  }
  arrange_lengths(lengths, lo, hi, draw.form, draw.seed);
  const std::int64_t sum = std::accumulate(lengths.begin(), lengths.end(), std::int64_t{0});
  const std::int64_t total = options.integer("total", std::min(sum, options.integer("capacity", sum)));
  if (total < draw.count * lo || total > draw.count * hi) {
    throw bad_input(fmt::format("'{}' cannot have {} lengths from {} to {} with a sum of {}", options.argument().name,
                                draw.count, lo, hi, total));
  }
  rescale(lengths, lo, hi, total);
  return lengths;
}

std::vector<std::int64_t> draw_prefix_sum(const IntegerDraw& draw) {
  const std::vector<std::int64_t> of = draw.other("of");
  std::vector<std::int64_t> sums(draw.count, 0);
  for (std::int64_t i = 1; i < draw.count; ++i) {
    const auto before = static_cast<std::size_t>(i - 1);
    sums[i] = sums[i - 1] + (before < of.size() ? of[before] : 0);
  }
  return sums;
}

std::vector<std::int64_t> draw_block_table(const IntegerDraw& draw) {
  const GeneratorOptions& options = draw.options;
  const std::vector<std::int64_t> lengths = draw.other("lengths");
  const std::int64_t block = options.required("block");
  const std::int64_t blocks = options.required("blocks");
  const auto sequences = static_cast<std::int64_t>(lengths.size());
  const std::int64_t most = sequences == 0 ? 0 : draw.count / sequences;
  const std::string unused = options.text("unused", "minus_one");
  if (block <= 0 || sequences == 0 || most * sequences != draw.count || (unused != "minus_one" && unused != "valid")) {
    throw bad_input(
        fmt::format("block table '{}' of {} entries does not fit {} sequences; give it the shape "
                    "{{sequences, blocks}}, a positive block and unused = \"minus_one\" or \"valid\"",
                    options.argument().name, draw.count, sequences));
  }
  const auto pool = shuffled(draw.seed, stream_of(options), blocks, 0);
  std::vector<std::int64_t> table(draw.count, -1);
  std::int64_t next = 0;
  for (std::int64_t s = 0; s < sequences; ++s) {
    const std::int64_t need = (lengths[s] + block - 1) / block;
    if (need > most || next + need > blocks) {
      throw bad_input(
          fmt::format("block table '{}' has room for {} blocks a sequence in a pool of {}, and sequence {} "
                      "needs {} more after {}; raise them or shorten the lengths",
                      options.argument().name, most, blocks, s, need, next));
    }
    for (std::int64_t j = 0; j < need; ++j) table[s * most + j] = pool[next++];
  }
  if (unused == "valid") {
    const std::int64_t first_free = next < blocks ? next : 0;
    const auto free = static_cast<std::uint64_t>(blocks - first_free);
    for (std::int64_t i = 0; i < draw.count; ++i) {
      if (table[i] < 0)
        table[i] = pool[first_free + random::below(random::words(draw.seed, stream_of(options, ":unused"), i), free)];
    }
  }
  return table;
}

std::vector<std::int64_t> draw_routing(const IntegerDraw& draw) {
  const GeneratorOptions& options = draw.options;
  const std::int64_t experts = options.required("experts"), k = options.integer("k", draw.last_extent);
  const std::int64_t empty = options.integer("empty", 0);
  // One expert, or a few, gets nearly all.
  const bool skewed = draw.form == "spikes" || draw.form == "few spikes" || draw.form == "one-hot";
  const double skew = skewed ? 4 : options.number("skew", 0);
  if (k <= 0 || empty < 0 || experts - empty < k || draw.count % k != 0 || !(skew >= 0 && skew <= 4)) {
    throw bad_input(
        fmt::format("'{}' cannot route {} entries to {} of {} experts with {} empty and skew {}; use at least k "
                    "experts that are not empty and a skew from 0 to 4",
                    options.argument().name, draw.count, k, experts, empty, skew));
  }
  const auto weights = zipf_weights(experts, empty, std::lround(8 * skew));
  const auto by_rank = shuffled(draw.seed, stream_of(options, ":experts"), experts, 0);
  const std::uint64_t stream = stream_of(options);
  std::vector<std::int64_t> chosen(draw.count);
  parallel_ranges(draw.count / k, draw.threads, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t token = begin; token < end; ++token) {
      const std::span<std::int64_t> slots(chosen.data() + token * k, k);
      route_token(weights, draw.seed, stream, token, slots);
      for (std::int64_t& slot : slots) slot = by_rank[slot];
    }
  });
  return chosen;
}

constexpr std::pair<const char*, DrawIntegers> kIntegerGenerators[] = {
    {"integers", draw_integers},     {"permutation", draw_permutation}, {"ragged", draw_ragged},
    {"prefix_sum", draw_prefix_sum}, {"block_table", draw_block_table}, {"routing", draw_routing}};

}  // namespace

DrawIntegers integer_generator(const std::string& kind) {
  for (const auto& [name, draw] : kIntegerGenerators)
    if (name == kind) return draw;
  return nullptr;
}

}  // namespace harness::judge
