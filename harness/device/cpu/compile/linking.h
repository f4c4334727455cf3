#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace harness::cpu {

/// How g++ would start the linker, learnt from g++ itself (-###): a driver, its wrapper and a plugin for link-time
/// optimization take several times as long as linking one candidate does.
class Linking {
 public:
  explicit Linking(std::string compiler) : compiler_(std::move(compiler)) {}

  struct Job {
    std::vector<std::string> flags;  // g++'s
    std::vector<std::string> objects;
    std::string output;
    bool needs_libc = true;  // else its thousands of names are not read, only libm's and the loader's
  };

  /// A command line that links as `g++ flags...` does, but against libm and libc alone. Nothing where g++ does not say
  /// how, or says it in a way that is not understood. There, and where linking so fails, g++ is to link.
  std::optional<std::vector<std::string>> command(const Job& job);

  /// What an assembler made of a text before; candidates differ little in their shared memory.
  const std::string* assembled(const std::string& text) const;
  void keep_assembled(const std::string& text, std::string object);

 private:
  std::vector<std::string> learn(const std::vector<std::string>& flags) const;

  std::string compiler_;
  std::map<std::vector<std::string>, std::vector<std::string>> known_;  // by flags; empty: not to be had
  std::map<std::string, std::string> assembled_;
};

/// The words of a command as g++ -### prints it.
std::vector<std::string> words_of_command(const std::string& line);

}  // namespace harness::cpu
