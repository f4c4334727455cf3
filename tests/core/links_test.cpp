#include <algorithm>
#include <catch2/catch.hpp>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <sstream>

// What the documents point at exists.
namespace fs = std::filesystem;

namespace {

const fs::path kRoot = HARNESS_SOURCE_DIR;

std::vector<fs::path> pages() {
  std::vector<fs::path> found;
  for (const auto& entry : fs::directory_iterator(kRoot))
    if (entry.path().extension() == ".md") found.push_back(entry.path());
  for (const char* folder : {"docs", "kernels", "strategies", "playbook", "bench", "tests", "harness"})
    for (const auto& entry : fs::recursive_directory_iterator(kRoot / folder))
      if (entry.path().extension() == ".md") found.push_back(entry.path());
  return found;
}

/// The page without its blocks of code.
std::string prose(const fs::path& page) {
  std::ifstream file(page);
  std::string text;
  bool code = false;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("```")) code = !code;
    else if (!code) text += line + "\n";
  }
  return text;
}

/// The name that a heading gets on the web: letters and digits in lower case, "-" for a space.
std::string anchor_of(const std::string& heading) {
  std::string name;
  for (const char c : heading) {
    if (c == ' ' || c == '-') name += '-';
    else if (std::isalnum(static_cast<unsigned char>(c)) || c == '_')
      name += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return name;
}

std::set<std::string> anchors(const fs::path& page) {
  std::set<std::string> names;
  std::istringstream lines(prose(page));
  for (std::string line; std::getline(lines, line);)
    if (const std::size_t text = line.find_first_not_of('#');
        text > 0 && text != std::string::npos && line[text] == ' ')
      names.insert(anchor_of(line.substr(text + 1)));
  return names;
}

std::vector<std::string> matches(const std::string& text, const char* pattern) {
  std::vector<std::string> found;
  const std::regex wanted(pattern);
  for (auto match = std::sregex_iterator(text.begin(), text.end(), wanted); match != std::sregex_iterator(); ++match)
    found.push_back((*match)[1]);
  return found;
}

}  // namespace

TEST_CASE("every relative link of the documents leads somewhere") {
  int links = 0;
  for (const fs::path& page : pages()) {
    const std::string without_code = std::regex_replace(prose(page), std::regex("`[^`\\n]*`"), "");
    for (const std::string& link : matches(without_code, R"(\]\(([^)\s]+)\))")) {
      if (link.find("://") != std::string::npos) continue;
      INFO(page.lexically_relative(kRoot).string() << " links to " << link);
      const std::size_t hash = link.find('#');
      const fs::path target = hash == 0 ? page : page.parent_path() / link.substr(0, hash);
      CHECK(fs::exists(target));
      if (hash != std::string::npos) CHECK(anchors(target).contains(link.substr(hash + 1)));
      ++links;
    }
  }
  CHECK(links > 50);
}

TEST_CASE("every page of docs/ is in its index, and a page for users has at most 200 lines") {
  const fs::path docs = kRoot / "docs";
  const std::string index = prose(docs / "README.md"), decisions = prose(docs / "decisions/README.md");
  for (const auto& entry : fs::recursive_directory_iterator(docs)) {
    const std::string name = entry.path().lexically_relative(docs).string();
    if (entry.path().extension() != ".md" || entry.path().filename() == "README.md") continue;
    INFO(name);
    if (name.starts_with("decisions/")) {
      CHECK(decisions.find("](" + entry.path().filename().string() + ")") != std::string::npos);
    } else {
      CHECK(index.find("](" + name + ")") != std::string::npos);
    }
    if (!name.starts_with("reports/")) {
      std::ifstream file(entry.path());
      const auto lines = std::count(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>(), '\n');
      CHECK(lines <= 200);
    }
  }
}

TEST_CASE("ARCHITECTURE names files that exist, in lines of at most 100 columns") {
  const std::string text = prose(kRoot / "ARCHITECTURE.md");
  int named = 0;
  for (const std::string& path : matches(text, R"(`([a-z_0-9/.]*/[a-z_0-9/.]*)`)")) {
    INFO(path);
    CHECK((fs::exists(kRoot / path) || fs::exists(kRoot / "harness" / path)));
    ++named;
  }
  CHECK(named > 30);
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    INFO(line);
    CHECK(line.size() <= 100);
  }
}
