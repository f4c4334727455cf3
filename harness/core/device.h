#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "harness/core/card.h"
#include "harness/core/counting.h"
#include "harness/core/image.h"
#include "harness/core/memory_check.h"
#include "harness/core/plan.h"

// What a device is, and the ports to its compiler and to a session on it. The folders of device/ implement them;
// worker/ holds sessions in disposable processes. Nothing here is thread-safe: one session, one thread.
namespace harness {

/// What `harness devices` prints, and what Lua sees as `device`. Rooms above device/ decide by these properties and
/// never by the name of a kind.
struct DeviceInfo {
  std::string device;  // its kind, and its number where there are several: "cpu", "cuda:0"
  std::string name;    // "NVIDIA H200", "Intel(R) Xeon(R) Processor"
  bool available = false;
  bool emulation = false;            // times are marked as emulation and never compared with a GPU's
  std::string predicts;              // an emulation that counts: times are those that the model of this GPU predicts
  bool native = false;               // candidates are code of this machine's processors: each has a process of its own
                                     // without rights, and the supervisor's clock times it
  std::string architecture;          // "sm_90a", "x86-64"
  std::string driver, compiler;      // versions; "" where absent
  std::string uuid;                  // of the card, the same for every program; "" on cpu
  std::string admission_key;         // what a trial of gates here holds for: "cpu emulation 1", "sm_90a, CUDA 13.0"
  std::vector<std::string> missing;  // sentences: what was not found and what it is needed for
  int compute_capability = 0;        // 90; 0 on cpu
  int multiprocessors = 0;           // on cpu: worker threads
  int max_threads_per_block = 1024;
  std::int64_t max_shared_bytes = 48 * 1024;  // dynamic, per block, with opt-in
  std::int64_t l2_bytes = 0;
  std::int64_t memory_bytes = 0;
  double peak_bytes_per_s = 0;               // theoretical, at the highest clock; 0 where unknown (cpu)
  std::map<std::string, double> peak_flops;  // "bf16": 1.07e15, ...
  double peak_exps_per_s = 0;
};

/// The kind of a device by its name: "cuda" of "cuda:1".
std::string device_kind(const std::string& device);
int device_number(const std::string& device);  // 1 of "cuda:1"; 0 of "cpu"

/// Device code did something that ends its process: illegal address, trap, failed assert, signal, barrier deadlock. Its
/// text begins with a CrashKind and a colon.
struct DeviceFault : std::runtime_error {
  using std::runtime_error::runtime_error;
};
/// The driver refused the launch (sizes, shared memory); the session stays usable.
struct LaunchRefused : std::runtime_error {
  using std::runtime_error::runtime_error;
};
struct DeviceMemoryExhausted : std::runtime_error {
  using std::runtime_error::runtime_error;
};
/// This device cannot run it (feature, architecture): outcome `unsupported`.
struct NotSupported : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class Compiler {
 public:
  virtual ~Compiler() = default;
  /// Compiles into the content-addressed cache, or answers from it. Throws Error only if there is no compiler.
  virtual BuildResult build(const BuildSpec& spec) = 0;
};

/// A module that is loaded, a plan over it, and the layout of its memory.
struct Executable {
  Artifact artifact;
  Plan plan;
  Problem problem;  // scalars, structures, absent arguments, tensor maps
  ImageLayout layout;
  /// Set: a session that can counts what happens (take_counts) instead of checking it. Only of a build that is
  /// instrumented, and with an image that nobody judges: not every block may run.
  std::optional<CountingRequest> counting;
  /// With `counting`: the same candidate as it is without instrumentation. Blocks that run and are not counted may run
  /// in that, which is faster, where the session finds that nobody can tell.
  std::optional<Artifact> plain;
};

/// What timing on a device must obey. Durations in seconds, sizes in bytes.
struct TimingPolicy {
  double noise = 0.005;   // stop when the 95 % interval of the median is within this share of it
  double max_s = 0.5;     // stop anyway after this long
  double burst_s = 0.02;  // work in bursts of about this, then pause: the power cap starts after 50 ms
  double pause_s = 0.02;
  int min_samples = 12;
  bool cold = true;  // also sample calls after an L2 flush, and warm ones: the record shows them, no verdict needs them
  /// The first contender is given up once it is clearly slower (core/abandon.h) than this many times the second; 0:
  /// never.
  double abandon_factor = 0;
  /// Only which of two is faster is asked: end as soon as the samples tell. Emulated timing obeys it.
  bool until_verdict = false;
};

enum class CallKind { rotating, cold, warm };

/// A timed call whose set was kept as the call left it, for the judge: the image it was made of, and the seeds of what
/// a device drew into it.
struct KeptCall {
  std::int64_t place = 0;  // of those that were given
  CallKind kind = CallKind::rotating;
  std::int64_t image = 0;
  FreshSeeds seeds;
};

/// Sets of timed calls that were launched twice, at two addresses under two poisons.
struct TwiceLaunched {
  std::int64_t sets = 0, unequal = 0;  // unequal: the two left different things
  std::optional<CallKind> first_unequal;
};

/// Per contender: nanoseconds per call of the plan. `rotating`: inputs come from sets that together exceed the L2,
/// calls inside one graph; `cold`: one call after a flush; `warm`: one input set again and again.
struct Samples {
  std::vector<double> rotating_ns, cold_ns, warm_ns;
  std::vector<double> single_warm_ns;  // like warm, but one call at a time, each on values that no call had before
  std::vector<double> clock_mhz;       // SM clock at each rotating sample; empty where unknown
  int calls_per_sample = 0;
  int input_sets = 0;
  std::vector<KeptCall> kept;
  TwiceLaunched twice;
  int foreign_processes = 0;  // most other processes seen on the device while sampling (NVML); such samples are marked
  std::string method;         // "graph x40, 128 sets, 16 bursts"
};

/// What a device was measured to reach, by kernels that do nothing else. 0 or absent: not measured.
struct MeasuredPeaks {
  double bytes_per_s = 0;               // DRAM, the best of read and copy
  double l2_bytes_per_s = 0;            // reads that hit the L2
  std::map<std::string, double> flops;  // dense tensor rate by dtype ("bf16", "f16", "e4m3"), FMA rate of "f32"
  double exps_per_s = 0;                // ex2
  double launch_ns = 0;                 // an empty kernel inside a graph
  double memory_trip_ns = 0;            // one load that needs the one before, from DRAM; 0: was not measured
  double l2_trip_ns = 0;                // the same, of what lies in the L2
};

/// The words of a disassembler over an artifact. Both empty: this kind of device has no such program.
struct Disassembly {
  std::string text;
  std::string why;  // there is no text: a sentence
};

using ImageList = std::vector<std::span<std::byte>>;

class Session {
 public:
  virtual ~Session() = default;
  /// Loads if needed, brings the image to the device (relocations resolved), runs the plan once, waits, and brings the
  /// image back in place. Throws DeviceFault, LaunchRefused, DeviceMemoryExhausted or NotSupported.
  virtual void run(const Executable& executable, std::span<std::byte> image) = 0;

  /// The same with inputs that can only be read and behind which nothing lies, where the device has such memory: a
  /// store into one, and an access behind one, is a DeviceFault. Elsewhere as run().
  virtual void run_behind_walls(const Executable& executable, std::span<std::byte> image) { run(executable, image); }

  /// Makes the way between this memory of the host and the device short for as long as what it returns lives. Null:
  /// there is nothing to make, or the system does not allow it. It must not outlive the session.
  virtual std::shared_ptr<void> hold(std::span<std::byte>) { return nullptr; }

  // Where candidates are native code, each launch has a process of its own, forked from one that has loaded them.
  /// Maps a module and runs none of its code; makes no thread.
  virtual void preload(const Artifact&) {}
  /// In the forked process: makes the threads of a run.
  virtual void start_threads(const Executable&) {}
  /// In the forked process: makes what a run needs besides the candidate's code, threads too.
  virtual void warm_up(const Executable&) {}
  /// The next run's number, where a session does things in turns (early and late copies).
  virtual void set_run(unsigned) {}
  /// Takes from this process, for good, the pages of an image that its layout marks: from then on a store to an input,
  /// and any access behind one, is a fault. Images of modules that are instrumented stay open: their checker sees more.
  virtual void close_inputs(const Executable&, std::span<std::byte>) {}
  /// What the last run found, also if it threw; nothing: its candidate was not built to be checked.
  virtual std::optional<std::vector<RawFinding>> take_findings() { return std::nullopt; }
  /// What the last run counted, a launch each, where Executable::counting asked for it and the device can.
  virtual std::optional<std::vector<CountedLaunch>> take_counts() { return std::nullopt; }

  // Where the session's clock can be believed: our host code around foreign device code. Native candidates are timed by
  // the supervisor's clock instead, and these throw NotSupported.

  /// Times contenders against each other in one interleaved run; images[i] are painted images for contenders[i] (at
  /// least one each). Implementations keep them pristine and make sets of them, which together exceed the L2. Before
  /// every timed launch of a graph each of its sets is made anew: poison, workspaces and guards as painted, inputs that
  /// a device can draw (ImageBuffer::draw) with values that no call had before; no graph uses a set twice.
  /// places[i], where it is not empty: each timed call is launched again on the same values, at another address, and
  /// what the two left is compared; and of each CallKind a third of the places is filled with sets as secretly chosen
  /// calls left them, rotating ones first. Same order of results as of contenders.
  virtual std::vector<Samples> time(std::span<const Executable> contenders, std::span<const ImageList> images,
                                    std::span<const ImageList> places, const TimingPolicy& policy);
  /// Takes about a second; nothing else may use the device meanwhile.
  virtual MeasuredPeaks measure_peaks();
  /// Takes a tenth of a second; nothing else may use the device meanwhile. A device that cannot makes none.
  virtual CardCalibration calibrate() { return {}; }
};

void to_json(json& to, const DeviceInfo& value);
void from_json(const json& from, DeviceInfo& value);
void to_json(json& to, const Executable& value);
void from_json(const json& from, Executable& value);
void to_json(json& to, const TimingPolicy& value);
void from_json(const json& from, TimingPolicy& value);
HARNESS_ENUM_TEXT(CallKind);
void to_json(json& to, const KeptCall& value);
void from_json(const json& from, KeptCall& value);
void to_json(json& to, const TwiceLaunched& value);
void from_json(const json& from, TwiceLaunched& value);
void to_json(json& to, const Samples& value);
void from_json(const json& from, Samples& value);
void to_json(json& to, const MeasuredPeaks& value);
void from_json(const json& from, MeasuredPeaks& value);

}  // namespace harness
