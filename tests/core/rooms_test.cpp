#include <algorithm>
#include <catch2/catch.hpp>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <set>

// The rooms of the house: which others each may include, which outside library is its own, and what it is. The checks
// below and the table in ARCHITECTURE.md are made from this one list.
namespace fs = std::filesystem;

namespace {

struct Room {
  std::string name;  // a folder of harness/, or a file there without its ending
  std::vector<std::string> below;
  std::string library;  // outside library, for people
  std::vector<std::string> headers;
  std::string what;
};

const std::vector<Room>& rooms() {
  const std::vector<std::string> lua{"lua.h"};
  static const std::vector<Room> all{
      {"main", {"composition", "device/cpu", "device/cuda"}, "", {}, "the list of the kinds of devices"},
      {"composition",
       {"core", "system", "device/port", "script/catalog", "script/contract", "script/gpus", "script/strategy", "store",
        "worker", "evaluate", "propose", "service", "cli"},
       "",
       {},
       "makes the real class for each port"},
      {"cli",
       {"core", "system", "campaign", "fleet", "replay", "report", "package", "callable", "capture", "flashinfer",
        "simulate", "adopt", "adopt/plugin", "service", "shipping", "serve_mcp", "serve_http", "tune"},
       "CLI11",
       {"CLI/"},
       "arguments to options; one table of commands"},
      {"evaluate",
       {"core", "system", "predict", "judge", "worker"},
       "",
       {},
       "one evaluation; the trial of a kernel's gates"},
      {"callable", {"core", "judge", "evaluate"}, "", {}, "a function of a running program, judged and timed there"},
      {"worker",
       {"core", "system", "judge", "device/port"},
       "",
       {},
       "builder, runner and judge processes; memory checks"},
      {"device/cuda",
       {"core", "cpp_text", "system", "predict", "device/port"},
       "NVIDIA's, by dlopen",
       {},
       "NVRTC, driver, timing, library steps"},
      {"device/cpu",
       {"core", "cpp_text", "system", "device/port"},
       "Boost.Context, Zydis",
       {"boost/", "Zydis/"},
       "CUDA C++ on the host: g++, fibers"},
      {"device/port", {"core", "cpp_text", "system"}, "", {}, "what a kind of device offers"},
      {"predict", {"core", "system"}, "", {}, "predicts the time on a GPU that is not here"},
      {"propose", {"core", "system"}, "", {}, "programs that propose variants"},
      {"fleet", {"core", "system", "campaign"}, "", {}, "nodes on other devices and machines, and how they are driven"},
      {"serve_mcp",
       {"core", "system", "campaign", "report", "service"},
       "",
       {},
       "tools for agents, and their jobs: the Model Context Protocol"},
      {"serve_http", {"core", "report", "service"}, "cpp-httplib", {"httplib.h"}, "the live page, for a browser"},
      {"shipping",
       {"core", "cpp_text", "system", "campaign", "adopt/plugin", "package", "report", "service", "signing"},
       "",
       {},
       "packages: compiled anew, signed, verified, guarded"},
      {"tune",
       {"core", "system", "campaign", "service"},
       "",
       {},
       "a grid of shapes: what runs where, and what to measure next"},
      {"service",
       {"core", "system", "campaign", "fleet", "report", "package", "predict", "capture", "flashinfer", "problem",
        "adopt/source", "adopt/kernel", "adopt/plugin"},
       "",
       {},
       "what commands, agents and pages ask of the program"},
      {"replay", {"core", "campaign"}, "", {}, "the loop on a record, led by another strategy"},
      {"campaign", {"core", "cpp_text"}, "", {}, "the loop: budgets, bests, confirmation, resume"},
      {"script/catalog",
       {"core", "cpp_text", "system", "script/contract", "script/plan", "script/space"},
       "",
       {},
       "kernels as the rooms above see them"},
      {"script/strategy",
       {"core", "system", "script/sandbox", "script/space", "script/model"},
       "Lua",
       lua,
       "strategies, rules, searches, playbook"},
      {"script/gpus", {"core", "script/sandbox"}, "Lua", lua, "facts of GPUs"},
      {"script/model",
       {"core", "script/sandbox", "script/space"},
       "Lua",
       lua,
       "a random forest that predicts for searches"},
      {"script/space", {"core", "script/sandbox", "script/plan"}, "Lua", lua, "configurations and their solver"},
      {"script/plan", {"core", "script/contract"}, "", {}, "variants: launches and their arguments"},
      {"script/contract",
       {"core", "cpp_text", "system", "script/sandbox"},
       "Lua",
       lua,
       "kernels: arguments, domain, tolerances"},
      {"script/sandbox", {"core"}, "Lua", lua, "Lua with bounded time, memory and reach"},
      {"judge", {"core", "system"}, "", {}, "pure: draws, guards, comparison, verdict"},
      {"store", {"core", "system"}, "SQLite, SQLiteCpp", {"SQLiteCpp", "sqlite3.h"}, "all SQL: the record"},
      {"report", {"core"}, "", {}, "tables, live lines, JSON events"},
      {"package",
       {"core", "cpp_text", "system"},
       "",
       {},
       "winners as sources, programs and libraries that stand alone"},
      {"capture", {"core", "system"}, "CUPTI, by dlopen", {}, "what a running program launches"},
      {"problem", {"core", "system", "device/port", "worker"}, "", {}, "problems without a kernel become plugins"},
      {"flashinfer", {"core", "system", "package"}, "", {}, "FlashInfer-Bench data sets, in and out"},
      {"adopt", {"core", "adopt/observe", "adopt/plugin"}, "", {}, "ordinary CUDA source to a kernel plugin"},
      {"adopt/plugin",
       {"core", "cpp_text", "system", "judge", "adopt/source", "adopt/host", "adopt/kernel", "adopt/observe"},
       "",
       {},
       "the contract of an adopted kernel, its files and its patch"},
      {"adopt/observe",
       {"core", "adopt/source", "adopt/host", "adopt/kernel"},
       "",
       {},
       "what runs of a kernel say of its arrays and sizes"},
      {"adopt/kernel", {"core", "adopt/source", "adopt/host"}, "", {}, "the kernel that is adopted, in stages"},
      {"adopt/host", {"core", "adopt/source"}, "", {}, "launches and sizes as formulas"},
      {"adopt/source", {"core", "cpp_text", "system"}, "libclang, by dlopen", {}, "what CUDA files declare"},
      {"signing", {"core", "system"}, "OpenSSL", {"openssl/"}, "Ed25519 signatures of packages"},
      {"simulate", {"core"}, "zlib", {"zlib.h"}, "recorded spaces as a device; scores of searches"},
      {"cpp_text", {}, "", {}, "one reader of C++ text: tokens, directives, what is included"},
      {"system", {"core"}, "", {}, "child processes, walls, files, build caches"},
      {"core", {}, "fmt, nlohmann-json", {}, "plain values and the ports between rooms"},
  };
  return all;
}

const Room* find_room(const std::string& name) {
  const auto found = std::find_if(rooms().begin(), rooms().end(), [&](const Room& room) { return room.name == name; });
  return found == rooms().end() ? nullptr : &*found;
}

/// The room of a path that begins with "harness/"; "" if it lies in none.
std::string room_of(const std::string& path) {
  fs::path place = fs::path(path.substr(path.find("harness/") + 8));
  if (!place.has_parent_path()) place = place.stem();
  else place = place.parent_path();
  while (!place.empty() && find_room(place.string()) == nullptr) place = place.parent_path();
  return place.string();
}

// Code of candidates, compiled on the cpu device: it includes nothing of the house.
bool is_guest(const std::string& path) {
  return path.find("device/cpu/guest/") != std::string::npos;
}

std::string read(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/// All files of harness/ by their path from the repository's root, without the rooms' READMEs.
const std::map<std::string, std::string>& files() {
  static const std::map<std::string, std::string> all = [] {
    std::map<std::string, std::string> found;
    const fs::path root = HARNESS_SOURCE_DIR;
    for (const auto& entry : fs::recursive_directory_iterator(root / "harness"))
      if (entry.is_regular_file() && entry.path().filename() != "README.md")
        found[entry.path().lexically_relative(root).string()] = read(entry.path());
    return found;
  }();
  return all;
}

bool is_cpp(const std::string& path) {
  return path.ends_with(".h") || path.ends_with(".cpp");
}

/// The other rooms that a file includes, and by which line.
std::map<std::string, std::string> included_rooms(const std::string& path, const std::string& text) {
  std::map<std::string, std::string> others;
  const std::regex include(R"(#include "(harness/[^"]+)\")");
  for (auto match = std::sregex_iterator(text.begin(), text.end(), include); match != std::sregex_iterator(); ++match)
    if (const std::string other = room_of((*match)[1]); other != room_of(path)) others[other] = (*match)[1];
  return others;
}

std::vector<std::string> upward_includes(const std::string& path, const std::string& text) {
  std::vector<std::string> wrong;
  const std::vector<std::string>& below = find_room(room_of(path))->below;
  for (const auto& [other, line] : included_rooms(path, text))
    if (std::find(below.begin(), below.end(), other) == below.end()) wrong.push_back(path + " includes " + line);
  return wrong;
}

/// The longest chain of rooms below it.
std::size_t floor_of(const std::string& name, std::size_t depth = 0) {
  if (depth > rooms().size()) throw std::runtime_error("the rooms include each other in a circle, with " + name);
  std::size_t floor = 0;
  for (const std::string& below : find_room(name)->below) floor = std::max(floor, floor_of(below, depth + 1) + 1);
  return floor;
}

// Rounded, so that small edits do not touch the table.
std::string rounded(std::ptrdiff_t lines) {
  const std::ptrdiff_t hundreds = std::max<std::ptrdiff_t>(1, (lines + 50) / 100);
  if (hundreds < 10) return std::to_string(hundreds * 100);
  return std::to_string(hundreds / 10) + "." + std::to_string(hundreds % 10) + "k";
}

std::string table() {
  std::vector<Room> sorted = rooms();
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const Room& a, const Room& b) { return floor_of(a.name) > floor_of(b.name); });
  std::string text =
      "| floor | room | files | lines | outside library | what it is |\n"
      "|--:|---|--:|--:|---|---|\n";
  for (const Room& room : sorted) {
    std::ptrdiff_t count = 0, lines = 0;
    for (const auto& [path, content] : files()) {
      if (room_of(path) != room.name) continue;
      ++count;
      lines += std::count(content.begin(), content.end(), '\n');
    }
    text += "| " + std::to_string(floor_of(room.name)) + " | `" + room.name + "` | " + std::to_string(count) + " | " +
            rounded(lines) + " | " + room.library + " | " + room.what + " |\n";
  }
  return text;
}

}  // namespace

TEST_CASE("every file of harness/ lies in a room") {
  for (const auto& [path, text] : files()) {
    INFO(path);
    CHECK(find_room(room_of(path)) != nullptr);
  }
  CHECK(files().size() > 500);
}

TEST_CASE("a room's README has at most 20 lines") {
  int pages = 0;
  for (const auto& entry : fs::recursive_directory_iterator(fs::path(HARNESS_SOURCE_DIR) / "harness")) {
    if (entry.path().filename() != "README.md") continue;
    const std::string text = read(entry.path());
    INFO(entry.path().string());
    CHECK(std::count(text.begin(), text.end(), '\n') <= 20);
    ++pages;
  }
  CHECK(pages >= 9);
}

TEST_CASE("includes go down only") {
  for (const auto& [path, text] : files())
    if (is_cpp(path) && !is_guest(path))
      for (const std::string& wrong : upward_includes(path, text)) FAIL_CHECK(wrong);
}

TEST_CASE("no room may include what it does not need") {
  std::map<std::string, std::set<std::string>> used;
  for (const auto& [path, text] : files())
    if (is_cpp(path) && !is_guest(path))
      for (const auto& [other, line] : included_rooms(path, text)) used[room_of(path)].insert(other);
  for (const Room& room : rooms())
    for (const std::string& below : room.below) {
      INFO(room.name << " may include " << below);
      CHECK(used[room.name].contains(below));
    }
}

TEST_CASE("the presubmit notices an upward include") {
  CHECK(upward_includes("harness/core/x.h", "#include \"harness/store/store.h\"\n").size() == 1);
  CHECK(upward_includes("harness/cli/x.cpp", "#include \"harness/store/store.h\"\n").size() == 1);
  CHECK(upward_includes("harness/report/x.cpp", "#include \"harness/store/store.h\"\n").size() == 1);
  CHECK(upward_includes("harness/script/plan/x.cpp", "#include \"harness/store/store.h\"\n").size() == 1);
  CHECK(upward_includes("harness/script/plan/x.cpp", "#include \"harness/script/space/space.h\"\n").size() == 1);
  CHECK(upward_includes("harness/worker/x.cpp", "#include \"harness/device/cpu/session.h\"\n").size() == 1);
  CHECK(upward_includes("harness/composition.cpp", "#include \"harness/device/cpu/session.h\"\n").size() == 1);
  CHECK(upward_includes("harness/worker/x.cpp", "#include \"harness/device/port/target.h\"\n").empty());
}

TEST_CASE("each outside library lives in one room") {
  std::set<std::string> homeless;
  for (const Room& room : rooms()) homeless.insert(room.headers.begin(), room.headers.end());
  for (const auto& [path, text] : files()) {
    if (!is_cpp(path) || is_guest(path)) continue;
    const std::vector<std::string>& own = find_room(room_of(path))->headers;
    for (const std::string& header : homeless) {
      INFO(path << " includes <" << header << "...>");
      if (std::find(own.begin(), own.end(), header) == own.end())
        CHECK(text.find("#include <" + header) == std::string::npos);
    }
  }
}

namespace {

/// "harness/adopt/source/clang" of its header and its body.
std::string unit_of(const std::string& path) {
  return path.substr(0, path.rfind('.'));
}

/// Units of one room that include each other in a circle, each circle as its units in the order of the includes.
class Circles {
 public:
  explicit Circles(const std::string& room) {
    const std::regex include(R"(#include "(harness/[^"]+)\")");
    for (const auto& [path, text] : files())
      if (is_cpp(path) && room_of(path) == room)
        for (auto match = std::sregex_iterator(text.begin(), text.end(), include); match != std::sregex_iterator();
             ++match)
          if (const std::string other = unit_of((*match)[1]); other != unit_of(path))
            below_[unit_of(path)].insert(other);
    for (const auto& [unit, others] : below_) visit(unit);
  }

  std::vector<std::string> all;

 private:
  void visit(const std::string& unit) {
    if (done_.contains(unit) || !below_.contains(unit)) return;
    if (const auto begin = std::find(way_.begin(), way_.end(), unit); begin != way_.end()) {
      std::string circle;
      for (auto step = begin; step != way_.end(); ++step) circle += *step + " -> ";
      all.push_back(circle + unit);
      return;
    }
    way_.push_back(unit);
    for (const std::string& other : below_.at(unit)) visit(other);
    way_.pop_back();
    done_.insert(unit);
  }

  std::map<std::string, std::set<std::string>> below_;
  std::set<std::string> done_;
  std::vector<std::string> way_;
};

}  // namespace

TEST_CASE("no headers and bodies of one room include each other in a circle") {
  for (const Room& room : rooms())
    for (const std::string& circle : Circles(room.name).all) FAIL_CHECK(circle);
}

// Set HARNESS_APPROVE=1 to write the table as it is now.
TEST_CASE("ARCHITECTURE's table of rooms is what the code is") {
  const std::string page = std::string(HARNESS_SOURCE_DIR) + "/ARCHITECTURE.md";
  const std::string begin = "<!-- rooms -->\n", end = "<!-- /rooms -->\n";
  std::string text = read(page);
  const std::size_t from = text.find(begin), to = text.find(end);
  REQUIRE(from != std::string::npos);
  REQUIRE(to != std::string::npos);
  const std::size_t first = from + begin.size();
  const std::string was = text.substr(first, to - first);
  if (std::getenv("HARNESS_APPROVE") != nullptr && was != table())
    std::ofstream(page) << text.replace(first, to - first, table());
  else if (was != table()) FAIL("the table is not what the code is: run HARNESS_APPROVE=1 ./bootstrap test core");
}
