#include "harness/device/cuda/compile/compile_log.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

namespace harness::cuda {
namespace {

/// The number that stands directly before `unit`, as in "16 bytes spill stores"; 0 if the line has none.
std::int64_t number_before(std::string_view line, std::string_view unit) {
  const std::size_t end = line.find(unit);
  if (end == std::string_view::npos || end == 0) return 0;
  std::size_t begin = end;
  while (begin > 0 && line[begin - 1] >= '0' && line[begin - 1] <= '9') --begin;
  std::int64_t number = 0;
  std::from_chars(line.data() + begin, line.data() + end, number);
  return number;
}

std::string_view between_quotes(std::string_view line) {
  const std::size_t begin = line.find('\'');
  const std::size_t end = line.find('\'', begin + 1);
  if (begin == std::string_view::npos || end == std::string_view::npos) return {};
  return line.substr(begin + 1, end - begin - 1);
}

std::string_view next_line(std::string_view& log) {
  const std::size_t end = std::min(log.find('\n'), log.size());
  const std::string_view line = log.substr(0, end);
  log.remove_prefix(std::min(end + 1, log.size()));
  return line;
}

std::string_view between(std::string_view line, std::string_view begin, std::string_view end) {
  const std::size_t from = line.find(begin);
  if (from == std::string_view::npos) return {};
  line.remove_prefix(from + begin.size());
  return line.substr(0, line.find(end));
}

/// "C7519" of "ptxas info    : (C7519) warpgroup.arrive is injected..."; "" where there is none.
std::string_view code_of(std::string_view line) {
  const std::string_view code = between(line, ": (", ")");
  return code.starts_with('C') ? code : std::string_view();
}

/// The same remark about one function is made for every place: a wait that is missing in a loop fills pages.
struct Remark {
  std::string code, text, function;
  std::vector<std::string> lines;
};

Remark read_remark(std::string_view line) {
  constexpr std::string_view kLoss = "Potential Performance Loss: ", kPlace = " in around line ";
  Remark remark;
  remark.code = code_of(line);
  std::string_view text = line.substr(line.find(") ") + 2);
  if (text.starts_with(kLoss)) text.remove_prefix(kLoss.size());
  remark.function = between_quotes(text);
  if (const std::size_t place = text.find(kPlace); place != std::string_view::npos) {
    remark.lines.emplace_back(between(text, kPlace, " "));
    text = text.substr(0, place);
  } else if (text.starts_with("'")) {  // "'setmaxnreg' ignored": no function is named
    remark.function.clear();
  }
  remark.text = text;
  return remark;
}

std::string called(const std::map<std::string, std::string>& names, std::string_view mangled) {
  const auto written = names.find(std::string(mangled));
  return written == names.end() ? std::string(mangled) : written->second;
}

std::string in_words(const Remark& remark, const std::map<std::string, std::string>& names) {
  if (remark.lines.empty()) {
    std::string text = remark.text;
    if (const std::size_t at = text.find("'" + remark.function + "'"); !remark.function.empty() && at != text.npos)
      text.replace(at, remark.function.size() + 2, called(names, remark.function));
    return fmt::format("{}: {}", remark.code, text);
  }
  constexpr std::size_t kShown = 4;
  const std::vector<std::string> shown(remark.lines.begin(),
                                       remark.lines.begin() + std::min(kShown, remark.lines.size()));
  return fmt::format("{}: {} {} time{} in {} (PTX line {}{})", remark.code, remark.text, remark.lines.size(),
                     remark.lines.size() == 1 ? "" : "s", called(names, remark.function), fmt::join(shown, ", "),
                     remark.lines.size() > kShown ? "..." : "");
}

void add_remark(std::vector<Remark>& remarks, Remark remark) {
  const auto same = std::ranges::find_if(remarks, [&](const Remark& other) {
    return other.code == remark.code && other.text == remark.text && other.function == remark.function;
  });
  if (same == remarks.end()) remarks.push_back(std::move(remark));
  else same->lines.insert(same->lines.end(), remark.lines.begin(), remark.lines.end());
}

}  // namespace

std::map<std::string, LoggedResources> parse_ptxas_log(std::string_view log) {
  std::map<std::string, LoggedResources> entries;
  LoggedResources* current = nullptr;
  while (!log.empty()) {
    const std::string_view line = next_line(log);
    if (!line.starts_with("ptxas")) continue;
    if (line.find("Compiling entry function") != std::string_view::npos) {
      current = &(entries[std::string(between_quotes(line))] = {});
    } else if (current && line.find("bytes spill stores") != std::string_view::npos) {
      current->spill_bytes += number_before(line, " bytes spill stores") + number_before(line, " bytes spill loads");
    } else if (current && line.find(": Used ") != std::string_view::npos) {
      current->static_shared_bytes = number_before(line, " bytes smem");
    }
  }
  return entries;
}

std::vector<std::string> performance_notes(std::string_view log, const std::map<std::string, std::string>& names) {
  std::vector<std::string> notes;
  std::vector<Remark> remarks;
  while (!log.empty()) {
    const std::string_view line = next_line(log);
    if (!line.starts_with("ptxas")) continue;
    if (!code_of(line).empty()) {
      add_remark(remarks, read_remark(line));
    } else if (line.find("Registers are spilled") != std::string_view::npos) {
      notes.push_back(fmt::format("spills in {}: {} bytes stored, {} loaded", called(names, between_quotes(line)),
                                  number_before(line, " bytes spill stores"),
                                  number_before(line, " bytes spill loads")));
    } else if (line.find("Local memory used") != std::string_view::npos) {
      notes.push_back(fmt::format("local memory in {}: a stack frame of {} bytes", called(names, between_quotes(line)),
                                  between(line, "size of stack frame: ", " ")));
    }
  }
  for (const Remark& remark : remarks) notes.push_back(in_words(remark, names));
  return notes;
}

}  // namespace harness::cuda
