#include "harness/device/cuda/profile/range_profiler.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <utility>

#include "harness/core/error.h"

namespace harness::cuda {
namespace {

std::vector<const char*> pointers(const std::vector<std::string>& names) {
  std::vector<const char*> all;
  for (const std::string& name : names) all.push_back(name.c_str());
  return all;
}

}  // namespace

CounterConfig::CounterConfig(const CuptiApi& api, const std::string& chip, const std::vector<std::string>& metrics)
    : api_(api), metrics_(metrics) {
  start(chip);
  if (!add(metrics_)) leave_out_unknown(chip);
  make_image();
}

/// One that the chip lacks refuses all others, so each is tried alone.
void CounterConfig::leave_out_unknown(const std::string& chip) {
  std::vector<std::string> accepted;
  for (const std::string& metric : metrics_) {
    start(chip);
    if (add({metric})) accepted.push_back(metric);
  }
  metrics_ = std::move(accepted);
  if (metrics_.empty()) throw environment_error(fmt::format("CUPTI knows none of the counters on {}.", chip));
  start(chip);
  if (!add(metrics_)) throw environment_error(fmt::format("CUPTI cannot collect the counters together on {}.", chip));
}

void CounterConfig::make_image() {
  CuptiConfigSize size;
  size.host = host_;
  HARNESS_CUPTI(api_, cuptiProfilerHostGetConfigImageSize, size);
  image_.resize(size.size);
  CuptiConfigImage config;
  config.host = host_;
  config.size = image_.size();
  config.image = image_.data();
  HARNESS_CUPTI(api_, cuptiProfilerHostGetConfigImage, config);
  CuptiPasses passes;
  passes.size = image_.size();
  passes.image = image_.data();
  HARNESS_CUPTI(api_, cuptiProfilerHostGetNumOfPasses, passes);
  passes_ = passes.passes;
}

CounterConfig::~CounterConfig() {
  if (host_ == nullptr) return;
  CuptiHostEnd end;
  end.host = host_;
  end.bytes = size_for_cuptiProfilerHostDeinitialize(end);
  api_.cuptiProfilerHostDeinitialize(&end);
}

void CounterConfig::start(const std::string& chip) {
  if (host_ != nullptr) {
    CuptiHostEnd end;
    end.host = std::exchange(host_, nullptr);
    HARNESS_CUPTI(api_, cuptiProfilerHostDeinitialize, end);
  }
  CuptiHostInitialize initialize;
  initialize.chip = chip.c_str();
  HARNESS_CUPTI(api_, cuptiProfilerHostInitialize, initialize);
  host_ = initialize.host;
}

bool CounterConfig::add(const std::vector<std::string>& metrics) {
  auto names = pointers(metrics);
  CuptiAddMetrics added;
  added.host = host_;
  added.metrics = names.data();
  added.count = names.size();
  added.bytes = size_for_cuptiProfilerHostConfigAddMetrics(added);
  return api_.cuptiProfilerHostConfigAddMetrics(&added) == kCuptiSuccess;
}

std::vector<double> CounterConfig::values(const std::vector<std::uint8_t>& data, std::size_t range) const {
  auto names = pointers(metrics_);
  std::vector<double> values(metrics_.size());
  CuptiEvaluate evaluate;
  evaluate.host = host_;
  evaluate.data = data.data();
  evaluate.size = data.size();
  evaluate.range = range;
  evaluate.metrics = names.data();
  evaluate.count = names.size();
  evaluate.values = values.data();
  HARNESS_CUPTI(api_, cuptiProfilerHostEvaluateToGpuValues, evaluate);
  return values;
}

RangeProfiler::RangeProfiler(const CuptiApi& api, Context context, const CounterConfig& config)
    : api_(api), config_(config) {
  CuptiEnable enable;
  enable.context = context;
  HARNESS_CUPTI(api_, cuptiRangeProfilerEnable, enable);
  ranges_ = enable.ranges;
}

RangeProfiler::~RangeProfiler() {
  CuptiOnRanges disable;
  disable.ranges = ranges_;
  disable.bytes = size_for_cuptiRangeProfilerDisable(disable);
  api_.cuptiRangeProfilerDisable(&disable);
}

std::vector<std::uint8_t> RangeProfiler::begin(std::size_t most, int range) {
  auto names = pointers(config_.metrics());
  CuptiDataSize size;
  size.ranges = ranges_;
  size.metrics = names.data();
  size.count = names.size();
  size.most_ranges = most;
  size.most_nodes = static_cast<std::uint32_t>(most);
  HARNESS_CUPTI(api_, cuptiRangeProfilerGetCounterDataSize, size);
  std::vector<std::uint8_t> data(size.size);
  CuptiDataStart start;
  start.ranges = ranges_;
  start.size = data.size();
  start.data = data.data();
  HARNESS_CUPTI(api_, cuptiRangeProfilerCounterDataImageInitialize, start);
  CuptiConfig config;
  config.ranges = ranges_;
  config.config_size = config_.image().size();
  config.config = config_.image().data();
  config.data_size = data.size();
  config.data = data.data();
  config.range = range;
  config.most_ranges = most;
  HARNESS_CUPTI(api_, cuptiRangeProfilerSetConfig, config);
  return data;
}

bool RangeProfiler::run_pass(const std::function<void()>& pass) {
  CuptiOnRanges start;
  start.ranges = ranges_;
  const auto begin = std::chrono::steady_clock::now();
  HARNESS_CUPTI(api_, cuptiRangeProfilerStart, start);
  if (!std::exchange(started_, true))
    set_up_s_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  CuptiStop stop;
  stop.ranges = ranges_;
  try {
    pass();
  } catch (...) {  // the profiler stops before its data goes
    stop.bytes = size_for_cuptiRangeProfilerStop(stop);
    api_.cuptiRangeProfilerStop(&stop);
    throw;
  }
  HARNESS_CUPTI(api_, cuptiRangeProfilerStop, stop);
  return stop.all_passes != 0;
}

std::vector<std::vector<double>> RangeProfiler::decode(const std::vector<std::uint8_t>& data) {
  CuptiDecode decode;
  decode.ranges = ranges_;
  HARNESS_CUPTI(api_, cuptiRangeProfilerDecodeData, decode);
  if (decode.dropped > 0) throw environment_error(fmt::format("CUPTI dropped {} of the ranges.", decode.dropped));
  CuptiDataInfo info;
  info.data = data.data();
  info.size = data.size();
  HARNESS_CUPTI(api_, cuptiRangeProfilerGetCounterDataInfo, info);
  std::vector<std::vector<double>> rows;
  for (std::size_t range = 0; range < info.ranges; ++range) rows.push_back(config_.values(data, range));
  return rows;
}

std::vector<std::vector<double>> RangeProfiler::each_kernel(std::size_t kernels, const std::function<void()>& before,
                                                            const std::function<void()>& pass) {
  return replayed(kCuptiAutoRange, kernels, before, pass);
}

std::vector<std::vector<double>> RangeProfiler::user_ranges(std::size_t ranges, const std::function<void()>& before,
                                                            const std::function<void()>& pass) {
  return replayed(kCuptiUserRange, ranges, before, pass);
}

// Replayed by us, not by CUPTI, so that each pass begins with the same image and an L2 that holds nothing of it.
std::vector<std::vector<double>> RangeProfiler::replayed(int range, std::size_t ranges,
                                                         const std::function<void()>& before,
                                                         const std::function<void()>& pass) {
  const auto data = begin(ranges, range);
  const std::size_t most = 4 * config_.passes() + 4;  // of a profiler that never says that it has all
  for (std::size_t i = 0;; ++i) {
    if (i == most) throw environment_error(fmt::format("CUPTI is not satisfied after {} passes.", most));
    before();
    if (run_pass(pass)) break;
  }
  const auto rows = decode(data);
  std::vector<std::vector<double>> sorted(rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::size_t number = number_of(data, i);
    if (number >= rows.size() || !sorted[number].empty())
      throw environment_error("CUPTI names the ranges otherwise than they were named.");
    sorted[number] = rows[i];
  }
  return sorted;
}

std::size_t RangeProfiler::number_of(const std::vector<std::uint8_t>& data, std::size_t index) {
  CuptiRangeName range;
  range.data = data.data();
  range.size = data.size();
  range.index = index;
  range.delimiter = "/";
  HARNESS_CUPTI(api_, cuptiRangeProfilerCounterDataGetRangeInfo, range);
  return range.name == nullptr ? index : std::strtoull(range.name, nullptr, 10);
}

void RangeProfiler::push(const char* name) {
  CuptiPush push;
  push.ranges = ranges_;
  push.name = name;
  HARNESS_CUPTI(api_, cuptiRangeProfilerPushRange, push);
}

void RangeProfiler::pop() {
  CuptiOnRanges pop;
  pop.ranges = ranges_;
  HARNESS_CUPTI(api_, cuptiRangeProfilerPopRange, pop);
}

}  // namespace harness::cuda
