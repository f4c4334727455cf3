#include "harness/predict/predicted_time.h"

#include <algorithm>
#include <catch2/catch.hpp>

#include "harness/core/error.h"
#include "tests/support/shipped_gpus.h"

using namespace harness;

namespace {

/// A copy of 64 MB by blocks of 256 threads: each warp loads and stores `sectors` for a request.
LaunchWork copy_work(std::int64_t sectors) {
  LaunchWork work;
  work.blocks = 65536;
  work.needs = {256, 16, 0};
  const std::int64_t warps = work.blocks * 8;
  work.counts[Count::load_requests] = work.counts[Count::store_requests] = warps;
  work.counts[Count::load_sectors] = work.counts[Count::load_missed] = warps * 4;
  work.counts[Count::store_sectors] = warps * sectors;
  work.counts[Count::memory_requests] = 2 * warps;
  work.l1_passes = l1_passes(work.counts);
  work.memory_bytes = 2.0 * static_cast<double>(warps) * 128;
  return work;
}

}  // namespace

TEST_CASE("blocks at once are limited by warps, registers, shared memory and their number") {
  const GpuFacts& h200 = find_gpu("h200");
  CHECK(blocks_at_once(h200, {1024, 0, 0}) == 2);
  CHECK(blocks_at_once(h200, {256, 32, 0}) == 8);
  CHECK(blocks_at_once(h200, {256, 64, 0}) == 4);
  CHECK(blocks_at_once(h200, {256, 255, 0}) == 1);
  CHECK(blocks_at_once(h200, {32, 16, 0}) == 32);
  CHECK(blocks_at_once(h200, {128, 32, 100 << 10}) == 2);
  CHECK(blocks_at_once(h200, {128, 32, 227 << 10}) == 1);
  CHECK(blocks_at_once(find_gpu("A100"), {128, 32, 200 << 10}) == 0);
  CHECK(blocks_at_once(find_gpu("RTX4090"), {1024, 32, 0}) == 1);
}

TEST_CASE("an unknown GPU is refused with those that are known") {
  CHECK_THROWS_WITH(find_gpu("H20O"), Catch::Contains("did you mean 'H200'") && Catch::Contains("RTX4090"));
  CHECK(gpu_of_device("NVIDIA H200")->name == "H200");
  CHECK(gpu_of_device("NVIDIA GeForce RTX 4090")->name == "RTX4090");
  CHECK(gpu_of_device("NVIDIA H100 80GB HBM3")->name == "H100");
  CHECK(gpu_of_device("Intel(R) Xeon(R) Processor") == nullptr);
  CHECK(find_gpu("").name == "H200");
}

TEST_CASE("a device's name tells whose times it predicts, whether or not the GPU is known here") {
  CHECK(predicted_gpu("cpu:H200") == "H200");
  CHECK(predicted_gpu("cpu:B300") == "B300");
  CHECK(predicted_gpu("cpu").empty());
  CHECK(predicted_gpu("cuda:0").empty());
  CHECK(predicted_gpu("twin:12").empty());
}

TEST_CASE("a large copy is predicted near what the memory allows, a strided one far above") {
  const GpuFacts& h200 = find_gpu("H200");
  const auto coalesced = predict_time(h200, copy_work(4)), strided = predict_time(h200, copy_work(32));
  REQUIRE(coalesced);
  REQUIRE(strided);
  const double least = copy_work(4).memory_bytes / h200.bytes_per_s * 1e9;
  CHECK(coalesced->ns > least);
  CHECK(coalesced->ns < 1.6 * least);
  CHECK(strided->ns > 2 * coalesced->ns);
  CHECK(coalesced->lo_ns < coalesced->ns);
  CHECK(coalesced->ns < coalesced->hi_ns);
  CHECK(predict_time(find_gpu("RTX4090"), copy_work(4))->ns > 3 * coalesced->ns);
}

TEST_CASE("bank conflicts, few blocks and a tail cost time") {
  const GpuFacts& h200 = find_gpu("H200");
  LaunchWork plain = copy_work(4);
  plain.counts[Count::shared_requests] = plain.counts[Count::shared_wavefronts] = 4'000'000;
  plain.counts[Count::memory_requests] += 4'000'000;
  LaunchWork conflicts = plain;
  conflicts.counts[Count::shared_wavefronts] *= 32;
  CHECK(predict_time(h200, conflicts)->ns > 3 * predict_time(h200, plain)->ns);

  LaunchWork compute;
  compute.needs = {256, 128, 0};  // two blocks a multiprocessor
  compute.flops = 1e10;
  compute.blocks = 132 * 4;
  LaunchWork few = compute, tail = compute;
  few.blocks = 33;
  tail.blocks = 132 * 4 + 1;
  tail.flops *= static_cast<double>(tail.blocks) / static_cast<double>(compute.blocks);
  CHECK(predict_time(h200, few)->ns > 3 * predict_time(h200, compute)->ns);
  CHECK(predict_time(h200, tail)->ns > 1.1 * predict_time(h200, compute)->ns);
  CHECK(predict_time(h200, compute)->waves == 2);
}

TEST_CASE("a launch of one round ends with its heaviest block, and of many it is one of many") {
  const GpuFacts& h200 = find_gpu("H200");
  const auto issue = [&](std::int64_t blocks, double heaviest) {
    LaunchWork work;
    work.blocks = blocks;
    work.needs = {1024, 32, 0};
    work.instructions = 1e5 * static_cast<double>(blocks);
    work.heaviest = heaviest;
    return predict_time(h200, work)->parts.at(3).second;
  };
  CHECK(issue(32, 1.5) == Approx(1.5 * issue(32, 1)));
  CHECK(issue(132 * 10, 1.5) == Approx(1.05 * issue(132 * 10, 1)));
}

TEST_CASE("asynchronous copies hide behind the work of the warps, and loads do not") {
  const GpuFacts& h200 = find_gpu("H200");
  LaunchWork work = copy_work(4);
  work.instructions = 4e7;
  const double loads = predict_time(h200, work)->ns;
  work.counts[Count::copy_waits] = 1;
  CHECK(predict_time(h200, work)->ns < 0.9 * loads);
}

TEST_CASE("stores to other blocks of a cluster take the time of the way between them") {
  const GpuFacts& h200 = find_gpu("H200");
  LaunchWork work;
  work.blocks = 132;
  work.needs = {128, 64, 0};
  const double none = predict_time(h200, work)->ns;
  work.counts[Count::remote_sectors] = 1'000'000;
  CHECK(predict_time(h200, work)->parts.at(7) == std::pair<std::string, double>("cluster", 32e6 / 3600));
  CHECK(predict_time(h200, work)->ns > none + 7000);
  work.blocks = 66;  // half of the multiprocessors have half of it
  CHECK(predict_time(h200, work)->parts.at(7).second == Approx(2 * 32e6 / 3600));
}

TEST_CASE("what many blocks ask the L2 for comes faster") {
  const GpuFacts& h200 = find_gpu("H200");
  LaunchWork work = copy_work(4);
  const auto l2 = [&] { return predict_time(h200, work)->parts.at(1).second; };
  const double apart = l2(), loaded = static_cast<double>(work.counts[Count::load_missed]) * 32;
  work.repeated_bytes = loaded;
  CHECK(l2() == Approx(apart - loaded / 5800 + loaded / 14000));
  work.repeated_bytes = 1e15;  // no more than there is
  CHECK(l2() == Approx(2 * loaded / 14000));
}

TEST_CASE("a barrier costs more where more warps meet, and the last of many blocks begins late") {
  const GpuFacts& h200 = find_gpu("H200");
  const auto latency = [&](std::int64_t blocks, std::int64_t threads, std::int64_t barriers) {
    LaunchWork work;
    work.blocks = blocks;
    work.needs = {threads, 32, 0};
    const std::int64_t warps = blocks * threads / 32;
    work.cycles = static_cast<double>(warps) * 1000;
    work.counts[Count::barriers] = warps * barriers;
    return predict_time(h200, work)->parts.at(5).second;
  };
  CHECK(latency(132, 32, 10) - latency(132, 32, 0) == Approx(10 * 7.4));
  CHECK(latency(132, 512, 10) - latency(132, 512, 0) == Approx(10 * 22.4));
  CHECK(latency(600, 32, 0) == Approx(latency(1, 32, 0)));  // they begin while the launch is under way
  CHECK(latency(132 * 32, 32, 0) - latency(1, 32, 0) == Approx(132 * 32 * 0.6 - 400));
}

TEST_CASE("where blocks draw their work, the one that drew most ends the launch") {
  const GpuFacts& h200 = find_gpu("H200");
  LaunchWork work;
  work.blocks = 132;
  work.needs = {1024, 32, 0};
  work.cycles = 132.0 * 32 * 1000;
  const double latency = predict_time(h200, work)->parts.at(5).second;
  work.longest = 1.5;
  CHECK(predict_time(h200, work)->parts.at(5).second - latency == Approx(500 / (h200.clock_hz / 1e9)));
}

TEST_CASE("what does not fit on a GPU has no time there") {
  LaunchWork work = copy_work(4);
  work.needs.shared_bytes = 200 << 10;
  CHECK(predict_time(find_gpu("H200"), work));
  CHECK_FALSE(predict_time(find_gpu("A100"), work));
}

TEST_CASE("a copy that is waited for, a cluster's barrier and a tile over the edge cost time") {
  const GpuFacts& h200 = find_gpu("H200");
  LaunchWork work;
  work.blocks = 8;
  work.needs = {128, 64, 0};
  work.cycles = 8.0 * 4 * 2000;
  work.counts[Count::bulk_sectors] = 4096;
  work.counts[Count::tensor_instructions] = 8 * 4 * 32;
  const double plain = predict_time(h200, work)->ns;
  LaunchWork copies = work, clusters = work, edges = work;
  copies.counts[Count::copy_waits] = 8 * 4 * 4;
  CHECK(predict_time(h200, copies)->ns > plain + 3 * h200.l2_ns);
  clusters.counts[Count::cluster_barriers] = 8 * 4 * 2;
  CHECK(predict_time(h200, clusters)->ns > plain + 700);
  edges.tensor_cycles = 8.0 * 4 * 32 * 64;
  CHECK(predict_time(h200, edges)->ns > plain + 100);
}

TEST_CASE("the role whose warps take longest decides, and of many rounds those blocks that have it") {
  const GpuFacts& h200 = find_gpu("H200");
  const auto latency = [&](std::int64_t blocks, double long_warps) {
    LaunchWork work;
    work.blocks = blocks;
    work.needs = {1024, 32, 0};
    const auto all = static_cast<double>(blocks) * 32;
    work.roles = {{.warps = all - long_warps, .cycles = (all - long_warps) * 1000},
                  {.warps = long_warps, .cycles = long_warps * 9000}};
    work.cycles = work.roles[0].cycles + work.roles[1].cycles;
    return predict_time(h200, work)->parts.at(5).second - 2 * h200.memory_ns;
  };
  const double clock = h200.clock_hz / 1e9;
  CHECK(latency(132, 132) == Approx(9000 / clock));
  CHECK(latency(132, 1) == Approx(9000 / clock));  // one round: the launch ends with its last block
  CHECK(latency(264 * 4, 264 * 4) == Approx(4 * 9000 / clock));
  CHECK(latency(264 * 4, 264) == Approx((9000 + 3 * (0.25 * 9000 + 0.75 * 1000)) / clock));
}

TEST_CASE("operations on one address take turns, and who asks for no answer does not wait") {
  const GpuFacts& h200 = find_gpu("H200");
  LaunchWork work = copy_work(4);
  work.counts[Count::atomic_requests] = work.counts[Count::atomic_turns] = work.blocks * 8;
  const auto part = [&](const char* name) {
    const auto parts = predict_time(h200, work)->parts;
    return std::ranges::find(parts, name, &std::pair<std::string, double>::first)->second;
  };
  const double spread = part("atomics"), going_on = part("latency");
  work.hottest_turns = 100000;
  CHECK(part("atomics") == Approx(177000));
  CHECK(spread < 20000);
  work.atomic_waits = static_cast<double>(work.blocks) * 8;
  CHECK(part("latency") > going_on + h200.l2_ns);
}
