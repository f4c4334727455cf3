#include "harness/evaluate/batch_invariance.h"

#include <algorithm>
#include <catch2/catch.hpp>

#include "harness/evaluate/run.h"
#include "tests/evaluate/shop.h"
#include "tests/support/turns.h"

// Whether the bits of a row depend on its batch, on the cpu device.
using namespace harness;

namespace {

struct Batches : tests::Shop {
  explicit Batches(const std::string& folder) : Shop(folder) {}
  Evaluation evaluate(const std::string& kernel, const std::string& variant, const std::string& workload,
                      bool asked = true) {
    EvaluationRequest request;
    request.realized = realize(kernel, variant, workload);
    if (!asked) request.realized.problem.batch_invariant.clear();
    request.confirm = request.gates_only = true;
    request.other_points = [this, candidate = request.realized.candidate, workload] {
      OtherPoints points;
      points.ranges = catalog.plugin(candidate.kernel).size_ranges(workload);
      points.along = [this, candidate, workload](const std::string& size) {
        return catalog.plugin(candidate.kernel).along(candidate, workload, device, size);
      };
      return points;
    };
    std::optional<FailedLaunch> failed;
    return run_gates(request, {}, workers, failed);
  }
};

std::string detail_of(const Evaluation& evaluation, const std::string& name) {
  const auto row = std::ranges::find(evaluation.gates, name, &GateResult::name);
  return row == evaluation.gates.end() ? "" : row->detail;
}

bool is_refused(const Evaluation& evaluation) {
  const auto* const rejected = std::get_if<Rejected>(&evaluation.outcome);
  return rejected != nullptr && rejected->gate == "batch-invariance:B";
}

}  // namespace

TEST_CASE("a row whose sum follows from the size of its batch is refused, with the size where it changes") {
  Batches shop("/tests/hostile");
  const Evaluation evaluation = shop.evaluate("rowdots", "32_splits_small_batches", "b5k77");
  INFO(detail_of(evaluation, "batch-invariance:B"));
  CHECK(is_refused(evaluation));
  const std::string words = evaluation.batch_invariant.value_or("");
  CHECK(words.starts_with("no over B: at B = "));
  // It splits up to 23: the first sizes beside it that are launched are 17, 31, 32 and 33.
  CHECK(words.find("and not up to 17") != std::string::npos);
}

TEST_CASE("without the property it is told as a fact of the finalist, and refuses nothing") {
  Batches shop("/tests/hostile");
  const Evaluation evaluation = shop.evaluate("rowdots", "32_splits_small_batches", "b5k77", false);
  CHECK_FALSE(is_refused(evaluation));
  CHECK(evaluation.batch_invariant.value_or("").starts_with("no over B: at B = "));
  CHECK(detail_of(evaluation, "batch") == evaluation.batch_invariant.value_or("?"));
}

TEST_CASE("a kernel that always splits keeps its rows' bits") {
  Batches shop("/tests/honest");
  const Evaluation evaluation = shop.evaluate("rowdots", "10_always_split", "b5k77");
  INFO(detail_of(evaluation, "batch-invariance:B"));
  CHECK(evaluation.batch_invariant.value_or("").starts_with("yes over B: "));
}

TEST_CASE("each way to depend on the batch is refused, and each honest way is not") {
  if (tests::is_nightly()) return;
  Batches hostile("/tests/hostile"), honest("/tests/honest");
  for (const char* variant : {"32_other_tile_at_the_tail", "32_begins_by_place"}) {
    INFO(variant);
    CHECK(is_refused(hostile.evaluate("rowdots", variant, "b5k77")));
  }
  CHECK(hostile.evaluate("rowdots", "00_honest", "b24k1000").batch_invariant.value_or("").starts_with("yes"));
  for (const char* variant : {"00_tree", "20_resident", "30_masked_tail"}) {
    INFO(variant);
    CHECK(honest.evaluate("rowdots", variant, "b24k1000").batch_invariant.value_or("").starts_with("yes"));
  }
}

TEST_CASE("a size whose rows follow from each other is no batch") {
  if (tests::is_nightly()) return;
  Batches shop("/kernels");
  const Evaluation softmax = shop.evaluate("softmax", "00_naive", "m64n512_f32", false);
  INFO(softmax.batch_invariant.value_or(""));
  CHECK(softmax.batch_invariant.has_value());
}
