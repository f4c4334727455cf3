#include "harness/worker/processes/shared_memory.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <future>
#include <thread>
#include <vector>

#include "harness/core/error.h"

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23  // since Linux 5.14; an older one refuses it, and pages come one by one
#endif

namespace harness {
namespace {

/// Brings all pages in at once, on several cores: one that is touched for the first time costs as much as reading two
/// thousand of its bytes, and on virtual machines several times that.
void populate(std::byte* data, std::size_t bytes) {
  constexpr std::size_t kLeast = std::size_t{16} << 20, kMostThreads = 8, kHugePage = std::size_t{2} << 20;
  const std::size_t threads = std::min<std::size_t>(kMostThreads, std::thread::hardware_concurrency() / 2);
  if (bytes < kLeast || threads < 2) return;
  const std::size_t share = (bytes / threads + kHugePage) / kHugePage * kHugePage;
  try {
    std::vector<std::future<void>> under_way;
    for (std::size_t begin = 0; begin < bytes; begin += share)
      under_way.push_back(std::async(
          std::launch::async, [=] { madvise(data + begin, std::min(share, bytes - begin), MADV_POPULATE_WRITE); }));
  } catch (const std::system_error&) {  // no threads: pages come one by one
  }
}

}  // namespace

/// A descriptor and all of its memory, mapped.
class SharedMemory::Mapping {
 public:
  explicit Mapping(std::size_t bytes) : size_(bytes), descriptor_(memfd_create("harness-image", MFD_CLOEXEC)) {
    if (descriptor_ < 0 || ftruncate(descriptor_, static_cast<off_t>(bytes)) != 0)
      fail(fmt::format("cannot reserve {} bytes of shared memory: {}", bytes, std::strerror(errno)));
    map();
  }
  explicit Mapping(int descriptor) : descriptor_(descriptor) {
    struct stat status {};
    if (fstat(descriptor_, &status) != 0) fail(fmt::format("no shared memory image: {}", std::strerror(errno)));
    size_ = static_cast<std::size_t>(status.st_size);
    device_ = status.st_dev;
    file_ = status.st_ino;
    map();
  }
  ~Mapping() {
    held_.reset();  // before the memory goes
    munmap(data_, std::max<std::size_t>(size_, 1));
    close(descriptor_);
  }
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;

  std::byte* data() const { return data_; }
  std::size_t size() const { return size_; }
  int descriptor() const { return descriptor_; }
  /// A file that is held has its number to itself.
  bool is(const struct stat& file) const { return file.st_dev == device_ && file.st_ino == file_; }
  void hold(std::shared_ptr<void> held) { held_ = std::move(held); }

 private:
  void map() {
    void* address = mmap(nullptr, std::max<std::size_t>(size_, 1), PROT_READ | PROT_WRITE, MAP_SHARED, descriptor_, 0);
    if (address == MAP_FAILED)
      fail(fmt::format("cannot map {} bytes of shared memory: {}", size_, std::strerror(errno)));
    data_ = static_cast<std::byte*>(address);
    populate(data_, size_);
  }
  // Constructors that throw have no destructor: the descriptor is closed here.
  [[noreturn]] void fail(const std::string& sentence) {
    if (descriptor_ >= 0) close(descriptor_);
    throw environment_error(sentence);
  }

  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
  int descriptor_ = -1;
  dev_t device_ = 0;
  ino_t file_ = 0;
  std::shared_ptr<void> held_;
};

SharedMemory::SharedMemory(std::size_t bytes) : SharedMemory(std::make_shared<Mapping>(bytes), bytes) {}

SharedMemory::SharedMemory(int descriptor, std::size_t bytes)
    : SharedMemory(std::make_shared<Mapping>(descriptor), bytes) {}

SharedMemory::SharedMemory(std::shared_ptr<Mapping> mapping, std::size_t bytes)
    : mapping_(std::move(mapping)), size_(bytes) {
  if (mapping_->size() < bytes) throw environment_error("a shared memory image is smaller than its layout");
}

std::span<std::byte> SharedMemory::bytes() const {
  return mapping_ ? std::span<std::byte>(mapping_->data(), size_) : std::span<std::byte>();
}

int SharedMemory::descriptor() const {
  return mapping_ ? mapping_->descriptor() : -1;
}

SharedMemory SharedMemory::copy() const {
  SharedMemory other(size_);
  std::memcpy(other.bytes().data(), bytes().data(), size_);
  return other;
}

SharedMemory SharedMemory::first(std::size_t bytes) const {
  return {mapping_, bytes};
}

struct MemoryPool::Waiting {
  std::size_t most_bytes = 0, bytes = 0;
  std::list<std::unique_ptr<SharedMemory::Mapping>> memories;  // the last used first

  void keep(std::unique_ptr<SharedMemory::Mapping> memory) {
    bytes += memory->size();
    memories.push_front(std::move(memory));
    while (bytes > most_bytes) {
      bytes -= memories.back()->size();
      memories.pop_back();
    }
  }
  /// Room for `wanted` and not for much more: pages that were touched once stay. Null: there is none.
  std::unique_ptr<SharedMemory::Mapping> find(std::size_t wanted) {
    const auto suits = [&](const auto& memory) { return memory->size() >= wanted && memory->size() / 2 <= wanted; };
    const auto fitting = std::ranges::find_if(memories, suits);
    if (fitting == memories.end()) return nullptr;
    std::unique_ptr<SharedMemory::Mapping> memory = std::move(*fitting);
    memories.erase(fitting);
    bytes -= memory->size();
    return memory;
  }
};

std::size_t kept_image_bytes() {
  constexpr std::size_t kLeast = std::size_t{2} << 30, kMost = std::size_t{16} << 30;
  const long pages = sysconf(_SC_PHYS_PAGES), page_bytes = sysconf(_SC_PAGESIZE);
  if (pages <= 0 || page_bytes <= 0) return kLeast;
  return std::clamp(static_cast<std::size_t>(pages) / 8 * static_cast<std::size_t>(page_bytes), kLeast, kMost);
}

MemoryPool::MemoryPool(std::size_t most_bytes) : waiting_(std::make_shared<Waiting>()) {
  waiting_->most_bytes = most_bytes;
}
MemoryPool::~MemoryPool() = default;
MemoryPool::MemoryPool(MemoryPool&&) noexcept = default;

SharedMemory MemoryPool::take(std::size_t bytes) {
  std::unique_ptr<SharedMemory::Mapping> memory = waiting_->find(bytes);
  constexpr std::size_t kMostSpare = std::size_t{64} << 20;  // for the next, if it needs more
  if (!memory) memory = std::make_unique<SharedMemory::Mapping>(bytes + std::min(bytes / 8, kMostSpare));
  const auto come_back = [pool = std::weak_ptr<Waiting>(waiting_)](SharedMemory::Mapping* mapping) {
    std::unique_ptr<SharedMemory::Mapping> owned(mapping);
    if (const auto waiting = pool.lock()) waiting->keep(std::move(owned));
  };
  return {std::shared_ptr<SharedMemory::Mapping>(memory.release(), come_back), bytes};
}

SharedMemory MappedMemory::map(int descriptor, std::size_t bytes) {
  constexpr std::size_t kMost = 128;
  const std::size_t most_bytes = 2 * kept_image_bytes();  // what a pool keeps, and as much that is in use
  struct stat file {};
  const bool readable = fstat(descriptor, &file) == 0;
  const auto mapped = std::ranges::find_if(known_, [&](const auto& mapping) { return readable && mapping->is(file); });
  if (mapped != known_.end()) {
    close(descriptor);
    known_.splice(known_.begin(), known_, mapped);
    return {known_.front(), bytes};
  }
  auto mapping = std::make_shared<SharedMemory::Mapping>(descriptor);
  mapping->hold(prepare_({mapping->data(), mapping->size()}));
  known_.push_front(mapping);
  std::size_t total = 0;
  for (const auto& mapping : known_) total += mapping->size();
  while (known_.size() > 1 && (known_.size() > kMost || total > most_bytes)) {
    total -= known_.back()->size();
    known_.pop_back();
  }
  return {std::move(mapping), bytes};
}

}  // namespace harness
