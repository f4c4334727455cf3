#pragma once
#include <functional>
#include <string>
#include <vector>

#include "harness/device/cuda/profile/cupti_api.h"

namespace harness::cuda {

/// Which counters are collected on a chip, and how many runs that takes. Needs no GPU.
class CounterConfig {
 public:
  /// `chip`: as CUPTI calls it, "GH100". Counters that the chip lacks are left out (`metrics()` has the others). Throws
  /// Error.
  CounterConfig(const CuptiApi& api, const std::string& chip, const std::vector<std::string>& metrics);
  ~CounterConfig();
  CounterConfig(const CounterConfig&) = delete;
  CounterConfig& operator=(const CounterConfig&) = delete;

  const std::vector<std::string>& metrics() const { return metrics_; }
  const std::vector<std::uint8_t>& image() const { return image_; }
  std::size_t passes() const { return passes_; }
  /// Of the range with this number, one value a metric.
  std::vector<double> values(const std::vector<std::uint8_t>& data, std::size_t range) const;

 private:
  void start(const std::string& chip);
  bool add(const std::vector<std::string>& metrics);
  void leave_out_unknown(const std::string& chip);
  void make_image();

  const CuptiApi& api_;
  CuptiHost host_ = nullptr;
  std::vector<std::string> metrics_;
  std::vector<std::uint8_t> image_;
  std::size_t passes_ = 0;
};

/// CUPTI's range profiler on the current context: one for a GPU at a time. Its first pass takes about 0.2 s, the others
/// milliseconds.
class RangeProfiler {
 public:
  /// Throws Error: no permission, or another process profiles the GPU.
  RangeProfiler(const CuptiApi& api, Context context, const CounterConfig& config);
  ~RangeProfiler();
  RangeProfiler(const RangeProfiler&) = delete;
  RangeProfiler& operator=(const RangeProfiler&) = delete;

  /// `pass` starts `kernels` kernels, each a range of its own, and waits. It is called once for each pass of the
  /// counters; `before` each of them, while nothing is counted. One row of values a kernel.
  std::vector<std::vector<double>> each_kernel(std::size_t kernels, const std::function<void()>& before,
                                               const std::function<void()>& pass);
  /// The same where `pass` calls push("0") and pop(), push("1")... around each of `ranges` ranges: what lies between
  /// the kernels of a range, some microseconds, counts as time of it.
  std::vector<std::vector<double>> user_ranges(std::size_t ranges, const std::function<void()>& before,
                                               const std::function<void()>& pass);
  /// What the first pass took to begin, seconds: setting up, whatever is counted.
  double set_up_s() const { return set_up_s_; }
  void push(const char* name);
  void pop();

 private:
  std::vector<std::vector<double>> replayed(int range, std::size_t most, const std::function<void()>& before,
                                            const std::function<void()>& pass);
  std::vector<std::uint8_t> begin(std::size_t most, int range);
  std::vector<std::vector<double>> decode(const std::vector<std::uint8_t>& data);
  std::size_t number_of(const std::vector<std::uint8_t>& data, std::size_t index);
  bool run_pass(const std::function<void()>& pass);

  const CuptiApi& api_;
  const CounterConfig& config_;
  CuptiRanges ranges_ = nullptr;
  bool started_ = false;
  double set_up_s_ = 0;
};

}  // namespace harness::cuda
