#pragma once
#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace harness::report {

/// What a live block shows: plain values, drawn by live_lines.
struct LiveState {
  double spent_s = 0, budget_s = 0;  // budget_s 0: none
  std::int64_t iterations = 0;
  std::map<std::string, std::int64_t> outcomes;
  std::string phase;   // "build", "gates", "timing", "confirmation", "trial of the gates", "pre-flight"; "": none
  std::string doing;   // "softmax 20_online BLOCK=128 on r4096x1024_bf16"
  double doing_s = 0;  // for how long
  std::size_t workloads = 0;
  struct Row {
    std::string workload;
    std::optional<double> best_ns, speedup, of_floor, of_limit, rival_ns;
    bool confirmed = false, at_work = false;
  };
  std::vector<Row> rows;  // workloads that have begun, in their order
  std::string last;       // event
  std::string note;       // "this machine is busy: ..."
};

/// At most `height` lines of at most `width` columns each (60 and more), without escape codes: every text of a plugin
/// is made harmless (core/printable.h).
std::vector<std::string> live_lines(const LiveState& state, std::size_t width, std::size_t height);

/// A block of lines at the end of a terminal that redraws itself, from a thread of its own: also while nothing is told.
/// Safe to call from any thread.
class LiveBlock {
 public:
  /// Writes what it draws through `write`; the size of the terminal is asked anew for each drawing.
  struct Terminal {
    std::function<void(const std::string&)> write;
    std::function<std::pair<std::size_t, std::size_t>()> size;  // columns, lines
  };
  explicit LiveBlock(Terminal terminal, std::chrono::milliseconds period = std::chrono::milliseconds(500));
  ~LiveBlock();  // the block is erased
  LiveBlock(const LiveBlock&) = delete;
  LiveBlock& operator=(const LiveBlock&) = delete;

  /// Changes what is shown; drawn at once. The clock goes on from `spent_s` and `doing_s`.
  void change(const std::function<void(LiveState&)>& edit);
  /// Text above the block, as it is.
  void print_above(const std::string& text);
  /// Erases the block until the next change: something else is printed.
  void pause();
  /// Erases the block and stops.
  void end();

 private:
  void tick();
  void draw();
  void erase();
  std::size_t standing_lines(std::size_t columns) const;

  Terminal terminal_;
  std::chrono::milliseconds period_;
  std::mutex mutex_;
  std::condition_variable wake_;
  LiveState state_;
  std::chrono::steady_clock::time_point told_ = std::chrono::steady_clock::now();
  std::vector<std::size_t> drawn_;  // the columns of each line that stands on the terminal
  bool over_ = false, paused_ = false;
  std::thread thread_;
};

/// Standard error.
LiveBlock::Terminal error_terminal();

}  // namespace harness::report
