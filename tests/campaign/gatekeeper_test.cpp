#include "harness/campaign/gatekeeper.h"

#include <catch2/catch.hpp>

#include "tests/fakes/ports.h"

using namespace harness;
using namespace harness::fakes;

namespace {

/// A point of `elements` outputs whose launch has `threads` threads.
Realized point(const std::string& name, std::int64_t elements, unsigned threads) {
  Realized realized;
  realized.candidate.kernel = "k";
  realized.candidate.variant = name;
  Argument output;
  output.name = "y";
  output.kind = ArgumentKind::output;
  output.dtype = Dtype::f32;
  output.shape = {elements};
  realized.problem.arguments = {output};
  Launch launch;
  launch.grid = {threads / 32, 1, 1};
  launch.block = {32, 1, 1};
  realized.plan.steps = {launch};
  return realized;
}

class PointsKernel : public FakeKernel {
 public:
  std::vector<Realized> neighbours(const Candidate&, const std::string&, const DeviceInfo& device, int,
                                   std::uint64_t) override {
    if (!device.emulation) return {};
    return {point("many", 100000, 1 << 20), point("few", 4, 32), point("fit", 5000, 4096), point("more", 600, 8192)};
  }
};

class PreflightEvaluator : public FakeEvaluator {
 public:
  using FakeEvaluator::FakeEvaluator;
  std::optional<DeviceInfo> preflight_device() override {
    DeviceInfo cpu;
    cpu.device = "cpu";
    cpu.emulation = true;
    return cpu;
  }
};

}  // namespace

TEST_CASE("the preflight is made where it costs least and still says something") {
  FakeCatalog catalog(std::make_unique<PointsKernel>());
  FakeClock clock;
  PreflightEvaluator evaluator(clock);
  const EvaluationRequest request = gated_request(catalog, evaluator, point("candidate", 1000, 1024), Points::search);
  const OtherPoints points = request.other_points();
  REQUIRE(points.preflight);
  CHECK(points.preflight->candidate.variant == "fit");
}
