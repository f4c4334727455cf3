#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <regex>
#include <set>
#include <sstream>

// A room is compiled at once (HARNESS_UNITY): two of its files whose unnamed namespaces declare the same would not
// compile there, though each by itself does.
namespace fs = std::filesystem;

namespace {

/// What a line at the margin declares, such as "volume(const Dim3&)" or "kMost". A type that is only named once more
/// (`using`) may be so twice.
std::optional<std::string> declared_name(const std::string& line) {
  static const std::regex type(R"((?:struct|class|enum class|enum) (\w+).*)");
  static const std::regex function(R"((?!return|using|template)\w[^=(]*\b(\w+)\((.*))");
  static const std::regex variable(R"((?!return|using|template|namespace)\w[^=({]* [*&]?(\w+)(?:\[\w*\])? ?[={;].*)");
  static const std::regex parameter(R"( \w+(?=[,)=]| =))");
  std::smatch match;
  if (std::regex_match(line, match, type)) return match[1].str();
  if (std::regex_match(line, match, function)) {
    const std::string parameters = match[2].str();
    return match[1].str() + "(" + std::regex_replace(parameters.substr(0, parameters.find('{')), parameter, "");
  }
  if (std::regex_match(line, match, variable)) return match[1].str();
  return std::nullopt;
}

std::set<std::string> unnamed_names(const fs::path& source) {
  std::set<std::string> names;
  std::ifstream file(source);
  std::string scope, line;
  bool is_unnamed = false, is_quoted = false;
  while (std::getline(file, line)) {
    if (is_quoted) {
      is_quoted = line.find(")\"") == std::string::npos;
      continue;
    }
    is_quoted = line.find("R\"(") != std::string::npos && line.find(")\"") == std::string::npos;
    if (line.starts_with("namespace {")) is_unnamed = true;
    else if (line.starts_with("}  // namespace") && is_unnamed) is_unnamed = false;
    else if (line.starts_with("namespace ") && line.ends_with("{")) scope = line;
    else if (is_unnamed)
      if (const std::optional<std::string> name = declared_name(line)) names.insert(scope + " " + *name);
  }
  return names;
}

std::map<std::string, std::vector<fs::path>> sources_by_room(const fs::path& root) {
  std::map<std::string, std::vector<fs::path>> rooms;
  for (const auto& entry : fs::recursive_directory_iterator(root)) {
    if (entry.path().extension() != ".cpp") continue;
    const fs::path inside = entry.path().lexically_relative(root);
    auto folder = inside.begin();
    std::string room = (folder++)->string();
    if (room == "device") room += "/" + folder->string();
    rooms[room].push_back(entry.path());
  }
  return rooms;
}

}  // namespace

TEST_CASE("names in unnamed namespaces are unique within a room") {
  const fs::path source_folder(HARNESS_SOURCE_DIR);
  for (const char* half : {"harness", "tests"})
    for (const auto& [room, sources] : sources_by_room(source_folder / half)) {
      if (room == "fakes" || room == "fixtures" || room == "hostile" || room == "clusters") continue;
      std::map<std::string, std::string> first_file;
      for (const fs::path& source : sources)
        for (const std::string& name : unnamed_names(source)) {
          const auto [first, is_new] = first_file.emplace(name, source.filename().string());
          INFO(room << ": " << name << " stands in " << first->second << " and in " << source.filename());
          CHECK(is_new);
        }
    }
}
