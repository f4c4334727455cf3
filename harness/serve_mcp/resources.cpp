#include <charconv>

#include "harness/core/error.h"
#include "harness/serve_mcp/harness_tools.h"
#include "harness/serve_mcp/veil.h"

// Longer texts by their address.
namespace harness::mcp {
namespace {

constexpr std::string_view kScheme = "harness://";

std::vector<std::string> parts_of(std::string_view rest) {
  std::vector<std::string> parts;
  while (!rest.empty()) {
    const std::size_t slash = rest.find('/');
    parts.emplace_back(rest.substr(0, slash));
    rest = slash == std::string_view::npos ? "" : rest.substr(slash + 1);
  }
  return parts;
}

std::int64_t number_of(const std::string& text) {
  std::int64_t number = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
  return read.ec == std::errc() && read.ptr == text.data() + text.size() ? number : 0;
}

}  // namespace

std::vector<Resource> HarnessTools::resources() {
  look_at_plugins();
  std::vector<Resource> all = {{"harness://schema", "schema", "The views that the tool query may read"}};
  for (const std::string& kernel : catalog().kernel_names())
    all.push_back({"harness://contract/" + kernel, "contract of " + kernel,
                   "Reference and headers of the kernel " + kernel, "text/x-c++src"});
  for (const Pattern& each : workshop_.playbook()->patterns())
    if (each.error.empty())
      all.push_back({"harness://page/" + std::to_string(each.id), each.name, each.title, "text/markdown"});
  return all;
}

std::vector<Resource> HarnessTools::resource_templates() const {
  return {
      {"harness://source/{kernel}/{variant}", "source", "A variant's source", "text/x-c++src"},
      {"harness://iteration/{number}", "iteration", "One iteration, as far as agents may know it", "application/json"},
      {"harness://iteration/{number}/source", "source of an iteration", "The source that it ran", "text/x-c++src"},
      {"harness://report/{campaign}", "report", "A campaign's iterations, best first", "application/json"}};
}

std::optional<std::string> HarnessTools::read_resource(const std::string& uri) {
  if (!uri.starts_with(kScheme)) return std::nullopt;
  look_at_plugins();
  const std::vector<std::string> parts = parts_of(std::string_view(uri).substr(kScheme.size()));
  const std::size_t count = parts.size();
  if (count == 1 && parts[0] == "schema") {
    std::string text;
    for (const AgentView& view : archive().sessions().agent_views()) text += view.name + ": " + view.columns + "\n";
    return text;
  }
  if (count == 2 && parts[0] == "contract") return contract_text(parts[1], workload_of(parts[1], ""));
  if (count == 2 && parts[0] == "page") return workshop_.playbook()->pattern(parts[1]).text;
  if (count == 3 && parts[0] == "source") {
    if (find_variant(catalog().kernel(parts[1]), parts[2]) == nullptr) return std::nullopt;
    return catalog().plugin(parts[1]).variant_texts(parts[2]).source;
  }
  if (count < 2 || number_of(parts[1]) <= 0) return std::nullopt;
  const std::int64_t number = number_of(parts[1]);
  if (count == 2 && parts[0] == "iteration") return text_of(iteration(number, false));
  if (count == 3 && parts[0] == "iteration" && parts[2] == "source") {
    iteration(number, false);  // not of a confirmation
    const json source = archive().history().iteration(number, true).value("source", json());
    return source.is_string() ? std::optional(source.get<std::string>()) : std::nullopt;
  }
  if (count == 2 && parts[0] == "report") {
    const SqlAnswer ranked = archive().sessions().ranked_iterations(number);
    return text_of({{"columns", ranked.columns}, {"rows", ranked.rows}});
  }
  return std::nullopt;
}

}  // namespace harness::mcp
