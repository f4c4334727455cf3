#include "harness/predict/counting.h"

#include <catch2/catch.hpp>

#include "harness/core/error.h"
#include "tests/support/shipped_gpus.h"

using namespace harness;

namespace {

/// Answers what it is told to, and notes how it was asked.
struct FakeRuns {
  std::vector<bool> run_all;
  bool fails_unless_all = false, blocks_meet = false;
  std::uint32_t grid = 0;
  std::vector<std::string> forms;  // that were drawn
  std::string wrong, wrong_form;   // "": on all
};

class FakeSubject : public CountedSubject {
 public:
  FakeSubject(FakeRuns& runs, const Realized& realized) : runs_(runs) {
    executable_.plan = realized.plan;
    executable_.problem = realized.problem;
  }
  Executable& executable() override { return executable_; }
  std::vector<CountedLaunch> run(const CountingRequest& request) override {
    runs_.run_all.push_back(request.run_all);
    runs_.grid = std::get<Launch>(executable_.plan.steps.at(0)).grid.x;
    if (runs_.fails_unless_all && !request.run_all) return {};
    CountedLaunch launch;
    launch.blocks = launch.counted_blocks = runs_.grid;
    launch.blocks_meet = runs_.blocks_meet;
    Counts counts;
    counts[Count::load_requests] = counts[Count::memory_requests] = 8;
    counts[Count::load_sectors] = counts[Count::load_missed] = 32;
    launch.places.push_back({16, counts});
    return {launch};
  }
  void draw_anew(const std::string& form) override { runs_.forms.push_back(form); }
  std::string judge(const Admission*) override {
    return runs_.wrong_form.empty() || runs_.forms.back() == runs_.wrong_form ? runs_.wrong : "";
  }
  std::map<std::uint64_t, std::string> source_lines(const std::vector<std::uint64_t>&) override { return {}; }

 private:
  FakeRuns& runs_;
  Executable executable_;
};

class FakeWorkers : public CountingWorkers {
 public:
  explicit FakeWorkers(FakeRuns& runs) : runs_(runs) {}
  void announce(const Realized&, const std::string&, bool, bool) override {}
  std::unique_ptr<CountedSubject> prepare(const Realized& realized, bool) override {
    return std::make_unique<FakeSubject>(runs_, realized);
  }
  GpuBuild build_for_gpu(const BuildSpec&, const std::string&) override {
    GpuBuild build;
    build.missing = "nothing compiles here";
    return build;
  }
  void start_afresh() override {}

 private:
  FakeRuns& runs_;
};

Realized one_launch(std::uint32_t blocks) {
  Realized realized;
  Launch launch;
  launch.entry = "kernel";
  launch.grid = {blocks, 1, 1};
  launch.block = {256, 1, 1};
  realized.plan.steps.push_back(launch);
  return realized;
}

}  // namespace

TEST_CASE("a count that fails with blocks left out is repeated with all of them") {
  FakeRuns runs{.fails_unless_all = true};
  Counting counting(std::make_unique<FakeWorkers>(runs));
  const Realized realized = one_launch(8);
  const Profile profile = counting.count(realized, {"H200"});
  CHECK(runs.run_all == std::vector{false, true});
  CHECK(profile.number("predicted_ns"));
  CHECK(profile.why == "counted on the cpu device, which sees every access; nothing compiles here");
  CHECK(counting.predicted_before(realized, "H200") == profile.number("predicted_ns"));
  CHECK_FALSE(counting.predicted_before(realized, "A100"));
}

TEST_CASE("blocks that meet run one after another") {
  FakeRuns runs{.blocks_meet = true};
  Counting(std::make_unique<FakeWorkers>(runs)).count(one_launch(8), {"H200"});
  CHECK(runs.run_all == std::vector{false, true});
  FakeRuns alone;
  Counting(std::make_unique<FakeWorkers>(alone)).count(one_launch(8), {"H200"});
  CHECK(alone.run_all == std::vector{false});
}

TEST_CASE("a second count is of other inputs, and judged where all blocks can run in the time that it has") {
  FakeRuns runs{.wrong = "relative-l2:y: 0.5"};
  Counting counting(std::make_unique<FakeWorkers>(runs));
  SecondCount second = counting.count_elsewhere(one_launch(8), {"H200"}, nullptr, {"shifted"}, 1, 0.1);
  CHECK(runs.forms == std::vector<std::string>{"nominal"});
  CHECK(runs.run_all == std::vector{false, true});
  CHECK(second.wrong == "relative-l2:y: 0.5");
  CHECK(second.predicted_ns == counting.count(one_launch(8), {"H200"}).number("predicted_ns"));
  second = counting.count_elsewhere(one_launch(8), {"H200"}, nullptr, {"shifted"}, 1, 60);
  CHECK_FALSE(second.wrong);
}

TEST_CASE("what is counted is judged on hostile forms too, as many as there is time for") {
  FakeRuns runs{.wrong = "relative-l2:y: 0.5", .wrong_form = "shifted"};
  Counting counting(std::make_unique<FakeWorkers>(runs));
  const auto elsewhere = [&](double seconds) {
    return counting.count_elsewhere(one_launch(8), {"H200"}, nullptr, {"large", "shifted", "ramp"}, seconds, 0.1);
  };
  SecondCount second = elsewhere(9);
  CHECK(second.wrong == "shifted: relative-l2:y: 0.5");
  CHECK(second.forms == std::vector<std::string>{"large"});
  second = elsewhere(0.9);
  CHECK(second.wrong == "");
  CHECK(second.forms == std::vector<std::string>{"large"});
  CHECK(counting.wrong_where_counted(one_launch(1), {"H200"}, nullptr, {"large", "ramp"}).empty());
  CHECK(counting.wrong_where_counted(one_launch(1), {"H200"}, nullptr, {"large", "shifted"}) ==
        "shifted: relative-l2:y: 0.5");
}

TEST_CASE("what a launch leaves to the device is decided by the facts of the GPU") {
  FakeRuns runs;
  Realized realized = one_launch(100000);
  std::get<Launch>(realized.plan.steps[0]).resident = 1;
  Counting(std::make_unique<FakeWorkers>(runs)).count(realized, {"H200"});
  CHECK(runs.grid == 132 * 8);  // its multiprocessors, each with 64 warps
}

TEST_CASE("a call of a library cannot be counted") {
  FakeRuns runs;
  Realized realized;
  realized.plan.steps.push_back(LibraryCall{});
  CHECK_THROWS_WITH(Counting(std::make_unique<FakeWorkers>(runs)).count(realized, {"H200"}),
                    Catch::Contains("calls a library"));
}
