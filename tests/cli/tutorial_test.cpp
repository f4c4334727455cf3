#include <sys/wait.h>

#include <catch2/catch.hpp>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <utility>

#include "tests/support/program.h"
#include "tests/support/skip.h"
#include "tests/support/turns.h"

// The three pages of the tutorial, done as a reader does them: in an empty folder, each file written and each command
// run in its order.
using namespace harness;
using namespace harness::tests;

namespace {

/// A fenced block of the page. What it is follows from its language and from the line before it:
///   **`PATH`**           the block is the content of that file
///   <!-- exit: 1 -->     the commands of the block end with that status, else with 0
/// ```sh has commands; ```text quotes lines of what the commands before it printed. Others are not run.
struct TutorialBlock {
  int line = 0;  // of the page
  std::string page, language, text, file;
  int status = 0;
};

std::vector<std::string> tutorial_lines(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::string tutorial_between(const std::string& line, const std::string& before, const std::string& after) {
  if (!line.starts_with(before) || !line.ends_with(after) || line.size() <= before.size() + after.size()) return "";
  return line.substr(before.size(), line.size() - before.size() - after.size());
}

std::string tutorial_text(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

void add_tutorial_blocks(const std::string& page, std::vector<TutorialBlock>& blocks) {
  const std::vector<std::string> lines =
      tutorial_lines(tutorial_text(std::string(HARNESS_SOURCE_DIR) + "/docs/" + page));
  TutorialBlock next;
  for (std::size_t at = 0; at < lines.size(); ++at) {
    if (const std::string path = tutorial_between(lines[at], "**`", "`**"); !path.empty()) next.file = path;
    if (const std::string status = tutorial_between(lines[at], "<!-- exit: ", " -->"); !status.empty())
      next.status = std::stoi(status);
    if (!lines[at].starts_with("```")) continue;
    next.language = lines[at].substr(3);
    next.page = page;
    next.line = static_cast<int>(at) + 1;
    for (++at; at < lines.size() && lines[at] != "```"; ++at) next.text += lines[at] + "\n";
    blocks.push_back(std::exchange(next, {}));
  }
}

std::vector<TutorialBlock> tutorial_blocks() {
  std::vector<TutorialBlock> blocks;
  for (const char* page : {"tutorial.md", "tutorial_variants.md", "tutorial_campaign.md"})
    add_tutorial_blocks(page, blocks);
  return blocks;
}

bool tutorial_figure(const std::string& word) {
  const std::size_t sign = word[0] == '-' || word[0] == '+' ? 1 : 0;
  return word.size() > sign && std::isdigit(static_cast<unsigned char>(word[sign])) != 0 &&
         word.find_first_not_of("0123456789.,e+-x%", sign) == std::string::npos;
}

/// The words of a line that are the same in each run: no figures, no units, of NAME=VALUE the name.
std::vector<std::string> tutorial_words(const std::string& line) {
  std::vector<std::string> words;
  std::istringstream stream(line);
  for (std::string word; stream >> word;) {
    const std::size_t first = word.find_first_not_of("[](),;:");
    if (first == std::string::npos) continue;
    word = word.substr(first, word.find_last_not_of("[](),;:") - first + 1);
    const bool is_unit = word == "ns" || word == "us" || word == "ms" || word == "s";
    if (word != "..." && !is_unit && !tutorial_figure(word)) words.push_back(word.substr(0, word.find('=')));
  }
  return words;
}

/// Does one line of `printed` have the words of `quoted` in their order, others perhaps between them?
bool tutorial_quotes(const std::string& quoted, const std::string& printed) {
  const std::vector<std::string> wanted = tutorial_words(quoted);
  for (const std::string& line : tutorial_lines(printed)) {
    std::size_t met = 0;
    for (const std::string& word : tutorial_words(line))
      if (met < wanted.size() && word == wanted[met]) ++met;
    if (met == wanted.size()) return true;
  }
  return false;
}

/// Runs the commands in `folder` with the program under test on the PATH, as a shell does that stops at a failure.
int tutorial_run(const std::string& commands, const std::string& folder, const std::string& out) {
  const std::string script = out + ".sh";
  const std::string program_folder = std::filesystem::path(HARNESS_BINARY).parent_path().string();
  std::ofstream(script) << "unset HARNESS_DB HARNESS_HOME\nexport PATH='" << program_folder << "':\"$PATH\"\ncd '"
                        << folder << "'\n"
                        << commands;
  const int status = std::system(("sh -e '" + script + "' > '" + out + "' 2>&1 < /dev/null").c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/// Lines that say which candidate won, or which arm was left: emulated times decide that, and on a machine that is
/// busy, as the program says itself, they are others.
bool tutorial_decided_by_times(const std::string& line) {
  for (const char* begin : {"new best", "confirmed", "leave", "bias_relu  m512n1024_f32"})
    if (line.starts_with(begin)) return true;
  return line.find("behind") != std::string::npos;
}

}  // namespace

TEST_CASE("the tutorial's commands do what the tutorial says") {
  if (is_nightly()) return;  // two campaigns of twenty seconds
  const Scratch scratch;
  const std::string folder = scratch.path("tutorial"), out = scratch.path("printed");
  std::filesystem::create_directories(folder);
  std::string printed;
  int files = 0, commands = 0, quotes = 0;
  bool busy = false;
  for (const TutorialBlock& block : tutorial_blocks()) {
    INFO("docs/" << block.page << ":" << block.line);
    if (!block.file.empty()) {
      scratch.write("tutorial/" + block.file, block.text);
      ++files;
    } else if (block.language == "sh") {
      const int status = tutorial_run(block.text, folder, out);
      printed = tutorial_text(out);
      INFO(printed);
      REQUIRE(status == block.status);
      busy = busy || printed.find("this machine is busy") != std::string::npos;
      ++commands;
    } else if (block.language == "text") {
      for (const std::string& line : tutorial_lines(block.text)) {
        INFO(printed << "quoted: " << line);
        ++quotes;
        if (busy && tutorial_decided_by_times(line)) continue;
        CHECK(tutorial_quotes(line, printed));
      }
    }
  }
  // A page whose marks changed would test nothing.
  CHECK(files >= 10);
  CHECK(commands >= 9);
  CHECK(quotes >= 30);
}
