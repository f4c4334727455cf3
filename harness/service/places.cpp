#include "harness/service/places.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "harness/core/error.h"
#include "harness/system/files.h"

namespace fs = std::filesystem;

namespace harness {
namespace {

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

bool is_home(const fs::path& folder) {
  std::error_code none;
  // The device headers tell a whole home from a folder that merely holds somebody's plugins.
  return fs::is_directory(folder / "kernels" / "include" / "harness", none) &&
         fs::is_directory(folder / "strategies", none);
}

bool is_marked(const fs::path& folder) {
  std::error_code none;
  return fs::is_regular_file(folder / kProjectFile, none);
}

std::string home_above(fs::path folder) {
  for (;; folder = folder.parent_path()) {
    if (is_home(folder)) return folder.string();
    if (folder == folder.root_path()) return "";
  }
}

/// Where the program came with its files: its checkout, or its prefix. "" where it came alone.
std::string home_of_program() {
  std::error_code none;
  const fs::path program = fs::read_symlink("/proc/self/exe", none);
  if (const std::string above = home_above(program.parent_path()); !above.empty()) return above;
  const fs::path prefix = program.parent_path().parent_path();
  for (const char* const place : {"share", "lib"})  // lib: what pip installed, which removes whole folders only there
    if (const fs::path installed = prefix / place / "harness"; is_home(installed)) return installed.string();
  return "";
}

/// A home that somebody put together holds plugins; what the cpu device puts in CUDA's place came with the program.
std::string find_cpu_headers(const std::string& home) {
  std::error_code none;
  for (const std::string& base : {home, home_of_program()})
    for (const char* const place : {"/harness/device/cpu/guest", "/cpu"})
      if (!base.empty() && fs::is_directory(base + place, none)) return base + place;
  return home + "/cpu";
}

std::string find_home(const std::string& project) {
  if (const std::string named = environment("HARNESS_HOME"); !named.empty()) {
    if (is_home(named)) return named;
    throw environment_error(fmt::format(
        "HARNESS_HOME is '{}', which has no kernels/ and strategies/; point it at a folder that has", named));
  }
  if (!project.empty() && is_home(project)) return project;
  if (const std::string own = home_of_program(); !own.empty()) return own;
  throw environment_error(
      "no kernels/ and strategies/ are found here, beside the program or under its prefix; set HARNESS_HOME");
}

std::string find_cache() {
  if (const std::string named = environment("HARNESS_CACHE"); !named.empty()) return named;
  if (const std::string base = environment("XDG_CACHE_HOME"); !base.empty()) return base + "/harness";
  if (const std::string user = environment("HOME"); !user.empty()) return user + "/.cache/harness";
  return fmt::format("/tmp/harness-cache-{}", getuid());
}

/// A project's kernels are its own: those that came with the program are examples. What chooses among them is shared.
void add_folders_of(Places& places) {
  const bool marked = !places.project.empty() && is_marked(places.project);
  if (marked) {
    places.strategy_folders.push_back(places.project + "/strategies");
    places.playbook_folders.push_back(places.project + "/playbook");
  }
  places.kernel_folders = {(marked ? places.project : places.home) + "/kernels"};
  places.strategy_folders.push_back(places.home + "/strategies");
  places.playbook_folders.push_back(places.home + "/playbook");
  places.own = marked ? places.project : environment("HARNESS_HOME");
  if (places.own.empty()) places.own = places.project;
}

/// The project's, the home's, the program's. A home that somebody put together need not have any: those that came with
/// the program stay.
std::vector<std::string> data_folders(const Places& places, const std::string& name) {
  std::vector<std::string> folders;
  if (!places.project.empty() && is_marked(places.project)) folders.push_back(places.project + "/" + name);
  folders.push_back(places.home + "/" + name);
  if (const std::string own = home_of_program(); !own.empty() && own != places.home)
    folders.push_back(own + "/" + name);
  return folders;
}

}  // namespace

std::string project_above(const std::string& start) {
  for (fs::path folder = start;; folder = folder.parent_path()) {
    if (is_marked(folder) || is_home(folder)) return folder.string();
    if (folder == folder.root_path() || folder.empty()) return "";
  }
}

std::vector<std::string> gpu_folders(const Places& places) {
  return data_folders(places, "gpus");
}

std::vector<std::string> model_folders(const Places& places) {
  return data_folders(places, "models");
}

Places find_places() {
  std::error_code none;
  Places places;
  places.project = project_above(fs::current_path(none).string());
  places.home = find_home(places.project);
  add_folders_of(places);
  places.include_folder = places.home + "/kernels/include";
  places.cpu_headers = find_cpu_headers(places.home);
  places.cache_folder = find_cache();
  places.default_store = environment("HARNESS_DB");
  if (places.default_store.empty())
    places.default_store = (places.project.empty() ? std::string() : places.project + "/") + "experiments.db";
  return places;
}

}  // namespace harness
