#pragma once
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "harness/core/device.h"
#include "harness/device/cpu/compile/compiler.h"
#include "harness/device/cpu/session.h"

namespace harness::test {

inline std::string include_folder() {
  return HARNESS_SOURCE_DIR "/harness/device/cpu/guest";
}

/// A folder of this process, removed with it.
inline const std::string& cache_folder() {
  static const struct Folder {
    std::string path =
        (std::filesystem::temp_directory_path() / ("harness-cpu-test-" + std::to_string(getpid()))).string();
    ~Folder() { std::filesystem::remove_all(path); }
  } folder;
  return folder.path;
}

inline BuildSpec spec_of(const std::string& source, const std::vector<std::string>& entries) {
  BuildSpec spec;
  spec.source_name = "kernel.cu";
  spec.source = source;
  spec.entries = entries;
  return spec;
}

inline BuildResult build(const BuildSpec& spec) {
  static CpuCompiler compiler(cache_folder(), include_folder());
  return compiler.build(spec);
}

inline Artifact build_artifact(const std::string& source, const std::vector<std::string>& entries) {
  const BuildResult result = build(spec_of(source, entries));
  if (const auto* failure = std::get_if<CompileFailure>(&result)) throw std::runtime_error(failure->log);
  return std::get<Artifact>(result);
}

/// A source that includes <harness/...>; `checked`: for the memory checker.
inline Artifact build_with_headers(const std::string& source, const std::vector<std::string>& entries,
                                   bool checked = false, const std::vector<std::string>& constants = {}) {
  BuildSpec spec = spec_of(source, entries);
  spec.constants = constants;
  spec.include_dirs = {HARNESS_SOURCE_DIR "/kernels/include"};
  spec.checked = checked;
  const BuildResult result = build(spec);
  if (const auto* failure = std::get_if<CompileFailure>(&result)) throw std::runtime_error(failure->log);
  return std::get<Artifact>(result);
}

inline CpuSession& session() {
  static CpuSession shared(3);
  return shared;
}

/// Buffers of one type by name, laid out as an image, and launches over them.
class Bench {
 public:
  explicit Bench(Artifact artifact) { executable_.artifact = std::move(artifact); }

  template <typename T>
  Bench& buffer(const std::string& name, const std::vector<T>& values) {
    const auto offset = static_cast<std::int64_t>(image_.size());
    const auto bytes = static_cast<std::int64_t>(values.size() * sizeof(T));
    image_.resize(image_.size() + static_cast<std::size_t>((bytes + 255) / 256 * 256));
    if (bytes > 0) std::memcpy(image_.data() + offset, values.data(), static_cast<std::size_t>(bytes));
    executable_.layout.buffers.push_back({name, offset, bytes, false});
    return *this;
  }

  Bench& run(const std::string& entry, Dim3 grid, Dim3 block, std::vector<LaunchArgument> args,
             std::int64_t shared = 0) {
    Launch launch;
    launch.entry = entry;
    launch.grid = grid;
    launch.block = block;
    launch.shared = shared;
    launch.args = std::move(args);
    return run(std::vector<Step>{launch});
  }

  Bench& run(std::vector<Step> steps) {
    executable_.plan.steps = std::move(steps);
    executable_.layout.bytes = static_cast<std::int64_t>(image_.size());
    void* place = std::aligned_alloc(4096, (image_.size() + 4096) / 4096 * 4096);
    std::memcpy(place, image_.data(), image_.size());
    const std::unique_ptr<void, void (*)(void*)> owner(place, std::free);
    session().run(executable_, {static_cast<std::byte*>(place), image_.size()});
    std::memcpy(image_.data(), place, image_.size());
    return *this;
  }

  template <typename T>
  std::vector<T> read(const std::string& name) const {
    const ImageBuffer* const buffer = find_buffer(executable_.layout, name);
    std::vector<T> values(static_cast<std::size_t>(buffer->bytes) / sizeof(T));
    std::memcpy(values.data(), image_.data() + buffer->offset, values.size() * sizeof(T));
    return values;
  }

  Executable& executable() { return executable_; }

 private:
  Executable executable_;
  std::vector<std::byte> image_;
};

inline LaunchArgument named(const std::string& name) {
  return NamedArgument{name, 0};
}
inline LaunchArgument i32(std::int64_t value) {
  return ScalarArgument{Dtype::s32, value};
}
inline LaunchArgument f32(double value) {
  return ScalarArgument{Dtype::f32, value};
}

/// The text of the DeviceFault that `body` throws; "" if it throws none.
template <typename Body>
std::string fault_of(Body body) {
  try {
    body();
  } catch (const DeviceFault& fault) {
    return fault.what();
  }
  return "";
}

}  // namespace harness::test
