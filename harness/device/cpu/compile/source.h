#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "harness/core/plan.h"
#include "harness/device/cpu/compile/elf.h"

namespace harness::cpu {

/// The one symbol of all dynamic shared memory.
inline constexpr const char* kDynamicShared = "harness_cpu_dynamic_shared";

/// The translation unit of a candidate: its source under its own name and lines, then the table of its entries.
std::string candidate_source(const BuildSpec& spec);

/// How a missing entry shows in the compiler's diagnostics: as the file of the table's line.
std::string entry_label(const std::string& entry);

/// The same of a `__constant__` variable that is missing.
std::string constant_label(const std::string& symbol);

/// "tile" of the symbol of a variable at block scope.
std::string variable_name(const TlsSymbol& symbol);

/// Whether it is what the compiler keeps beside another of them, an array of a class with constructors: whether these
/// have run. Source: Itanium C++ ABI, 5.1.4.5 (_ZGV and the name of the object). A name alone makes none of a variable:
/// it is small, and what it would guard is there.
bool is_guard(const TlsSymbol& symbol, const std::vector<TlsSymbol>& tls);

/// Assembly that puts every `extern __shared__` array (undefined thread-local symbols of the candidate's object) at the
/// same address, with room for the largest dynamic shared memory and its guard; where none is declared, for a page of
/// it.
std::string dynamic_shared_source(const std::vector<TlsSymbol>& tls);

/// Parameter sizes and static shared memory of each entry. Static shared memory counts the entry's own variables and
/// those of functions that are no entry: exact for one kernel, else an upper bound.
std::vector<EntryResources> entry_resources(const std::vector<std::string>& entries, std::string_view facts,
                                            const std::vector<TlsSymbol>& tls);

}  // namespace harness::cpu
