#include "harness/device/cpu/compile/loading.h"

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <stdexcept>
#include <vector>

#include "harness/device/cpu/compile/counter_code.h"
#include "harness/device/cpu/compile/imports.h"
#include "harness/device/cpu/compile/machine.h"

namespace harness::cpu {
namespace {

constexpr std::uint64_t kPage = 4096;

/// What makes an object one that is not loaded.
struct NotLoadable : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct NamedTag {
  std::int64_t tag;
  const char* name;
};
// Only described: the loader does nothing for them but read tables.
constexpr NamedTag kHarmless[] = {
    {DT_NEEDED, "NEEDED"},         {DT_SONAME, "SONAME"},     {DT_HASH, "HASH"},           {DT_STRTAB, "STRTAB"},
    {DT_SYMTAB, "SYMTAB"},         {DT_STRSZ, "STRSZ"},       {DT_SYMENT, "SYMENT"},       {DT_RELA, "RELA"},
    {DT_RELASZ, "RELASZ"},         {DT_RELAENT, "RELAENT"},   {DT_RELACOUNT, "RELACOUNT"}, {DT_PLTGOT, "PLTGOT"},
    {DT_PLTRELSZ, "PLTRELSZ"},     {DT_PLTREL, "PLTREL"},     {DT_JMPREL, "JMPREL"},       {DT_SYMBOLIC, "SYMBOLIC"},
    {DT_FLAGS, "FLAGS"},           {DT_FLAGS_1, "FLAGS_1"},   {DT_VERSYM, "VERSYM"},       {DT_VERNEED, "VERNEED"},
    {DT_VERNEEDNUM, "VERNEEDNUM"}, {DT_CHECKSUM, "CHECKSUM"}, {DT_BIND_NOW, "BIND_NOW"}};
constexpr NamedTag kKnownBad[] = {{DT_INIT, "INIT"},
                                  {DT_FINI, "FINI"},
                                  {DT_INIT_ARRAY, "INIT_ARRAY"},
                                  {DT_INIT_ARRAYSZ, "INIT_ARRAY"},
                                  {DT_FINI_ARRAY, "FINI_ARRAY"},
                                  {DT_FINI_ARRAYSZ, "FINI_ARRAY"},
                                  {DT_PREINIT_ARRAY, "PREINIT_ARRAY"},
                                  {DT_TEXTREL, "TEXTREL"},
                                  {DT_RPATH, "RPATH"},
                                  {DT_RUNPATH, "RUNPATH"},
                                  {DT_AUXILIARY, "AUXILIARY"},
                                  {DT_FILTER, "FILTER"}};
const char* find_name(std::span<const NamedTag> list, std::int64_t tag) {
  for (const NamedTag& named : list)
    if (named.tag == tag) return named.name;
  return nullptr;
}

/// A name of the object's in a message: it may hold anything.
std::string shown(std::string_view name) {
  std::string text(name.substr(0, 60));
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c <= ' ' || c > '~'; }, '?');
  return text;
}

class Object {
 public:
  explicit Object(std::string_view file) : file_(file) {
    const auto header = read<Elf64_Ehdr>(0);
    if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_ident[EI_CLASS] != ELFCLASS64 ||
        header.e_type != ET_DYN || header.e_machine != kElfMachine || header.e_phentsize != sizeof(Elf64_Phdr))
      throw NotLoadable(fmt::format("it is no shared object of {}", kArchitecture));
    for (unsigned i = 0; i < header.e_phnum; ++i) add(read<Elf64_Phdr>(header.e_phoff + i * sizeof(Elf64_Phdr)));
    if (loads_.empty() || !dynamic_ || !stack_) throw NotLoadable("it lacks a segment that every candidate has");
    read_dynamic();
  }

  /// Offsets in the file of the dynamic entries with this tag.
  std::vector<std::uint64_t> entries(std::int64_t tag) const {
    std::vector<std::uint64_t> offsets;
    for (std::size_t i = 0; i < dynamic_entries_.size(); ++i)
      if (dynamic_entries_[i].d_tag == tag) offsets.push_back(dynamic_offset_ + i * sizeof(Elf64_Dyn));
    return offsets;
  }
  std::uint64_t value(std::int64_t tag, std::uint64_t otherwise = 0) const {
    for (const Elf64_Dyn& entry : dynamic_entries_)
      if (entry.d_tag == tag) return entry.d_un.d_val;
    return otherwise;
  }

  void check() const {
    check_tags();
    check_needed();
    const std::uint64_t symbols = check_symbols();
    check_relocations(value(DT_RELA), value(DT_RELASZ), symbols);
    if (value(DT_PLTRELSZ) > 0 && value(DT_PLTREL) != DT_RELA) throw NotLoadable("its relocations are of another form");
    check_relocations(value(DT_JMPREL), value(DT_PLTRELSZ), symbols);
    check_code();
  }

 private:
  template <typename T>
  T read(std::uint64_t offset) const {
    if (offset > file_.size() || file_.size() - offset < sizeof(T)) throw NotLoadable("it is cut short");
    T value;
    std::memcpy(&value, file_.data() + offset, sizeof value);
    return value;
  }

  void add(const Elf64_Phdr& segment) {
    if (segment.p_type == PT_INTERP) throw NotLoadable("it names a loader");
    if (segment.p_type == PT_GNU_STACK) {
      if (stack_ || (segment.p_flags & PF_X)) throw NotLoadable("it wants an executable stack");
      stack_ = true;
    }
    if (segment.p_type == PT_DYNAMIC) {
      if (dynamic_) throw NotLoadable("it has two dynamic segments");
      dynamic_ = segment;
    }
    if (segment.p_type != PT_LOAD) return;
    constexpr std::uint64_t kMost = std::uint64_t{1} << 32;
    if ((segment.p_flags & PF_W) && (segment.p_flags & PF_X)) throw NotLoadable("memory is writable and executable");
    if (segment.p_vaddr > kMost || segment.p_memsz > kMost || segment.p_filesz > segment.p_memsz ||
        segment.p_offset > file_.size() || segment.p_filesz > file_.size() - segment.p_offset ||
        (segment.p_vaddr - segment.p_offset) % kPage != 0)
      throw NotLoadable("a segment does not fit the file");
    if (!loads_.empty() && segment.p_vaddr / kPage * kPage < end_of_last_page(loads_.back()))
      throw NotLoadable("segments share a page");
    loads_.push_back(segment);
  }
  static std::uint64_t end_of_last_page(const Elf64_Phdr& segment) {
    return (segment.p_vaddr + segment.p_memsz + kPage - 1) / kPage * kPage;
  }

  /// Where the file has what will be at `address`.
  std::uint64_t offset_of(std::uint64_t address, std::uint64_t bytes) const {
    for (const Elf64_Phdr& segment : loads_)
      if (address >= segment.p_vaddr && address - segment.p_vaddr <= segment.p_filesz &&
          bytes <= segment.p_filesz - (address - segment.p_vaddr))
        return segment.p_offset + (address - segment.p_vaddr);
    throw NotLoadable("a table of its dynamic segment lies outside the file");
  }

  void read_dynamic() {
    dynamic_offset_ = offset_of(dynamic_->p_vaddr, dynamic_->p_memsz);
    for (std::uint64_t at = 0; at + sizeof(Elf64_Dyn) <= dynamic_->p_memsz; at += sizeof(Elf64_Dyn)) {
      dynamic_entries_.push_back(read<Elf64_Dyn>(dynamic_offset_ + at));
      if (dynamic_entries_.back().d_tag == DT_NULL) return;
    }
    throw NotLoadable("its dynamic segment has no end");
  }

  void check_tags() const {
    std::set<std::int64_t> seen;
    for (const Elf64_Dyn& entry : dynamic_entries_) {
      if (entry.d_tag == DT_NULL) continue;
      if (const char* const bad = find_name(kKnownBad, entry.d_tag))
        throw NotLoadable(
            fmt::format("code would run when it is loaded or unloaded, or be looked for elsewhere ({}): "
                        "variables that need a constructor, constructor functions",
                        bad));
      if (find_name(kHarmless, entry.d_tag) == nullptr)
        throw NotLoadable(fmt::format("its dynamic segment has an entry {:#x} that no candidate needs", entry.d_tag));
      if (entry.d_tag != DT_NEEDED && !seen.insert(entry.d_tag).second)
        throw NotLoadable(fmt::format("its dynamic segment has two entries {:#x}", entry.d_tag));
    }
    if (value(DT_SYMENT) != sizeof(Elf64_Sym) || value(DT_RELAENT, sizeof(Elf64_Rela)) != sizeof(Elf64_Rela))
      throw NotLoadable("its tables have entries of other sizes");
  }

  std::string_view name_at(std::uint64_t offset) const {
    const std::uint64_t bytes = value(DT_STRSZ);
    if (offset >= bytes) throw NotLoadable("a name lies outside its table");
    const std::string_view table = file_.substr(offset_of(value(DT_STRTAB), bytes), bytes);
    const std::string_view tail = table.substr(offset);
    if (tail.find('\0') == std::string_view::npos) throw NotLoadable("a name has no end");
    return tail.substr(0, tail.find('\0'));
  }

  void check_needed() const {
    for (const Elf64_Dyn& entry : dynamic_entries_)
      if (entry.d_tag == DT_NEEDED)
        if (const std::string_view name = name_at(entry.d_un.d_val); !is_known_library(name))
          throw NotLoadable(fmt::format("it needs the library {}", shown(name)));
  }

  // The table of symbols has no length of its own; the loader finds symbols through the hash table, or by relocations.
  std::uint64_t check_symbols() const {
    const std::uint64_t hash = offset_of(value(DT_HASH), 8);
    const std::uint32_t count = read<std::uint32_t>(hash + 4);
    const std::uint64_t table = offset_of(value(DT_SYMTAB), count * sizeof(Elf64_Sym));
    for (std::uint32_t i = 1; i < count; ++i) {
      const auto symbol = read<Elf64_Sym>(table + i * sizeof(Elf64_Sym));
      const std::string_view name = name_at(symbol.st_name);
      const unsigned type = ELF64_ST_TYPE(symbol.st_info);
      if (type != STT_NOTYPE && type != STT_OBJECT && type != STT_FUNC && type != STT_SECTION && type != STT_TLS)
        throw NotLoadable(fmt::format("the symbol {} is resolved by code (IFUNC) or of an unknown type", shown(name)));
      if (symbol.st_shndx == SHN_UNDEF && !is_known_import(name))
        throw NotLoadable(fmt::format("it uses {}, which device code has no business with", shown(name)));
    }
    return count;
  }

  void check_relocations(std::uint64_t address, std::uint64_t bytes, std::uint64_t symbols) const {
    if (bytes == 0) return;
    const std::uint64_t table = offset_of(address, bytes);
    for (std::uint64_t at = 0; at + sizeof(Elf64_Rela) <= bytes; at += sizeof(Elf64_Rela)) {
      const auto relocation = read<Elf64_Rela>(table + at);
      const int type = static_cast<int>(ELF64_R_TYPE(relocation.r_info));
      if (type == kEmptyRelocation) continue;
      if (std::find(std::begin(kPlainRelocations), std::end(kPlainRelocations), type) == std::end(kPlainRelocations))
        throw NotLoadable(type == kRelocationByCode ? "a relocation is resolved by code (IRELATIVE, ifunc)"
                                                    : fmt::format("it has a relocation of type {}", type));
      if (ELF64_R_SYM(relocation.r_info) >= symbols) throw NotLoadable("a relocation is of no symbol");
      check_target(relocation.r_offset);
    }
  }

  void check_target(std::uint64_t address) const {
    const auto holds = [&](const Elf64_Phdr& segment) {
      return address >= segment.p_vaddr && address - segment.p_vaddr + 8 <= segment.p_memsz;
    };
    const bool own = std::any_of(loads_.begin(), loads_.end(),
                                 [&](const Elf64_Phdr& segment) { return (segment.p_flags & PF_W) && holds(segment); });
    if (!own) throw NotLoadable("a relocation writes outside its writable memory");
    if (address + 8 > dynamic_->p_vaddr && address < dynamic_->p_vaddr + dynamic_->p_memsz)
      throw NotLoadable("a relocation writes into its dynamic segment");
  }

  void check_code() const {
    for (const Elf64_Phdr& segment : loads_)
      if (segment.p_flags & PF_X)
        if (const std::string problem = counter_problem(file_.substr(segment.p_offset, segment.p_filesz));
            !problem.empty())
          throw NotLoadable(problem);
  }

  std::string_view file_;
  std::vector<Elf64_Phdr> loads_;
  std::optional<Elf64_Phdr> dynamic_;
  bool stack_ = false;
  std::uint64_t dynamic_offset_ = 0;
  std::vector<Elf64_Dyn> dynamic_entries_;
};

}  // namespace

std::string loading_problem(std::string_view object) {
  try {
    Object(object).check();
    return "";
  } catch (const NotLoadable& problem) {
    return problem.what();
  }
}

void strike_instrumentation(std::string& object) {
  try {
    const Object read(object);
    const auto array = read.entries(DT_INIT_ARRAY), size = read.entries(DT_INIT_ARRAYSZ);
    if (array.size() != 1 || size.size() != 1 || read.value(DT_INIT_ARRAYSZ) != sizeof(std::uint64_t)) return;
    // What no loader reads takes their places; two of a kind would be refused.
    const Elf64_Sxword unread = DT_CHECKSUM;
    std::memcpy(object.data() + array[0], &unread, sizeof unread);
    const Elf64_Dyn last{DT_BIND_NOW, {0}};
    std::memcpy(object.data() + size[0], &last, sizeof last);
  } catch (const NotLoadable&) {
  }
}

}  // namespace harness::cpu
