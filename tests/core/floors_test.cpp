#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>

// Presubmit: includes go down only, and leaves never include each other.
namespace fs = std::filesystem;

namespace {

const std::map<std::string, std::vector<std::string>>& allowed() {
  static const std::map<std::string, std::vector<std::string>> rooms{
      {"core", {}},
      {"system", {"core"}},
      {"judge", {"core", "system"}},
      {"device/port", {"core", "system"}},
      {"device/cpu", {"core", "system", "device/port"}},
      {"device/cuda", {"core", "system", "device/port"}},
      {"script/sandbox", {"core", "system"}},
      {"script/contract", {"core", "system", "script/sandbox"}},
      {"script/plan", {"core", "system", "script/contract"}},
      {"script/space", {"core", "script/sandbox", "script/plan"}},
      {"script/catalog", {"core", "system", "script/contract", "script/plan", "script/space"}},
      {"script/model", {"core", "script/sandbox", "script/space"}},
      {"script/strategy", {"core", "system", "script/sandbox", "script/space", "script/model"}},
      {"simulate", {"core"}},
      {"store", {"core", "system"}},
      {"worker", {"core", "system", "judge", "device/port"}},
      {"evaluate", {"core", "system", "judge", "device/port", "worker"}},
      {"campaign", {"core"}},
      {"replay", {"core", "campaign"}},
      {"report", {"core"}},
      {"cli", {"core", "system", "campaign", "replay", "report", "simulate"}},
  };
  return rooms;
}

std::string room_of(const std::string& path) {  // "harness/device/cpu/x.h" -> "device/cpu"
  std::string folder = fs::path(path).parent_path().string();
  folder = folder.substr(folder.find("harness/") + 8);
  while (!allowed().contains(folder) && folder.find('/') != std::string::npos)
    folder = folder.substr(0, folder.rfind('/'));
  return folder;
}

std::vector<std::string> upward_includes(const std::string& file, const std::string& text) {
  std::vector<std::string> wrong;
  const std::regex include(R"(#include "(harness/[^"]+)\")");
  const std::string own = room_of(file);
  for (auto match = std::sregex_iterator(text.begin(), text.end(), include); match != std::sregex_iterator(); ++match) {
    const std::string other = room_of((*match)[1]);
    const auto& below = allowed().at(own);
    if (other != own && std::find(below.begin(), below.end(), other) == below.end())
      wrong.push_back(file + " includes " + (*match)[1].str());
  }
  return wrong;
}

}  // namespace

TEST_CASE("includes go down only") {
  int files = 0;
  for (const auto& entry : fs::recursive_directory_iterator(fs::path(HARNESS_SOURCE_DIR) / "harness")) {
    const std::string path = entry.path().string().substr(std::string(HARNESS_SOURCE_DIR).size() + 1);
    if (path == "harness/main.cpp" || path.starts_with("harness/composition.") ||
        path.find("device/cpu/guest") != std::string::npos)
      continue;
    if (entry.path().extension() != ".h" && entry.path().extension() != ".cpp") continue;
    std::ifstream file(entry.path());
    const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    for (const std::string& wrong : upward_includes(path, text)) FAIL_CHECK(wrong);
    ++files;
  }
  CHECK(files > 100);
}

TEST_CASE("the presubmit notices an upward include") {
  CHECK(upward_includes("harness/core/x.h", "#include \"harness/store/store.h\"\n").size() == 1);
  CHECK(upward_includes("harness/cli/x.cpp", "#include \"harness/store/store.h\"\n").size() == 1);
  CHECK(upward_includes("harness/report/x.cpp", "#include \"harness/store/store.h\"\n").size() == 1);
  CHECK(upward_includes("harness/script/plan/x.cpp", "#include \"harness/store/store.h\"\n").size() == 1);
  CHECK(upward_includes("harness/script/plan/x.cpp", "#include \"harness/script/space/space.h\"\n").size() == 1);
  CHECK(upward_includes("harness/worker/x.cpp", "#include \"harness/device/cpu/session.h\"\n").size() == 1);
  CHECK(upward_includes("harness/worker/x.cpp", "#include \"harness/device/port/target.h\"\n").empty());
}

TEST_CASE("each outside library lives in one room") {
  const std::map<std::string, std::string> homes{{"lua.h", "script"},    {"SQLiteCpp", "store"},
                                                 {"sqlite3.h", "store"}, {"CLI/CLI", "cli"},
                                                 {"zlib.h", "simulate"}, {"boost/context", "device/cpu"}};
  for (const auto& entry : fs::recursive_directory_iterator(fs::path(HARNESS_SOURCE_DIR) / "harness")) {
    if (entry.path().extension() != ".h" && entry.path().extension() != ".cpp") continue;
    std::ifstream file(entry.path());
    for (std::string line; std::getline(file, line);)
      for (const auto& [library, room] : homes)
        if (line.starts_with("#include <") && line.find(library) != std::string::npos)
          CHECK(room_of(entry.path().string().substr(std::string(HARNESS_SOURCE_DIR).size() + 1)).starts_with(room));
  }
}
