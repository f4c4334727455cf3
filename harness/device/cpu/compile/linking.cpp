#include "harness/device/cpu/compile/linking.h"

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "harness/device/cpu/compile/machine.h"
#include "harness/system/run_program.h"

namespace harness::cpu {
namespace {

// Names that stand where a build's own files will.
constexpr const char* kObject = "/harness-object.o";
constexpr const char* kOutput = "/harness-output.so";
constexpr std::size_t kMostAssembled = 64;

std::string answer_of(const std::vector<std::string>& question) {
  return run_process(question, "/tmp", {10, 1ll << 30}).output;
}

std::string first_line(const std::string& text) {
  return text.substr(0, text.find('\n'));
}

/// The linker that g++ starts, absolute; "" where there is none.
std::string linker_of(const std::string& compiler) {
  const std::string named = first_line(answer_of({compiler, "-print-prog-name=ld"}));
  if (named.empty() || named.starts_with('/')) return named;
  return named.find('/') == std::string::npos ? find_program(named) : "";
}

/// Without the plugin and its options, which nothing here needs, and without C++'s own libraries, whose thousands of
/// names take longer to read than all else. A candidate that asks for one of them (operator new) is not linked so.
std::vector<std::string> what_is_needed(const std::vector<std::string>& words) {
  std::vector<std::string> kept;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == "-plugin") ++i;
    else if (!words[i].starts_with("-plugin") && words[i] != "-lstdc++" && words[i] != "-lgcc_s")
      kept.push_back(words[i]);
  }
  return kept;
}

/// -lm and -lc name scripts, by which the linker finds libc and the loader too.
std::string without_libc(const std::string& word) {
  if (word == "-lm") return "-l:libm.so.6";
  return word == "-lc" ? std::string("-l:") + kLoader : word;
}

}  // namespace

std::vector<std::string> words_of_command(const std::string& line) {
  std::vector<std::string> words;
  std::string word;
  bool quoted = false, begun = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '"') {
      quoted = !quoted;
      begun = true;
    } else if (c == '\\' && i + 1 < line.size()) {
      word += line[++i];
      begun = true;
    } else if (c == ' ' && !quoted) {
      if (begun) words.push_back(word);
      word.clear();
      begun = false;
    } else {
      word += c;
      begun = true;
    }
  }
  if (begun) words.push_back(word);
  return words;
}

std::vector<std::string> Linking::learn(const std::vector<std::string>& flags) const {
  const std::string linker = linker_of(compiler_);
  if (linker.empty()) return {};
  std::vector<std::string> question{compiler_, "-###"};
  question.insert(question.end(), flags.begin(), flags.end());
  question.insert(question.end(), {kObject, "-o", kOutput});
  std::istringstream lines(answer_of(question));
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with(' ')) continue;
    std::vector<std::string> words = what_is_needed(words_of_command(line));
    const std::string program = words.empty() ? "" : std::filesystem::path(words.front()).filename().string();
    if (program != "collect2" && program != "ld") continue;
    if (std::count(words.begin(), words.end(), kObject) != 1 || std::count(words.begin(), words.end(), kOutput) != 1)
      return {};
    words.front() = linker;
    return words;
  }
  return {};
}

std::optional<std::vector<std::string>> Linking::command(const Job& job) {
  const auto learnt = known_.find(job.flags);
  const std::vector<std::string>& words =
      learnt != known_.end() ? learnt->second : known_.emplace(job.flags, learn(job.flags)).first->second;
  if (words.empty()) return std::nullopt;
  std::vector<std::string> command;
  for (const std::string& word : words) {
    if (word == kObject) command.insert(command.end(), job.objects.begin(), job.objects.end());
    else if (word == kOutput) command.push_back(job.output);
    else command.push_back(job.needs_libc ? word : without_libc(word));
  }
  return command;
}

const std::string* Linking::assembled(const std::string& text) const {
  const auto assembly = assembled_.find(text);
  return assembly == assembled_.end() ? nullptr : &assembly->second;
}

void Linking::keep_assembled(const std::string& text, std::string object) {
  if (assembled_.size() >= kMostAssembled) assembled_.clear();
  assembled_[text] = std::move(object);
}

}  // namespace harness::cpu
