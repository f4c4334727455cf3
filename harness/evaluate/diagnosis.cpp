#include "harness/evaluate/diagnosis.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <functional>

namespace harness {
namespace {

constexpr std::int64_t kSmallestTile = 4;

struct Size {
  std::string name;
  std::vector<std::int64_t> values;  // one for each observation
};

std::vector<Size> sizes_of(const std::vector<JudgedPoint>& observations) {
  std::vector<Size> sizes;
  for (const auto& [name, value] : observations.front().shape) {
    if (!std::holds_alternative<std::int64_t>(value)) continue;
    Size size{name, {}};
    for (const JudgedPoint& observation : observations) {
      const auto extent = observation.shape.find(name);
      if (extent == observation.shape.end() || !std::holds_alternative<std::int64_t>(extent->second)) break;
      size.values.push_back(std::get<std::int64_t>(extent->second));
    }
    if (size.values.size() == observations.size()) sizes.push_back(std::move(size));
  }
  return sizes;
}

/// True where `condition` holds at exactly the wrong observations.
bool explains(const std::vector<JudgedPoint>& observations, const std::function<bool(std::size_t)>& condition) {
  for (std::size_t i = 0; i < observations.size(); ++i)
    if (condition(i) == observations[i].passed) return false;
  return true;
}

std::vector<std::pair<std::string, std::int64_t>> tiles_of(const Config& config) {
  std::vector<std::pair<std::string, std::int64_t>> tiles;
  for (const auto& [name, value] : config)
    if (const auto* tile = std::get_if<std::int64_t>(&value); tile != nullptr && *tile >= kSmallestTile)
      tiles.emplace_back(name, *tile);
  return tiles;
}

void add(std::string& words, const std::string& more) {
  words += (words.empty() ? "" : "; ") + more;
}

std::string flag_condition(const std::vector<JudgedPoint>& observations) {
  for (const auto& [name, value] : observations.front().shape) {
    if (!std::holds_alternative<bool>(value)) continue;
    const auto truth = [&, &name = name](std::size_t i) {
      const auto extent = observations[i].shape.find(name);
      return extent != observations[i].shape.end() && extent->second == Value(true);
    };
    if (explains(observations, truth)) return fmt::format("only where {} is true", name);
    if (explains(observations, [&](std::size_t i) { return !truth(i); }))
      return fmt::format("only where {} is false", name);
  }
  return "";
}

std::string size_condition(const std::vector<JudgedPoint>& observations, const Config& config) {
  for (const Size& size : sizes_of(observations)) {
    for (const auto& [tile_name, tile] : tiles_of(config)) {
      if (explains(observations, [&, tile = tile](std::size_t i) { return size.values[i] % tile != 0; }))
        return fmt::format("only where {} is no multiple of {} = {}", size.name, tile_name, tile);
      if (explains(observations, [&, tile = tile](std::size_t i) { return size.values[i] > tile; }))
        return fmt::format("only where {} exceeds {} = {}", size.name, tile_name, tile);
    }
    std::int64_t largest_right = -1, smallest_wrong = INT64_MAX;
    for (std::size_t i = 0; i < observations.size(); ++i) {
      if (observations[i].passed) largest_right = std::max(largest_right, size.values[i]);
      else smallest_wrong = std::min(smallest_wrong, size.values[i]);
    }
    if (largest_right < smallest_wrong) return fmt::format("only where {} is larger than {}", size.name, largest_right);
  }
  return "";
}

std::string trend(const std::vector<JudgedPoint>& observations, const Config& config) {
  const auto tiles = tiles_of(config);
  for (const Size& size : sizes_of(observations)) {
    std::vector<std::pair<std::int64_t, double>> wrong;
    for (std::size_t i = 0; i < observations.size(); ++i)
      if (!observations[i].passed) wrong.emplace_back(size.values[i], observations[i].error);
    std::sort(wrong.begin(), wrong.end());
    if (wrong.size() < 3 || wrong.front().first == wrong.back().first) continue;
    bool grows = true;
    for (std::size_t i = 1; i < wrong.size(); ++i)
      grows = grows && (wrong[i].first == wrong[i - 1].first || wrong[i].second > 1.05 * wrong[i - 1].second);
    if (grows)
      return fmt::format("the error grows with {}{}", size.name, tiles.empty() ? "" : ", so with the number of tiles");
  }
  return "";
}

}  // namespace

std::string diagnose(const std::vector<JudgedPoint>& observations, const Config& config) {
  std::string words;
  if (observations.empty()) return words;
  const auto wrong = std::count_if(observations.begin(), observations.end(), [](const auto& o) { return !o.passed; });
  const auto right = static_cast<std::ptrdiff_t>(observations.size()) - wrong;
  if (wrong >= 2 && right >= 2) {
    add(words, flag_condition(observations));
    if (words.empty()) add(words, size_condition(observations, config));
  }
  if (const std::string more = trend(observations, config); !more.empty()) add(words, more);
  return words;
}

std::string in_tiles(const std::string& pattern, const Config& config) {
  std::string words;
  const std::string places = pattern.substr(0, pattern.find(','));  // what follows says how they are wrong
  for (std::size_t at = 0; at < places.size();) {
    if (std::isdigit(static_cast<unsigned char>(places[at])) == 0) {
      ++at;
      continue;
    }
    std::size_t digits = 0;
    const std::int64_t number = std::stoll(places.substr(at, 15), &digits);
    at += digits;
    std::pair<std::string, std::int64_t> best{"", 0};
    for (const auto& tile : tiles_of(config))
      if (number > 0 && number % tile.second == 0 && tile.second > best.second) best = tile;
    if (best.second > 0)
      add(words, fmt::format("{} = {} x {} ({})", number, number / best.second, best.first, best.second));
  }
  return words;
}

}  // namespace harness
