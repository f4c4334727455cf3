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

TEST_CASE("a pivot is one short line, and its whole reason where it was asked for") {
  Pivoted event;
  event.to = {"attention", "s128", "wgmma"};
  event.why = "attention/s128/wgmma promises 56x in 1 evaluation (0.04 min), passing with probability 0.73" +
              std::string(200, '.');
  CHECK(said([&] { report::TerminalDisplay({}).pivoted(event); }) == "pivot     attention s128 wgmma\n");
  const std::string whole = said([&] { report::TerminalDisplay({.verbose = true}).pivoted(event); });
  CHECK(whole.find("probability 0.73") != std::string::npos);
  event.closed = true;
  const std::string left = said([&] { report::TerminalDisplay({}).pivoted(event); });
  CHECK(left.starts_with("leave     attention s128 wgmma: attention/s128"));
  CHECK(left.size() < 120);
  CHECK(said([&] { report::TerminalDisplay({.quiet = true}).pivoted(event); }).empty());
}

TEST_CASE("what limits a candidate is a line; a profile without a diagnosis is none, and a missing one says why") {
  Profile profile;
  profile.source = ProfileSource::cupti;
  Profiled event{1, 2, "softmax", "m64n512_f32", "10_warp_row", &profile, ""};
  CHECK(said([&] { report::TerminalDisplay({}).profiled(event); }).empty());
  profile.diagnosis = Diagnosis{"tail", "tail: 1.06 waves\x1b[2J", "121-last-wave"};
  CHECK(said([&] {
          report::TerminalDisplay({}).profiled(event);
        }).starts_with("profile   softmax m64n512_f32 10_warp_row (cupti): tail: 1.06 waves"));
  event.profile = nullptr;
  event.why_not = "no counters here";
  CHECK(said([&] { report::TerminalDisplay({}).profiled(event); }) ==
        "profile   softmax m64n512_f32 10_warp_row: not profiled: no counters here\n");
}

TEST_CASE("a busy machine and a fallen clock are told once each") {
  std::string complaint = "this machine is busy: load 9 on 2 cores";
  report::TerminalDisplay display({.complaint = [&] { return complaint; }});
  CHECK(said([&] { display.started({}); }).find("note      this machine is busy") != std::string::npos);
  CHECK(said([&] { display.progress({}); }).empty());
  Timing timing;
  timing.time_ns = 5120;
  Evaluation evaluation;
  const auto at = [&](double mhz) {
    timing.samples.clock_mhz = {mhz, mhz, mhz};
    evaluation.outcome = Passed{timing};
    return said([&] { display.iteration(ended(Purpose::search, evaluation)); });
  };
  CHECK(at(1980).empty());
  CHECK(at(1200).find("clock fell to 1200 MHz from 1980") != std::string::npos);
  CHECK(at(1200).empty());
}
