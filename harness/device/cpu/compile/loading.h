#pragma once
#include <string>
#include <string_view>

namespace harness::cpu {

/// Why a shared object must not be loaded; "" if the dynamic loader would only map it and write addresses into its own
/// pages. Read as the loader reads it, from program headers and the dynamic segment, since section headers may say
/// anything. Refused are code that would run (INIT, INIT_ARRAY, FINI and their like, IRELATIVE relocations,
/// STT_GNU_IFUNC symbols), relocations of what is not the object's own writable memory, memory that is writable and
/// executable, an executable stack, libraries that this program does not use itself, symbols of others than the
/// emulation, mathematics, memory functions and the heap, and machine code that could read the time (counter_code.h).
/// Source: System V ABI, glibc's elf/dl-load.c and dl-lookup.c.
std::string loading_problem(std::string_view object);

/// -fsanitize=thread makes every object call __tsan_init when it is loaded, which is empty here (checked.h): the one
/// entry that the compiler adds is struck from the dynamic segment, whatever it points to. More entries are left, so
/// that `loading_problem` tells of them. Malformed objects are left as they are.
void strike_instrumentation(std::string& object);

}  // namespace harness::cpu
