#include "harness/script/gpus/gpus.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>
#include <variant>

#include "harness/core/error.h"
#include "harness/core/suggest.h"
#include "harness/script/sandbox/convert.h"
#include "harness/script/sandbox/sandbox.h"

namespace harness::script {
namespace {

/// A field of the table, and where its value goes.
struct GpuField {
  const char* name;
  std::variant<std::string GpuFacts::*, int GpuFacts::*, std::int64_t GpuFacts::*, double GpuFacts::*> member;
  bool required = true;
};

const std::vector<GpuField>& gpu_fields() {
  static const std::vector<GpuField> fields{
      {"name", &GpuFacts::name},
      {"architecture", &GpuFacts::architecture},
      {"rank", &GpuFacts::rank, false},
      {"warp_lanes", &GpuFacts::warp_lanes},
      {"multiprocessors", &GpuFacts::multiprocessors},
      {"clock_hz", &GpuFacts::clock_hz},
      {"bytes_per_s", &GpuFacts::bytes_per_s},
      {"l2_bytes_per_s", &GpuFacts::l2_bytes_per_s},
      {"l2_repeated_bytes_per_s", &GpuFacts::l2_repeated_bytes_per_s},
      {"cluster_bytes_per_s", &GpuFacts::cluster_bytes_per_s, false},
      {"l2_bytes", &GpuFacts::l2_bytes},
      {"l2_slices", &GpuFacts::l2_slices},
      {"fma_flops", &GpuFacts::fma_flops},
      {"tensor_flops", &GpuFacts::tensor_flops},
      {"exps_per_s", &GpuFacts::exps_per_s},
      {"launch_ns", &GpuFacts::launch_ns},
      {"memory_ns", &GpuFacts::memory_ns},
      {"l2_ns", &GpuFacts::l2_ns},
      {"l1_ns", &GpuFacts::l1_ns},
      {"shared_ns", &GpuFacts::shared_ns},
      {"warps", &GpuFacts::warps},
      {"blocks", &GpuFacts::blocks},
      {"registers", &GpuFacts::registers},
      {"register_unit", &GpuFacts::register_unit},
      {"shared_bytes", &GpuFacts::shared_bytes},
      {"shared_unit", &GpuFacts::shared_unit},
      {"reserved_shared_bytes", &GpuFacts::reserved_shared_bytes},
  };
  return fields;
}

/// `gpu` returns what it is given: the table is checked when it was read.
int given_table(lua_State* L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  lua_settop(L, 1);
  return 1;
}

json table_of_file(const std::string& text, const std::string& file) {
  Sandbox sandbox;
  sandbox.protect(0, 0, [](lua_State* L) {
    lua_pushcfunction(L, given_table);
    lua_setglobal(L, "gpu");
    return 0;
  });
  if (sandbox.run(text, file) < 1)
    throw bad_input(fmt::format("{}:1: the file returns nothing; write return gpu {{ name = \"H200\", ... }}", file));
  return to_json(sandbox.lua(), -1, file + ":1: the GPU");
}

/// The table of one file; every complaint names the line on which the field stands.
class GpuTable {
 public:
  GpuTable(const std::string& text, const std::string& file)
      : text_(text), file_(file), table_(table_of_file(text, file)) {
    if (!table_.is_object()) throw wrong("gpu", "the file returns no table gpu { name = \"H200\", ... }");
    std::vector<std::string> names;
    for (const GpuField& field : gpu_fields()) names.emplace_back(field.name);
    for (const auto& [key, value] : table_.items())
      if (std::ranges::find(names, key) == names.end())
        throw wrong(key, fmt::format("a GPU has no field '{}'{}", key, did_you_mean(key, names)));
  }

  void read(const GpuField& field, GpuFacts& gpu) const {
    if (!table_.contains(field.name)) {
      if (field.required) throw wrong("gpu", fmt::format("{} is missing", field.name));
      return;
    }
    std::visit([&](auto member) { read_value(field.name, gpu.*member); }, field.member);
  }

 private:
  void read_value(const char* name, std::string& value) const {
    const json& given = table_.at(name);
    if (!given.is_string() || given.get<std::string>().empty()) throw wrong(name, fmt::format("{} is no text", name));
    value = given.get<std::string>();
  }
  template <typename Number>
  void read_value(const char* name, Number& value) const {
    const json& given = table_.at(name);
    const bool whole = std::is_same_v<Number, double> || given.is_number_integer();
    // A device's memory and clock are far below: what is larger is a slip.
    constexpr double kMost = 1e18;
    const double number = given.is_number() ? given.get<double>() : 0;
    if (!whole || !(number > 0 && number <= kMost) ||
        (std::is_same_v<Number, int> && number > std::numeric_limits<int>::max()))
      throw wrong(name, fmt::format("{} is no {}number above 0", name, whole ? "" : "whole "));
    value = given.get<Number>();
  }

  /// An error at the line where `word` stands first; at the first line where it does not.
  Error wrong(const std::string& word, const std::string& sentence) const {
    std::istringstream lines(text_);
    int number = 0, line = 1;
    for (std::string content; std::getline(lines, content);) {
      ++number;
      const std::string code = content.substr(0, content.find("--"));
      const std::size_t begin = code.find(word);
      if (begin == std::string::npos || (begin > 0 && std::isalnum(static_cast<unsigned char>(code[begin - 1])) != 0) ||
          (begin > 0 && code[begin - 1] == '_'))
        continue;
      line = number;
      break;
    }
    return bad_input(fmt::format("{}:{}: {}", file_, line, sentence));
  }

  const std::string& text_;
  const std::string& file_;
  json table_;
};

std::string text_of_gpu_file(const std::filesystem::path& file) {
  std::ifstream in(file);
  if (!in) throw bad_input(fmt::format("the facts of a GPU in {} cannot be read", file.string()));
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

/// By name: of files that are called the same, the one in the earlier folder.
std::map<std::string, std::filesystem::path> gpu_files(const std::vector<std::filesystem::path>& folders) {
  std::map<std::string, std::filesystem::path> files;
  std::error_code none;
  for (const std::filesystem::path& folder : folders)
    for (const auto& entry : std::filesystem::directory_iterator(folder, none))
      if (entry.path().extension() == ".lua") files.emplace(entry.path().filename().string(), entry.path());
  return files;
}

}  // namespace

GpuFacts gpu_from(const std::string& text, const std::string& file) {
  const GpuTable table(text, file);
  GpuFacts gpu;
  for (const GpuField& field : gpu_fields()) table.read(field, gpu);
  return gpu;
}

std::vector<GpuFacts> read_gpus(const std::vector<std::filesystem::path>& folders) {
  std::vector<GpuFacts> gpus;
  for (const auto& [name, file] : gpu_files(folders)) {
    GpuFacts gpu = gpu_from(text_of_gpu_file(file), file.string());
    if (std::ranges::find(gpus, gpu.name, &GpuFacts::name) != gpus.end())
      throw bad_input(fmt::format("{}:1: another file in gpus/ has the name '{}', too", file.string(), gpu.name));
    gpus.push_back(std::move(gpu));
  }
  std::ranges::sort(gpus, {}, [](const GpuFacts& gpu) { return std::pair(gpu.rank, gpu.name); });
  return gpus;
}

}  // namespace harness::script
