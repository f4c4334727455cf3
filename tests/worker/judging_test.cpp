#include <fmt/format.h>

#include <catch2/catch.hpp>
#include <cmath>
#include <cstring>
#include <limits>

#include "harness/device/cpu/compile/compiler.h"
#include "harness/device/cpu/session.h"
#include "harness/device/cuda/judge/comparison_table.h"
#include "harness/device/cuda/judge/judging_source.h"
#include "harness/device/cuda/run/set_tables.h"
#include "harness/judge/forms.h"
#include "harness/judge/launch_judgement.h"
#include "harness/judge/measure.h"
#include "tests/judge/launched.h"
#include "tests/support/program.h"

// The device code that paints and compares for the judge, run by the cpu device, against the judge itself.
using namespace harness;
using namespace harness::judge;

namespace {

Argument compared(Argument a, std::string kind, double tolerance, json options = json::object()) {
  a.compare = Compare{std::move(kind), tolerance, std::move(options)};
  return a;
}

/// Outputs of every type and comparison: padded, turned, of long rows, of one element, ragged, and one that is an input
/// as well.
Problem every_comparison() {
  Problem problem;
  using enum ArgumentKind;
  Argument lengths = drawn("lengths", Dtype::s32, {5}, "integers", {{"lo", 0}, {"hi", 7}});
  Argument ragged = tensor(output, "ragged", Dtype::f16, {5, 7, 3});
  ragged.valid_rows = "lengths";
  ragged.outside = "untouched";
  problem.arguments = {tensor(input, "x", Dtype::f32, {100}),
                       drawn("order", Dtype::s32, {64}, "permutation"),
                       lengths,
                       compared(tensor(output, "f64", Dtype::f64, {9}), "relative", 1e-9),
                       compared(tensor(output, "f32", Dtype::f32, {3, 9000}), "relative", 1e-4),
                       compared(tensor(output, "f16", Dtype::f16, {40, 33}), "relative", 1e-2),
                       compared(tensor(output, "bf16", Dtype::bf16, {4, 5, 6}, {60, 7, 1}), "relative", 1e-1),
                       compared(tensor(output, "e4m3", Dtype::e4m3, {300}), "relative", 0.5),
                       compared(tensor(output, "e5m2", Dtype::e5m2, {6, 10}, {1, 6}), "ulp", 2),
                       compared(tensor(output, "one", Dtype::f32, {1}), "ulp", 3),
                       compared(tensor(output, "s8", Dtype::s8, {50, 20}), "quantized", 0.01, {{"steps", 2}}),
                       compared(tensor(output, "u64", Dtype::u64, {11}), "exact", 0),
                       compared(tensor(output, "s64", Dtype::s64, {11}), "exact", 0),
                       compared(tensor(output, "flags", Dtype::b8, {19}), "exact", 0),
                       compared(tensor(inout, "state", Dtype::f32, {2, 8}), "relative", 1e-3),
                       ragged};
  return problem;
}

/// All that some device makes.
std::vector<std::string> forms_of_devices() {
  std::vector<std::string> forms = draw_forms();
  std::erase_if(forms, [](const std::string& form) { return form == "ends" || form == "nans"; });
  forms.push_back("scaled 3.7");
  return forms;
}

double value_of(const Argument& a, std::int64_t i) {
  if (a.dtype == Dtype::b8) return static_cast<double>(i % 2);
  if (!is_floating(a.dtype)) return static_cast<double>(i % 90) - (a.dtype == Dtype::u64 ? 0 : 40);
  return std::sin(static_cast<double>(i) + 0.5) * 3;
}

/// The kernels over one block of memory: the images before and after, the reference's, and what they work in.
struct Looking {
  CpuCompiler compiler{tests::build_cache(), std::string(HARNESS_SOURCE_DIR) + "/harness/device/cpu/guest"};
  CpuSession session{2};
  Executable executable;
  std::vector<std::byte> memory;

  Looking() {
    const auto built = compiler.build({"judging.cu", cuda::judging_source(), cuda::kJudgingEntries});
    if (const auto* failure = std::get_if<CompileFailure>(&built)) FAIL(failure->log);
    executable.artifact = std::get<Artifact>(built);
  }

  void place(const std::string& name, std::int64_t bytes) {
    ImageBuffer& buffer = executable.layout.buffers.emplace_back();
    buffer.name = name;
    buffer.offset = (executable.layout.bytes + 255) / 256 * 256;
    buffer.bytes = bytes;
    executable.layout.bytes = buffer.offset + bytes;
  }
  void ready() { memory.assign(static_cast<std::size_t>((executable.layout.bytes + 4095) / 4096 * 4096), {}); }
  std::byte* at(const std::string& name) { return memory.data() + find_buffer(executable.layout, name)->offset; }

  static ScalarArgument word(std::int64_t value) { return {Dtype::s64, Value{value}}; }
  void launch(const std::string& entry, std::uint32_t blocks, std::vector<LaunchArgument> arguments) {
    Launch launch{entry, {blocks}, {256}, {}, 0, false, {}};
    launch.args = std::move(arguments);
    executable.plan.steps.push_back(std::move(launch));
  }
  void run() {
    executable.layout.bytes = static_cast<std::int64_t>(memory.size());
    session.run(executable, memory);
    executable.plan.steps.clear();
  }
};

/// A launch of every_comparison() with its reference, in the layout that a reference job has.
struct Judged {
  Launched launched{every_comparison(), 7};
  ReferenceJob job = make_reference_job(launched.problem, "");

  Judged() {
    for (const Argument& a : launched.problem.arguments)
      if (is_judged(a)) launched.compute(a.name, [&](std::int64_t i) { return value_of(a, i); });
    // What a ragged output holds outside its rows is not the launch's.
    const Output ragged(launched.problem, launched.layout, launched.before, launched.after, launched.argument("ragged"),
                        launched.reference.at("ragged"));
    for (std::int64_t i = 0; i < 5 * 7 * 3; ++i)
      if (!ragged.valid(i)) std::memcpy(launched.unit("ragged", i), before_unit("ragged", i), 2);
  }

  const std::byte* before_unit(const std::string& name, std::int64_t logical) {
    return launched.before.data() + (launched.unit(name, logical) - launched.after.data());
  }

  std::vector<std::byte> reference_image() const {
    Bytes image = judge::reference_image(launched.problem, launched.layout, launched.before, job);
    for (const auto& [name, array] : launched.reference) {
      const Argument& a = launched.argument(name);
      const Indexer indexer(a);
      const Dtype stored = is_floating(a.dtype) ? Dtype::f64 : a.dtype;
      const auto width = static_cast<std::size_t>(storage_bytes(stored));
      std::byte* const to = image.data() + find_buffer(job.executable.layout, result_name(a))->offset;
      for (std::int64_t i = 0; i < indexer.count(); ++i) {
        std::byte* const unit = to + static_cast<std::size_t>(indexer.offset(i)) * width;
        if (is_floating(a.dtype)) std::memcpy(unit, &array.values[static_cast<std::size_t>(i)], width);
        else std::memcpy(unit, array.raw.data() + static_cast<std::size_t>(i) * width, width);
      }
    }
    return {image.begin(), image.end()};
  }

  LaunchComparison comparison() const {
    const auto described = describe_comparison(launched.problem, launched.layout, job, 5);
    REQUIRE(described.has_value());
    return *described;
  }

  /// As CudaJudge::compare has it, on the emulation.
  LaunchNumbers numbers(Looking& looking) const {
    const LaunchComparison asked = comparison();
    const std::vector<std::byte> reference = reference_image();
    looking.executable.layout = {};
    looking.place("before", launched.layout.bytes);
    looking.place("after", launched.layout.bytes);
    looking.place("reference", static_cast<std::int64_t>(reference.size()));
    looking.place("ranges", 16 * static_cast<std::int64_t>(asked.kept.size()));
    looking.place("table", 8 * cuda::kComparedWords);
    for (const char* const room : {"segments", "rows"}) looking.place(room, 1 << 20);
    looking.place("rms", 1 << 16);
    for (const char* const room : {"reference totals", "totals", "counts", "changed"}) looking.place(room, 512);
    looking.ready();
    std::ranges::copy(launched.before, looking.at("before"));
    std::ranges::copy(launched.after, looking.at("after"));
    std::ranges::copy(reference, looking.at("reference"));
    std::memcpy(looking.at("ranges"), asked.kept.data(), 16 * asked.kept.size());
    const auto named = [](const char* name) { return NamedArgument{name, 0}; };
    looking.launch("harness_changed", 3,
                   {named("before"), named("after"), named("ranges"),
                    Looking::word(static_cast<std::int64_t>(asked.kept.size())), named("changed")});
    looking.run();
    LaunchNumbers found;
    std::memcpy(&found.changed_words, looking.at("changed"), 8);
    for (const ComparedOutput& output : asked.outputs) found.outputs.push_back(look(looking, output));
    return found;
  }

  OutputNumbers look(Looking& looking, const ComparedOutput& output) const {
    const auto named = [](const char* name) { return NamedArgument{name, 0}; };
    std::vector<std::int64_t> words;
    cuda::append_compared(output, words);
    REQUIRE(words.size() == cuda::kComparedWords);
    std::memcpy(looking.at("table"), words.data(), 8 * words.size());
    for (const char* const room : {"reference totals", "totals", "counts"}) std::memset(looking.at(room), 0, 512);
    const cuda::ComparedShape shape = cuda::shape_of(output);
    const auto which = Looking::word(0), rows = Looking::word(shape.rows);
    if (is_floating(output.dtype)) {
      looking.launch("harness_reference_sums", 3,
                     {named("before"), named("reference"), named("table"), which, named("segments")});
      looking.launch("harness_row_norms", 2, {named("table"), which, named("segments"), named("rows"), named("rms")});
      looking.launch("harness_total", 1, {named("rows"), rows, Looking::word(2), named("reference totals")});
    }
    looking.launch("harness_compare", 3,
                   {named("before"), named("after"), named("reference"), named("table"), which,
                    named("reference totals"), named("rms"), named("segments"), named("counts")});
    looking.launch(
        "harness_row_errors", 2,
        {named("table"), which, named("reference totals"), named("segments"), named("rows"), named("counts")});
    looking.launch("harness_total", 1, {named("rows"), rows, Looking::word(4), named("totals")});
    if (output.padded)
      looking.launch("harness_changed_units", 2,
                     {named("before"), named("after"), named("table"), which, named("counts")});
    looking.run();
    std::vector<std::uint64_t> counts(cuda::kCountsWords);
    std::vector<double> reference_totals(2), totals(4), rms(static_cast<std::size_t>(shape.rows));
    std::memcpy(counts.data(), looking.at("counts"), 8 * counts.size());
    std::memcpy(reference_totals.data(), looking.at("reference totals"), 16);
    std::memcpy(totals.data(), looking.at("totals"), 32);
    std::memcpy(rms.data(), looking.at("rms"), 8 * rms.size());
    OutputNumbers found = cuda::read_numbers(counts, reference_totals, totals);
    const auto width = static_cast<std::size_t>(storage_bytes(output.dtype));
    const std::size_t exact = is_floating(output.dtype) ? 8 : width;
    for (const auto& place : output.sampled) {
      SampledElement& element = found.sampled.emplace_back();
      std::memcpy(&element.got, looking.at("after") + output.at + place.unit * static_cast<std::int64_t>(width), width);
      std::memcpy(&element.reference,
                  looking.at("reference") + output.reference_at + place.unit * static_cast<std::int64_t>(exact), exact);
      element.row_rms = rms[static_cast<std::size_t>(place.row)];
    }
    return found;
  }

  /// The device's numbers of each output are those of judge::measure.
  void check_numbers(Looking& looking) const {
    const LaunchNumbers found = numbers(looking);
    std::size_t next = 0;
    for (const Argument& a : launched.problem.arguments) {
      if (!is_judged(a)) continue;
      CAPTURE(a.name);
      const OutputNumbers& n = found.outputs.at(next++);
      const Output output(launched.problem, launched.layout, launched.before, launched.after, a,
                          launched.reference.at(a.name));
      const Measured m = measure(output);
      CHECK(n.compared == m.compared);
      CHECK(n.wrong == m.wrong);
      CHECK(n.disagree == m.disagree);
      CHECK(n.mismatches == m.error.mismatches);
      CHECK(n.over_steps == m.over_steps);
      CHECK(n.non_finite == m.error.non_finite);
      CHECK(n.unwritten == m.error.unwritten);
      CHECK(n.max_ulp == m.error.max_ulp);
      if (is_floating(a.dtype)) {
        CHECK(std::vector<std::int64_t>(n.ulp_histogram.begin(), n.ulp_histogram.end()) == m.error.ulp_histogram);
        CHECK(n.reference_rms == Approx(output.rms()).epsilon(1e-12).margin(1e-300));
      }
      const bool both_infinite = std::isinf(n.worst_badness) && std::isinf(m.worst_badness);
      if (!both_infinite) CHECK(n.worst_badness == Approx(m.worst_badness).epsilon(1e-9));
      CHECK(n.worst_row_error == Approx(m.worst_row_error).epsilon(1e-9));
      Measured concluded;
      conclude(judge::Comparison(a), {n.error2, n.reference2, n.product, n.count}, 0, concluded);
      CHECK(concluded.error.relative_l2 == Approx(m.error.relative_l2).epsilon(1e-9));
      CHECK(concluded.factor == Approx(m.factor).epsilon(1e-9));
    }
  }

  std::optional<Verdict> by_numbers(Looking& looking) const {
    return passing_verdict(launched.problem, launched.layout, comparison(), numbers(looking), 1);
  }
};

}  // namespace

TEST_CASE("what a device sums over outputs is what the judge measures") {
  Looking looking;
  Judged judged;
  const auto spoil = [&](const std::string& name, std::int64_t at, double value) {
    judged.launched.write(name, at, value);
  };
  SECTION("right answers") {}
  SECTION("small and gross errors") {
    for (const char* const name : {"f64", "f32", "f16", "bf16", "e4m3", "e5m2", "one", "s8", "s64", "state", "ragged"})
      spoil(name, 0, 1.25);
    spoil("f32", 8999, 7);
    spoil("f32", 9000, -3);
    spoil("s8", 999, 127);
    spoil("u64", 10, 0);
    spoil("flags", 3, 0);
  }
  SECTION("no numbers") {
    for (const char* const name : {"f64", "f32", "f16", "bf16", "e4m3", "e5m2"}) {
      spoil(name, 1, std::numeric_limits<double>::quiet_NaN());
      spoil(name, 4, std::numeric_limits<double>::infinity());
    }
  }
  SECTION("a reference that is no number itself") {
    judged.launched.reference.at("f16").values[5] = std::numeric_limits<double>::infinity();
    judged.launched.reference.at("bf16").values[6] = std::numeric_limits<double>::quiet_NaN();
    judged.launched.reference.at("f32").values[7] = 1e39;  // beyond the type
    spoil("f16", 5, std::numeric_limits<double>::infinity());
    spoil("bf16", 6, std::numeric_limits<double>::quiet_NaN());
  }
  SECTION("outputs that nobody wrote") {
    for (const std::string name : {"f32", "bf16", "s8", "u64"})
      for (std::int64_t i = 0; i < 11; ++i)
        std::memcpy(judged.launched.unit(name, i), judged.before_unit(name, i),
                    static_cast<std::size_t>(storage_bytes(judged.launched.argument(name).dtype)));
  }
  judged.check_numbers(looking);
  const Launched& l = judged.launched;
  const auto here = output_errors(l.problem, l.layout, l.before, l.after, l.reference);
  const auto there = errors_by_numbers(l.problem, judged.numbers(looking));
  REQUIRE(there.size() == here.size());
  for (const auto& [name, error] : here) {
    CAPTURE(name);
    if (std::isinf(error)) CHECK(there.at(name) == error);
    else CHECK(there.at(name) == Approx(error).epsilon(1e-9));
  }
}

TEST_CASE("a device's numbers pass what the judge passes, with the same evidence, and nothing else") {
  Looking looking;
  Judged judged;
  Launched& launched = judged.launched;
  REQUIRE(launched.verdict().passed());
  SECTION("right answers") {
    const Verdict here = launched.verdict();
    const auto there = judged.by_numbers(looking);
    REQUIRE(there.has_value());
    REQUIRE(there->gates.size() == here.gates.size());
    for (std::size_t i = 0; i < here.gates.size(); ++i) {
      CHECK(there->gates[i].name == here.gates[i].name);
      CHECK(there->gates[i].detail == here.gates[i].detail);
    }
    for (std::size_t i = 0; i < here.errors.size(); ++i)  // sums are added in another order
      CHECK(there->errors[i].relative_l2 == Approx(here.errors[i].relative_l2).epsilon(1e-12));
    return;
  }
  SECTION("a wrong element") {
    launched.write("f16", 77, 40);
  }
  SECTION("a wrong integer") {
    launched.write("s64", 3, 12345);
  }
  SECTION("a NaN") {
    launched.write("f32", 17000, std::numeric_limits<double>::quiet_NaN());
  }
  SECTION("a byte of a guard") {
    launched.after[1] ^= std::byte{1};
  }
  SECTION("an input") {
    launched.write("x", 99, 5);
  }
  SECTION("padding inside an output") {
    launched.after[static_cast<std::size_t>(find_buffer(launched.layout, "bf16")->offset + 2 * 6)] ^= std::byte{1};
  }
  SECTION("an element outside the valid rows") {
    const Output ragged(launched.problem, launched.layout, launched.before, launched.after, launched.argument("ragged"),
                        launched.reference.at("ragged"));
    std::int64_t outside = 0;
    while (ragged.valid(outside)) ++outside;
    *launched.unit("ragged", outside) ^= std::byte{1};
  }
  CHECK_FALSE(launched.verdict().passed());
  CHECK_FALSE(judged.by_numbers(looking).has_value());
}

TEST_CASE("an element that does not bear the sums out is no proof of a right answer") {
  Looking looking;
  const Judged judged;
  const LaunchComparison comparison = judged.comparison();
  LaunchNumbers numbers = judged.numbers(looking);
  const auto passes = [&] {
    return passing_verdict(judged.launched.problem, judged.launched.layout, comparison, numbers, 1).has_value();
  };
  REQUIRE(passes());
  numbers.outputs[1].sampled[3].got ^= 1u << 30;  // f32: the exponent
  CHECK_FALSE(passes());
}

TEST_CASE("what a device paints is what the judge paints, in every form") {
  const std::string form = GENERATE(from_range(forms_of_devices()));
  CAPTURE(form);
  Problem problem;
  problem.arguments = {tensor(ArgumentKind::input, "x", Dtype::f16, {77, 33}),
                       drawn("mask", Dtype::b8, {77}, "mask", {{"density", 0.3}}),
                       drawn("counts", Dtype::s64, {33}, "integers", {{"lo", -5000000000}, {"hi", 5000000000}}),
                       drawn("order", Dtype::s32, {64}, "permutation"),
                       tensor(ArgumentKind::input, "padded", Dtype::f16, {5, 7, 11}, {120, 13, 1}),
                       tensor(ArgumentKind::inout, "state", Dtype::bf16, {11}),
                       tensor(ArgumentKind::output, "y", Dtype::f32, {8}),
                       tensor(ArgumentKind::output, "codes", Dtype::s8, {19})};
  for (const Dtype dtype : {Dtype::f64, Dtype::f32, Dtype::f16, Dtype::e4m3}) {
    Argument ranged = tensor(ArgumentKind::input, fmt::format("ranged_{}", name(dtype)), dtype, {40, 21});
    ranged.values =
        ValueDomain{.lo = -3, .hi = 100, .infinities = true, .denormals = true, .ties = true, .sorted = true};
    problem.arguments.push_back(ranged);
  }
  Plan plan;
  plan.workspaces = {{"clean", 500, 256, true}, {"dirty", 500, 256, false}};
  const ImageLayout layout = make_layout(problem, plan);
  std::vector<std::byte> expected(static_cast<std::size_t>(layout.bytes)), rest(expected.size());
  constexpr std::uint64_t kSeed = 12345;
  paint(problem, plan, layout, kSeed, expected, {.form = form});
  const auto given = paint_rest(problem, layout, kSeed, rest, form);
  CHECK(given == (form == "nominal" ? std::vector<std::string>{"order"} : std::vector<std::string>{"counts", "order"}));

  Looking looking;
  looking.place("image", layout.bytes);
  std::vector<std::int64_t> draws, forms{0}, form_of;  // by draw, -1: none
  for (const ImageBuffer& buffer : layout.buffers)
    if (buffer.draw) {
      cuda::append_draw(buffer, draws);
      const Argument* const argument = find_argument(problem, buffer.name);
      const auto its = argument->kind == ArgumentKind::output ? std::nullopt : value_form(form, *argument);
      form_of.push_back(its ? static_cast<std::int64_t>(forms.size() / 8) : -1);
      if (its) cuda::append_form(*its, forms);
    }
  forms.erase(forms.begin());
  looking.place("draws", 8 * static_cast<std::int64_t>(draws.size()));
  looking.place("forms", 8 * static_cast<std::int64_t>(forms.size()) + 8);
  looking.ready();
  std::memcpy(looking.at("draws"), draws.data(), 8 * draws.size());
  std::memcpy(looking.at("forms"), forms.data(), 8 * forms.size());
  const auto seed = Looking::word(kSeed);
  looking.launch("harness_paint_pattern", 2,
                 {NamedArgument{"image", 0}, Looking::word(layout.bytes), seed,
                  Looking::word(static_cast<std::int64_t>(pattern_stream()))});
  for (std::size_t i = 0; i < form_of.size(); ++i)
    looking.launch("harness_paint", 2,
                   {NamedArgument{"image", 0}, NamedArgument{"draws", 0}, Looking::word(static_cast<std::int64_t>(i)),
                    seed, NamedArgument{"forms", 0}, Looking::word(form_of[i])});
  looking.run();
  const auto take = [&](const std::string& name, const std::byte* from) {
    const ImageBuffer& buffer = *find_buffer(layout, name);
    for (std::int64_t i = 0; i < buffer.bytes; ++i)
      looking.at("image")[buffer.offset + i] = from == nullptr ? std::byte{0} : from[buffer.offset + i];
  };
  take("clean", nullptr);
  for (const std::string& name : given) take(name, rest.data());
  for (const ImageBuffer& buffer : layout.buffers) {
    CAPTURE(buffer.name);
    CHECK(std::memcmp(looking.at("image") + buffer.offset, expected.data() + buffer.offset,
                      static_cast<std::size_t>(buffer.bytes)) == 0);
  }
  CHECK(std::memcmp(looking.at("image"), expected.data(), expected.size()) == 0);
}
