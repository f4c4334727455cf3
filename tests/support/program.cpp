#include "tests/support/program.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace harness::tests {
namespace {

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

int spawn(std::vector<std::string> words, const std::string& folder, const std::vector<std::string>& environment,
          const std::string& out, const std::string& err) {
  const int process = fork();
  if (process != 0) return process;
  setpgid(0, 0);
  if (chdir(folder.c_str()) != 0) _exit(120);
  dup2(open("/dev/null", O_RDONLY), 0);
  dup2(open(out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644), 1);
  dup2(open(err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644), 2);
  setenv("HARNESS_DB", (out + ".db").c_str(), 1);  // never the project's own store
  for (const std::string& variable : environment) putenv(const_cast<char*>(variable.c_str()));
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);
  execvp(arguments[0], arguments.data());
  _exit(121);
}

std::vector<std::string> harness_words(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), HARNESS_BINARY);
  return arguments;
}

}  // namespace

std::vector<json> Finished::lines() const {
  std::vector<json> parsed;
  std::istringstream text(out);
  for (std::string line; std::getline(text, line);)
    if (!line.empty()) parsed.push_back(parse_json(line));
  return parsed;
}

Scratch::Scratch() {
  std::string name = (std::filesystem::temp_directory_path() / "harness-test-XXXXXX").string();
  folder_ = mkdtemp(name.data());
}

Scratch::~Scratch() {
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

void Scratch::write(const std::string& name, const std::string& text) const {
  std::filesystem::create_directories(std::filesystem::path(path(name)).parent_path());
  std::ofstream(path(name)) << text;
}

std::string build_cache() {
  if (const char* const shared = std::getenv("HARNESS_CACHE")) return shared;
  static const Scratch own;
  return own.path("cache");
}

int wait_for(int process) {
  int status = 0;
  waitpid(process, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

Finished run_harness(const std::vector<std::string>& arguments, const std::vector<std::string>& environment) {
  return run_program(harness_words(arguments), HARNESS_SOURCE_DIR, environment);
}

Finished run_program(const std::vector<std::string>& words, const std::string& folder,
                     const std::vector<std::string>& environment) {
  const Scratch scratch;
  Finished finished;
  finished.status = wait_for(spawn(words, folder, environment, scratch.path("out"), scratch.path("err")));
  finished.out = read_file(scratch.path("out"));
  finished.err = read_file(scratch.path("err"));
  return finished;
}

int start_harness(const std::vector<std::string>& arguments, const std::string& out) {
  return spawn(harness_words(arguments), HARNESS_SOURCE_DIR, {}, out, out + ".err");
}

}  // namespace harness::tests
