#include "harness/device/cuda/compile/machine_code.h"

#include <elf.h>

#include <algorithm>
#include <cstring>
#include <set>

#include "harness/core/error.h"
#include "harness/device/cuda/compile/cubin.h"
#include "harness/device/cuda/compile/line_table.h"
#include "harness/device/cuda/compile/sass.h"
#include "harness/device/cuda/compile/warp_walk.h"

namespace harness::cuda {
namespace {

constexpr std::string_view kCode = ".text.";
constexpr std::uint64_t kInstructionBytes = 16;

template <typename T>
std::vector<T> records(std::string_view bytes) {
  std::vector<T> found(bytes.size() / sizeof(T));
  if (!found.empty()) std::memcpy(found.data(), bytes.data(), found.size() * sizeof(T));
  return found;
}

/// The line table's functions by the name of the section with their code: a relocation says where each begins.
std::map<std::string, LineRows> lines_by_section(const std::vector<CubinSection>& sections) {
  std::vector<Elf64_Sym> symbols;
  std::vector<Elf64_Rel> beginnings;
  std::vector<LineRows> functions;
  for (const CubinSection& section : sections) {
    if (section.name == ".symtab") symbols = records<Elf64_Sym>(section.bytes);
    if (section.name == ".rel.debug_line") beginnings = records<Elf64_Rel>(section.bytes);  // of older architectures
    if (section.name == ".rela.debug_line")
      for (const Elf64_Rela& each : records<Elf64_Rela>(section.bytes))
        beginnings.push_back({each.r_offset, each.r_info});
    if (section.name == ".debug_line") functions = read_line_table(section.bytes);
  }
  std::ranges::sort(beginnings, {}, &Elf64_Rel::r_offset);
  std::map<std::string, LineRows> found;
  for (std::size_t i = 0; i < std::min(functions.size(), beginnings.size()); ++i) {
    const std::size_t symbol = ELF64_R_SYM(beginnings[i].r_info);
    if (symbol < symbols.size() && symbols[symbol].st_shndx < sections.size())
      found[sections[symbols[symbol].st_shndx].name] = std::move(functions[i]);
  }
  return found;
}

/// Where blocks begin: at the start, at what is branched to, and behind every branch and end.
std::set<std::size_t> beginnings_of_blocks(const std::vector<SassInstruction>& code) {
  std::set<std::size_t> begins{0};
  for (std::size_t i = 0; i < code.size(); ++i) {
    if (code[i].target && *code[i].target >= 0) begins.insert(static_cast<std::size_t>(*code[i].target));
    if (code[i].target || code[i].ends) begins.insert(i + 1);
  }
  begins.erase(begins.lower_bound(code.size()), begins.end());
  return begins;
}

MachineCode blocks_of(const std::vector<SassInstruction>& code, const LineRows& lines) {
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
      ++blocks[b].instructions[static_cast<std::size_t>(code[i].kind)];
      if (code[i].kind == InstructionClass::tensor) blocks[b].tensor_cycles += code[i].busy;
      warp.issue(code[i]);
      for (const auto& site : {code[i].site, code[i].second_site})
        if (site)
          blocks[b].sites.push_back({.kind = *site,
                                     .places = places_at(lines, i * kInstructionBytes),
                                     .stores = code[i].stores,
                                     .always = !code[i].conditional,
                                     .answered = code[i].answered,
                                     .by_lane = code[i].by_lane,
                                     .bytes = code[i].bytes});
    }
    const SassInstruction& last = code[end - 1];
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

}  // namespace

std::map<std::string, MachineCode> read_machine_code(std::string_view image) {
  std::map<std::string, MachineCode> found;
  try {
    const std::vector<CubinSection> sections = cubin_sections(image);
    const auto lines = lines_by_section(sections);
    for (const CubinSection& section : sections) {
      if (!section.name.starts_with(kCode) || section.bytes.size() < kInstructionBytes) continue;
      const auto known = lines.find(section.name);
      found[section.name.substr(kCode.size())] =
          blocks_of(decode_sass(section.bytes), known == lines.end() ? LineRows{} : known->second);
    }
  } catch (const Error&) {  // cut short, or no cubin: the caller does without
    return {};
  }
  return found;
}

}  // namespace harness::cuda
