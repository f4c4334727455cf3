#include "harness/serve_http/pages.h"

#include <algorithm>

namespace harness::http {
namespace {

std::vector<std::string_view> steps_of(std::string_view path) {
  std::vector<std::string_view> steps;
  while (!path.empty()) {
    path.remove_prefix(1);  // the slash
    const std::size_t end = std::min(path.find('/'), path.size());
    steps.push_back(path.substr(0, end));
    path.remove_prefix(end);
  }
  return steps;
}

bool fits(std::string_view pattern, std::string_view path, PageWords& words) {
  const auto wanted = steps_of(pattern), steps = steps_of(path);
  if (wanted.size() != steps.size()) return false;
  PageWords found;
  for (std::size_t at = 0; at < steps.size(); ++at) {
    if (wanted[at].starts_with(":") && !steps[at].empty()) found[std::string(wanted[at].substr(1))] = steps[at];
    else if (wanted[at] != steps[at]) return false;
  }
  words = std::move(found);
  return true;
}

}  // namespace

const std::vector<Page>& pages() {
  static const std::vector<Page> all{
      {"/campaigns", {"campaigns"}},
      {"/campaign/:campaign",
       {"workloads", "campaign", "curve", "ends", "events", "decisions", "spend", "techniques", "cards", "proposals"}},
      {"/campaign/:campaign/curve", {"curve", "workloads"}, Detail::none, false},
      {"/campaign/:campaign/report",
       {"gains", "heat", "parameters", "failures", "calibration", "predictions", "profiles", "rules", "rivals",
        "unchecked", "card_records", "across_cards", "card_calibrations", "environment"},
       Detail::report,
       false},
      {"/campaign/:campaign/proposals", {"proposals"}, Detail::none, false},
      {"/campaign/:campaign/proposal/:number", {"proposal", "proposals"}},
      {"/attempts", {"attempts"}},
      {"/facets", {"facets"}, Detail::none, false},
      {"/attempt/:iteration",
       {"attempt", "kin", "again", "profile"},
       Detail::iteration,
       true,
       {},
       {"attempt_gates", "attempt_samples"}},
      {"/attempt/:iteration/digest", {}, Detail::digest, false},
      {"/difference",
       {},
       Detail::difference,
       false,
       {"/difference/times", "/difference/resources"},
       {"compared_attempts"}},
      {"/compare", {}, Detail::comparison, true, {"/comparison/workloads"}, {"compared"}},
      {"/kernels", {"kernels"}},
      {"/kernel/:kernel", {"kernel_bests", "kernel_history", "kernel_parameters"}},
      {"/kernel/:kernel/heat", {"kernel_heat"}, Detail::none, false},
      {"/kernel/:kernel/points", {"kernel_points"}, Detail::none, false},
      {"/devices", {"devices", "drivers", "card_checks"}},
      {"/playbook", {}, Detail::patterns, true, {"/patterns"}, {"patterns"}},
      {"/playbook/:pattern", {}, Detail::pattern, true, {"/pattern/applications"}, {"applied"}},
      {"/query", {"schema"}},
      {"/answer", {}, Detail::answer, false},
  };
  return all;
}

const std::vector<Page>& agent_pages() {
  static const std::vector<Page> all{
      {"/campaigns", {"agent_campaigns", "agent_notes"}},
      {"/campaign/:campaign",
       {"agent_campaign", "agent_one_campaign", "agent_bests", "agent_outcomes", "agent_decisions", "agent_proposals"}},
      {"/attempt/:iteration", {"agent_attempt", "agent_gates"}},
      {"/query", {}},
      {"/answer", {}, Detail::answer, false},
  };
  return all;
}

std::optional<AskedPage> find_page(const std::string& path, bool agents) {
  std::string name = path == "/" ? "/campaigns" : path, form;
  for (const char* ending : {"json", "csv", "sql"}) {
    if (!name.ends_with(std::string(".") + ending)) continue;
    form = ending;
    name.resize(name.size() - form.size() - 1);
    break;
  }
  for (const Page& page : agents ? agent_pages() : pages()) {
    PageWords words;
    if (fits(page.pattern, name, words)) return AskedPage{&page, std::move(words), form};
  }
  return std::nullopt;
}

}  // namespace harness::http
