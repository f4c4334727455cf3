#include "harness/worker/reference/python_reference.h"

#include <catch2/catch.hpp>
#include <cstring>
#include <map>

#include "harness/core/error.h"
#include "harness/judge/elements.h"
#include "harness/judge/layout.h"
#include "harness/system/files.h"
#include "harness/system/temporary_folder.h"
#include "harness/worker/processes/device_judging.h"
#include "tests/problem/pytorch.h"

namespace harness {
namespace {

/// y[n] of x[n], both f32, by a program that has a function `run`.
class Doubled {
 public:
  explicit Doubled(const std::string& body) {
    problem_.reference.source = folder_.path("reference.py");
    write_file(problem_.reference.source,
               "import torch\ndef run(x):\n" + body +
                   "\nHARNESS = {'form': 'definition', 'entry': 'run', 'call': [{'tensor': 'x'}], 'parameters': {}}\n");
    Argument x, y;
    x.name = "x";
    x.shape = {3};
    x.strides = {1};
    x.align = 16;
    x.gen = Generator{"normal"};
    y = x;
    y.name = "y";
    y.kind = ArgumentKind::output;
    y.gen.reset();
    y.compare = Compare{"relative"};
    problem_.arguments = {x, y};
    layout_ = judge::make_layout(problem_, {});
  }

  std::vector<double> of(std::vector<float> x) {
    std::vector<std::byte> image(static_cast<std::size_t>(layout_.bytes));
    std::memcpy(judge::payload(layout_, "x", std::span(image)).data(), x.data(), x.size() * sizeof(float));
    const judge::ReferenceArray y = program_.compute(problem_, layout_, image).at("y");
    return {y.values.begin(), y.values.end()};
  }

 private:
  TemporaryFolder folder_{"program"};
  Problem problem_;
  ImageLayout layout_;
  PythonReference program_{"cpu", false};
};

}  // namespace

TEST_CASE("a program's result is double, and its last cast is not made", "[pytorch]") {
  if (!has_pytorch()) return;
  Doubled third("    return (x / 3).to(torch.bfloat16)");
  CHECK(third.of({1, 2, 3}) == std::vector<double>{1.0 / 3, 2.0 / 3, 1});
  CHECK(third.of({4, 5, 6}) == std::vector<double>{4.0 / 3, 5.0 / 3, 2});  // by the same process
}

TEST_CASE("a program's values go to a device as its reference's image would hold them") {
  struct Recorder : DeviceJudge {
    struct Nothing : DeviceImage {};
    std::unique_ptr<DeviceImage> paint(const PaintOrder&) override { return std::make_unique<Nothing>(); }
    std::unique_ptr<DeviceImage> upload(std::span<const std::byte>) override { return std::make_unique<Nothing>(); }
    void read(const DeviceImage&, std::span<std::byte>) override {}
    std::vector<std::uint64_t> gather(const DeviceImage&, std::span<const std::int64_t>, std::int64_t) override {
      return {};
    }
    LaunchNumbers compare(const JudgedLaunch& launch) override {
      for (const auto& [offset, bytes] : launch.given)
        given->insert_or_assign(offset, std::vector<std::byte>(bytes.begin(), bytes.end()));
      return {};
    }
    std::map<std::int64_t, std::vector<std::byte>>* given = nullptr;
  };
  Executable executable;
  Argument y;
  y.name = "y";
  y.kind = ArgumentKind::output;
  y.shape = {3};
  y.align = 16;
  y.compare = Compare{"relative", 1e-6};
  executable.problem.arguments = {y};
  executable.layout = judge::make_layout(executable.problem, {});
  const judge::ReferenceJob job = judge::make_reference_job(executable.problem, "");
  std::map<std::int64_t, std::vector<std::byte>> given;
  auto recorder = std::make_unique<Recorder>();
  recorder->given = &given;
  DeviceJudging judging(std::move(recorder));
  judge::ReferenceValues values;
  values["y"] = {Dtype::f32, {3}, {}, {}};
  values["y"].values = judge::Uncleared<double>(3);
  for (int i = 0; i < 3; ++i) values["y"].values[static_cast<std::size_t>(i)] = i + 0.25;
  const auto before = judging.upload({});
  const std::vector<std::byte> after(static_cast<std::size_t>(executable.layout.bytes));
  CHECK_FALSE(judging.passing_verdict(executable, {}, job, *before, after, &values));  // its numbers are none
  const auto at = find_buffer(job.executable.layout, "y")->offset;
  REQUIRE(given.contains(at));
  REQUIRE(given[at].size() == 3 * sizeof(double));
  double last = 0;
  std::memcpy(&last, given[at].data() + 2 * sizeof(double), sizeof last);
  CHECK(last == 2.25);
  given.clear();
  executable.problem.arguments[0].shape = {3, 2};
  executable.problem.arguments[0].strides = {1, 3};  // columns follow each other: its values do not
  judging.passing_verdict(executable, {}, job, *before, after, &values);
  CHECK(given.empty());
}

TEST_CASE("a program that rounds what it computes with rounds in the reference too", "[pytorch]") {
  if (!has_pytorch()) return;
  Doubled rounded("    h = x.to(torch.bfloat16)\n    return h[:] * 3");
  CHECK(rounded.of({1.00390625F, 1, 2}) == std::vector<double>{3, 3, 6});  // 1 + 2^-8 is half way in bf16
}

TEST_CASE("what a program does wrong is told with its line", "[pytorch]") {
  if (!has_pytorch()) return;
  const auto said = [](const std::string& body) -> std::string {
    try {
      Doubled(body).of({1, 2, 3});
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  CHECK(said("    raise KeyError('k')") == "reference.py on workload '': KeyError in line 3: 'k'");
  CHECK(said("    return x[:2]") ==
        "reference.py on workload '': ValueError: its result 'y' has the shape [2], and the contract says [3]");
  CHECK(said("    import os\n    os._exit(3)").find("reference.py ended on workload ''") == 0);
}

}  // namespace harness
