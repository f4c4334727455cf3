#include "harness/capture/injected/snapshot.h"

#include <cxxabi.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <utility>

namespace harness::injected {
namespace {

bool write_whole(const std::string& path, const void* data, std::size_t bytes) {
  FILE* const file = std::fopen(path.c_str(), "wb");
  if (file == nullptr) return false;
  const bool whole = std::fwrite(data, 1, bytes, file) == bytes;
  return std::fclose(file) == 0 && whole;
}

}  // namespace

std::string readable_name(const std::string& linked) {
  int status = 0;
  char* const text = abi::__cxa_demangle(linked.c_str(), nullptr, nullptr, &status);
  std::string made = status == 0 && text != nullptr ? text : linked;
  std::free(text);
  return made;
}

Snapshot::Snapshot(std::string wanted, long skip, std::string folder, std::size_t most_bytes)
    : wanted_(std::move(wanted)), folder_(std::move(folder)), skip_(skip), most_bytes_(most_bytes) {}

void Snapshot::before(const Asked& asked, std::uint32_t correlation, const Driver& driver) {
  if (done_ || waiting_ || wanted_.empty()) return;
  const std::string& name = std::get<0>(asked.key);
  if (name.find(wanted_) == std::string::npos && readable_name(name).find(wanted_) == std::string::npos) return;
  if (skip_-- > 0) return;
  int capturing = 0;  // nothing may be copied while a graph is recorded: the next launch will do
  if (driver.stream_is_capturing == nullptr || driver.stream_is_capturing(asked.stream, &capturing) != 0 || capturing)
    return;
  if (driver.copy_to_host == nullptr || driver.stream_synchronize == nullptr) return;
  driver.stream_synchronize(asked.stream);
  values_ = passed_values(asked, driver);
  mkdir(folder_.c_str(), 0777);
  asked_ = asked;
  correlation_ = correlation;
  waiting_ = true;
  for (std::size_t i = 0; i < values_.size(); ++i)
    if (values_[i].allocation > 0 && !copy(i, "before", driver)) values_[i].allocation = 0;
}

void Snapshot::after(std::uint32_t correlation, const Driver& driver) {
  if (!waiting_ || correlation != correlation_) return;
  waiting_ = false;
  done_ = true;
  driver.stream_synchronize(asked_.stream);
  for (std::size_t i = 0; i < values_.size(); ++i)
    if (values_[i].allocation > 0) copy(i, "after", driver);
  const std::string text = key_json(asked_.key) + ",\"values\":" + passed_json(values_) +
                           ",\"most_bytes\":" + std::to_string(most_bytes_) + "}\n";
  write_whole(folder_ + "/launch.json", text.data(), text.size());
}

bool Snapshot::copy(std::size_t value, const char* when, const Driver& driver) const {
  const std::size_t bytes = std::min(values_[value].allocation, most_bytes_);
  std::vector<unsigned char> memory(bytes);
  if (driver.copy_to_host(memory.data(), values_[value].address(), bytes) != 0) return false;
  return write_whole(folder_ + "/" + std::to_string(value) + "." + when + ".bin", memory.data(), bytes);
}

}  // namespace harness::injected
