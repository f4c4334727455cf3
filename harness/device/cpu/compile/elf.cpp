#include "harness/device/cpu/compile/elf.h"

#include <cxxabi.h>
#include <elf.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <stdexcept>

#include "harness/core/hash.h"
#include "harness/device/cpu/compile/machine.h"

namespace harness::cpu {
namespace {

template <typename T>
T read_at(std::string_view file, std::uint64_t offset) {
  if (offset > file.size() || file.size() - offset < sizeof(T))
    throw std::runtime_error("the object file is cut short");
  T value;
  std::memcpy(&value, file.data() + offset, sizeof value);
  return value;
}

struct Section {
  std::string_view name;
  Elf64_Shdr header;
  std::string_view bytes;
};

std::string_view content(std::string_view file, const Elf64_Shdr& header) {
  if (header.sh_type == SHT_NOBITS) return {};
  if (header.sh_offset > file.size() || file.size() - header.sh_offset < header.sh_size)
    throw std::runtime_error("the object file is cut short");
  return file.substr(header.sh_offset, header.sh_size);
}

std::string_view text_at(std::string_view table, std::uint64_t offset) {
  if (offset >= table.size()) return {};
  const std::string_view tail = table.substr(offset);
  return tail.substr(0, tail.find('\0'));
}

std::vector<Section> read_sections(std::string_view file) {
  const auto header = read_at<Elf64_Ehdr>(file, 0);
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_machine != kElfMachine)
    throw std::runtime_error(std::string("not an object file of ") + kArchitecture);
  std::vector<Section> sections(header.e_shnum);
  for (std::size_t i = 0; i < sections.size(); ++i) {
    sections[i].header = read_at<Elf64_Shdr>(file, header.e_shoff + i * sizeof(Elf64_Shdr));
    sections[i].bytes = content(file, sections[i].header);
  }
  if (header.e_shstrndx < sections.size())
    for (Section& section : sections) section.name = text_at(sections[header.e_shstrndx].bytes, section.header.sh_name);
  return sections;
}

/// Calls `visit` with each symbol and its name, where it has one.
template <typename Visit>
void for_each_symbol(const std::vector<Section>& sections, Visit&& visit) {
  for (const Section& table : sections) {
    if (table.header.sh_type != SHT_SYMTAB || table.header.sh_link >= sections.size()) continue;
    for (std::uint64_t at = 0; at + sizeof(Elf64_Sym) <= table.bytes.size(); at += sizeof(Elf64_Sym)) {
      const auto symbol = read_at<Elf64_Sym>(table.bytes, at);
      const std::string_view name = text_at(sections[table.header.sh_link].bytes, symbol.st_name);
      if (!name.empty()) visit(symbol, name);
    }
  }
}

void read_uses(const std::vector<Section>& sections, ElfFacts& facts) {
  for_each_symbol(sections, [&](const Elf64_Sym& symbol, std::string_view name) {
    const bool defined = symbol.st_shndx != SHN_UNDEF;
    if (ELF64_ST_TYPE(symbol.st_info) == STT_TLS)
      facts.tls.push_back({std::string(name), static_cast<std::int64_t>(symbol.st_size), defined, symbol.st_value});
    else if (!defined && name != "_GLOBAL_OFFSET_TABLE_")  // the linker's own
      facts.imports.emplace_back(name);
  });
}

/// A range of addresses of a loaded object.
struct Range {
  std::uint64_t begin = 0, end = 0;
  std::uint64_t bytes() const { return end > begin ? end - begin : 0; }
};

/// What stays writable once the loader is done: segments that are, without the part that it closes (relro) in whole
/// pages. No name of a section or symbol decides: a source can give its variables any.
std::vector<Range> writable_memory(std::string_view file) {
  constexpr std::uint64_t kPage = 4096;
  const auto header = read_at<Elf64_Ehdr>(file, 0);
  std::vector<Range> writable;
  Range closed;
  for (unsigned i = 0; i < header.e_phnum; ++i) {
    const auto segment = read_at<Elf64_Phdr>(file, header.e_phoff + i * sizeof(Elf64_Phdr));
    const std::uint64_t end = segment.p_vaddr + segment.p_memsz;
    if (segment.p_type == PT_LOAD && (segment.p_flags & PF_W)) writable.push_back({segment.p_vaddr, end});
    if (segment.p_type == PT_GNU_RELRO) closed = {segment.p_vaddr / kPage * kPage, end / kPage * kPage};
  }
  for (Range& range : writable)
    if (closed.begin <= range.begin && closed.end > range.begin) range.begin = std::min(closed.end, range.end);
  std::erase_if(writable, [](const Range& range) { return range.bytes() == 0; });
  return writable;
}

std::string readable(std::string_view name) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(std::string(name).c_str(), nullptr, nullptr, &status), &std::free);
  return name.starts_with("_Z") && status == 0 && text ? text.get() : std::string(name);
}

/// The sections that lie in a range, for memory that no symbol names.
std::string sections_in(const std::vector<Section>& sections, const Range& range) {
  std::string names;
  for (const Section& section : sections) {
    const Elf64_Shdr& header = section.header;
    const bool inside = (header.sh_flags & SHF_ALLOC) && !(header.sh_flags & SHF_TLS) && header.sh_size > 0 &&
                        header.sh_addr >= range.begin && header.sh_addr < range.end;
    if (inside) names += (names.empty() ? "" : " ") + std::string(section.name);
  }
  return names.empty() ? "no section" : names;
}

/// "ns::table" of a symbol's "(anonymous namespace)::ns::table" and of "::ns::table" in a manifest.
std::string plain_name(std::string name) {
  constexpr std::string_view kAnonymous = "(anonymous namespace)::";
  for (std::size_t at = name.find(kAnonymous); at != std::string::npos; at = name.find(kAnonymous))
    name.erase(at, kAnonymous.size());
  return name.starts_with("::") ? name.substr(2) : name;
}

std::vector<std::string> read_variables(std::string_view file, const std::vector<Section>& sections,
                                        const std::vector<std::string>& filled) {
  constexpr std::uint64_t kBetween = 64;  // what alignment leaves empty before a variable
  std::uint64_t accounted = filled.empty() ? 0 : kBetween;
  const std::vector<Range> writable = writable_memory(file);
  std::vector<std::string> variables;
  for_each_symbol(sections, [&](const Elf64_Sym& symbol, std::string_view name) {
    const bool variable = ELF64_ST_TYPE(symbol.st_info) == STT_OBJECT || ELF64_ST_TYPE(symbol.st_info) == STT_NOTYPE;
    const bool inside = std::ranges::any_of(
        writable, [&](const Range& range) { return symbol.st_value >= range.begin && symbol.st_value < range.end; });
    if (!variable || !inside || symbol.st_size == 0) return;
    const auto is_it = [&, its = plain_name(readable(name))](const std::string& symbol) {
      return plain_name(symbol) == its;
    };
    if (std::ranges::any_of(filled, is_it)) accounted += symbol.st_size + kBetween;
    else variables.push_back(readable(name));
  });
  std::uint64_t unnamed = 0;
  for (const Range& range : writable) unnamed += range.bytes();
  if (variables.empty() && unnamed > accounted)
    for (const Range& range : writable)
      variables.push_back(std::to_string(range.bytes()) + " bytes without a name (" + sections_in(sections, range) +
                          ")");
  std::ranges::sort(variables);
  return variables;
}

/// Machine code and what it computes with, under whatever name; not tables of names and of the loader.
bool is_code(const Section& section) {
  const Elf64_Shdr& header = section.header;
  if (!(header.sh_flags & SHF_ALLOC) || (header.sh_type != SHT_PROGBITS && header.sh_type != SHT_NOBITS)) return false;
  for (const std::string_view other : {".harness_names", ".harness_facts", ".eh_frame", ".eh_frame_hdr", ".got",
                                       ".got.plt", ".data.rel.ro", ".data.rel.ro.local"})
    if (section.name == other) return (header.sh_flags & SHF_EXECINSTR) != 0;
  return true;
}

}  // namespace

ElfFacts read_elf(std::string_view file, const std::vector<std::string>& filled) {
  const std::vector<Section> sections = read_sections(file);
  ElfFacts facts;
  read_uses(sections, facts);
  facts.variables = read_variables(file, sections, filled);
  Sha256 code;
  for (const Section& section : sections) {
    if (is_code(section)) code.field(section.name).field(std::to_string(section.header.sh_size)).field(section.bytes);
    if (section.name == ".harness_facts") facts.entry_facts = section.bytes;
  }
  facts.code_hash = code.hex();
  return facts;
}

}  // namespace harness::cpu
