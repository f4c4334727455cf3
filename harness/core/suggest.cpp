#include "harness/core/suggest.h"

#include <algorithm>
#include <cctype>

namespace harness {
namespace {

std::string folded(std::string text) {
  for (char& c : text) c = c == '-' ? '_' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return text;
}

/// Optimal string alignment distance over three rolling rows.
std::size_t distance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    std::swap(before, last);
    std::swap(last, row);
  }
  return last[b.size()];
}

bool extends(const std::string& longer, const std::string& shorter) {
  return shorter.size() >= 3 && longer.find(shorter) != std::string::npos;
}

}  // namespace

std::string nearest(const std::string& name, const std::vector<std::string>& known) {
  constexpr std::size_t kLongestName = 200;  // a longer one is no slip of the finger, and the distance is quadratic
  if (name.empty() || name.size() > kLongestName) return "";
  const std::string wanted = folded(name);
  std::string best;
  std::size_t best_distance = std::max<std::size_t>(2, name.size() / 3) + 1;
  for (const std::string& candidate : known) {
    if (candidate.size() > kLongestName) continue;
    const std::string have = folded(candidate);
    std::size_t d = distance(wanted, have);
    if (extends(have, wanted)) d = std::min<std::size_t>(d, 2);
    if (d < best_distance && d < std::max(wanted.size(), have.size())) {
      best = candidate;
      best_distance = d;
    }
  }
  return best;
}

std::string did_you_mean(const std::string& name, const std::vector<std::string>& known) {
  const std::string candidate = nearest(name, known);
  return candidate.empty() ? "" : "; did you mean '" + candidate + "'?";
}

}  // namespace harness
