#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace harness::cpu {

/// A symbol of a thread-local variable: in a candidate, a __shared__ variable.
struct TlsSymbol {
  std::string name;  // mangled
  std::int64_t bytes = 0;
  bool defined = false;
  std::uint64_t offset = 0;  // in a shared object: within its thread-local storage
};

/// What the builder wants to know of an x86-64 object file or shared object, read without loading it. Views point into
/// the bytes given to `read_elf`. Throws std::runtime_error if they are not such a file.
struct ElfFacts {
  std::vector<TlsSymbol> tls;
  std::vector<std::string> imports;  // of an object file: what it uses and others have, thread-local variables apart
  /// Of a shared object: what lies in memory that stays writable and is no thread's own, demangled and sorted. Names
  /// are for people: memory that none has is listed too, by its bytes.
  std::vector<std::string> variables;
  std::string code_hash;         // machine code and constants; not names, addresses or debug information
  std::string_view entry_facts;  // the section .harness_facts; empty where absent
};

/// `filled`: variables that are filled before each run and compared behind it, which are left out of `variables`. They
/// must account for all writable memory that has no other name.
ElfFacts read_elf(std::string_view file, const std::vector<std::string>& filled = {});

}  // namespace harness::cpu
