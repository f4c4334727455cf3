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

int spawn(const char* program, const std::vector<std::string>& arguments, const std::vector<std::string>& environment,
          const std::string& out, const std::string& err) {
  const int process = fork();
  if (process != 0) return process;
  setpgid(0, 0);
  if (chdir(HARNESS_SOURCE_DIR) != 0) _exit(120);
  dup2(open("/dev/null", O_RDONLY), 0);
  dup2(open(out.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644), 1);
  dup2(open(err.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644), 2);
  setenv("HARNESS_DB", (out + ".db").c_str(), 1);  // never the project's own store
  for (const std::string& variable : environment) putenv(const_cast<char*>(variable.c_str()));
  std::vector<char*> words{const_cast<char*>(program)};
  for (const std::string& argument : arguments) words.push_back(const_cast<char*>(argument.c_str()));
  words.push_back(nullptr);
  execv(program, words.data());
  _exit(121);
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

int wait_for(int process) {
  int status = 0;
  waitpid(process, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

Finished run_harness(const std::vector<std::string>& arguments, const std::vector<std::string>& environment) {
  return run_program(HARNESS_BINARY, arguments, environment);
}

Finished run_program(const std::string& program, const std::vector<std::string>& arguments,
                     const std::vector<std::string>& environment) {
  const Scratch scratch;
  Finished finished;
  finished.status = wait_for(spawn(program.c_str(), arguments, environment, scratch.path("out"), scratch.path("err")));
  finished.out = read_file(scratch.path("out"));
  finished.err = read_file(scratch.path("err"));
  return finished;
}

int start_harness(const std::vector<std::string>& arguments, const std::string& out) {
  return spawn(HARNESS_BINARY, arguments, {}, out, out + ".err");
}

}  // namespace harness::tests
