#include "harness/report/chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "harness/core/printable.h"
#include "harness/report/format.h"
#include "harness/report/wrap.h"

namespace harness::report {
namespace {

constexpr double kCharacter = 6.1;  // about the width of one in a font of 11 px

double text_width(const std::string& text) {
  return kCharacter * static_cast<double>(display_width(text));
}

std::string fitted_to(const std::string& text, double width) {
  if (text_width(text) <= width) return text;
  const auto fitting = static_cast<std::size_t>(std::max(width / kCharacter, 1.0));
  return cut_columns(text, 0, fitting - 1) + "\u2026";
}

std::string text_at(double x, double y, const std::string& text, const char* classes, const char* anchor = "start") {
  return fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" class=\"{}\" text-anchor=\"{}\">{}</text>", x, y, classes, anchor,
                     html(text));
}

std::string line_at(double x1, double y1, double x2, double y2, const char* classes) {
  return fmt::format("<line x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\" class=\"{}\"/>", x1, y1, x2, y2,
                     classes);
}

std::string opened(double width, double height, const std::string& title) {
  return fmt::format(
      "<svg viewBox=\"0 0 {0:.0f} {1:.0f}\" width=\"{0:.0f}\" height=\"{1:.0f}\" role=\"img\" aria-label=\"{2}\">",
      width, height, html(title));
}

/// 1, 2 or 5 times a power of ten: about `count` steps to `end`.
double nice_step(double end, int count) {
  const double raw = end / count, power = std::pow(10, std::floor(std::log10(raw)));
  for (const double factor : {1.0, 2.0, 5.0})
    if (raw <= factor * power) return factor * power;
  return 10 * power;
}

/// Steps of a clock: seconds, minutes, hours.
double clock_step(double end_s, int count) {
  for (const double step : {1., 2., 5., 10., 15., 30., 60., 120., 300., 600., 900., 1800., 3600., 7200., 14400.})
    if (end_s / step <= count) return step;
  return nice_step(end_s, count);
}

std::string clock_text(double s) {
  if (s < 60) return fmt::format("{:.0f} s", s);
  return s < 5400 ? fmt::format("{:g} min", s / 60) : fmt::format("{:g} h", s / 3600);
}

/// Ticks of a logarithmic scale: 1, 2 and 5 in each power of ten, or finer where these are few.
std::vector<double> log_ticks(double lo, double hi) {
  for (const std::vector<double>& parts :
       {std::vector<double>{1}, std::vector<double>{1, 2, 5}, std::vector<double>{1, 1.5, 2, 3, 4, 5, 6, 8},
        std::vector<double>{1,   1.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.8, 2,   2.2, 2.5, 2.8, 3,  3.3,
                            3.6, 4,   4.5, 5,   5.5, 6,   6.5, 7,   7.5, 8,   8.5, 9,   9.5}}) {
    std::vector<double> ticks;
    for (double power = std::pow(10, std::floor(std::log10(lo))); power <= hi; power *= 10)
      for (const double part : parts)
        if (part * power >= lo && part * power <= hi) ticks.push_back(part * power);
    if (ticks.size() >= 3) return ticks;
  }
  return {lo, hi};
}

struct StepScale {
  double lo = 0, hi = 0, left = 0, right = 0, top = 0, bottom = 0, end_s = 1;
  double x(double s) const { return left + (right - left) * std::clamp(s / end_s, 0.0, 1.0); }
  double y(double ns) const {
    const double share = (std::log(std::clamp(ns, lo, hi)) - std::log(lo)) / (std::log(hi) - std::log(lo));
    return bottom - (bottom - top) * share;
  }
};

/// What lies within four times the best is shown to scale.
StepScale step_scale(const StepChart& chart, double width, double height) {
  constexpr double kShown = 4;
  StepScale scale{0, 0, 58, width - 14, 40, height - 24, std::max(chart.end_s, 1e-3)};
  double best = chart.points.front().ns;
  for (const StepChart::Point& point : chart.points) best = std::min(best, point.ns);
  scale.lo = best;
  double worst = best;
  const auto include = [&](double ns) {
    if (ns > kShown * best || ns < best / kShown) return;
    scale.lo = std::min(scale.lo, ns);
    worst = std::max(worst, ns);
  };
  for (const StepChart::Point& point : chart.points) include(point.ns);
  if (chart.rival_ns) include(*chart.rival_ns);
  if (chart.floor_ns) include(*chart.floor_ns);
  scale.hi = std::max(worst * 1.12, scale.lo * 1.25);
  scale.lo *= 0.93;
  return scale;
}

std::string step_axes(const StepChart& chart, const StepScale& scale) {
  std::string drawn;
  double last_y = 1e9;
  for (const double ns : log_ticks(scale.lo, scale.hi)) {
    const double y = scale.y(ns);
    if (last_y - y < 14) continue;
    last_y = y;
    drawn +=
        line_at(scale.left, y, scale.right, y, "grid") + text_at(scale.left - 6, y + 4, nanoseconds(ns), "tick", "end");
  }
  const double step = clock_step(scale.end_s, 5);
  for (double s = 0; s <= scale.end_s; s += step) {
    drawn += line_at(scale.x(s), scale.bottom, scale.x(s), scale.bottom + 4, "axis") +
             text_at(scale.x(s), scale.bottom + 16, s == 0 ? "0" : clock_text(s), "tick", "middle");
    if (chart.usd && s > 0)
      drawn += text_at(scale.x(s), scale.top - 5, fmt::format("${:.2f}", *chart.usd * s / scale.end_s), "tick faint",
                       "middle");
  }
  return drawn + line_at(scale.left, scale.bottom, scale.right, scale.bottom, "axis");
}

std::string reference_line(const StepScale& scale, double ns, const char* name, const char* classes) {
  const std::string label = fmt::format("{} {}", name, nanoseconds(ns));
  if (ns < scale.lo) return text_at(scale.left + 5, scale.bottom - 5, label + " \u2193", "tick faint");
  if (ns > scale.hi) return text_at(scale.right, scale.top + 24, label + " \u2191", "tick faint", "end");
  const double y = scale.y(ns);
  return line_at(scale.left, y, scale.right, y, classes) +
         text_at(scale.right, y - 3, label, classes == std::string("rival") ? "tick rivaltext" : "tick faint", "end");
}

const char* part_class(std::size_t index) {
  static constexpr const char* kClasses[] = {"c0", "c1", "c2", "c3", "c4", "c5", "c6", "c7"};
  return kClasses[index % 8];
}

}  // namespace

std::string html(const std::string& text) {
  std::string escaped;
  for (const char c : printable(text, Lines::many)) switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      case '\'':
        escaped += "&#39;";
        break;
      default:
        escaped += c;
    }
  return escaped;
}

std::string svg(const StepChart& chart) {
  constexpr double kWidth = 460, kHeight = 220;
  std::string drawn = opened(kWidth, kHeight, chart.title);
  drawn += text_at(4, 14, fitted_to(chart.title, kWidth - 8), "charttitle");
  if (chart.points.empty()) return drawn + text_at(4, 40, "nothing passed", "tick") + "</svg>";
  const StepScale scale = step_scale(chart, kWidth, kHeight);
  drawn += step_axes(chart, scale);
  if (chart.floor_ns) drawn += reference_line(scale, *chart.floor_ns, "floor", "floor");
  if (chart.rival_ns) drawn += reference_line(scale, *chart.rival_ns, "rival", "rival");
  std::string path;
  for (const StepChart::Point& point : chart.points)
    path += path.empty() ? fmt::format("M{:.1f} {:.1f}", scale.x(point.seconds), scale.y(point.ns))
                         : fmt::format("H{:.1f}V{:.1f}", scale.x(point.seconds), scale.y(point.ns));
  drawn += fmt::format("<path d=\"{}H{:.1f}\" class=\"step\"/>", path, scale.right);
  for (const StepChart::Point& point : chart.points)
    drawn += fmt::format(
        "<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3\" class=\"dot\"><title>{}: {} after {}</title></circle>",
        scale.x(point.seconds), scale.y(point.ns), html(point.label), nanoseconds(point.ns), seconds(point.seconds));
  const StepChart::Point& first = chart.points.front();
  if (first.ns > scale.hi)
    drawn += text_at(std::min(scale.x(first.seconds) + 6, scale.right - 150), scale.top + 11,
                     fmt::format("\u2191 from {}", nanoseconds(first.ns)), "tick");
  return drawn +
         text_at(scale.right, scale.y(chart.points.back().ns) + 14, nanoseconds(chart.points.back().ns), "value",
                 "end") +
         "</svg>";
}

std::string svg(const BarChart& chart) {
  constexpr double kWidth = 940, kBar = 18, kGap = 6, kNotes = 150;
  double names = 120;
  for (const BarChart::Bar& bar : chart.bars)
    names = std::max(names, std::min(330.0, 1.16 * text_width(bar.name) + 14));
  double longest = 0;
  for (const BarChart::Bar& bar : chart.bars) {
    double sum = 0;
    for (const double value : bar.values) sum += value;
    longest = std::max(longest, sum);
  }
  double legend_x = names, legend_y = 16;
  std::string legend;
  for (std::size_t i = 0; i < chart.parts.size(); ++i) {
    const double width = 26 + text_width(chart.parts[i]);
    if (legend_x + width > kWidth) legend_x = names, legend_y += 18;
    legend += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"11\" height=\"11\" class=\"{}\"/>", legend_x,
                          legend_y - 10, part_class(i)) +
              text_at(legend_x + 15, legend_y, chart.parts[i], "tick");
    legend_x += width;
  }
  const double top = legend_y + 14;
  const double height = top + static_cast<double>(chart.bars.size()) * (kBar + kGap) + 4;
  std::string drawn = opened(kWidth, height, chart.title) + legend;
  const double scale = longest > 0 ? (kWidth - names - kNotes) / longest : 0;
  double y = top;
  for (const BarChart::Bar& bar : chart.bars) {
    drawn += text_at(names - 8, y + 13, fitted_to(bar.name, names), "label", "end");
    double x = names;
    for (std::size_t i = 0; i < bar.values.size(); ++i) {
      const double width = bar.values[i] * scale;
      if (width < 0.2) continue;
      drawn += fmt::format(
          "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.0f}\" class=\"{}\"><title>{}, {}: "
          "{:.4g}{}</title></rect>",
          x, y, width, kBar, part_class(i), html(bar.name), i < chart.parts.size() ? html(chart.parts[i]) : "",
          bar.values[i], html(chart.unit));
      x += width;
    }
    drawn += text_at(x + 6, y + 13, text(bar.note), "tick");
    y += kBar + kGap;
  }
  return drawn + "</svg>";
}

std::string svg(const HeatMap& chart) {
  constexpr double kNames = 190, kRow = 24;
  const double cell =
      std::clamp(740.0 / static_cast<double>(std::max<std::size_t>(1, chart.columns.size())), 34.0, 140.0);
  const bool slanted = cell < 110;
  double longest = 0;
  for (const std::string& column : chart.columns) longest = std::max(longest, text_width(column));
  const double top = slanted ? std::min(150.0, longest * 0.72 + 18) : 24;
  const double width = kNames + cell * static_cast<double>(chart.columns.size()) + (slanted ? 70 : 6);
  std::string drawn = opened(width, top + kRow * static_cast<double>(chart.rows.size()) + 6, chart.title);
  for (std::size_t c = 0; c < chart.columns.size(); ++c) {
    const double x = kNames + cell * (static_cast<double>(c) + 0.5);
    const std::string name = fitted_to(chart.columns[c], slanted ? 180 : cell - 4);
    drawn += slanted ? fmt::format(
                           "<text x=\"{0:.1f}\" y=\"{1:.1f}\" class=\"tick\" transform=\"rotate(-40 {0:.1f} "
                           "{1:.1f})\">{2}</text>",
                           x, top - 6, html(name))
                     : text_at(x, top - 7, name, "tick", "middle");
  }
  for (std::size_t r = 0; r < chart.rows.size(); ++r) {
    const double y = top + kRow * static_cast<double>(r);
    drawn += text_at(kNames - 8, y + 16, fitted_to(chart.rows[r], kNames - 12), "label", "end");
    for (std::size_t c = 0; c < chart.columns.size(); ++c) {
      const HeatMap::Square& at = chart.cells[r][c];
      const double x = kNames + cell * static_cast<double>(c);
      // 1 is full colour, four times slower none.
      const double strength =
          at.slowdown ? std::clamp(1 - std::log(std::max(1.0, *at.slowdown)) / std::log(4.0), 0.0, 1.0) : 0;
      drawn += fmt::format(
          "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.0f}\" class=\"{}\" "
          "fill-opacity=\"{:.2f}\"><title>{}</title></rect>",
          x + 1, y + 1, cell - 2, kRow - 2, at.slowdown ? "heat" : "heat none",
          at.slowdown ? 0.06 + 0.84 * strength : 1, html(text(at.label)));
      const std::string value = at.slowdown ? *at.slowdown < 9.995    ? fmt::format("{:.2f}", *at.slowdown)
                                              : *at.slowdown < 9999.5 ? fmt::format("{:.0f}", *at.slowdown)
                                                                      : fmt::format("{:.0e}", *at.slowdown)
                                : at.tried ? at.only_slower ? "slower" : "failed"
                                            : "";
      drawn += text_at(x + cell / 2, y + 16, fitted_to(value, cell - 2),
                       strength > 0.55 ? "heattext strong" : "heattext", "middle");
    }
  }
  return drawn + "</svg>";
}

std::string svg(const RangeChart& chart) {
  constexpr double kWidth = 940, kHeight = 260, kLeft = 58, kTop = 14, kBottom = 26;
  std::string drawn = opened(kWidth, kHeight, chart.title);
  if (chart.ranges.empty()) return drawn + "</svg>";
  double lo = 1e300, hi = 0;
  for (const RangeChart::Range& range : chart.ranges) {
    lo = std::min({lo, range.lo, range.seen});
    hi = std::max({hi, range.hi, range.seen});
  }
  lo = std::max(lo * 0.9, 1e-9);
  hi *= 1.1;
  const auto y = [&](double value) {
    return kHeight - kBottom -
           (kHeight - kBottom - kTop) * (std::log(std::max(value, lo)) - std::log(lo)) / (std::log(hi) - std::log(lo));
  };
  double last_y = 1e9;
  for (const double tick : log_ticks(lo, hi)) {
    if (last_y - y(tick) < 15) continue;
    last_y = y(tick);
    drawn += line_at(kLeft, y(tick), kWidth - 8, y(tick), "grid") +
             text_at(kLeft - 6, y(tick) + 4, ratio(tick), "tick", "end");
  }
  const double step = (kWidth - kLeft - 20) / static_cast<double>(chart.ranges.size());
  for (std::size_t i = 0; i < chart.ranges.size(); ++i) {
    const RangeChart::Range& range = chart.ranges[i];
    const double x = kLeft + 8 + step * (static_cast<double>(i) + 0.5);
    const bool held = range.seen >= range.lo && range.seen <= range.hi;
    drawn += line_at(x, y(range.lo), x, y(range.hi), "range");
    drawn +=
        held ? fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3.2\" class=\"held\"><title>{}</title></circle>", x,
                           y(range.seen), html(text(range.label)))
             : fmt::format("<path d=\"M{0:.1f} {1:.1f}l4 4m0 -4l-4 4\" class=\"missed\"><title>{2}</title></path>",
                           x - 2, y(range.seen) - 2, html(text(range.label)));
  }
  return drawn + text_at(kLeft + 8, kHeight - 6, chart.unit, "tick faint") + "</svg>";
}

}  // namespace harness::report
