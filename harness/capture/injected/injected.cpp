#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <map>
#include <mutex>
#include <set>
#include <utility>

#include "harness/capture/injected/snapshot.h"

// What `harness capture` loads into a program, through CUDA_INJECTION64_PATH: it counts and times the kernels that the
// program launches, and writes process-PID.json into HARNESS_CAPTURE_DIR. Child processes that use CUDA load it too.
namespace harness::injected {
namespace {

struct Count {
  std::int64_t calls = 0, total_ns = 0, least_ns = 0, most_ns = 0;
  int registers = 0, static_shared = 0;
};

std::string setting(const char* name) {
  const char* const text = std::getenv(name);
  return text != nullptr ? text : "";
}

class Recorder {
 public:
  Recorder()
      : folder_(setting("HARNESS_CAPTURE_DIR")),
        snapshot_(setting("HARNESS_CAPTURE_LAUNCH"), std::atol(setting("HARNESS_CAPTURE_SKIP").c_str()),
                  folder_ + "/launch", std::size_t{256} << 20) {}

  bool begin() {
    if (folder_.empty()) return false;
    const char* missing = "";
    load_driver(driver_);
    if (!load_cupti(cupti_, missing)) return fail(std::string(missing) + " was not found");
    void* subscriber = nullptr;
    if (!good(cupti_.subscribe(&subscriber, called, this), "cuptiSubscribe")) return false;
    for (const std::uint32_t id : {kLaunchKernel, kLaunchKernelPtsz, kLaunchKernelEx, kLaunchKernelExPtsz})
      if (!good(cupti_.enable_callback(1, subscriber, kDriverDomain, id), "cuptiEnableCallback")) return false;
    if (!good(cupti_.register_callbacks(requested, completed), "cuptiActivityRegisterCallbacks")) return false;
    if (!good(cupti_.activity_enable(kConcurrentKernel), "cuptiActivityEnable")) return false;
    write();
    return true;
  }

  void end() {
    if (cupti_.flush_all != nullptr) cupti_.flush_all(1);
    const std::lock_guard lock(counting_);
    write();
  }

  static Recorder*& the();

 private:
  static void called(void* own, int domain, std::uint32_t id, const CallbackData* data) {
    if (domain == kDriverDomain && data != nullptr) static_cast<Recorder*>(own)->launched(id, *data);
  }

  void launched(std::uint32_t id, const CallbackData& data) {
    Asked asked;
    if (!read_launch(id, data, asked)) return;
    const std::lock_guard lock(launching_);
    if (data.site == kExit) return snapshot_.after(data.correlation, driver_);
    if (known_.insert(asked.key).second) {
      std::vector<Passed> values = passed_values(asked, driver_);
      const std::lock_guard writing(counting_);
      values_[asked.key] = std::move(values);
    }
    snapshot_.before(asked, data.correlation, driver_);
  }

  static void requested(std::uint8_t** buffer, std::size_t* bytes, std::size_t* records) {
    constexpr std::size_t kBytes = std::size_t{1} << 20;
    *buffer = static_cast<std::uint8_t*>(std::aligned_alloc(8, kBytes));
    *bytes = *buffer != nullptr ? kBytes : 0;
    *records = 0;
  }

  static void completed(void*, std::uint32_t, std::uint8_t* buffer, std::size_t, std::size_t valid) {
    if (the() != nullptr) the()->count(buffer, valid);
    std::free(buffer);
  }

  void count(std::uint8_t* buffer, std::size_t valid) {
    const std::lock_guard lock(counting_);
    void* record = nullptr;
    while (valid > 0 && cupti_.next_record(buffer, valid, &record) == 0) {
      const auto& kernel = *static_cast<const KernelRecord*>(record);
      if (kernel.kind != kConcurrentKernel) continue;
      Count& count = counts_[{kernel.name != nullptr ? kernel.name : "",
                              {kernel.grid[0], kernel.grid[1], kernel.grid[2]},
                              {kernel.block[0], kernel.block[1], kernel.block[2]},
                              kernel.dynamic_shared}];
      const auto ns = static_cast<std::int64_t>(kernel.end - kernel.start);
      count.least_ns = count.calls == 0 || ns < count.least_ns ? ns : count.least_ns;
      count.most_ns = ns > count.most_ns ? ns : count.most_ns;
      count.total_ns += ns;
      ++count.calls;
      count.registers = kernel.registers;
      count.static_shared = kernel.static_shared;
    }
    if (const std::time_t now = std::time(nullptr); now > written_) write();  // a process that is killed leaves this
  }

  bool good(int result, const char* call) {
    if (result == 0) return true;
    const char* text = nullptr;
    if (cupti_.result_string != nullptr) cupti_.result_string(result, &text);
    return fail(std::string(call) + " failed: " + (text != nullptr ? text : std::to_string(result)));
  }

  bool fail(const std::string& why) {
    error_ = why;
    write();
    return false;
  }

  /// The new text under the file's name at once: a reader sees the old or the new.
  void write() {
    written_ = std::time(nullptr);
    const std::string path = folder_ + "/process-" + std::to_string(getpid()) + ".json", draft = path + ".new";
    FILE* const file = std::fopen(draft.c_str(), "w");
    if (file == nullptr) return;
    std::fprintf(file, "{\"process\":%d,\"command\":%s,\"error\":%s,\"kernels\":[", static_cast<int>(getpid()),
                 quoted(command()).c_str(), quoted(error_).c_str());
    const char* between = "";
    for (const auto& [key, count] : counts_) {
      const auto values = values_.find(key);
      std::fprintf(file,
                   "%s\n%s,\"calls\":%lld,\"total_ns\":%lld,\"least_ns\":%lld,\"most_ns\":%lld,\"registers\":%d,"
                   "\"static_shared\":%d,\"values\":%s}",
                   between, key_json(key).c_str(), static_cast<long long>(count.calls),
                   static_cast<long long>(count.total_ns), static_cast<long long>(count.least_ns),
                   static_cast<long long>(count.most_ns), count.registers, count.static_shared,
                   values == values_.end() ? "[]" : passed_json(values->second).c_str());
      between = ",";
    }
    std::fprintf(file, "]}\n");
    if (std::fclose(file) == 0) std::rename(draft.c_str(), path.c_str());
  }

  static std::string command() {
    std::string text;
    if (FILE* const file = std::fopen("/proc/self/cmdline", "r")) {
      char buffer[4096];
      text.assign(buffer, std::fread(buffer, 1, sizeof(buffer), file));
      std::fclose(file);
    }
    while (!text.empty() && text.back() == '\0') text.pop_back();
    for (char& c : text)
      if (c == '\0') c = ' ';
    return text;
  }

  // Two, because CUPTI may hand over a buffer within a call of the driver that a launch waits for.
  std::mutex launching_, counting_;
  std::string folder_, error_;
  Cupti cupti_{};
  Driver driver_{};
  Snapshot snapshot_;
  std::set<LaunchKey> known_;
  std::map<LaunchKey, Count> counts_;
  std::map<LaunchKey, std::vector<Passed>> values_;
  std::time_t written_ = 0;
};

/// Never destroyed: CUPTI may call until the process is gone.
Recorder*& Recorder::the() {
  static Recorder* recorder = nullptr;
  return recorder;
}

}  // namespace
}  // namespace harness::injected

/// What the driver calls in a library that CUDA_INJECTION64_PATH names, when it is initialized. 1: go on.
extern "C" __attribute__((visibility("default"))) int InitializeInjection() {
  using harness::injected::Recorder;
  static std::once_flag once;
  std::call_once(once, [] {
    Recorder::the() = new Recorder;
    if (Recorder::the()->begin()) std::atexit([] { Recorder::the()->end(); });
  });
  return 1;
}
