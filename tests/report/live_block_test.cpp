#include "harness/report/live_block.h"

#include <catch2/catch.hpp>
#include <string>
#include <thread>

using namespace harness::report;

namespace {

LiveState a_state() {
  LiveState state;
  state.spent_s = 165;
  state.budget_s = 300;
  state.iterations = 42;
  state.outcomes = {{"passed", 30}, {"wrong_answer", 12}};
  state.phase = "timing";
  state.doing = "attention 20_split_kv BLOCK=64 on seed_b1h1s128_f16";
  state.doing_s = 3;
  state.workloads = 5;
  state.rows = {{"seed_b1h1s128_f16", 5120, 10.2, 0.001, 0.62, 4710, true, true}, {"seed_b2h8s4_f16"}};
  state.last = "20_split_kv BLOCK=32: wrong_answer";
  return state;
}

std::size_t width_of(const std::string& line) {
  std::size_t columns = 0;
  for (const char c : line) columns += (c & 0xC0) != 0x80 ? 1 : 0;
  return columns;
}

bool any_has(const std::vector<std::string>& lines, const std::string& part) {
  for (const std::string& line : lines)
    if (line.find(part) != std::string::npos) return true;
  return false;
}

}  // namespace

TEST_CASE("the live block says phase, time left, bests, rivals and workloads, at any width") {
  for (const std::size_t width : {59, 79, 119}) {
    const auto lines = live_lines(a_state(), width, 14);
    for (const std::string& line : lines) {
      INFO(line);
      CHECK(width_of(line) <= width);
    }
    CHECK(any_has(lines, "2m45s of 5m00s"));
    CHECK(any_has(lines, "2m15s left"));
    CHECK(any_has(lines, "now timing: attention"));
    CHECK(any_has(lines, "5.12 us"));
    CHECK(any_has(lines, "62 % of limit"));
    CHECK(any_has(lines, "0.92x"));
    CHECK(any_has(lines, "1 of 5 workloads have a best, 1 confirmed"));
    CHECK(any_has(lines, "last 20_split_kv"));
  }
}

TEST_CASE("a live block is never higher than its terminal, and shows the workload at work") {
  LiveState state = a_state();
  for (int i = 0; i < 30; ++i) state.rows.push_back({"w" + std::to_string(i)});
  for (LiveState::Row& row : state.rows) row.at_work = false;
  state.rows.back().at_work = true;
  const auto lines = live_lines(state, 80, 9);
  CHECK(lines.size() <= 9);
  CHECK(any_has(lines, "> w29"));
  CHECK(any_has(lines, "not shown"));
}

TEST_CASE("names and messages of plugins put no escape code on the terminal") {
  LiveState state = a_state();
  state.doing = "evil\x1b[2J\r";
  state.rows[0].workload = "\x1b]0;title\x07";
  state.last = "line\nline \xe2\x80\xae";
  std::string all;
  for (const std::string& line : live_lines(state, 80, 14)) all += line;
  CHECK(all.find('\x1b') == std::string::npos);
  CHECK(all.find('\r') == std::string::npos);
  CHECK(all.find('\n') == std::string::npos);
  CHECK(all.find("\xe2\x80\xae") == std::string::npos);
  CHECK(all.find("evil\\x1b[2J") != std::string::npos);
}

TEST_CASE("the clock of a live block goes on when something else is told") {
  double spent = 0;
  LiveBlock block({[](const std::string&) {}, [] { return std::pair<std::size_t, std::size_t>{80, 20}; }});
  block.change([](LiveState& state) { state.spent_s = 10; });
  std::this_thread::sleep_for(std::chrono::milliseconds(30));
  block.change([](LiveState& state) { state.phase = "timing"; });
  block.change([&](LiveState& state) { spent = state.spent_s; });
  CHECK(spent >= 10.03);
}

TEST_CASE("a live block ticks by itself, leaves nothing behind, and takes next to no time") {
  std::mutex mutex;
  std::string written;
  int drawn = 0;
  {
    LiveBlock block({[&](const std::string& text) {
                       const std::lock_guard lock(mutex);
                       written += text;
                       ++drawn;
                     },
                     [] {
                       return std::pair<std::size_t, std::size_t>{80, 20};
                     }},
                    std::chrono::milliseconds(10));
    block.change([](LiveState& state) { state = a_state(); });
    for (int i = 0; i < 200 && drawn < 4; ++i) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    block.print_above("a line\n");
  }
  CHECK(drawn >= 4);  // nobody told it anything in between
  CHECK(written.find("a line\n") != std::string::npos);
  CHECK(written.substr(written.size() - 3) == "\x1b[J");  // erased
}

TEST_CASE("what a narrower window shows of the lines before is erased, too") {
  std::size_t columns = 120;
  std::string last;
  LiveBlock block({[&](const std::string& text) { last = text; },
                   [&] {
                     return std::pair<std::size_t, std::size_t>{columns, 20};
                   }},
                  std::chrono::hours(1));
  block.change([](LiveState& state) { state = a_state(); });
  std::size_t lines = 0;
  for (const char c : last) lines += c == '\n' ? 1 : 0;
  columns = 40;  // the terminal wraps each long line into several
  block.change([](LiveState&) {});
  const std::size_t up = static_cast<std::size_t>(std::stoi(last.substr(last.find('[') + 1)));
  CHECK(up > lines);
  columns = 120;
  block.end();
}
