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
    properties[field.name] = {{"type", field.type}};
    if (*field.what != 0) properties[field.name]["description"] = field.what;
    if (field.required) required.push_back(field.name);
  }
  json schema = {{"type", "object"}, {"properties", properties}, {"additionalProperties", false}};
  if (!required.empty()) schema["required"] = required;
  return schema;
}

constexpr Field kKernel{"kernel", "string", "A name of the tool kernels", true};
constexpr Field kMaybeKernel{"kernel", "string", ""};
constexpr Field kWorkload{"workload", "string", "A name, or sizes (\"M=64 N=512\"); default: the first of 'default'"};
constexpr Field kOffset{"offset", "integer", "next_offset of the page before"};
constexpr Field kLimit{"limit", "integer", ""};
constexpr Field kJob{"job", "integer", "", true};
constexpr Field kWait{"wait_s", "number", "Seconds to wait, at most 45; then the job goes on"};
constexpr Field kVariant{"variant", "string", "Whose manifest and source hold; default: the baseline"};
constexpr Field kSource{"source", "string", "A whole CUDA source; keep the entry's name and arguments"};
constexpr Field kEdits{"edits", "array", "[{search, replace}], each fits one place of the source"};
constexpr Field kManifest{
    "manifest", "object",
    "Parts that change: params, steps, ... (describe, header \"manifest\"), functions as texts; or lua: a text that "
    "assigns them. Makes a variant 'proposed_N'"};
constexpr Field kParameters{"parameters", "object", "Values; the others take their first"};
constexpr Field kSets{"parameter_sets", "array", "Search: at most 16 objects of values, in the place of `parameters`"};
constexpr Field kTechnique{"technique", "string", "What it does, in a word"};

Tool reads(const char* name, const char* title, const char* description, json input) {
  return {name, title, description, std::move(input), true, false, true};
}
Tool acts(const char* name, const char* title, const char* description, json input, bool destructive = false,
          bool idempotent = false) {
  return {name, title, description, std::move(input), false, destructive, idempotent};
}

/// A field whose description stands at another tool: the list is paid for by the byte.
constexpr Field bare(const Field& field) {
  return {field.name, field.type, "", field.required};
}

/// Those of evaluate that say what a candidate is.
json candidate_schema() {
  return schema_of({bare(kKernel), bare(kVariant), bare(kSource), bare(kEdits), bare(kManifest), bare(kParameters),
                    bare(kSets), bare(kWorkload), bare(kWait)});
}

std::vector<Tool> knowing_tools() {
  return {
      reads("kernels", "List the kernels", "All kernels with their workloads. Begin here.",
            schema_of({{"offset", "integer", ""}})),
      reads(
          "describe", "Describe a kernel",
          "What a kernel must compute: arguments, domain, sizes, work, device, the reference's source, and an index of "
          "headers.",
          schema_of(
              {kKernel,
               kWorkload,
               kOffset,
               {"header", "string", "Instead: the text of a header, or \"manifest\": how launches are written"}})),
      reads(
          "read_variant", "Read a variant", "A variant's CUDA source, or its Lua manifest.",
          schema_of(
              {kKernel, {"variant", "string", "", true}, {"part", "string", "source (default) or manifest"}, kOffset})),
  };
}

std::vector<Tool> judging_tools() {
  return {
      acts("compile", "Compile a source",
           "Seconds: whether it compiles for the GPU, registers, spills. Arguments as evaluate's.", candidate_schema(),
           false, true),
      acts(
          "predict", "Predict a time",
          "Seconds, also at a GPU's sizes: the time that counting sampled blocks predicts, and what limits it. No gate "
          "judges it. Arguments as evaluate's.",
          candidate_schema(), false, true),
      acts("evaluate", "Evaluate a source",
           "Builds, judges and times a candidate, or one for each of parameter_sets. Answers with the verdict against "
           "the "
           "session's best, what limits it and what to do next; or with a job. Costs budget, unless asked before.",
           schema_of({kKernel,
                      kVariant,
                      kSource,
                      kEdits,
                      kManifest,
                      kParameters,
                      kSets,
                      kWorkload,
                      kTechnique,
                      {"label", "string", "Your hypothesis in a few words"},
                      kWait})),
      reads("job", "Ask after a job", "The verdict of an evaluation or the state of a campaign.",
            schema_of({kJob, bare(kWait)})),
      acts("cancel", "Stop a job", "It ends as interrupted; what it spent stays spent.", schema_of({kJob}), true, true),
      reads("compare", "Compare two iterations", "What differs, and which is faster.",
            schema_of({{"a", "integer", "", true}, {"b", "integer", "", true}})),
      acts("profile", "Profile an iteration", "What limits an iteration: a digest, then numbers line by line.",
           schema_of({{"iteration", "integer", "", true}, bare(kWait)}), false, true),
  };
}

std::vector<Tool> record_tools() {
  return {
      reads("best", "The best so far", "The fastest candidate of every workload.", schema_of({kMaybeKernel})),
      reads("history", "Recorded iterations", "Newest first.",
            schema_of({kMaybeKernel,
                       {"workload", "string", ""},
                       {"variant", "string", ""},
                       {"outcome", "string", "passed, wrong_answer, compile_error, ..."},
                       {"session", "boolean", "Only this session's"},
                       kLimit})),
      reads("query", "Ask the record in SQL",
            "One SELECT over the views agent_iterations, agent_techniques, ...: resource harness://schema.",
            schema_of({{"sql", "string", "", true}})),
      reads("similar_attempts", "What was tried like this",
            "What each technique was worth, the attempts most like yours, notes. Ask first.",
            schema_of({kKernel,
                       {"workload", "string", ""},
                       {"variant", "string", ""},
                       {"technique", "string", ""},
                       {"fingerprint", "string", "Only the same mistake"},
                       {"outcome", "string", ""},
                       {"parameters", "object", "Those with the most of these values first"},
                       kLimit})),
      reads("playbook", "Optimization patterns", "The patterns, a line each; with an id the page.",
            schema_of({{"id", "string", "Number or name"}, kOffset})),
      reads("floor", "The speed of light", "The time that nothing can beat there.",
            schema_of({kKernel, bare(kWorkload)})),
      reads("budget", "What is left", "The session's budget and newest jobs.", schema_of({})),
  };
}

std::vector<Tool> acting_tools() {
  return {
      acts("note", "Write down what was learnt", "Keeps a sentence for those who come later; without text: reads.",
           schema_of(
               {{"text", "string", "At most 2,000 bytes"}, kMaybeKernel, {"iteration", "integer", "That shows it"}})),
      acts("adopt", "Make files", "Files of a new variant from an iteration, or of a new kernel from a CUDA program.",
           schema_of({{"iteration", "integer", "One that passed"},
                      {"source", "string", "Instead: a whole .cu with its launch and main"},
                      {"name", "string", ""},
                      {"options", "array", "With source, as harness adopt takes them: \"--size\", \"n=4096\""},
                      bare(kWait)})),
      acts("campaign_start", "Search parameters", "The harness searches a kernel's variants and parameters by itself.",
           schema_of({kKernel,
                      {"budget_s", "number", "Default: 60, or what is left"},
                      {"variants", "array", "Only these"},
                      bare(kWorkload)})),
  };
}

}  // namespace

const char* const kInstructions =
    "harness judges and times variants of CUDA kernels within a budget, and keeps a record. Begin with kernels, "
    "describe and read_variant; ask similar_attempts and playbook; compile and predict are cheap; evaluate one idea at "
    "a "
    "time with a label that says the hypothesis. Times are named by what they are: time_ns was measured on a GPU; "
    "predicted_ns "
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
           "3. Form one hypothesis. predict it with `edits` or `source`: the digest says what limits it. Then evaluate "
           "it\n"
           "   with the hypothesis as label and a technique in a word.\n"
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
