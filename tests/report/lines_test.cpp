#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdio>
#include <functional>

#include "harness/report/terminal.h"

// The lines that a person sees while a campaign runs.
using namespace harness;

namespace {

/// What `action` writes to stderr.
std::string said(const std::function<void()>& action) {
  std::FILE* file = std::tmpfile();
  std::fflush(stderr);
  const int before = dup(STDERR_FILENO);
  dup2(fileno(file), STDERR_FILENO);
  action();
  std::fflush(stderr);
  dup2(before, STDERR_FILENO);
  close(before);
  std::string text(static_cast<std::size_t>(std::ftell(file) >= 0 ? lseek(fileno(file), 0, SEEK_END) : 0), ' ');
  std::rewind(file);
  text.resize(std::fread(text.data(), 1, text.size(), file));
  std::fclose(file);
  return text;
}

IterationEnded ended(Purpose purpose, const Evaluation& evaluation) {
  IterationEnded event;
  event.attempt.purpose = purpose;
  event.attempt.candidate = {"softmax", "10_warp_row", "warp-per-row", {{"ROWS", std::int64_t{4}}}};
  event.attempt.workload = "m64n512_f32";
  event.evaluation = &evaluation;
  return event;
}

}  // namespace

TEST_CASE("a winner that is lost when it is confirmed has its line, and what a search loses has none") {
  report::TerminalDisplay display({});
  Evaluation evaluation;
  WrongAnswer wrong;
  wrong.message = "shape: relative L2 0.5";
  evaluation.outcome = wrong;
  CHECK(said([&] { display.iteration(ended(Purpose::confirm, evaluation)); }) ==
        "lost      softmax m64n512_f32  10_warp_row ROWS=4 did not pass when it was to be confirmed (wrong_answer): "
        "shape: relative L2 0.5\n");
  CHECK(said([&] { display.iteration(ended(Purpose::search, evaluation)); }).empty());
}

TEST_CASE("bests and confirmations have a line each") {
  report::TerminalDisplay display({});
  Timing timing;
  timing.time_ns = 5120;
  timing.speedup = 2;
  Evaluation evaluation;
  evaluation.outcome = Passed{timing};
  IterationEnded event = ended(Purpose::search, evaluation);
  CHECK(said([&] { display.iteration(event); }).empty());
  event.new_best = true;
  CHECK(said([&] { display.iteration(event); }) == "new best  softmax m64n512_f32  5.12 us  2x  10_warp_row ROWS=4\n");
  event.confirmed = true;
  CHECK(said([&] { display.iteration(event); }) == "confirmed softmax m64n512_f32  5.12 us  2x  10_warp_row ROWS=4\n");
}
