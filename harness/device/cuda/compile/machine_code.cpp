#include "harness/device/cuda/compile/machine_code.h"

#include <elf.h>

#include <algorithm>
#include <cstring>

#include "harness/core/error.h"
#include "harness/device/cuda/compile/cubin.h"
#include "harness/device/cuda/compile/line_table.h"
#include "harness/device/cuda/compile/sass.h"
#include "harness/predict/code_blocks.h"

namespace harness::cuda {
namespace {

constexpr std::string_view kCode = ".text.";
constexpr std::uint64_t kInstructionBytes = 16;

template <typename T>
std::vector<T> records(std::string_view bytes) {
  std::vector<T> values(bytes.size() / sizeof(T));
  if (!values.empty()) std::memcpy(values.data(), bytes.data(), values.size() * sizeof(T));
  return values;
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
      for (const Elf64_Rela& relocation : records<Elf64_Rela>(section.bytes))
        beginnings.push_back({relocation.r_offset, relocation.r_info});
    if (section.name == ".debug_line") functions = read_line_table(section.bytes);
  }
  std::ranges::sort(beginnings, {}, &Elf64_Rel::r_offset);
  std::map<std::string, LineRows> by_section;
  for (std::size_t i = 0; i < std::min(functions.size(), beginnings.size()); ++i) {
    const std::size_t symbol = ELF64_R_SYM(beginnings[i].r_info);
    if (symbol < symbols.size() && symbols[symbol].st_shndx < sections.size())
      by_section[sections[symbols[symbol].st_shndx].name] = std::move(functions[i]);
  }
  return by_section;
}

}  // namespace

std::map<std::string, MachineCode> read_machine_code(std::string_view image) {
  std::map<std::string, MachineCode> functions;
  try {
    const std::vector<CubinSection> sections = cubin_sections(image);
    const auto lines = lines_by_section(sections);
    for (const CubinSection& section : sections) {
      if (!section.name.starts_with(kCode) || section.bytes.size() < kInstructionBytes) continue;
      const auto rows = lines.find(section.name);
      functions[section.name.substr(kCode.size())] = code_blocks(decode_sass(section.bytes), [&](std::size_t number) {
        return rows == lines.end() ? std::vector<CodePlace>() : places_at(rows->second, number * kInstructionBytes);
      });
    }
  } catch (const Error&) {  // cut short, or no cubin: the caller does without
    return {};
  }
  return functions;
}

}  // namespace harness::cuda
