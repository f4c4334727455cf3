#pragma once
#include <functional>
#include <string>

#include "harness/core/json.h"

namespace harness::callable {

/// The input has ended, or the user stopped: nobody answers any more.
struct CallerGone {};

/// The caller's end of a pipe: one JSON object a line in each direction, one question at a time.
class Line {
 public:
  /// Descriptors that stay open. `stop` is asked several times a second.
  Line(int input, int output, std::function<bool()> stop);
  /// The next line. Throws CallerGone, and Error(bad_input) for what is no JSON object or longer than 64 MiB.
  json read();
  /// Sends {"event": "ask", "ask": `what`, "id": N} with `question`'s fields; the answer with this id.
  json ask(const std::string& what, json question);
  bool ended() const { return ended_; }

 private:
  int input_, output_;
  std::function<bool()> stop_;
  std::string pending_;
  std::int64_t asked_ = 0;
  bool ended_ = false;
};

}  // namespace harness::callable
