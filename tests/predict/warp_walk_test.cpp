#include "harness/predict/warp_walk.h"

#include <catch2/catch.hpp>

using namespace harness;

namespace {

WarpInstruction instruction(InstructionClass kind, int busy = 1) {
  WarpInstruction made;
  made.kind = kind;
  made.busy = busy;
  return made;
}

WarpInstruction load(int scoreboard) {
  WarpInstruction made = instruction(InstructionClass::memory);
  made.loads = true;
  made.holds = scoreboard;
  return made;
}

WarpInstruction waiting_for(unsigned scoreboards) {
  WarpInstruction made = instruction(InstructionClass::floating);
  made.waits_for = scoreboards;
  return made;
}

WarpInstruction hgmma(int columns, bool ends_group) {
  WarpInstruction made = instruction(InstructionClass::tensor, columns / 2);
  made.asynchronous = true;
  made.ends_group = ends_group;
  return made;
}

}  // namespace

TEST_CASE("loads that are under way together are waited for once") {
  WarpWalk warp;
  for (const int scoreboard : {0, 1, 0}) warp.issue(load(scoreboard));
  CHECK(warp.waits() == 0);
  warp.issue(waiting_for(1));
  warp.issue(waiting_for(2));
  CHECK(warp.waits() == 1);
  CHECK(warp.cycles() == 5);  // how long they take is not said here
  warp.issue(load(3));
  warp.go_back();
  warp.go_back();
  CHECK(warp.waits() == 2);
}

TEST_CASE("who needs what shared memory answers waits for it, others do not") {
  WarpWalk warp;
  WarpInstruction shared = instruction(InstructionClass::shared);
  shared.holds = 2;
  warp.issue(shared);
  warp.issue(waiting_for(1));
  CHECK(warp.cycles() == 2);
  warp.issue(waiting_for(4));
  CHECK(warp.cycles() > 30);
}

TEST_CASE("a unit that is slower than the warp holds it up") {
  WarpWalk warp;
  for (int i = 0; i < 4; ++i) warp.issue(instruction(InstructionClass::special, 8));
  CHECK(warp.cycles() == 3 * 8 + 1);
}

TEST_CASE("a warpgroup goes on while the tensor cores work, until it waits for a group") {
  WarpWalk warp;
  warp.issue(hgmma(128, false));
  warp.issue(hgmma(128, true));
  warp.issue(hgmma(128, true));
  CHECK(warp.cycles() == 3);
  WarpInstruction wait = instruction(InstructionClass::control);
  wait.groups_left = 1;
  warp.issue(wait);
  const std::int64_t first = warp.cycles();
  CHECK(first > 2 * 64);
  CHECK(first < 3 * 64);
  wait.groups_left = 0;
  warp.issue(wait);
  CHECK(warp.cycles() == first + 64);
}
