#pragma once
#include <memory>
#include <string>

#include "harness/report/live_block.h"
#include "harness/service/places.h"

namespace harness {

/// One line on a terminal that says what a short command does now and for how long; it is gone when the command prints
/// or ends. Nothing where standard error is no terminal.
class TaskLine {
 public:
  /// `places`: evaluations that are made with it tell their phases.
  TaskLine(bool quiet, Places* places);
  void begin(const std::string& task) const;
  void hide() const;

 private:
  std::shared_ptr<report::LiveBlock> block_;
};

}  // namespace harness
