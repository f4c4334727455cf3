#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "harness/core/device.h"
#include "harness/core/hash.h"
#include "harness/core/machine_code.h"
#include "harness/device/port/device_judge.h"
#include "harness/device/port/device_profiler.h"
#include "harness/device/port/memory_watcher.h"
#include "harness/device/port/target.h"
#include "harness/system/walls.h"

namespace harness {

/// A kind of device: finds its devices, makes their compilers and sessions, and says how their memory is checked. Each
/// folder of device/ implements one; main.cpp lists them, and everything above is handed that list. What a device is
/// like stands in its DeviceInfo: no room asks for a kind by its name. Thread-safe.
class DeviceKind {
 public:
  virtual ~DeviceKind() = default;
  virtual std::string name() const = 0;            // "cuda", which a manifest's `devices` may list
  virtual bool numbered() const { return false; }  // "cuda:0", "cuda:1"; else the one device is called as the kind
  /// Everything that could be a device of this kind here, available or not: at least one entry.
  virtual std::vector<DeviceInfo> probe() const = 0;
  /// What distinguishes it on this machine, whatever number this process gives it.
  virtual std::string identity(const std::string& device) const { return device; }
  /// The folder for Target::headers; `own`: where the headers lie that come with harness. "" if there is none.
  virtual std::string find_headers(const std::string& own) const = 0;
  /// For compiling without a device: what is known of one of this architecture, not available and `missing` where there
  /// is no compiler either. Nothing: this kind has no such architecture.
  virtual std::optional<DeviceInfo> describe_architecture(const std::string&) const { return std::nullopt; }

  /// Throws Error(environment): no compiler.
  virtual std::unique_ptr<Compiler> make_compiler(const Target& target, const Walls& walls) const = 0;
  /// Throws Error(environment): no such device.
  virtual std::unique_ptr<Session> make_session(const Target& target) const = 0;
  /// What sessions and judges of this device compile for their own use: where nothing is compiled yet, builders do it
  /// sooner, several at once.
  virtual std::vector<BuildSpec> own_builds(const DeviceInfo&) const { return {}; }
  /// Null: the judge draws and compares by itself. Throws as make_session does.
  virtual std::unique_ptr<DeviceJudge> make_judge(const Target&) const { return nullptr; }

  /// Entry (name expression) -> the name that the module's loader knows it by. Empty where the kind has no such names.
  virtual std::map<std::string, std::string> linked_names(const Artifact&) const { return {}; }
  /// Equal for the images of two artifacts that a loader cannot tell apart. Throws Error for bytes that are no image.
  virtual std::string image_hash(std::string_view image) const { return sha256_hex(image); }
  /// The machine code of an artifact, for the source policy.
  virtual Disassembly disassemble(const Artifact&) const { return {}; }
  /// By entry (name expression), what is known of the machine code without a disassembler. Empty: nothing.
  virtual std::map<std::string, MachineCode> machine_code(const Artifact&) const { return {}; }

  // Memory is checked by a program that watches the device, or by a build that is instrumented, whose session finds
  // (Session::take_findings). A kind that has neither is recorded as not checked.
  virtual BuildSpec checked_build(BuildSpec spec) const { return spec; }
  virtual std::unique_ptr<MemoryWatcher> make_watcher() const { return nullptr; }
  /// Null: this kind has no counters of its own.
  virtual std::unique_ptr<DeviceProfiler> make_profiler() const { return nullptr; }
  /// The places that RawFinding::sites of an instrumented build stand for, "kernel.cu:7"; what is not known is left
  /// out.
  virtual std::map<std::uint64_t, std::string> source_lines(const Artifact&, const std::vector<std::uint64_t>&) const {
    return {};
  }
  /// In which column of their lines they stand; those in functions of this kind's own are left out, and what is not
  /// known.
  virtual std::map<std::uint64_t, std::uint32_t> columns(const Artifact&, const std::vector<std::uint64_t>&) const {
    return {};
  }
  /// Those of the places that lie in functions of this kind's own, which a candidate calls and which are no comparisons
  /// by themselves: a conversion that ends at the ends of its type.
  virtual std::set<std::uint64_t> within_functions(const Artifact&, const std::vector<std::uint64_t>&) const {
    return {};
  }
};

/// In the order in which `--device auto` prefers them.
using DeviceKinds = std::vector<std::shared_ptr<const DeviceKind>>;

/// The kind that a device or a target belongs to. Throws Error(environment) for one that this program was built
/// without.
const DeviceKind& find_kind(const DeviceKinds& kinds, const std::string& device);
/// All that could be a device here, in the order of the kinds.
std::vector<DeviceInfo> probe_devices(const DeviceKinds& kinds);
/// Confined as well as this machine allows (system/walls.h).
std::unique_ptr<Compiler> make_compiler(const DeviceKind& kind, const Target& target);
Target make_target(const DeviceKind& kind, const DeviceInfo& device, const std::string& cache_folder,
                   const std::string& own_headers);

}  // namespace harness
