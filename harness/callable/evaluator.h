#pragma once
#include <functional>

#include "harness/callable/line.h"
#include "harness/callable/question.h"
#include "harness/core/evaluator.h"

namespace harness::callable {

/// What a record made in the caller's own process claims, and what it does not.
inline constexpr const char* kClaim =
    "judged and timed in the caller's own process, by its clock: nothing keeps a candidate from the inputs, the "
    "answers or the clock, and a confirmation is of the same process";

/// The caller's process as a device. The order of an evaluation: nominal inputs twice, timing in turns with the
/// incumbent, then the other forms for what is not screened.
class CallableEvaluator : public Evaluator {
 public:
  using Phase = std::function<void(const std::string& what)>;
  /// `forms_s`: what the trial of the gates may take for hostile forms, about.
  CallableEvaluator(const Question& question, Line& line, std::optional<double> usd_per_hour, double forms_s,
                    Phase phase);
  DeviceInfo device() override { return device_; }
  std::optional<DeviceInfo> preflight_device() override { return std::nullopt; }
  void prepare(std::span<const Realized>) override {}
  Evaluation evaluate(const EvaluationRequest& request) override;
  std::optional<Admission> admit(const AdmissionRequest& request) override;
  MeasuredPeaks measure_peaks() override { return {}; }
  void use_peaks(const MeasuredPeaks&) override {}
  double take_prepare_seconds() override { return 0; }

 private:
  struct Work;
  void steps(Work& work);
  bool judge(Work& work, const std::vector<std::string>& forms, bool first);
  bool time(Work& work);

  DeviceInfo device_;
  Line& line_;
  std::optional<double> usd_per_hour_;
  double forms_s_;
  Phase phase_;
  TimingPolicy search_, confirm_;
  double run_s_ = 0;  // the deadline of one call
};

}  // namespace harness::callable
