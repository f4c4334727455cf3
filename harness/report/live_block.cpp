#include "harness/report/live_block.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>

#include "harness/core/printable.h"
#include "harness/report/format.h"
#include "harness/report/table.h"
#include "harness/report/wrap.h"

namespace harness::report {
namespace {

/// One harmless line of at most `width` columns; what is cut ends with an ellipsis.
std::string line_of(const std::string& text, std::size_t width) {
  const std::string whole = clean(text);
  if (display_width(whole) <= width) return whole;
  return cut_columns(whole, 0, width - 1) + "\u2026";
}

std::string padded_to(const std::string& text, std::size_t width) {
  return text + std::string(width - std::min(width, display_width(text)), ' ');
}

std::string clock_line(const LiveState& state, std::size_t width) {
  std::string counts;
  for (const auto& [outcome, count] : state.outcomes)
    counts += fmt::format("{}{} {}", counts.empty() ? "" : ", ", count, outcome);
  const std::string done = fmt::format("{} done{}{}", state.iterations, counts.empty() ? "" : ": ", counts);
  if (!(state.budget_s > 0)) return fmt::format("{}   {}", seconds(state.spent_s), done);
  const double left = std::max(0.0, state.budget_s - state.spent_s);
  const std::size_t cells = width >= 100 ? 20 : 8;
  const auto full =
      static_cast<std::size_t>(std::clamp(state.spent_s / state.budget_s, 0.0, 1.0) * static_cast<double>(cells));
  return fmt::format("[{}{}] {} of {}, {} left   {}", std::string(full, '#'), std::string(cells - full, '.'),
                     seconds(state.spent_s), seconds(state.budget_s), seconds(left), done);
}

std::string row_line(const LiveState::Row& row, std::size_t name_width, std::size_t width) {
  std::string name = line_of(row.workload, name_width);
  std::string text = fmt::format("{} {} ", row.at_work ? ">" : " ", padded_to(name, name_width));
  if (!row.best_ns) return text + "nothing yet";
  const bool narrow = width < 70;  // the floor and the rival say more than the baseline
  text += fmt::format("{:>9}", nanoseconds(row.best_ns));
  if (!narrow) text += fmt::format("  {:>6}", ratio(row.speedup));
  if (row.of_limit) text += fmt::format("  {:>6} of limit", share(row.of_limit));
  else if (row.of_floor) text += fmt::format("  {:>6} of floor", share(row.of_floor));
  if (row.rival_ns)
    text += width >= 90 ? fmt::format("  rival {} ({} of its speed)", nanoseconds(row.rival_ns),
                                      ratio(*row.rival_ns / *row.best_ns))
                        : fmt::format("  {} of rival", ratio(*row.rival_ns / *row.best_ns));
  return text + (row.confirmed ? "  confirmed" : "");
}

}  // namespace

std::vector<std::string> live_lines(const LiveState& state, std::size_t width, std::size_t height) {
  std::vector<std::string> lines{clock_line(state, width)};
  const std::string took = state.doing.empty() ? "" : fmt::format("  {}", seconds(state.doing_s));
  if (!state.phase.empty() || !state.doing.empty()) {
    const std::string what =
        fmt::format("now {}{}{}", state.phase, state.phase.empty() || state.doing.empty() ? "" : ": ", state.doing);
    lines.push_back(line_of(what, width - std::min(width - 1, took.size())) + took);
  }
  const std::size_t others = 2 + (state.last.empty() ? 0 : 1) + (state.note.empty() ? 0 : 1);
  const std::size_t room = height > lines.size() + others ? height - lines.size() - others : 1;
  std::vector<LiveState::Row> rows = state.rows;  // the one at work first where not all have room
  if (rows.size() > room) std::ranges::stable_partition(rows, [](const LiveState::Row& row) { return row.at_work; });
  std::size_t name_width = 10;
  for (const LiveState::Row& row : rows) name_width = std::max(name_width, display_width(clean(row.workload)));
  name_width = std::min(name_width, width < 70 ? width / 4 : width / 3);
  for (std::size_t i = 0; i < std::min(rows.size(), room); ++i) lines.push_back(row_line(rows[i], name_width, width));
  const auto timed =
      std::ranges::count_if(state.rows, [](const LiveState::Row& row) { return row.best_ns.has_value(); });
  const auto confirmed = std::ranges::count_if(state.rows, [](const LiveState::Row& row) { return row.confirmed; });
  if (state.workloads > 0)
    lines.push_back(fmt::format("  {} of {} workloads have a best, {} confirmed{}", timed, state.workloads, confirmed,
                                rows.size() > room ? fmt::format("; {} not shown", rows.size() - room) : ""));
  if (!state.last.empty()) lines.push_back("last " + state.last);
  if (!state.note.empty()) lines.push_back("note " + state.note);
  for (std::string& line : lines) line = line_of(line, width);
  if (lines.size() > height) lines.resize(std::max<std::size_t>(1, height));
  return lines;
}

LiveBlock::LiveBlock(Terminal terminal, std::chrono::milliseconds period)
    : terminal_(std::move(terminal)), period_(period), thread_([this] { tick(); }) {}

LiveBlock::~LiveBlock() {
  end();
}

void LiveBlock::change(const std::function<void(LiveState&)>& edit) {
  const std::lock_guard lock(mutex_);
  if (over_) return;
  const auto now = std::chrono::steady_clock::now();
  const double since = std::chrono::duration<double>(now - told_).count();
  state_.spent_s += since;  // both clocks go on where the edit says nothing of them
  state_.doing_s += since;
  edit(state_);
  paused_ = false;
  told_ = now;
  draw();
}

void LiveBlock::print_above(const std::string& text) {
  const std::lock_guard lock(mutex_);
  erase();
  terminal_.write(text);
  if (!over_) draw();
}

void LiveBlock::pause() {
  const std::lock_guard lock(mutex_);
  erase();
  paused_ = true;
}

void LiveBlock::end() {
  {
    const std::lock_guard lock(mutex_);
    if (over_) return;
    over_ = true;
    erase();
  }
  wake_.notify_all();
  thread_.join();
}

void LiveBlock::tick() {
  std::unique_lock lock(mutex_);
  while (!wake_.wait_for(lock, period_, [this] { return over_; })) draw();
}

void LiveBlock::draw() {
  if (paused_) return;
  LiveState now = state_;
  const double since = std::chrono::duration<double>(std::chrono::steady_clock::now() - told_).count();
  now.spent_s += since;
  now.doing_s += since;
  const auto [columns, lines] = terminal_.size();
  const std::size_t above = standing_lines(columns);
  const auto text = live_lines(now, std::max<std::size_t>(columns, 21) - 1, std::max<std::size_t>(lines, 4) - 2);
  // In one piece, so that nothing is seen half drawn: up to the first line, each line anew, the rest erased.
  std::string drawn = above > 0 ? fmt::format("\r\x1b[{}A", above) : "\r";
  for (const std::string& line : text) drawn += line + "\x1b[K\n";
  terminal_.write(drawn + "\x1b[J");
  drawn_.clear();
  for (const std::string& line : text) drawn_.push_back(display_width(line));
}

/// A window that became narrower shows a line that was drawn before as several.
std::size_t LiveBlock::standing_lines(std::size_t columns) const {
  std::size_t lines = 0;
  for (const std::size_t width : drawn_)
    lines += std::max<std::size_t>(1, (width + columns - 1) / std::max<std::size_t>(columns, 1));
  return lines;
}

void LiveBlock::erase() {
  if (drawn_.empty()) return;
  terminal_.write(fmt::format("\r\x1b[{}A\x1b[J", standing_lines(terminal_.size().first)));
  drawn_.clear();
}

LiveBlock::Terminal error_terminal() {
  return {[](const std::string& text) {
            for (std::size_t done = 0; done < text.size();) {
              const ssize_t count = ::write(STDERR_FILENO, text.data() + done, text.size() - done);
              if (count <= 0) return;  // nobody looks any more
              done += static_cast<std::size_t>(count);
            }
          },
          [] {
            winsize size{};
            const bool known = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 20;
            return std::pair<std::size_t, std::size_t>{
                error_columns().value_or(80), known && size.ws_row > 4 ? std::min<std::size_t>(size.ws_row, 14) : 14};
          }};
}

}  // namespace harness::report
