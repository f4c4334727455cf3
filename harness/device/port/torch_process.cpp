#include "harness/device/port/torch_process.h"

#include <fmt/format.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>

#include "harness/system/python.h"
#include "harness/system/walls.h"

namespace harness {
namespace {

namespace fs = std::filesystem;

constexpr const char* kProcessor = "cpu";  // PyTorch's name of it
constexpr double kTorchStartS = 120, kBetweenLooksS = 0.25;

/// What a process needs that works with the GPU: the driver's devices, and what the system says of them.
std::vector<std::string> gpu_devices() {
  std::vector<std::string> all{"/proc", "/sys"};
  std::error_code failed;
  for (const auto& entry : fs::directory_iterator("/dev", failed))
    if (entry.path().filename().string().starts_with("nvidia") && !entry.is_directory(failed))
      all.push_back(entry.path().string());
  return all;
}

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value == nullptr ? "" : std::string(name) + "=" + value;
}

/// PyTorch on a GPU: its devices are those of this process, and torch.compile writes and runs its own programs.
std::vector<std::string> gpu_environment() {
  std::vector<std::string> all{"TORCHDYNAMO_DISABLE=0", "TORCHINDUCTOR_COMPILE_THREADS=1", "USER=nobody"};
  for (const char* name : {"CUDA_VISIBLE_DEVICES", "LD_LIBRARY_PATH", "CUDA_HOME", "NVIDIA_VISIBLE_DEVICES"})
    if (std::string text = variable(name); !text.empty()) all.push_back(std::move(text));
  if (variable("CUDA_VISIBLE_DEVICES").empty()) {
    std::vector<std::string> numbers;
    for (int i = 0; i < 64; ++i) numbers.push_back(std::to_string(i));
    all.push_back(fmt::format("CUDA_VISIBLE_DEVICES={}", fmt::join(numbers, ",")));
  }
  return all;
}

}  // namespace

std::string torch_device(const Target& target) {
  return target.native ? kProcessor : target.device;
}

TorchProcess::TorchProcess(Spec spec) : spec_(std::move(spec)) {
  const bool on_gpu = spec_.device != kProcessor;
  const std::vector<std::string> all = python_interpreters();
  for (const bool walled : {true, false}) {
    if (!walled && (!spec_.trusted || !on_gpu)) continue;
    for (const std::string& python : all)
      attempts_.push_back({python, walled, on_gpu && (spec_.device_needed || (walled && spec_.trusted))});
  }
}

bool TorchProcess::without_walls() const {
  return attempt_ < attempts_.size() && !attempts_[attempt_].walled;
}

void TorchProcess::begin() {
  if (process_ || attempt_ >= attempts_.size()) return;
  const Attempt& attempt = attempts_[attempt_];
  PythonStart start{.python = attempt.python,
                    .files = spec_.files,
                    .words = spec_.words,
                    .readable = spec_.readable,
                    .environment = spec_.environment,
                    .walls = attempt.walled ? walls_here() : Walls{},
                    .limits = python_limits()};
  start.words.insert(start.words.end(), {spec_.device, attempt.device_needed ? "must" : "may"});
  if (spec_.device != kProcessor) {
    const std::vector<std::string> devices = gpu_devices(), variables = gpu_environment();
    start.readable.insert(start.readable.end(), devices.begin(), devices.end());
    start.environment.insert(start.environment.begin(), variables.begin(), variables.end());
    start.limits.memory_bytes = RLIM_INFINITY;  // the driver reserves more addresses than there is memory
  }
  greeted_ = false;
  process_ = std::make_unique<PythonProcess>(start);
}

/// False: this attempt came to nothing, or was stopped.
bool TorchProcess::is_greeted(const std::function<bool()>& stop) {
  const auto begin = std::chrono::steady_clock::now();
  const auto seconds = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(); };
  std::optional<json> hello;
  bool late = true;
  while (!hello && late && seconds() < kTorchStartS && !(stop && stop()))
    hello = process_->receive(kBetweenLooksS, late = false);
  if (hello && !hello->contains("no_gpu")) return true;
  const std::string words = hello ? hello->at("no_gpu").get<std::string>() : process_->last_words();
  if (hello || words.find("No module named") == std::string::npos)
    why_ += fmt::format("; {}: {}", attempts_[attempt_].python, late && !hello ? "it took too long to start" : words);
  return false;
}

PythonProcess* TorchProcess::ready(const std::function<bool()>& stop) {
  if (process_ && !process_->runs()) process_.reset();
  while (attempt_ < attempts_.size()) {
    begin();
    if (greeted_ || is_greeted(stop)) {
      greeted_ = true;
      return process_.get();
    }
    process_.reset();
    if (stop && stop()) return nullptr;
    ++attempt_;
  }
  return nullptr;
}

}  // namespace harness
