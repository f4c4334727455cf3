#include "harness/serve_mcp/tool_table.h"

#include <algorithm>

namespace harness::mcp {
namespace {

struct Field {
  const char* name;
  const char* type;
  const char* what;
  bool required = false;
};

json schema_of(std::initializer_list<Field> fields) {
  json properties = json::object(), required = json::array();
  for (const Field& field : fields) {
    properties[field.name] = {{"type", field.type}, {"description", field.what}};
    if (field.required) required.push_back(field.name);
  }
  json schema = {{"type", "object"}, {"properties", properties}, {"additionalProperties", false}};
  if (!required.empty()) schema["required"] = required;
  return schema;
}

constexpr Field kKernel{"kernel", "string", "The kernel's name, as the tool kernels lists it", true};
constexpr Field kMaybeKernel{"kernel", "string", "Only this kernel"};
constexpr Field kWorkload{"workload", "string",
                          "A workload's name, or sizes (\"M=64 N=512\"); default: the first of the set 'default'"};
constexpr Field kOffset{"offset", "integer", "Where in the text to go on: next_offset of the page before"};
constexpr Field kLimit{"limit", "integer", "Rows at most"};
constexpr Field kJob{"job", "integer", "The job's number", true};
constexpr Field kWait{"wait_s", "number", "Seconds to wait for the verdict, at most 45; then the job goes on"};

Tool reads(const char* name, const char* title, const char* description, json input) {
  return {name, title, description, std::move(input), true, false, true};
}
Tool acts(const char* name, const char* title, const char* description, json input, bool destructive = false,
          bool idempotent = false) {
  return {name, title, description, std::move(input), false, destructive, idempotent};
}

std::vector<Tool> knowing_tools() {
  return {
      reads("kernels", "List the kernels", "All kernels with their workloads and variants. Begin here.",
            schema_of({{"offset", "integer", "Skip so many kernels"}})),
      reads("describe", "Describe a kernel",
            "What a kernel must compute: arguments, sizes, work, device, headers that a source may include, and the "
            "reference's source. Long texts come page by page.",
            schema_of({kKernel, kWorkload, kOffset})),
      reads("read_variant", "Read a variant",
            "A variant's CUDA source and Lua manifest (parameters, launch arithmetic), page by page.",
            schema_of({kKernel,
                       {"variant", "string", "The variant's name", true},
                       {"part", "string", "source (default) or manifest"},
                       kOffset})),
  };
}

std::vector<Tool> judging_tools() {
  return {
      acts(
          "evaluate", "Evaluate a source",
          "Builds, judges and times one candidate, beside the kernel's baseline: a variant as it is, or with `source` "
          "(a whole file) or `edits` in the place of its source. Answers with the verdict, or with a job where that "
          "takes longer than wait_s. Costs budget, unless the same was asked before.",
          schema_of({kKernel,
                     {"variant", "string",
                      "The variant whose manifest holds, and whose source the edits are of; default: the baseline"},
                     {"source", "string", "A whole CUDA source; keep the entry's name and arguments"},
                     {"edits", "array", "[{search, replace}]: each must fit exactly one place of the source"},
                     {"manifest", "object",
                      "Parts of the variant's manifest that change: params, options, requires, start as values; steps, "
                      "valid, workspaces as texts of Lua functions. Makes a variant 'proposed_N' of this session"},
                     {"parameters", "object", "Values of the variant's parameters; the others take their first"},
                     kWorkload,
                     {"label", "string", "What to call it in the record: your hypothesis in a few words"},
                     kWait})),
      reads("job", "Ask after a job", "The verdict of an evaluation or the state of a campaign.",
            schema_of({kJob, kWait})),
      acts("cancel", "Stop a job", "A job of this session ends as interrupted; what it spent stays spent.",
           schema_of({kJob}), true, true),
      reads("compare", "Compare two iterations", "Two iterations side by side: what differs, and which is faster.",
            schema_of({{"a", "integer", "An iteration", true}, {"b", "integer", "Another", true}})),
      acts("profile", "Profile an iteration",
           "What bounds an iteration, counted on the cpu device with a predicted time for a GPU. Costs budget once.",
           schema_of({{"iteration", "integer", "An iteration", true}, kWait}), false, true),
  };
}

std::vector<Tool> record_tools() {
  return {
      reads("best", "The best so far", "The fastest candidate of every workload.", schema_of({kMaybeKernel})),
      reads("history", "Recorded iterations", "Iterations, newest first.",
            schema_of({kMaybeKernel,
                       {"workload", "string", "Only this workload"},
                       {"variant", "string", "Only this variant"},
                       {"outcome", "string", "Only this outcome: passed, wrong_answer, compile_error, ..."},
                       {"session", "boolean", "Only this session's"},
                       kLimit})),
      reads("query", "Ask the record in SQL",
            "One SELECT over agent_iterations, agent_gates, agent_campaigns, agent_decisions, agent_techniques, "
            "agent_proposals, agent_notes. The resource harness://schema lists their columns.",
            schema_of({{"sql", "string", "The statement", true}})),
      reads("similar_attempts", "What was tried like this",
            "What each technique was worth on a kernel, and the recorded attempts that are most like yours. Ask before "
            "you evaluate.",
            schema_of({kKernel,
                       {"workload", "string", "Only this workload"},
                       {"variant", "string", "Only this variant"},
                       {"technique", "string", "Only this technique"},
                       {"fingerprint", "string", "Only failures with this fingerprint: the same mistake"},
                       {"outcome", "string", "Only this outcome"},
                       {"parameters", "object", "Those with the most of these values come first"},
                       kLimit})),
      reads("playbook", "Optimization patterns",
            "Without an id: the patterns, one line each. With one: the page, what to do and when it pays.",
            schema_of({{"id", "string", "A pattern's number or name"}, kOffset})),
      reads("floor", "The speed of light", "The time that no implementation of this workload can beat on this device.",
            schema_of({kKernel, kWorkload})),
      reads("budget", "What is left", "The session's budget, what was spent, and its newest jobs.", schema_of({})),
  };
}

std::vector<Tool> acting_tools() {
  return {
      acts("note", "Write down what was learnt",
           "Keeps a sentence for those who work on this kernel later; without text: reads the newest notes.",
           schema_of({{"text", "string", "What was learnt, at most 2,000 bytes"},
                      kMaybeKernel,
                      {"iteration", "integer", "The iteration that shows it"}})),
      acts("adopt", "Make a variant of an iteration",
           "Writes the files of a new variant of the kernel from an iteration that evaluated a source of yours.",
           schema_of({{"iteration", "integer", "An iteration that passed", true},
                      {"name", "string", "The variant's name, without its number"}})),
      acts("campaign_start", "Search parameters",
           "Starts a campaign: the harness itself chooses among a kernel's variants and parameters within a budget.",
           schema_of({kKernel,
                      {"budget_s", "number", "Seconds at most; default: 60, or what is left", false},
                      {"variants", "array", "Only these variants"},
                      kWorkload})),
      reads("campaign_status", "How a campaign goes", "Its state, and the best that it found so far.",
            schema_of({kJob, kWait})),
      acts("campaign_stop", "Stop a campaign", "It ends as interrupted, and keeps what it found.", schema_of({kJob}),
           true, true),
  };
}

}  // namespace

const char* const kInstructions =
    "harness judges and times variants of CUDA kernels within a budget, and keeps a record. Begin with kernels, "
    "describe and read_variant; ask similar_attempts and playbook before you evaluate; evaluate one idea at a time "
    "with "
    "a label that says the hypothesis. Times are named by what they are: time_ns was measured on a GPU; predicted_ns "
    "is "
    "what counting expects of one, emulated_ns a CPU's. Every answer says ok, what is left of the budget, and what to "
    "do next.";

const std::vector<Tool>& tool_table() {
  static const std::vector<Tool> table = [] {
    std::vector<Tool> all = knowing_tools();
    for (auto part : {judging_tools(), record_tools(), acting_tools()}) all.insert(all.end(), part.begin(), part.end());
    return all;
  }();
  return table;
}

const Tool& find_tool(const std::string& name) {
  return *std::find_if(tool_table().begin(), tool_table().end(), [&](const Tool& each) { return each.name == name; });
}

const std::vector<Prompt>& prompt_table() {
  static const std::vector<Prompt> table = {
      {"optimize_kernel", "How to make a kernel faster with this server", {{"kernel", "The kernel's name", true}}},
      {"explain_failure", "How to find out why an iteration failed", {{"iteration", "Its number", true}}},
  };
  return table;
}

std::optional<std::string> filled_prompt(const std::string& name, const json& arguments) {
  const auto value = [&](const char* key) {
    const json given = arguments.is_object() ? arguments.value(key, json()) : json();
    return given.is_string() ? given.get<std::string>() : given.is_number() ? json_text(given) : std::string("?");
  };
  if (name == "optimize_kernel")
    return "Make the kernel '" + value("kernel") +
           "' faster with the tools of harness.\n"
           "1. describe it, and read_variant its baseline and its fastest variant (best).\n"
           "2. similar_attempts and playbook say what was tried and what may pay. floor says what is possible.\n"
           "3. Form one hypothesis. evaluate it with `edits` or `source` and the hypothesis as label.\n"
           "4. If it failed, read error_of_candidate and mend it once; if it is slower, drop it and note why.\n"
           "5. Go on until the budget is spent, the floor is near, or three ideas in a row brought nothing.\n"
           "6. adopt what won, and note what was learnt. Do not write for the shown inputs: hidden ones are judged.\n";
  if (name == "explain_failure")
    return "Find out why iteration " + value("iteration") +
           " failed, with the tools of harness.\n"
           "1. Read the resources harness://iteration/" +
           value("iteration") + " and harness://iteration/" + value("iteration") +
           "/source.\n"
           "2. similar_attempts with its fingerprint shows who made the same mistake, and who mended it.\n"
           "3. Say the cause in one sentence, and evaluate the smallest edit that removes it.\n";
  return std::nullopt;
}

}  // namespace harness::mcp
