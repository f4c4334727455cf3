#include "harness/serve_mcp/harness_tools.h"

#include <fmt/format.h>

#include <filesystem>

#include "harness/campaign/proposed_variants.h"
#include "harness/core/error.h"
#include "harness/core/hash.h"
#include "harness/serve_mcp/tool_table.h"
#include "harness/service/new_problem.h"

namespace fs = std::filesystem;

namespace harness::mcp {

std::string stamp_of(const std::vector<std::string>& folders) {
  Sha256 stamp;
  for (const std::string& folder : folders) {
    std::error_code gone;
    for (auto each = fs::recursive_directory_iterator(folder, gone); each != fs::recursive_directory_iterator();
         each.increment(gone)) {
      if (gone) break;
      if (!each->is_regular_file(gone)) continue;
      stamp.field(each->path().string());
      stamp.field(fmt::format("{} {}", each->file_size(gone), each->last_write_time(gone).time_since_epoch().count()));
    }
  }
  return stamp.hex();
}

json judge_now(Catalog& catalog, const std::string& program_hash) {
  json kernels = json::object();
  for (const std::string& name : catalog.kernel_names()) {
    try {
      if (has_kernel(catalog, name)) kernels[name] = catalog.plugin(name).admission_hash();
    } catch (const Error&) {  // it cannot be read, so nothing will be judged by it
    }
  }
  return {{"program", program_hash}, {"kernels", kernels}};
}

std::string judge_changed(const json& begun, const json& now, const std::string& kernel, const std::string& session) {
  const auto refusal = [&](const std::string& what) {
    return fmt::format(
        "{} changed since the session '{}' began, so results could no longer be compared; restore it, or begin another "
        "session (--session NAME)",
        what, session);
  };
  if (begun.value("program", json()) != now.value("program", json())) return refusal("the harness program");
  const json kernels = begun.value("kernels", json::object());
  if (!kernels.contains(kernel)) return "";  // it came later
  const json judged = now.value("kernels", json::object()).value(kernel, json());
  if (judged == kernels[kernel]) return "";
  return refusal(fmt::format("the contract, reference, baseline or gates of kernel '{}'", kernel));
}

const std::vector<Tool>& HarnessTools::tools() const {
  return tool_table();
}

const std::vector<Prompt>& HarnessTools::prompts() const {
  return prompt_table();
}

std::optional<std::string> HarnessTools::prompt_text(const std::string& prompt, const json& arguments) {
  return filled_prompt(prompt, arguments);
}

FormulaCatalog& HarnessTools::catalog() {
  if (!catalog_) {
    plugin_folders_ = workshop_.plugin_folders();
    catalog_stamp_ = stamp_of(plugin_folders_);
    catalog_ = workshop_.catalog();
  }
  return *catalog_;
}

void HarnessTools::look_at_plugins() {
  if (!catalog_ || stamp_of(plugin_folders_) == catalog_stamp_) return;
  catalog_.reset();
  admission_hashes_.clear();
  last_proposal_ = 0;
}

void HarnessTools::know_proposals() {
  std::vector<ProposalRecord> fresh = archive().ledger().proposals(session().campaign);
  std::erase_if(fresh, [&](const ProposalRecord& each) { return each.number <= last_proposal_; });
  if (fresh.empty()) return;
  restore_proposed(catalog(), fresh, "");
  last_proposal_ = fresh.back().number;
}

const std::string& HarnessTools::program_hash() {
  if (program_hash_.empty()) program_hash_ = workshop_.program_hash();
  return program_hash_;
}

Archive& HarnessTools::archive() {
  if (!archive_) archive_ = workshop_.archive();
  return *archive_;
}

const DeviceInfo& HarnessTools::device() {
  if (!device_) device_ = workshop_.device();
  return *device_;
}

const AgentSession& HarnessTools::session() {
  if (session_) {
    session_ = archive().sessions().session(session_->campaign);
    return *session_;
  }
  CampaignRecord record = workshop_.session;
  record.device = device().device;
  record.device_name = device().name;
  record.environment["device"] = device();
  session_ = archive().sessions().open_session(record, judge_now(catalog(), program_hash()));
  return *session_;
}

Answer HarnessTools::with_budget(Answer answer) {
  const AgentSession& now = session();
  answer["budget"] = {{"session", now.name},
                      {"left_s", or_null(now.left_s())},
                      {"left_usd", or_null(now.left_usd())},
                      {"spent_s", now.spent_s}};
  return answer;
}

Answer HarnessTools::answered(const std::string& tool, const Arguments& arguments) {
  if (tool == "kernels") return kernels(arguments);
  if (tool == "describe") return describe(arguments);
  if (tool == "read_variant") return read_variant(arguments);
  if (tool == "playbook") return playbook(arguments);
  if (tool == "floor") return floor(arguments);
  if (tool == "best") return best(arguments);
  if (tool == "history") return history(arguments);
  if (tool == "query") return query(arguments);
  if (tool == "similar_attempts") return similar_attempts(arguments);
  if (tool == "compare") return compare(arguments);
  if (tool == "note") return note(arguments);
  if (tool == "cancel") return stop(arguments);
  return budget();
}

ToolStep HarnessTools::call(const std::string& tool, const json& given) {
  const Arguments arguments(find_tool(tool), given);
  look_at_plugins();
  know_proposals();
  ToolStep step;
  if (tool == "evaluate") step = evaluate(arguments);
  else if (tool == "compile" || tool == "predict") step = cheap_step(tool, arguments);
  else if (tool == "campaign_start") step = campaign_start(arguments);
  else if (tool == "adopt") step = adopt(arguments);
  else if (tool == "profile") step = profile(arguments);
  else if (tool == "job") step = wait_for(arguments);
  else step.answer = answered(tool, arguments);
  if (step.job == 0) step.answer = with_budget(std::move(step.answer));
  return step;
}

}  // namespace harness::mcp
