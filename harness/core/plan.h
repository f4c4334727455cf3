#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "harness/core/contract.h"
#include "harness/core/enum_text.h"
#include "harness/core/json.h"
#include "harness/core/tensor_map.h"

// The launches of a candidate on a workload with all numbers filled in. A worker needs a Plan and an Artifact and knows
// no Lua.
namespace harness {

struct Dim3 {
  std::uint32_t x = 1, y = 1, z = 1;
  friend bool operator==(const Dim3&, const Dim3&) = default;
};

/// The device address of a contract argument or workspace by name, plus `offset` bytes. An absent optional argument is
/// passed as null; a scalar or structure argument by its value.
struct NamedArgument {
  std::string name;
  std::int64_t offset = 0;
  /// What a workspace's elements are, for a builder that compiles for it; empty: bytes.
  std::optional<Dtype> as = {};
};
/// A scalar passed by value: i32(n), i64(n), f32(x)...
struct ScalarArgument {
  Dtype dtype = Dtype::s32;
  Value value;
};
using LaunchArgument = std::variant<NamedArgument, ScalarArgument, TensorMap>;

struct Launch {
  std::string entry;          // name expression as given to the compiler: "rmsnorm<__nv_bfloat16,8>"
  Dim3 grid, block, cluster;  // block.x 0: the builder says (with_built)
  std::int64_t shared = 0;    // dynamic shared memory, bytes
  bool cooperative = false;
  std::vector<LaunchArgument> args;
  /// Programmatic dependent launch: may begin while the launch before it, of the same plan, still runs.
  bool pdl = false;
  /// Above 0: grid.x is a limit, and the grid has no more blocks than this many times what the device holds at once
  /// (blocks_that_fit).
  int resident = 0;
};
struct Memset {
  std::string target;  // workspace or output
  std::int64_t offset = 0, bytes = 0;
  int value = 0;  // one byte, repeated
};
struct LibraryCall {
  std::string library, operation;
  json options = json::object();
};
using Step = std::variant<Launch, Memset, LibraryCall>;

/// Scratch memory of a variant: `zeroed` before every launch of the plan (outside the timed region) or `dirty`.
struct Workspace {
  std::string name;
  std::int64_t bytes = 0;
  std::int64_t align = 256;
  bool zeroed = false;
};

struct Plan {
  std::vector<Step> steps;
  std::vector<Workspace> workspaces;
  /// Filled before the steps; on a GPU outside of what is timed. No launch may change them.
  std::vector<ConstantTable> constants = {};
};

/// The grid of a launch on a device that holds `at_once` of its blocks at a time: grid.x is cut where `resident` asks
/// for it, to a multiple of the cluster and to one cluster at least.
Dim3 blocks_that_fit(const Launch& launch, std::uint64_t at_once);

/// What a builder may count on of an argument of a launch, as launchers of such languages tell their compilers.
struct ArgumentUse {
  std::string kind;                   // "pointer", "scalar", "tensor_map", "structure"
  std::string dtype;                  // of the scalar, or of what the pointer leads to; "" where nothing says
  std::int64_t divisible = 1;         // of the address or the value: a power of two
  std::optional<std::int64_t> value;  // of an integer that is 1
  friend bool operator==(const ArgumentUse&, const ArgumentUse&) = default;
};
/// The arguments of an entry, in order. Where several launches use one, what holds of all of them.
struct EntryUse {
  std::string entry;
  std::vector<ArgumentUse> arguments;
  friend bool operator==(const EntryUse&, const EntryUse&) = default;
};

/// What the compiler is given. Entries are the distinct name expressions of the plan's launches.
struct BuildSpec {
  std::string source_name;  // as shown in diagnostics: kernels/softmax/variants/10_warp.cu
  std::string source;       // the text
  std::vector<std::string> entries;
  std::vector<std::pair<std::string, std::string>> defines;
  std::vector<std::string> options;         // extra, device-neutral: "--use_fast_math" "--std=c++17"
  std::vector<std::string> include_dirs;    // the kernel's folder and kernels/include
  bool checked = false;                     // cpu: instrumented for the memory checker (core/memory_check.h)
  bool compares = false;                    // cpu, with `checked`: its comparisons are recorded, too
  std::vector<std::string> constants = {};  // symbols of `__constant__` variables that the plan fills
  /// What the source included when its hash was made: paths, and the SHA-256 of each text. A compiler refuses to read
  /// anything else of its include_dirs. Empty: whatever is there when it compiles.
  std::vector<std::pair<std::string, std::string>> included = {};
  /// Who makes the machine code: "" for the device's own compiler, "nvcc", "triton", or "command:PATH"
  /// (docs/builders.md).
  std::string builder = {};
  std::vector<EntryUse> uses = {};  // of a builder's entries
};
/// Whether the two are the same but for what a builder may count on: one text, perhaps two modules.
bool of_one_text(const BuildSpec& a, const BuildSpec& b);

/// What a compiled parameter takes. A cubin's 64-bit integer may be a pointer; half and bfloat16 are no number here.
enum class ParameterKind { unknown, integer, floating, pointer };

/// What one entry of a compiled module uses. `parameter_bytes` and `parameter_kinds` are empty where the device cannot
/// tell.
struct EntryResources {
  std::string entry;
  int registers = 0;
  std::int64_t static_shared_bytes = 0;
  std::int64_t spill_bytes = 0;
  std::int64_t local_bytes = 0;
  int max_threads = 1024;
  std::vector<std::int64_t> parameter_bytes;
  std::vector<ParameterKind> parameter_kinds;
  // What a builder says of a launch; 0 and empty: the plan says.
  int threads = 0;          // of a block
  std::int64_t shared = 0;  // dynamic shared memory, bytes
  int cluster = 0;          // blocks along x, and so many times the blocks of the plan
  std::vector<int> passes;  // by parameter, the argument of the launch that it takes; kNullArgument: a null pointer
};
inline constexpr int kNullArgument = -1;

/// A compiled module in the content-addressed cache: a cubin or a host shared object. `key` hashes everything that
/// decided it (source, options, headers, compiler version, architecture); `code_hash` the machine code alone.
struct Artifact {
  std::string path;
  std::string key;
  std::string code_hash;
  std::string architecture;        // "sm_90a", "x86-64"
  std::string compiler;            // "NVRTC 13.0", "g++ 12.2.0"
  std::string log;                 // the whole compiler log, also when it succeeded
  std::vector<std::string> notes;  // what in the log costs speed, a sentence each: spills, serialised wgmma...
  std::vector<EntryResources> entries;
  std::vector<std::string> globals;  // writable variables of the module that outlive a launch
  std::string listing;               // path of the PTX; "" on cpu
  bool from_cache = false;
  double compile_s = 0;  // 0 when it came from the cache
};
struct CompileFailure {
  std::string log;
  double compile_s = 0;
  bool missing = false;  // no source is to blame: its builder cannot work on this machine
};
using BuildResult = std::variant<Artifact, CompileFailure>;

bool has_library_step(const Plan& plan);
bool has_launch(const Plan& plan);
/// The plan with what a builder said of its launches; the same where none made them.
Plan with_built(Plan plan, const Artifact& artifact);
const EntryResources* find_entry(const Artifact& artifact, const std::string& entry);
std::vector<std::string> symbols_of(const std::vector<ConstantTable>& constants);
/// Among the names of a build: "&table" of a `__constant__` variable, as NVRTC calls it. Entries have no such mark.
inline constexpr char kConstantMark = '&';
std::string constant_key(const std::string& symbol);

HARNESS_ENUM_TEXT(ParameterKind);
void to_json(json& to, const Dim3& value);
void from_json(const json& from, Dim3& value);
void to_json(json& to, const NamedArgument& value);
void from_json(const json& from, NamedArgument& value);
void to_json(json& to, const ScalarArgument& value);
void from_json(const json& from, ScalarArgument& value);
void to_json(json& to, const Memset& value);
void from_json(const json& from, Memset& value);
void to_json(json& to, const LibraryCall& value);
void from_json(const json& from, LibraryCall& value);
void to_json(json& to, const Workspace& value);
void from_json(const json& from, Workspace& value);
void to_json(json& to, const ArgumentUse& value);
void from_json(const json& from, ArgumentUse& value);
void to_json(json& to, const EntryUse& value);
void from_json(const json& from, EntryUse& value);
void to_json(json& to, const BuildSpec& value);
void from_json(const json& from, BuildSpec& value);
void to_json(json& to, const EntryResources& value);
void from_json(const json& from, EntryResources& value);
void to_json(json& to, const Artifact& value);
void from_json(const json& from, Artifact& value);
void to_json(json& to, const CompileFailure& value);
void from_json(const json& from, CompileFailure& value);
/// Of the launch of the plan with the most threads; 0 where it has none of its own.
std::int64_t launched_threads(const Plan& plan);
/// Whether a launch of the plan has at least twice as many blocks (or tiles, where they are handed to resident blocks)
/// as a device of so many multiprocessors can hold at once; an emulated one holds a block for each of its threads.
bool fills_device_twice(const Plan& plan, int multiprocessors, bool emulation);

void to_json(json& j, const Launch& launch);
void from_json(const json& j, Launch& launch);
void to_json(json& j, const Plan& plan);
void from_json(const json& j, Plan& plan);

}  // namespace harness
