#include "harness/device/cpu/check/source_lines.h"

#include <fmt/format.h>

#include <charconv>
#include <filesystem>
#include <optional>
#include <regex>
#include <sstream>

#include "harness/system/run_program.h"

namespace harness::cpu {
namespace {

constexpr double kLookupS = 10;
constexpr long long kLookupMemory = 1ll << 30;
constexpr const char* kWrappers = "/include/harness/";
constexpr const char* kPrecompiled = "/guest/harness_cpu/";  // headers whose names the line table has as they are

bool is_emulation(const std::string& frame) {
  return frame.starts_with(kEmulationFolder) || frame.find(kPrecompiled) != std::string::npos;
}

/// The place of the innermost code that is not the emulation's, and of the kernel's own source that led to it.
class SitePlace {
 public:
  void add(const std::string& frame) {
    if (frame.starts_with("??") || frame.ends_with(":0") || frame.ends_with(":?")) return;
    if (!innermost_.empty() && own_) return;
    if (is_emulation(frame)) return;
    const bool wrapper = frame.find(kWrappers) != std::string::npos;
    // A plugin's own header explains what it wraps as well as the kernel's source does.
    const bool own = frame[0] != '/' || (wrapped_ && !wrapper);
    const std::string name = frame[0] != '/' ? without_dot(frame) : std::filesystem::path(frame).filename().string();
    if (innermost_.empty()) innermost_ = name, own_ = own, wrapped_ = wrapper;
    else if (own) innermost_ += ", called at " + name, own_ = true;
  }
  const std::string& text() const { return innermost_; }

 private:
  static std::string without_dot(std::string frame) {
    while (frame.starts_with("./")) frame.erase(0, 2);
    return frame;
  }
  std::string innermost_;
  bool own_ = false;
  bool wrapped_ = false;  // the innermost is a wrapper of kernels/include
};

std::optional<std::uint64_t> offset_in(const std::string& line) {
  std::uint64_t offset = 0;
  if (!line.starts_with("0x")) return std::nullopt;
  const auto [end, error] = std::from_chars(line.data() + 2, line.data() + line.size(), offset, 16);
  if (error != std::errc() || end != line.data() + line.size()) return std::nullopt;
  return offset;
}

std::optional<std::uint64_t> number_behind(const std::string& line, std::string_view words, int base) {
  const std::size_t at = line.find(words);
  std::uint64_t number = 0;
  if (at == std::string::npos) return std::nullopt;
  const auto [end, error] = std::from_chars(line.data() + at + words.size(), line.data() + line.size(), number, base);
  return error == std::errc() ? std::optional(number) : std::nullopt;
}

/// Whether what a function returns is how its operands compare, or one of the two: `operator<(__half, __half)`,
/// `__hgt2(...)`, `min(int, int)`, `__any_sync(mask, predicate)`.
bool is_comparison(const std::string& function) {
  static const std::regex name(
      R"((.*::)?(operator(==|!=|<=?|>=?)\(|__h(b|is)?(eq|ne|lt|le|gt|ge|nan|inf)|__?is|is(nan|inf|finite|normal)|)"
      R"((__)?signbit|__v(cmp|set)|(__h|u)?(min|max)2?(_nan)?\(|atomic(Min|Max)|)"
      R"(__(any|all|ballot)_sync|__syncthreads_(and|or|count)).*)");
  return std::regex_match(function, name);
}

/// What addr2line prints of the offsets; nothing: it is not here, or did not answer.
std::string look_up(const std::string& shared_object, const std::vector<std::uint64_t>& offsets,
                    const std::vector<std::string>& options) {
  const std::string program = find_program("addr2line");
  if (program.empty() || offsets.empty()) return {};
  std::vector<std::string> arguments{program};
  arguments.insert(arguments.end(), options.begin(), options.end());
  arguments.insert(arguments.end(), {"-e", shared_object});
  for (const std::uint64_t offset : offsets) arguments.push_back(fmt::format("{:#x}", offset));
  const ProcessResult result = run_process(arguments, "/tmp", {kLookupS, kLookupMemory});
  return result.timed_out || result.exit_status != 0 ? std::string() : result.output;
}

/// Of the frames but the innermost: which calls they are. 0: none.
std::uint32_t hash_of_calls(const std::vector<std::string>& chain) {
  if (chain.size() < 2) return 0;
  std::uint32_t hash = 2166136261u;  // FNV-1a
  for (std::size_t i = 1; i < chain.size(); ++i)
    for (const char letter : chain[i] + '\n') hash = (hash ^ static_cast<unsigned char>(letter)) * 16777619u;
  return (hash >> 16 ^ hash) & 0xffffu;
}

}  // namespace

std::map<std::uint64_t, std::string> read_source_lines(const std::string& output) {
  std::map<std::uint64_t, SitePlace> places;
  SitePlace* place = nullptr;
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);) {
    if (const auto offset = offset_in(line)) place = &places[*offset];
    else if (place) place->add(line.substr(0, line.find(" (discriminator")));
  }
  std::map<std::uint64_t, std::string> texts;
  for (const auto& [offset, place] : places)
    if (!place.text().empty()) texts[offset] = place.text();
  return texts;
}

std::map<std::uint64_t, std::uint32_t> site_columns(const std::string& shared_object,
                                                    const std::vector<std::uint64_t>& offsets) {
  const std::string program = find_program("objdump");
  if (program.empty() || offsets.empty()) return {};
  const ProcessResult result =
      run_process({program, "--dwarf=rawline", shared_object}, "/tmp", {kLookupS, kLookupMemory});
  if (result.timed_out || result.exit_status != 0) return {};
  std::map<std::uint64_t, std::uint32_t> columns = read_site_columns(result.output, offsets);
  std::istringstream lines(look_up(shared_object, offsets, {"-a", "-i"}));
  std::map<std::uint64_t, std::vector<std::string>> frames;
  std::vector<std::string>* of = nullptr;
  for (std::string line; std::getline(lines, line);) {
    if (const auto offset = offset_in(line)) of = &frames[*offset];
    else if (of != nullptr) of->push_back(line.substr(0, line.find(" (discriminator")));
  }
  for (const auto& [offset, chain] : frames) {
    const auto column = columns.find(offset);
    if (column == columns.end() || chain.empty()) continue;
    if (is_emulation(chain.front())) columns.erase(column);
    else column->second |= hash_of_calls(chain) << 16;
  }
  return columns;
}

std::map<std::uint64_t, std::uint32_t> read_site_columns(const std::string& output,
                                                         const std::vector<std::uint64_t>& offsets) {
  std::map<std::uint64_t, std::uint32_t> begins;  // address -> column, until the next
  std::uint64_t address = 0;
  std::uint32_t column = 0;
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);) {
    if (const auto said = number_behind(line, "Set column to ", 10)) column = static_cast<std::uint32_t>(*said);
    if (const auto said = number_behind(line, " to 0x", 16)) address = *said;
    const bool ends = line.find("End of Sequence") != std::string::npos;
    if (ends) begins.try_emplace(address, 0);
    else if (line.find("Special opcode") != std::string::npos || line.ends_with("Copy")) begins[address] = column;
  }
  std::map<std::uint64_t, std::uint32_t> columns;
  for (const std::uint64_t offset : offsets) {
    const auto next = begins.upper_bound(offset);
    if (next != begins.begin() && std::prev(next)->second != 0) columns[offset] = std::prev(next)->second;
  }
  return columns;
}

std::vector<std::string> line_table_options(const std::string& emulation,
                                            const std::vector<std::string>& include_dirs) {
  const auto option = [](const std::string& folder, const std::string& name) {
    return "-fdebug-prefix-map=" + folder + "=" + name;
  };
  std::vector<std::string> options{option(std::filesystem::current_path().string(), ".")};
  for (const std::string& folder : include_dirs) options.push_back(option(folder, "/include"));
  options.push_back(option(emulation, kEmulationFolder));  // the last that fits is taken
  return options;
}

std::map<std::uint64_t, std::string> source_lines(const std::string& shared_object,
                                                  const std::vector<std::uint64_t>& offsets) {
  return read_source_lines(look_up(shared_object, offsets, {"-a", "-i"}));
}

std::set<std::uint64_t> sites_within_functions(const std::string& shared_object,
                                               const std::vector<std::uint64_t>& offsets) {
  return read_sites_within_functions(look_up(shared_object, offsets, {"-a", "-i", "-f", "-C"}));
}

std::set<std::uint64_t> read_sites_within_functions(const std::string& output) {
  std::set<std::uint64_t> sites;
  std::istringstream lines(output);
  for (std::string line; std::getline(lines, line);) {
    const auto offset = offset_in(line);
    std::string function, place;
    if (!offset || !std::getline(lines, function) || !std::getline(lines, place)) continue;
    if (is_emulation(place) && !is_comparison(function)) sites.insert(*offset);
  }
  return sites;
}

}  // namespace harness::cpu
