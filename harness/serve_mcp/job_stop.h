#pragma once
#include <memory>
#include <optional>
#include <string>

#include "harness/service/shell.h"

namespace harness {

/// Whether a job must end: this process was asked to, somebody cancelled the job, or the budget is spent. May be asked
/// from any thread, as often as one likes.
class JobStop {
 public:
  JobStop(std::int64_t job, const Shell& shell);
  bool operator()() const;
  void give_up_after(std::optional<double> seconds) const;
  std::string why() const;  // a sentence

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace harness
