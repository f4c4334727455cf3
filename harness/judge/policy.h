#pragma once
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "harness/core/outcome.h"

// The source policy: what device code could use to tell a test from the real thing, or to reach out of its launch. Read
// from texts alone, so a flag is a tripwire and no proof; a contract's `policy` grants a category with a reason.
namespace harness::judge {

/// Categories: "instrumentation" (attributes, pragmas and names by which a build that is checked or counted is told
/// from another, or left out of it), "build_probes" (the time of the build, the files of the machine), "timers" (clock
/// registers and functions), "eviction_hints" (L2 priorities that survive a flush), "launch_state" (%gridid and the
/// like), "includes" (outside the plugin and the toolkit), "inline_assembly" (instructions that no kernel here needs),
/// "host_calls" (what is no CUDA: system calls, threads, dlsym).
struct PolicyFlag {
  std::string category, file, what;
  int line = 0;  // from 1
};

/// A device source or header. Comments and string literals do not count; the text of `asm` does. Names are looked for
/// as the compiler reads them: joined lines, digraphs and trigraphs are understood, and pieces that `##` could join to
/// a refused name are refused.
/// Headers of `libraries` (folders of the plugin: cute) may be included.
std::vector<PolicyFlag> scan_source(const std::string& file, std::string_view text,
                                    const std::set<std::string>& libraries = {});
/// The folders that a contract grants as `["library cute"]`: text of somebody known, which the plugin keeps beside its
/// contract and no variant can change. It is not read; what it compiles to is.
std::set<std::string> granted_libraries(const std::map<std::string, std::string>& granted);
/// Whether a header lies in one of them: "cute/tensor.hpp".
bool is_of_library(std::string_view name, const std::set<std::string>& libraries);
/// What the compiler made of it, token by token: nothing hides behind macros, comments or strings here.
std::vector<PolicyFlag> scan_ptx(const std::string& file, std::string_view text);
/// What a disassembler says of the machine code, in the words of nvdisasm.
std::vector<PolicyFlag> scan_sass(const std::string& file, std::string_view text);

/// Whether a category is refused where nothing grants it; the others are marked.
bool is_refused(const std::string& category);

/// The gate "source-policy": every flag with its file and line. `granted`: category -> reason, from the contract.
/// `refuse` false: everything is only marked.
GateResult policy_gate(const std::vector<PolicyFlag>& flags, const std::map<std::string, std::string>& granted,
                       bool refuse);

}  // namespace harness::judge
