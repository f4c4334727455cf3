#include "harness/device/cpu/execute/module.h"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <cstring>

#include "harness/core/device.h"
#include "harness/device/cpu/compile/loading.h"
#include "harness/device/cpu/compile/source.h"
#include "harness/system/files.h"

namespace harness::cpu {
namespace {

constexpr int kPoison = 0xff;

/// What __tls_get_addr is asked with (ELF Handling For Thread-Local Storage, 3.4.2).
struct TlsIndex {
  unsigned long module = 0, offset = 0;
};
extern "C" void* __tls_get_addr(TlsIndex*);

struct TlsSize {
  ElfW(Addr) base = 0;
  std::size_t bytes = 0;
};

int find_tls_size(dl_phdr_info* info, std::size_t, void* data) {
  auto& search = *static_cast<TlsSize*>(data);
  if (info->dlpi_addr != search.base) return 0;
  for (int i = 0; i < info->dlpi_phnum; ++i)
    if (info->dlpi_phdr[i].p_type == PT_TLS) search.bytes = info->dlpi_phdr[i].p_memsz;
  return 1;
}

int find_segments(dl_phdr_info* info, std::size_t, void* data) {
  auto& memory = *static_cast<ModuleMemory*>(data);
  if (info->dlpi_addr != memory.base) return 0;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = info->dlpi_phdr[i];
    if (segment.p_type != PT_LOAD) continue;
    const std::uintptr_t begin = memory.base + segment.p_vaddr, end = begin + segment.p_memsz;
    if (memory.begin == 0) memory.begin = begin;
    memory.end = end;
    if (!(segment.p_flags & PF_W)) continue;
    if (memory.writable_begin == 0) memory.writable_begin = begin;
    memory.writable_end = end;
  }
  return 1;
}

bool is_poison(const char* begin, const char* end) {
  return std::all_of(begin, end, [](char c) { return c == static_cast<char>(kPoison); });
}

}  // namespace

void SharedMemory::poison(std::size_t dynamic_bytes) const {
  std::memset(begin, kPoison, static_cast<std::size_t>(dynamic - begin));
  std::memset(dynamic, kPoison, std::min(dynamic_bytes, room) + HARNESS_CPU_SHARED_GUARD);
  char* const behind = dynamic + room + HARNESS_CPU_SHARED_GUARD;
  if (behind < end) std::memset(behind, kPoison, static_cast<std::size_t>(end - behind));
}

bool SharedMemory::poisoned(std::size_t dynamic_bytes) const {
  const char* const behind = dynamic + room + HARNESS_CPU_SHARED_GUARD;
  return is_poison(begin, dynamic + std::min(dynamic_bytes, room) + HARNESS_CPU_SHARED_GUARD) &&
         (behind >= end || is_poison(behind, end));
}

bool SharedMemory::guard_intact(std::size_t dynamic_bytes) const {
  const char* const guard = dynamic + std::min(dynamic_bytes, room);
  return is_poison(guard, guard + HARNESS_CPU_SHARED_GUARD);
}

Module::Module(const std::string& path) {
  const std::string file = read_file(path);
  if (const std::string problem = loading_problem(file); !problem.empty())
    throw LaunchRefused("the candidate cannot be loaded: " + problem);
  handle_ = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle_) throw LaunchRefused(std::string("the candidate cannot be loaded: ") + dlerror());
  module_ = static_cast<const HarnessCpuModule*>(dlsym(handle_, "harness_cpu_module"));
  if (!module_ || module_->abi != HARNESS_CPU_ABI) {
    dlclose(handle_);
    throw LaunchRefused(path + " is no candidate of this version of the cpu device; build it again");
  }
  checked_ = dlsym(handle_, "harness_cpu_checked") != nullptr;
  find_memory(read_elf(file));
}

void Module::find_memory(const ElfFacts& facts) {
  link_map* map = nullptr;
  if (dlinfo(handle_, RTLD_DI_LINKMAP, &map) != 0 || dlinfo(handle_, RTLD_DI_TLS_MODID, &tls_module_) != 0) return;
  memory_.base = map->l_addr;
  dl_iterate_phdr(find_segments, &memory_);
  TlsSize search{map->l_addr, 0};
  dl_iterate_phdr(find_tls_size, &search);
  tls_bytes_ = search.bytes;
  for (const TlsSymbol& symbol : facts.tls) {
    if (symbol.name == kDynamicShared) {
      const auto bytes = static_cast<std::size_t>(std::max<std::int64_t>(symbol.bytes, 0));
      if (symbol.offset > tls_bytes_ || bytes > tls_bytes_ - symbol.offset || bytes < HARNESS_CPU_SHARED_GUARD)
        throw LaunchRefused("the candidate cannot be loaded: its dynamic shared memory lies outside its own");
      dynamic_offset_ = symbol.offset;
      dynamic_room_ = bytes - HARNESS_CPU_SHARED_GUARD;
    } else if (symbol.defined && symbol.bytes > 0)
      (is_guard(symbol, facts.tls) ? memory_.guards : memory_.shared)
          .push_back({variable_name(symbol), symbol.offset, static_cast<std::size_t>(symbol.bytes)});
  }
  std::sort(memory_.shared.begin(), memory_.shared.end(),
            [](const SharedVariable& a, const SharedVariable& b) { return a.offset < b.offset; });
}

Module::~Module() {
  dlclose(handle_);
}

const HarnessCpuEntry* Module::find(const std::string& name) const {
  const HarnessCpuEntry* const end = module_->entry + module_->entries;
  const auto* entry = std::find_if(module_->entry, end, [&](const HarnessCpuEntry& e) { return e.name == name; });
  return entry == end ? nullptr : entry;
}

std::span<std::byte> Module::constant(const std::string& symbol) const {
  const auto* constant = static_cast<const HarnessCpuConstant*>(dlsym(handle_, "harness_cpu_constants"));
  while (constant && constant->name && constant->name != symbol) ++constant;
  if (!constant || !constant->name) throw LaunchRefused(symbol + " is no __constant__ variable of this build");
  const std::uintptr_t begin = reinterpret_cast<std::uintptr_t>(constant->address) - memory_.writable_begin,
                       room = memory_.writable_end - memory_.writable_begin;
  if (begin > room || constant->bytes > room - begin)
    throw LaunchRefused(symbol + " does not lie in memory that can be filled; it must be no const");
  return {static_cast<std::byte*>(constant->address), constant->bytes};
}

// The candidate's own code is not asked: it would run before its launch.
SharedMemory Module::shared_memory() const {
  TlsIndex index{tls_module_, 0};
  SharedMemory memory;
  memory.begin = static_cast<char*>(__tls_get_addr(&index));
  memory.end = memory.begin + tls_bytes_;
  memory.dynamic = memory.begin + dynamic_offset_;
  memory.room = dynamic_room_;
  return memory;
}

}  // namespace harness::cpu
