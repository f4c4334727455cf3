#include "harness/judge/draw.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "harness/core/error.h"
#include "harness/core/generators.h"
#include "harness/judge/elements.h"
#include "harness/judge/forms.h"
#include "harness/judge/generators.h"
#include "harness/judge/indexing.h"
#include "harness/judge/integer_forms.h"
#include "harness/judge/random_words.h"

namespace harness::judge {
namespace {

class Draw {
 public:
  Draw(const Problem& problem, const ImageLayout& layout, std::uint64_t seed, std::span<std::byte> image,
       const DrawOptions& options)
      : problem_(problem), layout_(layout), seed_(seed), image_(image), options_(options) {}

  /// After the argument it depends on.
  void argument(const Argument& a) {
    if (done_.contains(a.name)) return;
    if (!a.gen) throw bad_input(fmt::format("argument '{}' is an input without a generator; give it a `gen`", a.name));
    if (!started_.insert(a.name).second) {
      throw bad_input(fmt::format("the generator of '{}' depends on itself; break the circle", a.name));
    }
    const GeneratorKind* kind = find_generator(a.gen->kind);
    if (kind == nullptr) {
      throw bad_input(fmt::format("argument '{}' has the unknown generator '{}'; use one of: {}", a.name, a.gen->kind,
                                  fmt::join(generator_names(), ", ")));
    }
    if (!kind->own_code) draw(a);
    done_.insert(a.name);
  }

 private:
  void draw(const Argument& a) {
    const GeneratorOptions options(problem_, a);
    const std::uint64_t seed = seed_of(a);
    if (const DrawElements draw = element_generator(a.gen->kind)) {
      const ElementValues nominal = draw(options, seed, random::stream_of(a.name.c_str()));
      return fill(a, in_form(nominal, a, seed, options_.form));
    }
    fill(a, integer_generator(a.gen->kind)({
                .options = options,
                .seed = seed,
                .count = count_elements(a),
                .last_extent = a.shape.empty() ? 1 : a.shape.back(),
                .threads = options_.threads,
                .form = options_.form,
                .other = [&](const std::string& option) { return other(a, options, option); },
            }));
  }

  std::uint64_t seed_of(const Argument& a) const {
    const ImageBuffer* buffer = options_.fresh ? find_buffer(layout_, a.name) : nullptr;
    if (buffer != nullptr && buffer->draw) return options_.fresh->values;
    return judge::seed_of(layout_, a, seed_, options_.constants);
  }

  std::vector<std::int64_t> other(const Argument& a, const GeneratorOptions& options, const std::string& key) {
    const std::string name = options.text(key, "");
    const Argument* input = find_argument(problem_, name);
    if (input == nullptr || !is_drawn(*input) || is_floating(input->dtype)) {
      throw bad_input(
          fmt::format("option '{}' of the generator of '{}' must name an integer input, not '{}'", key, a.name, name));
    }
    argument(*input);
    return load_integers(*input, layout_, image_);
  }

  void fill(const Argument& a, const ElementValues& values) {
    fill_elements(Indexer(a), a.dtype, payload(layout_, a.name, image_), options_.threads, values);
  }

  void fill(const Argument& a, const std::vector<std::int64_t>& values) {
    const Indexer indexer(a);
    std::byte* const data = payload(layout_, a.name, image_).data();
    const int bytes = storage_bytes(a.dtype);
    // Elements that share storage are written in order, by one thread: the last one stays.
    parallel_ranges(indexer.count(), indexer.overlapping() ? 1 : options_.threads,
                    [&](std::int64_t begin, std::int64_t end) {
                      indexer.for_elements(begin, end, [&](std::int64_t logical, std::int64_t storage) {
                        store_integer(a.dtype, data + storage * bytes, values[logical]);
                      });
                    });
  }

  const Problem& problem_;
  const ImageLayout& layout_;
  std::uint64_t seed_;
  std::span<std::byte> image_;
  const DrawOptions& options_;
  std::set<std::string> started_, done_;
};

}  // namespace

void draw_inputs(const Problem& problem, const ImageLayout& layout, std::uint64_t seed, std::span<std::byte> image,
                 const DrawOptions& options) {
  if (!is_form(options.form)) {
    throw bad_input(
        fmt::format("'{}' is no form of a draw; use one of: {}", options.form, fmt::join(draw_forms(), ", ")));
  }
  Draw draw(problem, layout, seed, image, options);
  for (const Argument& a : problem.arguments) {
    if (!is_drawn(a)) continue;
    if (!options.rest || !device_draws(layout, a, options.form)) draw.argument(a);
  }
}

bool device_draws(const ImageLayout& layout, const Argument& argument, const std::string& form) {
  const ImageBuffer* const buffer = find_buffer(layout, argument.name);
  if (buffer == nullptr || !buffer->draw) return false;
  return form == "nominal" || (!form_change(form, argument) && !has_integer_forms(argument));
}

DrawnSample sample_draw(const Problem& problem, const ImageLayout& layout, const Argument& a, std::uint64_t seed,
                        const std::string& form) {
  constexpr std::uint64_t kSampled = 64;
  constexpr std::int64_t kMostIntegers = 4096;  // these are drawn from the first one on
  const GeneratorOptions options(problem, a);
  const Indexer indexer(a);
  const DrawElements draw = element_generator(a.gen->kind);
  const std::int64_t count = draw != nullptr ? indexer.count() : std::min(indexer.count(), kMostIntegers);
  const std::uint64_t stream = random::stream_of(a.name.c_str());
  std::vector<std::int64_t> integers;
  if (draw == nullptr)
    integers = integer_generator(a.gen->kind)(
        {.options = options, .seed = seed, .count = count, .last_extent = 1, .threads = 1, .other = {}});
  DrawnSample sample;
  for (std::uint64_t i = 0; i < kSampled; ++i) {
    const auto logical = random::below(random::words(seed, ~stream, i), static_cast<std::uint64_t>(count));
    std::uint64_t unit = 0;
    if (draw != nullptr) {
      double value = 0;
      in_form(draw(options, seed, stream), a, seed, form)(logical, std::span(&value, 1));
      store_rounded(a.dtype, &unit, value);
    } else {
      store_integer(a.dtype, reinterpret_cast<std::byte*>(&unit), integers[logical]);
    }
    sample.places.push_back(find_buffer(layout, a.name)->offset +
                            indexer.offset(static_cast<std::int64_t>(logical)) * storage_bytes(a.dtype));
    sample.bits.push_back(unit);
  }
  return sample;
}

std::uint64_t seed_of(const ImageLayout& layout, const Argument& a, std::uint64_t seed,
                      const std::optional<std::uint64_t>& constants) {
  const ImageBuffer* const buffer = constants ? find_buffer(layout, a.name) : nullptr;
  return buffer != nullptr && buffer->constant ? *constants : seed;
}

std::vector<std::string> needs_custom_draw(const Problem& problem) {
  std::vector<std::string> names;
  for (const Argument& a : problem.arguments) {
    if (is_drawn(a) && a.gen && a.gen->kind == "custom") names.push_back(a.name);
  }
  return names;
}

}  // namespace harness::judge
