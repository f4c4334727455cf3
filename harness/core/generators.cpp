#include "harness/core/generators.h"

#include <algorithm>

namespace harness {

const std::vector<GeneratorKind>& generator_kinds() {
  using enum ConstructorOption::Kind;
  static const std::vector<GeneratorKind> kinds{
      // normal {mean = 0, std = 1, scale = 1}: scale * (mean + std * z), z as harness::random::normal (|z| < 4.9)
      {.name = "normal", .options = {{"mean"}, {"std"}, {"scale"}}, .independent = true, .has_forms = true},
      // uniform {lo = 0, hi = 1}: in [lo, hi)
      {.name = "uniform", .options = {{"lo"}, {"hi"}}, .independent = true, .has_forms = true},
      // integers {lo, hi}: both included
      {.name = "integers", .options = {{"lo", number, true}, {"hi", number, true}}, .independent = true},
      // permutation {n = all}: every n elements are 0 .. n-1 in random order
      {.name = "permutation", .options = {{"n"}}},
      // ragged {lo = 1, hi, mean, total, capacity}: lengths in [lo, hi], or in [mean/2, 3 mean/2]; their sum is exactly
      // `total`, or at most `capacity`
      {.name = "ragged", .options = {{"lo"}, {"hi"}, {"mean"}, {"total"}, {"capacity"}}},
      // prefix_sum {of}: sums of the elements of `of` before each place, the first 0
      {.name = "prefix_sum", .options = {{"of", argument, true}}},
      // block_table {lengths, block, blocks, unused = "minus_one"}: shape [sequences, most blocks of one]; for each
      // sequence ceil(length / block) blocks, no two the same in the whole table; the rest are -1, or with unused =
      // "valid" blocks of the pool that nobody owns if any
      {.name = "block_table",
       .options = {{"lengths", argument, true}, {"block", number, true}, {"blocks", number, true}, {"unused", text}}},
      // routing {experts, k = last extent, skew = 0, empty = 0}: shape [tokens, k]; k different experts for each token,
      // probability ~ 1 / rank^skew (skew in steps of 1/8), `empty` experts never
      {.name = "routing", .options = {{"experts", number, true}, {"k"}, {"skew"}, {"empty"}}},
      // mask {density = 0.5}: 1 with this probability, else 0
      {.name = "mask", .options = {{"density"}}, .independent = true},
      // constant {value}: at most 16 elements, since constant data hides errors
      {.name = "constant", .options = {{"value", number, true}}},
      // custom {source, entry, threads, of}: a launch of the kernel's own trusted code, which may read the inputs `of`
      // (judge/custom.h)
      {.name = "custom",
       .options = {{"source", text, true}, {"entry", text, true}, {"threads"}, {"of", arguments}},
       .own_code = true},
  };
  return kinds;
}

const GeneratorKind* find_generator(const std::string& name) {
  const auto found = std::ranges::find(generator_kinds(), name, &GeneratorKind::name);
  return found == generator_kinds().end() ? nullptr : &*found;
}

const std::vector<std::string>& draw_form_names() {
  static const std::vector<std::string> names{
      "nominal", "scaled 1e-2",   "scaled 1e2",  "large", "spikes",    "few spikes", "shifted", "lowered", "one-hot",
      "ramp",    "constant rows", "wide spikes", "ends",  "denormals", "infinities", "nans",    "ties",    "sorted"};
  return names;
}

std::vector<std::string> generator_names() {
  std::vector<std::string> names;
  for (const GeneratorKind& kind : generator_kinds()) names.push_back(kind.name);
  return names;
}

}  // namespace harness
