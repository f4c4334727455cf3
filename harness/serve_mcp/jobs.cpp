#include <fmt/format.h>

#include <algorithm>

#include "harness/campaign/proposal_reply.h"
#include "harness/core/error.h"
#include "harness/core/hash.h"
#include "harness/core/torch_call.h"
#include "harness/core/utf8.h"
#include "harness/serve_mcp/agent_adopt.h"
#include "harness/serve_mcp/harness_tools.h"

// What is done: evaluations and campaigns, each by a process of its own, and files of a new variant.
namespace harness::mcp {
namespace {

constexpr double kLongestWaitS = 45;  // hosts give up after 60 s
constexpr double kLeastS = 0.5;       // an evaluation is not begun with less
constexpr double kUsualCampaignS = 60;
constexpr std::int64_t kMostOpenJobs = 8;  // of a session: each is a process, and one at a time has the device
constexpr std::size_t kLongestSource = 1 << 20, kLongestLabel = 200, kMostSets = 16;

double wait_of(const Arguments& arguments, double otherwise) {
  return std::clamp(arguments.maybe_number("wait_s").value_or(otherwise), 0.0, kLongestWaitS);
}

bool over(const AgentJob& job) {
  return job.state == JobState::done || job.state == JobState::interrupted || job.state == JobState::lost;
}

std::vector<SourceEdit> edits_of(const json& given) {
  std::vector<SourceEdit> edits;
  for (const json& each : given) {
    if (!each.is_object() || !each.value("search", json()).is_string() || !each.value("replace", json()).is_string())
      throw bad_input("evaluate: 'edits' is a list of {\"search\": text, \"replace\": text}");
    edits.push_back({each["search"], each["replace"]});
  }
  return edits;
}

/// What a job does now. Its session's row says more than its age, or that of the campaign that it began.
std::string doing(const AgentJob& job, const std::vector<LiveRow>& rows, double now_unix) {
  if (job.state == JobState::waiting) return job.owner.empty() ? "beginning" : "waiting for the device";
  const std::string age =
      fmt::format("running for {:.0f} s", std::max(0.0, now_unix - job.begun_unix.value_or(now_unix)));
  const bool began_campaign = job.kind == "campaign";
  for (const LiveRow& row : rows) {
    const bool of_job = began_campaign ? row.name == campaign_name(job) : row.live.campaign == job.campaign;
    if (of_job && row.state == Liveness::running && !row.live.doing.empty())
      return fmt::format("{}: {}{}{}", age, row.live.phase, row.live.phase.empty() ? "" : ", ", row.live.doing);
  }
  return age;
}

double now_unix() {
  return static_cast<double>(std::time(nullptr));
}

Answer ended_answer(const AgentJob& job) {
  Answer answer;
  if (job.answer.is_object()) answer = Answer(job.answer);
  else if (job.state == JobState::lost)
    answer = failure("lost", "the process of this job ended before it had an answer", "ask for the same again");
  else answer = failure("interrupted", "this job was stopped before it had an answer", "ask for the same again");
  answer["job"] = job.id;
  answer["state"] = std::string(name(job.state));
  return answer;
}

std::string checked_source(std::string source) {
  if (source.size() > kLongestSource) throw bad_input("a source has 1 MiB at most");
  if (source.find('\0') != std::string::npos || valid_utf8(source) != source)
    throw bad_input("the source is no UTF-8 text");
  return source;
}

bool is_technique(const std::string& word) {
  constexpr std::size_t kLongestTechnique = 40;
  return word.size() <= kLongestTechnique && std::ranges::all_of(word, [](char c) {
           return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_';
         });
}

/// `ok` and what decides, first: the record's JSON keeps no order of keys.
Answer in_order(const Answer& answer) {
  static constexpr const char* kFirst[] = {
      "ok",          "passed", "outcome",   "verdict",   "speedup",  "time_ns",      "predicted_ns",
      "emulated_ns", "times",  "error",     "is_best",   "best_ns",  "gates_failed", "error_of_candidate",
      "baseline_ns", "digest", "evaluated", "emulation", "iteration"};
  Answer ordered = Answer::object();
  for (const char* key : kFirst)
    if (answer.contains(key)) ordered[key] = answer[key];
  for (const auto& [key, value] : answer.items())
    if (!ordered.contains(key) && key != "next") ordered[key] = value;
  ordered["next"] = answer.value("next", "");
  return ordered;
}

}  // namespace

std::optional<Answer> HarnessTools::refused_for_budget() {
  const AgentSession& now = session();
  const auto left = now.left_s();
  if (!now.spent() && (!left || *left >= kLeastS)) return std::nullopt;
  return failure("budget", fmt::format("the budget of session '{}' is spent: nothing more is evaluated", now.name),
                 "ask what was recorded: best, history, query; note what was learnt");
}

std::string HarnessTools::source_of(const Arguments& arguments, const std::string& variant) {
  if (arguments.has("source") && arguments.has("edits")) throw bad_input("evaluate: give source or edits, not both");
  std::string source;
  if (arguments.has("source")) source = arguments.text("source");
  else if (arguments.has("edits")) {
    const std::string own = catalog().plugin(arguments.text("kernel")).variant_texts(variant).source;
    const auto edited = edited_source(own, edits_of(arguments.value("edits")));
    if (const auto* problem = std::get_if<ReplyProblem>(&edited)) throw bad_input("evaluate: " + problem->message);
    source = std::get<std::string>(edited);
  }
  return checked_source(std::move(source));
}

/// The same request on the same files of the kernel and under the same judge has the same key.
std::string HarnessTools::request_key(const json& request, const std::string& source) {
  const std::string kernel = request.at("kernel");
  Sha256 key;
  json asked = request;
  for (const char* of_the_record : {"label", "source"}) asked.erase(of_the_record);
  key.field(json_text(asked)).field(source).field(device().name).field(program_hash());
  std::string& admission = admission_hashes_[kernel];
  if (admission.empty()) admission = catalog().plugin(kernel).admission_hash();
  key.field(admission);
  for (const VariantInfo& each : catalog().kernel(kernel).variants)
    if (each.name == request.at("variant")) key.field(each.source_hash);
  key.field(catalog().plugin(kernel).variant_texts(request.at("variant")).manifest);
  return key.hex();
}

json HarnessTools::candidate_request(const Arguments& arguments, std::string& source) {
  const std::string kernel = arguments.text("kernel");
  const KernelInfo& info = catalog().kernel(kernel);
  const std::string variant = arguments.has("variant") ? arguments.text("variant") : first_kernel_of(info).name;
  if (find_variant(info, variant) == nullptr)
    throw bad_input(fmt::format("kernel '{}' has no variant '{}'; describe lists them", kernel, variant));
  const std::string workload = workload_of(kernel, arguments.text("workload"));
  source = source_of(arguments, variant);
  const std::string label = arguments.text("label"), technique = arguments.text("technique");
  if (!technique.empty() && !is_technique(technique))
    throw bad_input("evaluate: 'technique' is a word of letters, digits, '-' and '_', 40 at most");
  if (label.size() > kLongestLabel || valid_utf8(label) != label)
    throw bad_input("evaluate: 'label' is a text of 200 bytes at most");
  Config config = arguments.config("parameters");
  if (!arguments.has("manifest"))  // else its parameters are not known before it is made
    config = catalog().plugin(kernel).default_config(variant, workload, device(), config);
  json request = {
      {"kernel", kernel}, {"variant", variant}, {"workload", workload}, {"parameters", config_to_json(config)}};
  if (arguments.has("manifest")) {
    request["manifest"] = arguments.value("manifest");
    if (const auto problem = manifest_problem(request["manifest"])) throw bad_input("evaluate: " + problem->message);
  }
  if (arguments.has("parameter_sets")) {
    request["parameter_sets"] = arguments.value("parameter_sets");
    const json& sets = request["parameter_sets"];
    if (sets.empty() || sets.size() > kMostSets ||
        !std::ranges::all_of(sets, [](const json& set) { return set.is_object(); }))
      throw bad_input(fmt::format("'parameter_sets' is a list of 1 to {} objects", kMostSets));
  }
  if (!label.empty()) request["label"] = label;
  if (!technique.empty()) request["technique"] = technique;
  if (!source.empty()) request["source"] = source;
  return request;
}

ToolStep HarnessTools::evaluate(const Arguments& arguments) {
  std::string source;
  const json request = candidate_request(arguments, source);
  const std::string key = request_key(request, source);
  if (const auto known = archive().sessions().answered_job(key)) {
    Answer answer = ended_answer(*known);
    answer["recorded"] = true;
    return {in_order(answer)};
  }
  if (const auto refused = refused_for_budget()) return {*refused};
  AgentJob job;
  job.kind = "evaluate";
  job.request = request;
  job.key = key;
  return start(std::move(job), wait_of(arguments, 30));
}

// The same question has the same answer: nothing is measured.
ToolStep HarnessTools::cheap_step(const std::string& kind, const Arguments& arguments) {
  std::string source;
  const json request = candidate_request(arguments, source);
  const std::string key = sha256_hex(kind + " " + request_key(request, source));
  if (const auto known = archive().sessions().answered_job(key)) return {in_order(ended_answer(*known))};
  if (const auto refused = refused_for_budget()) return {*refused};
  AgentJob job;
  job.kind = kind;
  job.request = request;
  job.key = key;
  return start(std::move(job), wait_of(arguments, 45));
}

ToolStep HarnessTools::campaign_start(const Arguments& arguments) {
  const std::string kernel = arguments.text("kernel");
  catalog().kernel(kernel);
  if (const auto refused = refused_for_budget()) return {*refused};
  const double asked = arguments.maybe_number("budget_s").value_or(kUsualCampaignS);
  if (!(asked > 0)) throw bad_input("campaign_start: 'budget_s' is a number of seconds above 0");
  AgentJob job;
  job.kind = "campaign";
  job.request = {{"kernel", kernel}, {"budget_s", asked}, {"variants", json::array()}};
  if (arguments.has("variants"))
    for (const json& each : arguments.value("variants")) {
      if (!each.is_string() || find_variant(catalog().kernel(kernel), each) == nullptr)
        throw bad_input(fmt::format("campaign_start: kernel '{}' has no variant {}", kernel, json_text(each)));
      if (find_variant(catalog().kernel(kernel), each)->proposal)
        throw bad_input(fmt::format(
            "campaign_start: {} stands in no file yet; adopt an iteration of it, then name that", json_text(each)));
      job.request["variants"].push_back(each);
    }
  if (arguments.has("workload")) job.request["workload"] = workload_of(kernel, arguments.text("workload"));
  job.key = sha256_hex(json_text(job.request));
  return start(std::move(job), 0);
}

ToolStep HarnessTools::start(AgentJob job, double wait_s) {
  job.campaign = session().campaign;
  const std::optional<std::int64_t> id = archive().sessions().add_job(job, kMostOpenJobs);
  if (!id) return {too_many_jobs()};
  workshop_.start_job(*id);
  if (wait_s > 0) return {{}, *id, wait_s, true};
  return {look(*id).answer};
}

/// They run one after the other all the same.
Answer HarnessTools::too_many_jobs() {
  std::vector<std::int64_t> open;
  for (const AgentJob& job : archive().sessions().jobs(session().campaign, 200))
    if (!over(job)) open.push_back(job.id);
  std::ranges::sort(open);
  Answer answer =
      failure("busy",
              fmt::format("{} jobs of session '{}' have not ended, and it may have {}: nothing was started",
                          open.size(), session().name, kMostOpenJobs),
              open.empty() ? "ask again in a minute"
                           : fmt::format("job with job {} and wait_s waits for the oldest; cancel stops one", open[0]));
  answer["jobs"] = open;
  return answer;
}

ToolStep HarnessTools::wait_for(const Arguments& arguments) {
  const std::int64_t id = arguments.whole("job", 0);
  JobLook now = look(id);
  const double wait_s = wait_of(arguments, 0);
  if (now.ended || wait_s <= 0) return {std::move(now.answer)};
  return {{}, id, wait_s, false};
}

JobLook HarnessTools::look(std::int64_t id) {
  const AgentJob job = archive().sessions().job(id);
  if (over(job)) return {in_order(with_budget(ended_answer(job))), true, ""};
  const std::string doing_now = doing(job, archive().live().all(), now_unix());
  Answer answer = {
      {"ok", true}, {"state", std::string(name(job.state))}, {"job", id}, {"kind", job.kind}, {"doing", doing_now}};
  if (job.kind == "campaign" && job.answer.is_object() && job.answer.contains("campaign"))
    answer["campaign"] = job.answer["campaign"];
  answer = with_budget(std::move(answer));
  answer["next"] = fmt::format("job with job {} and wait_s waits for it; the verdict is kept, whoever asks", id);
  return {std::move(answer), false, doing_now};
}

void HarnessTools::cancel(std::int64_t job) {
  archive().sessions().cancel_job(job, session().campaign);
}

Answer HarnessTools::stop(const Arguments& arguments) {
  const std::int64_t id = arguments.whole("job", 0);
  const bool was_over = over(archive().sessions().job(id));
  if (!was_over) cancel(id);
  return {{"ok", true},
          {"job", id},
          {"state", was_over ? "it had ended before" : "stopping"},
          {"next", "job says what became of it"}};
}

ToolStep HarnessTools::adopt_source(const Arguments& arguments) {
  AgentJob job;
  job.kind = "adopt";
  job.request = {{"source", checked_source(arguments.text("source"))}, {"options", json::array()}};
  if (const std::string name = arguments.text("name"); !name.empty()) {
    if (!is_technique(name)) throw bad_input("adopt: 'name' is a word of letters, digits, '-' and '_', 40 at most");
    job.request["name"] = name;
  }
  if (arguments.has("options"))
    for (const json& word : arguments.value("options")) {
      if (!word.is_string()) throw bad_input("adopt: 'options' are words");
      job.request["options"].push_back(word);
    }
  if (const std::string unfit = unfit_adopt_options(job.request["options"]); !unfit.empty()) throw bad_input(unfit);
  if (const auto refused = refused_for_budget()) return {*refused};
  job.key = sha256_hex("adopt " + json_text(job.request) + program_hash());
  return start(std::move(job), wait_of(arguments, 45));
}

ToolStep HarnessTools::adopt(const Arguments& arguments) {
  if (arguments.has("source") == arguments.has("iteration"))
    throw bad_input("adopt: give an iteration, or a source, and not both");
  if (arguments.has("source")) return adopt_source(arguments);
  const std::int64_t id = arguments.whole("iteration", 0);
  const Answer found = iteration(id, false);
  if (!found.value("passed", false))
    throw bad_input(
        fmt::format("iteration {} did not pass ({}): nothing is made of it", id, found.value("outcome", "unknown")));
  const json made = workshop_.adopt(id, arguments.text("name"));
  Answer answer = {{"ok", true}, {"variant", made.at("variant")}, {"files", made.at("files")}};
  answer["next"] = "campaign_start searches its parameters";
  return {answer};
}

ToolStep HarnessTools::profile(const Arguments& arguments) {
  const std::int64_t id = arguments.whole("iteration", 0);
  iteration(id, false);  // throws where there is none, or none for agents
  AgentJob job;
  job.kind = "profile";
  job.request = {{"iteration", id}};
  job.key = sha256_hex("profile " + std::to_string(id) + " " + program_hash());
  if (const auto known = archive().sessions().answered_job(job.key)) return {in_order(ended_answer(*known))};
  if (const auto refused = refused_for_budget()) return {*refused};
  return start(std::move(job), wait_of(arguments, 30));
}

}  // namespace harness::mcp
