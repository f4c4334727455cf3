#include "harness/device/cpu/compile/elf.h"

#include <cxxabi.h>
#include <elf.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <stdexcept>

#include "harness/core/hash.h"

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
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_machine != EM_X86_64)
    throw std::runtime_error("not an x86-64 object file");
  std::vector<Section> sections(header.e_shnum);
  for (std::size_t i = 0; i < sections.size(); ++i) {
    sections[i].header = read_at<Elf64_Shdr>(file, header.e_shoff + i * sizeof(Elf64_Shdr));
    sections[i].bytes = content(file, sections[i].header);
  }
  if (header.e_shstrndx < sections.size())
    for (Section& section : sections) section.name = text_at(sections[header.e_shstrndx].bytes, section.header.sh_name);
  return sections;
}

std::vector<TlsSymbol> read_tls(const std::vector<Section>& sections) {
  std::vector<TlsSymbol> found;
  for (const Section& table : sections) {
    if (table.header.sh_type != SHT_SYMTAB || table.header.sh_link >= sections.size()) continue;
    for (std::uint64_t at = 0; at + sizeof(Elf64_Sym) <= table.bytes.size(); at += sizeof(Elf64_Sym)) {
      const auto symbol = read_at<Elf64_Sym>(table.bytes, at);
      const std::string_view name = text_at(sections[table.header.sh_link].bytes, symbol.st_name);
      if (ELF64_ST_TYPE(symbol.st_info) != STT_TLS || name.empty()) continue;
      found.push_back({std::string(name), static_cast<std::int64_t>(symbol.st_size), symbol.st_shndx != SHN_UNDEF,
                       symbol.st_value});
    }
  }
  return found;
}

bool is_writable_memory(const std::vector<Section>& sections, const Elf64_Sym& symbol) {
  if (symbol.st_shndx >= sections.size() || ELF64_ST_TYPE(symbol.st_info) != STT_OBJECT) return false;
  const Section& section = sections[symbol.st_shndx];
  const std::uint64_t flags = section.header.sh_flags;
  if (!(flags & SHF_ALLOC) || !(flags & SHF_WRITE) || (flags & SHF_TLS)) return false;
  return section.name.starts_with(".data") ? !section.name.starts_with(".data.rel.ro")
                                           : section.name.starts_with(".bss");
}

/// What the compiler and the C runtime put into every shared object, and the emulation's table of entries.
bool is_runtimes_own(std::string_view name) {
  for (const std::string_view own : {"completed.0", "__dso_handle", "__TMC_END__", "__bss_start", "_edata", "_end"})
    if (name == own) return true;
  return name.empty() || name.starts_with("DW.ref.") || name.starts_with("_ZGV") || name.starts_with("_ZT") ||
         name.find("harness_cpu") != std::string_view::npos;
}

std::string readable(std::string_view name) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(std::string(name).c_str(), nullptr, nullptr, &status), &std::free);
  return name.starts_with("_Z") && status == 0 && text ? text.get() : std::string(name);
}

std::vector<std::string> read_variables(const std::vector<Section>& sections) {
  std::vector<std::string> found;
  for (const Section& table : sections) {
    if (table.header.sh_type != SHT_SYMTAB || table.header.sh_link >= sections.size()) continue;
    for (std::uint64_t at = 0; at + sizeof(Elf64_Sym) <= table.bytes.size(); at += sizeof(Elf64_Sym)) {
      const auto symbol = read_at<Elf64_Sym>(table.bytes, at);
      const std::string_view name = text_at(sections[table.header.sh_link].bytes, symbol.st_name);
      if (is_writable_memory(sections, symbol) && !is_runtimes_own(name)) found.push_back(readable(name));
    }
  }
  std::ranges::sort(found);
  return found;
}

bool is_code(const Section& section) {
  if (!(section.header.sh_flags & SHF_ALLOC)) return false;
  for (const std::string_view prefix : {".text", ".rodata", ".data", ".tdata", ".bss", ".tbss"})
    if (section.name == prefix || section.name.starts_with(std::string(prefix) + ".")) return true;
  return false;
}

}  // namespace

ElfFacts read_elf(std::string_view file) {
  const std::vector<Section> sections = read_sections(file);
  ElfFacts facts;
  facts.tls = read_tls(sections);
  facts.variables = read_variables(sections);
  Sha256 code;
  for (const Section& section : sections) {
    if (is_code(section)) code.field(section.name).field(std::to_string(section.header.sh_size)).field(section.bytes);
    if (section.name == ".harness_facts") facts.entry_facts = section.bytes;
  }
  facts.code_hash = code.hex();
  return facts;
}

}  // namespace harness::cpu
