#include "harness/worker/processes/shared_memory.h"

#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>

#include "harness/core/error.h"

namespace harness {

SharedMemory::SharedMemory(std::size_t bytes) : size_(bytes), descriptor_(memfd_create("harness-image", MFD_CLOEXEC)) {
  if (descriptor_ < 0 || ftruncate(descriptor_, static_cast<off_t>(bytes)) != 0)
    fail(fmt::format("cannot reserve {} bytes of shared memory: {}", bytes, std::strerror(errno)));
  map();
}

SharedMemory::SharedMemory(int descriptor, std::size_t bytes) : size_(bytes), descriptor_(descriptor) {
  struct stat status {};
  if (fstat(descriptor_, &status) != 0 || status.st_size < static_cast<off_t>(bytes))
    fail("a shared memory image is smaller than its layout");
  map();
}

SharedMemory::~SharedMemory() {
  if (data_ != nullptr) munmap(data_, size_);
  if (descriptor_ >= 0) close(descriptor_);
}

SharedMemory SharedMemory::copy() const {
  SharedMemory other(size_);
  std::memcpy(other.data_, data_, size_);
  return other;
}

// Constructors that throw have no destructor: the descriptor is closed here.
void SharedMemory::fail(const std::string& sentence) {
  if (descriptor_ >= 0) close(descriptor_);
  descriptor_ = -1;
  throw environment_error(sentence);
}

void SharedMemory::map() {
  void* address = mmap(nullptr, size_ == 0 ? 1 : size_, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor_, 0);
  if (address == MAP_FAILED) fail(fmt::format("cannot map {} bytes of shared memory: {}", size_, std::strerror(errno)));
  data_ = static_cast<std::byte*>(address);
}

}  // namespace harness
