#include "harness/predict/code_blocks.h"

#include <algorithm>
#include <cassert>
#include <set>

#include "harness/predict/warp_walk.h"

namespace harness {
namespace {

/// Where blocks begin: at the start, at what is branched to, and behind every branch and end.
std::set<std::size_t> beginnings_of_blocks(const std::vector<WarpInstruction>& code) {
  std::set<std::size_t> begins{0};
  for (std::size_t i = 0; i < code.size(); ++i) {
    if (code[i].target && *code[i].target >= 0) begins.insert(static_cast<std::size_t>(*code[i].target));
    if (code[i].target || code[i].ends) begins.insert(i + 1);
  }
  begins.erase(begins.lower_bound(code.size()), begins.end());
  return begins;
}

/// What one instruction adds to its block, besides the time that the warp takes for it.
void count_instruction(CodeBlock& block, const WarpInstruction& instruction, const std::vector<CodePlace>& places) {
  ++block.instructions[static_cast<std::size_t>(instruction.kind)];
  if (instruction.kind == InstructionClass::tensor) block.tensor_cycles += instruction.busy;
  for (const auto& site : {instruction.site, instruction.second_site})
    if (site)
      block.sites.push_back({.kind = *site,
                             .places = places,
                             .stores = instruction.stores,
                             .always = !instruction.conditional,
                             .answered = instruction.answered,
                             .by_lane = instruction.by_lane,
                             .bytes = instruction.bytes});
}

}  // namespace

MachineCode code_blocks(const std::vector<WarpInstruction>& code, const PlacesOfInstruction& places_of) {
  assert(!code.empty());
  const std::set<std::size_t> begins = beginnings_of_blocks(code);
  const std::vector<std::size_t> starts(begins.begin(), begins.end());
  const auto block_at = [&](std::size_t instruction) {
    return static_cast<std::size_t>(std::ranges::lower_bound(starts, instruction) - starts.begin());
  };
  MachineCode blocks(starts.size());
  WarpWalk warp;  // through all in their order: what one block begins, the next one may wait for
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    const std::size_t end = b + 1 < starts.size() ? starts[b + 1] : code.size();
    const std::int64_t cycles = warp.cycles(), waits = warp.waits();
    for (std::size_t i = starts[b]; i < end; ++i) {
      count_instruction(blocks[b], code[i], code[i].site ? places_of(i) : std::vector<CodePlace>());
      warp.issue(code[i]);
    }
    const WarpInstruction& last = code[end - 1];
    blocks[b].ends = last.ends;
    if (last.target && *last.target <= static_cast<std::int64_t>(starts[b])) warp.go_back();
    blocks[b].cycles = warp.cycles() - cycles;
    blocks[b].waits = warp.waits() - waits;
    if (last.target && *last.target >= 0 && static_cast<std::size_t>(*last.target) < code.size())
      blocks[b].next.push_back(block_at(static_cast<std::size_t>(*last.target)));
    const bool goes_on = last.conditional || (!last.target && !last.ends);
    if (goes_on && b + 1 < blocks.size()) blocks[b].next.push_back(b + 1);
  }
  return blocks;
}

}  // namespace harness
