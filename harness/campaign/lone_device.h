#pragma once
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "harness/core/evaluator.h"
#include "harness/core/fleet.h"

namespace harness {

/// A fleet of the one device of an evaluator, which works while next() waits.
class LoneDevice : public Fleet {
 public:
  explicit LoneDevice(Evaluator& evaluator) : evaluator_(evaluator), devices_(1) {
    devices_.front().info = evaluator.device();
  }
  const std::vector<FleetDevice>& devices() override { return devices_; }
  void begin(std::size_t, std::int64_t ticket, EvaluationRequest request) override {
    ticket_ = ticket;
    request_ = std::move(request);
  }
  std::optional<FleetAnswer> next(double) override {
    if (!request_) return std::nullopt;
    const EvaluationRequest request = std::move(*request_);
    request_.reset();
    return FleetAnswer{ticket_, evaluator_.evaluate(request)};
  }
  void cancel() override { request_.reset(); }

 private:
  Evaluator& evaluator_;
  std::vector<FleetDevice> devices_;
  std::int64_t ticket_ = 0;
  std::optional<EvaluationRequest> request_;
};

}  // namespace harness
