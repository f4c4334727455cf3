#include "harness/serve_http/readers.h"

#include <sys/stat.h>

#include <chrono>
#include <exception>

#include "harness/core/error.h"

namespace harness::http {

constexpr std::size_t kMostFree = 4, kMostLent = 8;
constexpr std::chrono::seconds kPatience{10};

Readers::Lease::Lease(Readers& readers) : readers_(readers), file_(readers.file_now()), open_(readers.take(file_)) {}

/// What ended in an exception may be of a store that has changed under it: it is opened anew.
Readers::Lease::~Lease() {
  if (std::uncaught_exceptions() > 0) open_.reset();
  readers_.give_back(file_, std::move(open_));
}

Archive& Readers::Lease::archive() {
  if (!open_->archive) open_->archive = readers_.sources_.archive();
  return *open_->archive;
}

Readers::File Readers::file_now() const {
  struct stat status {};
  if (stat(sources_.path.c_str(), &status) != 0) return {};
  return {status.st_dev, status.st_ino};
}

void Readers::wait_for_one() {
  std::unique_lock lock(mutex_);
  if (!came_back_.wait_for(lock, kPatience, [this] { return lent_ < kMostLent; }))
    throw environment_error("others have asked before, and their questions take long: try again");
  ++lent_;
}

std::unique_ptr<Readers::Open> Readers::take(const File& file) {
  wait_for_one();
  {
    const std::lock_guard lock(mutex_);
    if (file != file_) free_.clear();
    file_ = file;
    if (!free_.empty()) {
      auto open = std::move(free_.back());
      free_.pop_back();
      return open;
    }
  }
  auto open = std::make_unique<Open>();
  try {
    open->pages = sources_.pages();
  } catch (const Error& error) {  // whoever asks can do nothing about it: the store is at fault, not the question
    give_back(file, nullptr);
    throw environment_error(error.what());
  } catch (...) {
    give_back(file, nullptr);
    throw;
  }
  return open;
}

void Readers::give_back(const File& file, std::unique_ptr<Open> open) {
  {
    const std::lock_guard lock(mutex_);
    --lent_;
    if (open && file == file_ && free_.size() < kMostFree) free_.push_back(std::move(open));
  }
  came_back_.notify_one();
}

}  // namespace harness::http
