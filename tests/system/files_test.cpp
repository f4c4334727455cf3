#include "harness/system/files.h"

#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <thread>

#include "harness/system/process_stat.h"
#include "tests/support/program.h"

using namespace harness;
using namespace harness::tests;

namespace {

int files_in(const std::string& folder) {
  const std::filesystem::directory_iterator entries(folder);
  return static_cast<int>(std::distance(begin(entries), end(entries)));
}

}  // namespace

TEST_CASE("what is written is read back byte for byte, also from /proc, which tells no sizes") {
  const Scratch scratch;
  std::string bytes(100'000, '\0');
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(i * 7);
  write_file(scratch.path("file"), bytes);
  CHECK(read_file(scratch.path("file")) == bytes);
  CHECK(read_file_if_any("/proc/self/stat").value_or("").starts_with(std::to_string(getpid())));
}

TEST_CASE("what is no readable file is nothing, or an error of the kind that was asked for") {
  const Scratch scratch;
  scratch.write("folder/x", "");
  REQUIRE(mkfifo(scratch.path("pipe").c_str(), 0600) == 0);
  CHECK_FALSE(read_file_if_any("/proc/self/mem"));  // it opens, and reading its first byte fails
  for (const char* name : {"absent", "folder", "pipe"}) CHECK_FALSE(read_file_if_any(scratch.path(name)));
  try {
    read_file(scratch.path("absent"), Error::Kind::bad_input);
    FAIL("it was read");
  } catch (const Error& error) {
    CHECK(error.kind() == Error::Kind::bad_input);
    CHECK(error.what() == scratch.path("absent") + ": cannot be read");
  }
}

TEST_CASE("a file that cannot be written is the environment's fault, and says why") {
  const Scratch scratch;
  CHECK_THROWS_WITH(write_file(scratch.path("no/file"), "x"), Catch::Contains("No such file or directory"));
  CHECK_THROWS_WITH(replace_file(scratch.path("no/file"), "x"), Catch::Contains("No such file or directory"));
  if (access("/dev/full", W_OK) == 0)
    CHECK_THROWS_WITH(write_file("/dev/full", "x"), Catch::Contains("No space left on device"));
}

TEST_CASE("a new file appears whole when it is committed, and leaves nothing if it is not") {
  const Scratch scratch;
  scratch.write("file", "old");
  {
    NewFile file(scratch.path("file"));
    file.stream() << "ne";
    CHECK(read_file(scratch.path("file")) == "old");
    CHECK(files_in(scratch.path("")) == 2);
  }
  CHECK(files_in(scratch.path("")) == 1);
  NewFile file(scratch.path("file"));
  file.stream() << "new";
  file.commit();
  CHECK(read_file(scratch.path("file")) == "new");
  CHECK(files_in(scratch.path("")) == 1);
}

TEST_CASE("a file's hash follows its contents") {
  const Scratch scratch;
  FileHashes hashes;
  CHECK(hashes.of(scratch.path("file")) == "absent");
  scratch.write("file", "one");
  const std::string one = hashes.of(scratch.path("file"));
  scratch.write("file", "two");
  CHECK(hashes.of(scratch.path("file")) != one);
  CHECK(hashes.of(scratch.path("")) == "absent");
}

TEST_CASE("the parent and the start of a process are read from /proc") {
  CHECK(process_stat(getpid(), 4) == std::to_string(getppid()));
  CHECK(std::stoll(process_stat(getpid(), 22)) > 0);
  CHECK(process_stat(0, 4).empty());
  // A thread's times are its own, whatever the others of its process do.
  constexpr int kUserTime = 14;
  while (std::stol(process_stat(getpid(), kUserTime)) < 5) {
  }
  long fresh = 0;
  std::thread([&] { fresh = std::stol(thread_stat(getpid(), syscall(SYS_gettid), kUserTime)); }).join();
  CHECK(fresh <= 1);
}

TEST_CASE("a link is followed when a file is replaced, and stays a link") {
  const Scratch scratch;
  scratch.write("file", "old");
  std::filesystem::create_symlink(scratch.path("file"), scratch.path("link"));
  replace_file(scratch.path("link"), "new");
  CHECK(std::filesystem::is_symlink(scratch.path("link")));
  CHECK(read_file(scratch.path("file")) == "new");
  std::filesystem::create_symlink(scratch.path("absent"), scratch.path("dangling"));
  replace_file(scratch.path("dangling"), "begun");
  CHECK(read_file(scratch.path("absent")) == "begun");
}

TEST_CASE("what is no file is written into and never replaced") {
  const Scratch scratch;
  replace_file("/dev/null", "nothing");
  CHECK(std::filesystem::is_character_file("/dev/null"));
  CHECK_THROWS_WITH(replace_file("/dev/full", "nothing"), Catch::Contains("/dev/full"));
  CHECK(std::filesystem::is_character_file("/dev/full"));
  REQUIRE(mkfifo(scratch.path("pipe").c_str(), 0600) == 0);
  std::string received;
  std::thread reader([&] {
    std::ifstream pipe(scratch.path("pipe"));
    std::getline(pipe, received);
  });
  replace_file(scratch.path("pipe"), "through\n");
  reader.join();
  CHECK(received == "through");
  CHECK(std::filesystem::is_fifo(scratch.path("pipe")));
}
