#pragma once
#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "harness/core/json.h"
#include "harness/system/child.h"
#include "harness/system/confinement.h"
#include "harness/system/descriptor.h"
#include "harness/system/temporary_folder.h"

namespace harness {

/// What a Python process is started with. The first of `files` is run, with the process's folder as its first word.
struct PythonStart {
  std::string python;
  std::vector<std::pair<std::string, std::string>> files;  // name and text, put into its folder
  std::vector<std::string> words;                          // that follow
  std::vector<std::string> readable;                       // beside its own (Reach)
  std::vector<std::string> environment;                    // NAME=VALUE, beside python_environment()
  Walls walls;
  ResourceLimits limits;
};

/// Where another process of ours finds one that stays.
struct PythonAddress {
  std::string folder;
  pid_t id = 0;
  bool operator==(const PythonAddress&) const = default;
};

/// A Python program that stays: one JSON object a line goes to the named pipe `ask` of its folder, an answer comes from
/// the pipe `answer`. Requests have tickets, which answers repeat: what somebody asked who is gone answers nobody else.
/// It belongs to one thread, and one process at a time.
class PythonProcess {
 public:
  explicit PythonProcess(const PythonStart& start);
  /// One that another process has started. It goes on when this is destroyed.
  explicit PythonProcess(const PythonAddress& there);

  PythonAddress address() const;
  /// False: it has ended.
  bool runs() const;
  std::string path(const std::string& name) const { return folder_ + "/" + name; }
  void send(const json& request);
  /// Nothing: it has ended, answered no object, or the time is up (`late`).
  std::optional<json> receive(double seconds, bool& late);
  /// Ends it. What it wrote last that names an error, else its last line.
  std::string last_words();

 private:
  void kill() const;
  std::optional<json> next_answer();

  std::optional<TemporaryFolder> own_folder_;
  std::string folder_, answer_text_;
  Descriptor ask_, answer_;
  std::optional<Child> child_;  // of this process; else `other_` is somebody's
  PythonAddress other_;
  Descriptor other_process_;
  std::string ticket_, last_ticket_;
  std::int64_t asked_ = 0;
};

}  // namespace harness
