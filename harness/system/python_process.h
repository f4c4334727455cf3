#pragma once
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

/// A Python program that stays: one JSON object a line goes to the named pipe `ask` of its folder, an answer comes from
/// the pipe `answer`. It belongs to one thread.
class PythonProcess {
 public:
  explicit PythonProcess(const PythonStart& start);

  std::string path(const std::string& name) const { return folder_.path(name); }
  void send(const json& request);
  /// Nothing: it has ended, answered no object, or the time is up (`late`).
  std::optional<json> receive(double seconds, bool& late);
  /// Ends it. What it wrote last that names an error, else its last line.
  std::string last_words();

 private:
  TemporaryFolder folder_{"python"};
  std::string answer_text_;
  Descriptor ask_, answer_;
  std::optional<Child> child_;
};

}  // namespace harness
