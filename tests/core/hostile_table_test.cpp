#include <algorithm>
#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "tests/support/generated_table.h"

using nlohmann::json;

namespace {

bool runs_on_a_gpu(const json& attack) {
  const auto& devices = attack.at("devices");
  return std::find(devices.begin(), devices.end(), "cuda") != devices.end();
}

std::string text(const json& attack, const char* field) {
  return attack.at(field).get<std::string>();
}

/// Wrong for few inputs or sizes alone: what the gates `comparisons` and `unreached` are for.
bool is_rarely_wrong(const json& attack) {
  static const std::set<std::string> kEntries{"B27", "B29", "B30", "B33", "B35", "B37",
                                              "B38", "B39", "B40", "B42", "B43"};
  return kEntries.contains(text(attack, "entry"));
}

/// The attacks in device code, which every device sees, or those that only the cpu device can; of the first those that
/// are rarely wrong, or the others.
std::string attacks_table(bool on_gpu, bool rare = false) {
  std::string table = on_gpu ? "| entry | attack | variant | cpu | H200 |\n|---|---|---|---|---|\n"
                             : "| entry | attack | variant | cpu |\n|---|---|---|---|\n";
  auto attacks = json::parse(harness::tests::file_text(HARNESS_SOURCE_DIR "/tests/hostile/expectations.json"))
                     .get<std::vector<json>>();
  std::ranges::stable_sort(attacks, {}, [](const json& attack) {
    const std::string entry = text(attack, "entry");
    return std::pair(entry.size(), entry);  // B9 before B10
  });
  for (const json& attack : attacks) {
    if (runs_on_a_gpu(attack) != on_gpu || (on_gpu && is_rarely_wrong(attack) != rare)) continue;
    table += "| " + text(attack, "entry") + " | " + text(attack, "attack") + " | `" + text(attack, "kernel") + "/" +
             text(attack, "variant") + "` | " + attack.at("seen").value("cpu", "?") + " |";
    if (on_gpu) table += " " + attack.at("seen").value("H200", "?") + " |";
    table += "\n";
  }
  return table;
}

}  // namespace

// Set HARNESS_APPROVE=1 to write the tables as they are now.
TEST_CASE("the tables of hostile kernels are those of the attacks and their expectations") {
  harness::tests::check_generated("docs/hostile.md", "hostile", attacks_table(true));
  harness::tests::check_generated("docs/reports/hostile_rare.md", "hostile-rare", attacks_table(true, true));
  harness::tests::check_generated("docs/reports/hostile_native.md", "hostile-cpu", attacks_table(false));
}
