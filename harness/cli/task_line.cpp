#include "harness/cli/task_line.h"

#include <unistd.h>

namespace harness {

TaskLine::TaskLine(bool quiet, Places* places) {
  if (quiet || isatty(STDERR_FILENO) == 0) return;
  block_ = std::make_shared<report::LiveBlock>(report::error_terminal());
  if (places != nullptr)
    places->on_phase = [block = block_](const EvaluationPhase& phase) {
      block->change([&](report::LiveState& state) { state.phase = phase.name; });
    };
}

void TaskLine::begin(const std::string& task) const {
  if (!block_) return;
  block_->change([&](report::LiveState& state) {
    state.doing = task;
    state.phase.clear();
    state.doing_s = 0;
  });
}

void TaskLine::hide() const {
  if (block_) block_->pause();
}

}  // namespace harness
