#include "harness/device/cuda/compile/cubin.h"

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "harness/core/error.h"
#include "harness/core/hash.h"

namespace harness::cuda {
namespace {

// Attributes of .nv.info: a format byte, an attribute byte, two bytes of value or size, and for kSized the value.
constexpr unsigned kSized = 4;
constexpr unsigned kMaxThreads = 0x05;
constexpr unsigned kFrameSize = 0x11;
constexpr unsigned kParameter = 0x17;  // size in the upper 14 bits of the third word
constexpr unsigned kRegisterCount = 0x2f;
constexpr unsigned kLargeParameter = 0x45;  // a whole word of size: kernels with more than 4 KB of parameters

template <typename T>
T read_at(std::string_view bytes, std::size_t offset) {
  if (offset > bytes.size() || bytes.size() - offset < sizeof(T)) {
    throw environment_error("a cubin is cut short; delete it from the cache and compile again.");
  }
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof(T));
  return value;
}

std::string_view part(std::string_view bytes, std::size_t offset, std::size_t size) {
  if (offset > bytes.size() || bytes.size() - offset < size) {
    throw environment_error("a cubin is cut short; delete it from the cache and compile again.");
  }
  return bytes.substr(offset, size);
}

std::string text_at(std::string_view table, std::size_t offset) {
  const std::string_view rest = part(table, offset, table.size() - std::min(offset, table.size()));
  return std::string(rest.substr(0, rest.find('\0')));
}

struct Section {
  std::string name;
  std::string_view bytes;  // empty for sections without contents
  Elf64_Shdr header;
};

std::vector<Section> read_sections(std::string_view image) {
  const auto elf = read_at<Elf64_Ehdr>(image, 0);
  if (std::memcmp(elf.e_ident, ELFMAG, SELFMAG) != 0 || elf.e_ident[EI_CLASS] != ELFCLASS64) {
    throw environment_error("a cubin is not a 64-bit ELF file; delete it from the cache and compile again.");
  }
  std::vector<Section> sections;
  for (std::size_t i = 0; i < elf.e_shnum; ++i) {
    Section section{"", {}, read_at<Elf64_Shdr>(image, elf.e_shoff + i * sizeof(Elf64_Shdr))};
    if (section.header.sh_type != SHT_NOBITS && section.header.sh_type != SHT_NULL) {
      section.bytes = part(image, section.header.sh_offset, section.header.sh_size);
    }
    sections.push_back(section);
  }
  if (elf.e_shstrndx >= sections.size()) throw environment_error("a cubin has no table of section names.");
  for (Section& section : sections) section.name = text_at(sections[elf.e_shstrndx].bytes, section.header.sh_name);
  return sections;
}

/// Names of symbols by index.
std::vector<std::string> read_symbols(const std::vector<Section>& sections) {
  std::vector<std::string> names;
  for (const Section& section : sections) {
    if (section.header.sh_type != SHT_SYMTAB || section.header.sh_link >= sections.size()) continue;
    const std::string_view strings = sections[section.header.sh_link].bytes;
    for (std::size_t at = 0; at + sizeof(Elf64_Sym) <= section.bytes.size(); at += sizeof(Elf64_Sym)) {
      names.push_back(text_at(strings, read_at<Elf64_Sym>(section.bytes, at).st_name));
    }
  }
  return names;
}

/// Objects in .nv.global and .nv.global.init: __device__ variables, function-local statics, and what the compiler puts
/// beside them, such as format strings; and those in .nv.constant3, __constant__ variables, which a store through a
/// generic address changes.
std::vector<std::string> read_variables(const std::vector<Section>& sections) {
  std::vector<std::string> names;
  for (const Section& section : sections) {
    if (section.header.sh_type != SHT_SYMTAB || section.header.sh_link >= sections.size()) continue;
    const std::string_view strings = sections[section.header.sh_link].bytes;
    for (std::size_t at = 0; at + sizeof(Elf64_Sym) <= section.bytes.size(); at += sizeof(Elf64_Sym)) {
      const auto symbol = read_at<Elf64_Sym>(section.bytes, at);
      if (ELF64_ST_TYPE(symbol.st_info) != STT_OBJECT || symbol.st_shndx >= sections.size()) continue;
      const std::string& place = sections[symbol.st_shndx].name;
      if (place != ".nv.global" && place != ".nv.global.init" && place != ".nv.constant3") continue;
      names.push_back(text_at(strings, symbol.st_name));
    }
  }
  return names;
}

/// Calls visit(attribute, value) for every attribute that carries a value.
template <typename Visit>
void for_each_attribute(std::string_view info, Visit visit) {
  for (std::size_t at = 0; at + 4 <= info.size();) {
    const auto format = read_at<std::uint8_t>(info, at);
    const auto attribute = read_at<std::uint8_t>(info, at + 1);
    const auto size = read_at<std::uint16_t>(info, at + 2);
    at += 4;
    if (format != kSized) continue;
    visit(unsigned{attribute}, part(info, at, size));
    at += size;
  }
}

void read_kernel_info(std::string_view info, CubinKernel& kernel) {
  std::map<unsigned, std::int64_t> sizes;
  for_each_attribute(info, [&](unsigned attribute, std::string_view value) {
    if (attribute == kParameter || attribute == kLargeParameter) {
      const auto size = read_at<std::uint32_t>(value, 8);
      sizes[read_at<std::uint16_t>(value, 4)] = attribute == kParameter ? size >> 18 : size;
    } else if (attribute == kMaxThreads) {
      kernel.launch_bounds = static_cast<int>(read_at<std::uint32_t>(value, 0) * read_at<std::uint32_t>(value, 4) *
                                              read_at<std::uint32_t>(value, 8));
    }
  });
  for (const auto& [ordinal, size] : sizes) kernel.parameter_bytes.push_back(size);
}

void read_module_info(std::string_view info, const std::vector<std::string>& symbols, Cubin& cubin) {
  for_each_attribute(info, [&](unsigned attribute, std::string_view value) {
    if (attribute != kRegisterCount && attribute != kFrameSize) return;
    const auto symbol = read_at<std::uint32_t>(value, 0);
    const auto kernel = symbol < symbols.size() ? cubin.kernels.find(symbols[symbol]) : cubin.kernels.end();
    if (kernel == cubin.kernels.end()) return;  // a device function
    const auto number = read_at<std::uint32_t>(value, 4);
    if (attribute == kRegisterCount) kernel->second.registers = static_cast<int>(number);
    else kernel->second.frame_bytes = number;
  });
}

bool is_code(const std::string& name) {
  if (name.starts_with(".nv.constant0.")) return false;  // room for parameters
  return name.starts_with(".text.") || name.starts_with(".rela.text.") || name.starts_with(".nv.constant") ||
         name == ".nv.global.init";
}

std::string hash_code(const std::vector<Section>& sections) {
  std::map<std::string, std::string_view> code;
  for (const Section& section : sections) {
    if (is_code(section.name)) code[section.name] = section.bytes;
  }
  Sha256 hash;
  for (const auto& [name, bytes] : code) hash.field(name).field(bytes);
  return hash.hex();
}

}  // namespace

std::vector<CubinSection> cubin_sections(std::string_view image) {
  std::vector<CubinSection> sections;
  for (const Section& section : read_sections(image)) sections.push_back({section.name, section.bytes});
  return sections;
}

std::string image_hash(std::string_view image) {
  const auto elf = read_at<Elf64_Ehdr>(image, 0);
  Sha256 hash;
  const std::vector<Section> sections = read_sections(image);
  hash.field(fmt::format("{} {} {}", elf.e_type, elf.e_machine, elf.e_flags));
  for (const Section& section : sections)
    if (section.name != ".debug_line" && section.name != ".rela.debug_line")
      hash.field(section.name)
          .field(fmt::format("{} {} {}", section.header.sh_type, section.header.sh_flags, section.header.sh_size))
          .field(section.bytes);
  return hash.hex();
}

Cubin parse_cubin(std::string_view image) {
  constexpr std::string_view kInfo = ".nv.info.";
  const std::vector<Section> sections = read_sections(image);
  Cubin cubin;
  for (const Section& section : sections) {
    if (section.name.starts_with(kInfo))
      read_kernel_info(section.bytes, cubin.kernels[section.name.substr(kInfo.size())]);
  }
  const std::vector<std::string> symbols = read_symbols(sections);
  for (const Section& section : sections) {
    if (section.name == ".nv.info") read_module_info(section.bytes, symbols, cubin);
  }
  cubin.variables = read_variables(sections);
  cubin.code_hash = hash_code(sections);
  return cubin;
}

}  // namespace harness::cuda
