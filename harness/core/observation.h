#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "harness/core/plan.h"

// What a kernel does to memory whose sizes nobody has told: each pointer gets an arena of its own, and every byte that
// a launch reads or writes there is noted. An emulated device can see that (device/cpu/check/access_map.h).
namespace harness {

/// What a launch did to a byte, as bits. `read_first`: it was read before anything was written there.
enum Touch : std::uint8_t { touch_read = 1, touch_written = 2, touch_read_first = 4, touch_atomic = 8 };

/// The buffer of an image that holds the notes of buffer NAME, a Touch for each of its bytes, is called "seen:NAME".
/// The session of a device that can observe keeps them where a layout has such buffers.
inline constexpr const char* kSeenPrefix = "seen:";

/// The memory behind one pointer: `content` comes first, the rest is zero.
struct Arena {
  std::string name;
  std::int64_t bytes = 0;
  std::shared_ptr<const std::vector<std::byte>> content;
};

struct ObservedLaunch {
  Launch launch;                // its NamedArguments are arenas
  std::vector<Launch> further;  // behind it, on the same memory; what it wrote counts as written before they read
  std::vector<Arena> arenas;
  std::vector<ConstantTable> constants = {};  // filled from arenas; what is read there is not seen
  double deadline_s = 10;                     // it did not end where it takes longer
};

/// What was seen of an arena. Ends are one behind the highest byte, begins the lowest; 0 and 0: untouched so.
struct ArenaSeen {
  std::int64_t read_begin = 0, read_end = 0, write_begin = 0, write_end = 0;
  std::int64_t read = 0, written = 0, read_first = 0, atomic = 0;  // how many bytes
  std::vector<std::pair<std::int64_t, std::int64_t>> parts;        // [begin, end) without gaps; the first few thousand
  std::vector<std::byte> after;                                    // the arena up to the higher end
};

struct Observation {
  std::string failure;                // a sentence: the launch faulted or did not end; "" where it ended well
  bool endless = false;               // it did not end, or was not tried behind others that did not
  std::vector<std::string> findings;  // what the memory checker said besides: accesses outside of all arenas
  std::vector<std::string> hints;     // no faults by themselves: values that a GPU leaves undefined
  std::map<std::string, ArenaSeen> arenas;
};

/// Port to a device that observes (worker/observation.h). Candidate code runs in processes of its own, behind the walls
/// that every candidate meets. Throws Error(environment) where there is none.
class Observer {
 public:
  virtual ~Observer() = default;
  /// Instrumented, as the memory checker needs it.
  virtual BuildResult build(BuildSpec spec) = 0;
  /// Each launch alone, on fresh memory; as many answers as launches, in their order.
  virtual std::vector<Observation> run(const Artifact& artifact, const std::vector<ObservedLaunch>& launches) = 0;
};

}  // namespace harness
