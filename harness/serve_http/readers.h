#pragma once
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "harness/core/archive.h"
#include "harness/core/page_record.h"

namespace harness::http {

/// Open connections to one store. Each serves one question at a time; those that are free are kept. There are few: who
/// finds all of them lent waits, so that a crowd costs time and not memory.
class Readers {
 public:
  struct Open {
    std::unique_ptr<PageRecord> pages;
    std::unique_ptr<Archive> archive;  // opened on first use
  };
  struct Sources {
    std::string path;
    std::function<std::unique_ptr<PageRecord>()> pages;
    std::function<std::unique_ptr<Archive>()> archive;
  };
  /// A connection for as long as this lives.
  class Lease {
   public:
    explicit Lease(Readers& readers);
    ~Lease();
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    PageRecord& pages() { return *open_->pages; }
    Archive& archive();

   private:
    Readers& readers_;
    std::pair<std::uint64_t, std::uint64_t> file_;
    std::unique_ptr<Open> open_;
  };

  explicit Readers(Sources sources) : sources_(std::move(sources)) {}
  const std::string& path() const { return sources_.path; }

 private:
  using File = std::pair<std::uint64_t, std::uint64_t>;  // device and inode; 0: there is none
  File file_now() const;
  std::unique_ptr<Open> take(const File& file);
  void wait_for_one();
  void give_back(const File& file, std::unique_ptr<Open> open);

  Sources sources_;
  std::mutex mutex_;
  std::condition_variable came_back_;
  std::size_t lent_ = 0;
  File file_{};  // of those that are free
  std::vector<std::unique_ptr<Open>> free_;
};

}  // namespace harness::http
