#pragma once
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "harness/serve_mcp/arguments.h"
#include "harness/serve_mcp/toolbox.h"
#include "harness/serve_mcp/workshop.h"

namespace harness::mcp {

/// The tools of harness for one session. Nothing is opened before the first call.
class HarnessTools : public Toolbox {
 public:
  explicit HarnessTools(Workshop workshop) : workshop_(std::move(workshop)) {}

  const std::vector<Tool>& tools() const override;
  ToolStep call(const std::string& tool, const json& arguments) override;
  JobLook look(std::int64_t job) override;
  void cancel(std::int64_t job) override;
  std::vector<Resource> resources() override;
  std::vector<Resource> resource_templates() const override;
  std::optional<std::string> read_resource(const std::string& uri) override;
  const std::vector<Prompt>& prompts() const override;
  std::optional<std::string> prompt_text(const std::string& prompt, const json& arguments) override;

 private:
  // know.cpp: what there is
  Answer kernels(const Arguments& arguments);
  Answer describe(const Arguments& arguments);
  Answer read_variant(const Arguments& arguments);
  Answer playbook(const Arguments& arguments);
  Answer floor(const Arguments& arguments);
  Problem problem_of(const std::string& kernel, const std::string& workload);
  std::string workload_of(const std::string& kernel, const std::string& asked);
  std::string header_text(const std::string& kernel, const std::string& wanted);
  std::string contract_text(const std::string& kernel, const std::string& workload);

  // ask_record.cpp: what is recorded
  Answer best(const Arguments& arguments);
  Answer history(const Arguments& arguments);
  Answer query(const Arguments& arguments);
  Answer similar_attempts(const Arguments& arguments);
  Answer compare(const Arguments& arguments);
  Answer note(const Arguments& arguments);
  Answer budget();
  Answer iteration(std::int64_t id, bool with_source);

  // jobs.cpp: what is done
  ToolStep evaluate(const Arguments& arguments);
  ToolStep cheap_step(const std::string& kind, const Arguments& arguments);  // compile, predict
  /// What a job is asked to look at; `source`: the text that stands in the place of the variant's own.
  json candidate_request(const Arguments& arguments, std::string& source);
  ToolStep start(AgentJob job, double wait_s);
  Answer too_many_jobs();
  ToolStep wait_for(const Arguments& arguments);
  Answer stop(const Arguments& arguments);
  ToolStep adopt(const Arguments& arguments);
  ToolStep adopt_source(const Arguments& arguments);
  ToolStep profile(const Arguments& arguments);
  ToolStep campaign_start(const Arguments& arguments);
  std::string source_of(const Arguments& arguments, const std::string& variant);
  std::string request_key(const json& request, const std::string& source);
  std::optional<Answer> refused_for_budget();  // nothing: there is some left

  Answer answered(const std::string& tool, const Arguments& arguments);
  Answer with_budget(Answer answer);
  FormulaCatalog& catalog();
  void look_at_plugins();  // before each call: what changed is read again
  void know_proposals();   // and what this session made is a variant
  Archive& archive();
  const DeviceInfo& device();
  const AgentSession& session();  // as it is now

  const std::string& program_hash();

  Workshop workshop_;
  std::string program_hash_;
  std::vector<std::string> plugin_folders_;
  std::unique_ptr<FormulaCatalog> catalog_;
  std::string catalog_stamp_;                            // of the plugin folders when it was read
  std::map<std::string, std::string> admission_hashes_;  // by kernel, of this catalog
  std::int64_t last_proposal_ = 0;                       // that this catalog knows
  std::unique_ptr<Archive> archive_;
  std::optional<DeviceInfo> device_;
  std::optional<AgentSession> session_;
};

/// Changes when a file below one of the folders does: names, sizes and times.
std::string stamp_of(const std::vector<std::string>& folders);

}  // namespace harness::mcp
