#include "harness/core/gates.h"

#include <catch2/catch.hpp>
#include <filesystem>
#include <regex>
#include <set>

#include "tests/support/generated_table.h"

using namespace harness;

namespace {

std::string name_on_page(const Gate& gate) {
  return "`" + std::string(gate.written.empty() ? gate.name : gate.written) + "`";
}

std::string devices_on_page(const Gate& gate) {
  return gate.device == GateDevice::gpu ? "GPU" : gate.device == GateDevice::emulation ? "predicted times" : "any";
}

std::string spoils_on_page(const Gate& gate) {
  switch (gate.spoils) {
    case SpoilsSource::no:
      return "";
    case SpoilsSource::at_once:
      return "refused";
    case SpoilsSource::second_time:
      return "refused after two";
    case SpoilsSource::elsewhere:
      return "more sizes";
  }
  return "";
}

std::string gates_table() {
  std::string text =
      "| gate | what it checks | device | screened | source |\n"
      "|---|---|---|---|---|\n";
  for (const Gate* gate : kAllGates)
    if (gate->stage != GateStage::note)
      text += "| " + name_on_page(*gate) + " | " + std::string(gate->checks) + " | " + devices_on_page(*gate) + " | " +
              (gate->screened_out ? "not met" : "") + " | " + spoils_on_page(*gate) + " |\n";
  return text;
}

std::string notes_table() {
  std::string text =
      "| row | what it says |\n"
      "|---|---|\n";
  for (const Gate* gate : kAllGates)
    if (gate->stage == GateStage::note) text += "| " + name_on_page(*gate) + " | " + std::string(gate->checks) + " |\n";
  return text;
}

}  // namespace

TEST_CASE("a recorded name is that of a gate, with a qualifier or without") {
  CHECK(find_gate("finite") == &gate::finite);
  CHECK(find_gate("relative-l2:o") == &gate::relative_l2);
  CHECK(find_gate("form:few spikes") == &gate::form);
  CHECK(find_gate("forms") == &gate::forms);
  CHECK(find_gate("source-policy:ptx") == &gate::source_policy_ptx);
  CHECK(find_gate("source-policy") == &gate::source_policy);
  CHECK(find_gate("relative-l2:o after timing") == &gate::after_timing);
  CHECK(find_gate("timed-launch:cold") == &gate::timed_launch);
  CHECK(find_gate("memory:racecheck") == &gate::memory);
  CHECK(find_gate("finiteness") == nullptr);
  CHECK(find_gate("") == nullptr);
  CHECK(name_of(gate::form, "ramp") == "form:ramp");
  CHECK(after_timing(name_of(gate::written)) == "written after timing");
}

TEST_CASE("the table of gates is in order, and each has a name of its own") {
  std::set<std::string_view> names;
  GateStage stage = GateStage::source;
  for (const Gate* gate : kAllGates) {
    INFO(gate->name);
    CHECK(names.insert(gate->name).second);
    CHECK_FALSE(gate->checks.empty());
    if (gate->stage == GateStage::note) continue;
    CHECK(gate->stage >= stage);
    stage = gate->stage;
    CHECK(gate->screened_out == (stage > GateStage::launch));  // screening ends where the timed size was right
    if (gate->spoils != SpoilsSource::no) CHECK(gate->screened_out);
  }
}

// Whoever makes a result takes the gate's name from the table; so a name is written once.
TEST_CASE("no room writes the name of a gate itself") {
  namespace fs = std::filesystem;
  const std::regex result(
      R"re((GateResult ?\{|return \{|add\(\{|push_back\(\{)"([a-z][a-z0-9-]*)(:[^"]*)?", ?(true|false|[a-z]))re");
  for (const char* room : {"judge", "evaluate", "predict", "worker", "campaign", "fleet"})
    for (const auto& entry : fs::recursive_directory_iterator(std::string(HARNESS_SOURCE_DIR) + "/harness/" + room)) {
      if (entry.path().extension() != ".cpp") continue;
      const std::string text = tests::file_text(entry.path().string());
      for (auto match = std::sregex_iterator(text.begin(), text.end(), result); match != std::sregex_iterator();
           ++match)
        if (find_gate((*match)[2].str()) != nullptr)
          FAIL_CHECK(entry.path() << " writes the name of a gate: " << (*match)[0]);
    }
}

// Set HARNESS_APPROVE=1 to write the tables as they are now.
TEST_CASE("the tables of docs/gates.md are those of the code") {
  tests::check_generated("docs/gates.md", "gates", gates_table());
  tests::check_generated("docs/gates.md", "notes", notes_table());
}
