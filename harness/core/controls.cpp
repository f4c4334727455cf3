#include "harness/core/controls.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <sstream>

#include "harness/core/error.h"

namespace harness {
namespace {

/// An option with a value: a whole number in a range, or one of some words. Those of ptxas are in the help of release
/// 13.0. Left out: what changes rounding (--fmad, --optimize-float-atomics) and what is for debugging or tools.
struct Kind {
  std::string_view name;  // up to and with its '='; an option without a value is the whole
  std::int64_t lo = 0, hi = -1;
  std::string_view words = {};  // separated by blanks
};
constexpr std::array kKinds = {
    Kind{"--maxrregcount=", 16, 255},
    Kind{"--extra-device-vectorization"},
    Kind{"--ptxas-options=-O", 1, 3},
    Kind{"--ptxas-options=--register-usage-level=", 0, 10},
    Kind{"--ptxas-options=--minnctapersm=", 1, 32},
    Kind{"--ptxas-options=--allow-expensive-optimizations=", 0, -1, "true false"},
    Kind{"--ptxas-options=--Ofast-compile=", 0, -1, "0 min mid max"},
    Kind{"--ptxas-options=--def-load-cache=", 0, -1, "ca cg"},
    Kind{"--ptxas-options=--def-store-cache=", 0, -1, "wb cg"},
    Kind{"--ptxas-options=--disable-optimizer-constants"},
    Kind{"--ptxas-options=--dont-merge-basicblocks"},
    Kind{"--ptxas-options=--return-at-end"},
};

constexpr std::array kTried = {
    Control{"--ptxas-options=--register-usage-level=10", "optimizes more, with more registers"},
    Control{"--ptxas-options=--register-usage-level=8", "optimizes more, with more registers"},
    Control{"--ptxas-options=--register-usage-level=3", "optimizes less, with fewer registers"},
    Control{"--ptxas-options=--register-usage-level=0", "optimizes less, with fewer registers"},
    Control{"--ptxas-options=-O2", "ptxas' second level"},
    Control{"--ptxas-options=-O1", "ptxas' first level: hardly any scheduling"},
    Control{"--maxrregcount=168", "at most so many registers a thread"},
    Control{"--maxrregcount=128", "at most so many registers a thread"},
    Control{"--maxrregcount=96", "at most so many registers a thread"},
    Control{"--maxrregcount=80", "at most so many registers a thread"},
    Control{"--maxrregcount=64", "at most so many registers a thread"},
    Control{"--maxrregcount=48", "at most so many registers a thread"},
    Control{"--maxrregcount=40", "at most so many registers a thread"},
    Control{"--maxrregcount=32", "at most so many registers a thread"},
    Control{"--extra-device-vectorization", "joins more loads and stores"},
    Control{"--ptxas-options=--allow-expensive-optimizations=false", "leaves slow optimizations out"},
    Control{"--ptxas-options=--def-load-cache=cg", "loads pass the L1 by"},
    Control{"--ptxas-options=--disable-optimizer-constants", "constants stand in the code"},
    Control{"--ptxas-options=--dont-merge-basicblocks", "keeps blocks of code apart"},
};

const Kind* kind_of(std::string_view option) {
  const auto kind = std::ranges::find_if(kKinds, [&](const Kind& each) {
    return each.hi >= each.lo || !each.words.empty() ? option.starts_with(each.name) : option == each.name;
  });
  return kind == kKinds.end() ? nullptr : &*kind;
}

bool is_word_of(std::string_view words, std::string_view word) {
  std::istringstream list{std::string(words)};
  for (std::string each; list >> each;)
    if (each == word) return true;
  return false;
}

std::vector<std::string> words_of(const Config& config) {
  const auto given = config.find(kControls);
  std::vector<std::string> words;
  if (given == config.end()) return words;
  std::istringstream list(to_text(given->second));
  for (std::string word; list >> word;) words.push_back(word);
  return words;
}

}  // namespace

std::span<const Control> known_controls() {
  return kTried;
}

bool is_control(std::string_view option) {
  const Kind* const kind = kind_of(option);
  if (kind == nullptr) return false;
  const std::string_view value = option.substr(kind->name.size());
  if (!kind->words.empty()) return is_word_of(kind->words, value);
  if (kind->hi < kind->lo) return true;
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
  return error == std::errc() && end == value.data() + value.size() && number >= kind->lo && number <= kind->hi;
}

std::string control_kinds() {
  std::vector<std::string> texts;
  for (const Kind& kind : kKinds)
    texts.push_back(kind.hi >= kind.lo ? fmt::format("{}{} to {}", kind.name, kind.lo, kind.hi)
                                       : fmt::format("{}{}", kind.name, kind.words));
  return fmt::format("{}", fmt::join(texts, ", "));
}

std::string no_controls(const std::string& device) {
  return fmt::format("compiler controls mean nothing to {}, whose code another compiler makes: none is tried", device);
}

std::vector<std::string> controls_of(const Config& config) {
  const std::vector<std::string> words = words_of(config);
  for (const std::string& word : words)
    if (!is_control(word))
      throw bad_input(fmt::format("'{}' is no control of a compiler that changes code alone; there are: {}", word,
                                  control_kinds()));
  return words;
}

Config with_control(Config config, std::string_view option) {
  std::vector<std::string> words = words_of(config);
  const Kind* const kind = kind_of(option);
  std::erase_if(words, [&](const std::string& word) { return kind_of(word) == kind; });
  words.emplace_back(option);
  config[kControls] = fmt::format("{}", fmt::join(words, " "));
  return config;
}

Config without_controls(Config config) {
  config.erase(kControls);
  return config;
}

}  // namespace harness
