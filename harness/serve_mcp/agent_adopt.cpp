#include "harness/serve_mcp/agent_adopt.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "harness/core/error.h"
#include "harness/system/child.h"
#include "harness/system/descriptor.h"
#include "harness/system/files.h"
#include "harness/system/temporary_folder.h"

extern char** environ;

namespace harness {
namespace {

using mcp::Answer;

constexpr double kLongestS = 600;
constexpr std::size_t kLongestSaid = 3000;
// What says which arrays and sizes there are. Files, programs and devices are not an agent's to name.
constexpr const char* kOptions[] = {"--arg",    "--size", "--set",  "--grid",   "--block",
                                    "--shared", "--tune", "--type", "--launch", "-D"};

std::vector<std::string> command_of(const std::string& file, const json& request, const Shell& shell) {
  std::vector<std::string> line = {"/proc/self/exe", "adopt", file, "--yes", "--json", "--db", shell.store_path()};
  if (const std::string name = request.value("name", ""); !name.empty()) line.insert(line.end(), {"--name", name});
  for (const std::string& option : request.value("options", std::vector<std::string>())) line.push_back(option);
  for (const std::string& folder : shell.more_kernels) line.insert(line.end(), {"--kernels", folder});
  return line;
}

/// What it said for people, and the JSON object of its last line where there is one.
std::pair<std::string, json> read_output(const std::string& text) {
  const std::size_t end = text.find_last_not_of('\n');
  if (end == std::string::npos) return {"", nullptr};
  const std::size_t begin = text.rfind('\n', end);
  const std::size_t from = begin == std::string::npos ? 0 : begin + 1;
  json last = json::parse(text.substr(from, end + 1 - from), nullptr, false);
  if (!last.is_object()) return {text, nullptr};
  return {text.substr(0, from), std::move(last)};
}

}  // namespace

std::string unfit_adopt_options(const std::vector<std::string>& options) {
  for (const std::string& word : options)
    if (word.starts_with("-") && std::ranges::find(kOptions, word) == std::end(kOptions))
      return fmt::format("adopt: '{}' is none of the options that tools take: {}", word, fmt::join(kOptions, ", "));
  if (!options.empty() && !options.front().starts_with("-"))
    return fmt::format("adopt: 'options' are words as a command line has them: \"--size\", \"n=4096\"; not '{}'",
                       options.front());
  return "";
}

Answer adopt_for_agent(const AgentJob& job, const JobStop& stop, Shell& shell) {
  const TemporaryFolder folder("adopt");
  const std::string file = folder.path(job.request.value("name", "adopted") + ".cu"), said_path = folder.path("said");
  write_file(file, job.request.at("source").get<std::string>());
  std::vector<std::string> line = command_of(file, job.request, shell);
  auto words = exec_list(line);
  const Descriptor said(open(said_path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  ChildSetup setup;
  setup.output = said.get();
  Child child(setup, [&] {
    execve(words[0], words.data(), environ);
    return 127;
  });
  if (!child.ends_within(kLongestS, [&stop] { return stop(); })) {
    child.kill();
    child.wait();
    if (stop()) return nullptr;
    throw bad_input(fmt::format("it did not end within {} s: give smaller sizes (--size)", kLongestS));
  }
  const int status = child.wait().status();
  const auto [text, found] = read_output(read_file(said_path));
  if (status != 0 && found.is_null())
    return mcp::failure("adopt", text.substr(text.size() - std::min(text.size(), kLongestSaid)),
                        "give what it asks for in `options`, or mend the source");
  Answer answer = {{"ok", status == 0}};
  for (const char* key : {"kernel", "arguments", "reference", "check"})
    if (found.contains(key)) answer[key] = found[key];
  answer["lasting"] = status == 0;
  answer["next"] = status == 0 ? "describe it, then evaluate" : "mend what `check` names";
  return answer;
}

}  // namespace harness
