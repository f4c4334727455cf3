#pragma once
#include "native.cuh"

// The addresses through which the program that has loaded us calls other libraries. ELF, by hand: the tables of the
// first object that the dynamic linker lists, which is the program itself.
struct ProgramTables {
  unsigned long long base = 0, relocations = 0, relocation_bytes = 0, calls = 0, call_bytes = 0;
  const unsigned* symbols = nullptr;  // 24 bytes each, the first four are the name
  const char* names = nullptr;
};

struct ProgramHeader {
  unsigned type, flags;
  unsigned long long offset, address, physical, file_bytes, memory_bytes, align;
};

struct ObjectInfo {
  unsigned long long base;
  const char* name;
  const ProgramHeader* headers;
  unsigned short count;
};

static int take_program(dl_phdr_info* info, unsigned long, void* out) {
  const auto& object = *reinterpret_cast<const ObjectInfo*>(info);
  auto& tables = *static_cast<ProgramTables*>(out);
  tables.base = object.base;
  for (int i = 0; i < object.count; ++i) {
    if (object.headers[i].type != 2) continue;  // PT_DYNAMIC
    for (const auto* d = reinterpret_cast<const unsigned long long*>(object.base + object.headers[i].address); d[0];
         d += 2) {
      if (d[0] == 7) tables.relocations = d[1];
      if (d[0] == 8) tables.relocation_bytes = d[1];
      if (d[0] == 23) tables.calls = d[1];
      if (d[0] == 2) tables.call_bytes = d[1];
      if (d[0] == 6) tables.symbols = reinterpret_cast<const unsigned*>(d[1]);
      if (d[0] == 5) tables.names = reinterpret_cast<const char*>(d[1]);
    }
  }
  return 1;
}

/// Lets every call of `name` by the program go to `function`, and says how many places were changed.
static int redirect(const char* name, void* function) {
  ProgramTables tables;
  dl_iterate_phdr(take_program, &tables);
  const unsigned long long begins[] = {tables.relocations, tables.calls};
  const unsigned long long bytes[] = {tables.relocation_bytes, tables.call_bytes};
  int changed = 0;
  for (int t = 0; t < 2; ++t)
    for (unsigned long long at = begins[t]; at < begins[t] + bytes[t]; at += 24) {
      const auto* relocation = reinterpret_cast<const unsigned long long*>(at);
      const unsigned kind = static_cast<unsigned>(relocation[1]), symbol = static_cast<unsigned>(relocation[1] >> 32);
      if (kind != 6 && kind != 7) continue;  // GLOB_DAT, JUMP_SLOT
      if (strcmp(tables.names + tables.symbols[6 * symbol], name) != 0) continue;
      auto* slot = reinterpret_cast<void**>(tables.base + relocation[0]);
      const unsigned long long page = reinterpret_cast<unsigned long long>(slot) / 4096 * 4096;
      if (mprotect(reinterpret_cast<void*>(page), 4096, 3) != 0) continue;
      *slot = function;
      ++changed;
    }
  return changed;
}
