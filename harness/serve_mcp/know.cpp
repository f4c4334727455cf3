#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "harness/campaign/arms.h"
#include "harness/campaign/proposal_reply.h"
#include "harness/campaign/proposal_request.h"
#include "harness/core/error.h"
#include "harness/core/floor.h"
#include "harness/core/gpu.h"
#include "harness/core/torch_call.h"
#include "harness/serve_mcp/harness_tools.h"
#include "harness/service/asked_candidate.h"

// What there is: kernels, their contracts and sources, patterns, floors.
namespace harness::mcp {
namespace {

constexpr std::int64_t kKernelsAPage = 20;

Answer variants_of(const KernelInfo& kernel) {
  Answer rows = Answer::array();
  for (const VariantInfo& each : kernel.variants) {
    Answer row = {{"variant", each.name}, {"technique", each.technique}};
    if (each.rival) row["rival"] = true;
    if (!each.requirements.empty()) row["requires"] = each.requirements;
    rows.push_back(std::move(row));
  }
  return rows;
}

/// Without generators, tolerances and comparisons: those are the judge's.
Answer argument_of(const Argument& each) {
  Answer argument = {{"name", each.name}, {"kind", std::string(name(each.kind))}};
  if (is_tensor(each.kind)) {
    argument["dtype"] = std::string(name(each.dtype));
    argument["shape"] = each.shape;
    if (each.align > 0) argument["align"] = each.align;
  }
  if (each.absent) argument["absent"] = true;
  return argument;
}

/// Workloads of other devices than this one, of the size of the GPU that times are predicted for: whoever asks for one
/// here waits for its emulation.
std::vector<std::string> workloads_of_others(const KernelInfo& info, const std::string& kind) {
  std::vector<std::string> names;
  for (const Workload& workload : info.workloads)
    if (!workload.devices.empty() && std::ranges::find(workload.devices, kind) == workload.devices.end())
      names.push_back(workload.name);
  return names;
}

}  // namespace

std::string HarnessTools::workload_of(const std::string& kernel, const std::string& asked) {
  const KernelInfo& info = catalog().kernel(kernel);
  std::vector<std::string> words;
  if (!asked.empty()) words = with_shapes(catalog(), kernel, {asked}, device());
  const auto chosen = choose_workloads(info, words, device());
  if (!chosen.empty()) return chosen.front();
  throw unknown_workload(info, asked);
}

Problem HarnessTools::problem_of(const std::string& kernel, const std::string& workload) {
  const std::string& baseline = first_kernel_of(catalog().kernel(kernel)).name;
  return realize({kernel, baseline, "", {}}, workload, catalog(), device()).problem;
}

std::string HarnessTools::contract_text(const std::string& kernel, const std::string& workload) {
  const KernelTexts texts = catalog().plugin(kernel).texts();
  std::string text = fmt::format("// The reference of {} on {}\n{}\n", kernel, workload, texts.reference);
  text +=
      "\n// Headers that a source may include; describe with `header` has one's text, and with \"manifest\" says how\n"
      "// launches, parameters and workspaces are written:\n";
  std::string last;
  for (const auto& [header, what] : texts.wrappers) {
    const std::string line = header_line(header, what);
    if (!line.empty() && line != last) text += "// " + line + "\n";
    last = line;
  }
  return text;
}

std::string HarnessTools::header_text(const std::string& kernel, const std::string& wanted) {
  for (const auto& [header, what] : catalog().plugin(kernel).texts().wrappers)
    if (header == wanted || header.ends_with("/" + wanted) || header.ends_with("/" + wanted + ".cuh")) return what;
  if (wanted == "manifest") return manifest_form();
  throw bad_input(fmt::format("describe: there is no header '{}'; describe without `header` lists them", wanted));
}

Answer HarnessTools::kernels(const Arguments& arguments) {
  const std::vector<std::string> names = catalog().kernel_names();
  const auto from = static_cast<std::size_t>(arguments.within("offset", 0, 0, 1'000'000));
  Answer rows = Answer::array();
  for (std::size_t at = from; at < names.size() && at < from + kKernelsAPage; ++at) {
    Answer row = {{"kernel", names[at]}};
    try {
      const KernelInfo& info = catalog().kernel(names[at]);
      row["summary"] = info.summary;
      row["workloads"] = choose_workloads(info, {}, device());
      row["variants"] = variants_of(info).size();
    } catch (const Error& error) {
      row["problem"] = error.what();
    }
    rows.push_back(std::move(row));
  }
  Answer answer = {{"ok", true}, {"kernels", rows}, {"device", told_device(device())}};
  if (from + kKernelsAPage < names.size()) answer["next_offset"] = from + kKernelsAPage;
  answer["next"] = "describe a kernel";
  return answer;
}

Answer HarnessTools::describe(const Arguments& arguments) {
  const std::string kernel = arguments.text("kernel");
  const KernelInfo& info = catalog().kernel(kernel);
  const std::string workload = workload_of(kernel, arguments.text("workload"));
  const Problem problem = problem_of(kernel, workload);
  const auto offset = static_cast<std::size_t>(arguments.within("offset", 0, 0, 1 << 24));
  const std::string text =
      arguments.has("header") ? header_text(kernel, arguments.text("header")) : contract_text(kernel, workload);
  const Page page = page_of(text, offset, 5000);
  Answer answer = {{"ok", true}, {"kernel", kernel}, {"summary", info.summary}, {"workload", workload}};
  if (offset == 0 && !arguments.has("header")) {
    answer["arguments"] = Answer::array();
    for (const Argument& each : problem.arguments) answer["arguments"].push_back(argument_of(each));
    answer["sizes"] = Answer::object();
    for (const auto& [size, value] : problem.workload.values) answer["sizes"][size] = value_to_json(value);
    answer["work"] = {{"bytes", problem.work.bytes}, {"flops", json(problem.work.flops)}, {"exps", problem.work.exps}};
    answer["workloads"] = choose_workloads(info, {}, device());
    if (!device().predicts.empty()) answer["gpu_workloads"] = workloads_of_others(info, device_kind(device().device));
    answer["domain"] = catalog().plugin(kernel).texts().domain;
    answer["variants"] = variants_of(info);
    answer["device"] = told_device(device());
  }
  answer[arguments.has("header") ? "header" : "reference"] = page.text;
  answer["next_offset"] = or_null(page.next_offset);
  answer["next"] = page.next_offset ? "describe again with offset for the rest, then read_variant"
                                    : "read_variant of the baseline; playbook; similar_attempts";
  return answer;
}

Answer HarnessTools::read_variant(const Arguments& arguments) {
  const KernelInfo& info = catalog().kernel(arguments.text("kernel"));
  const VariantInfo& variant = variant_of(info, arguments.text("variant"));
  const VariantTexts texts = catalog().plugin(info.name).variant_texts(variant.name);
  const std::string part = arguments.has("part") ? arguments.text("part") : "source";
  if (part != "source" && part != "manifest")
    throw bad_input(fmt::format("read_variant: 'part' is source or manifest, not '{}'", part));
  std::string text = part == "source" ? texts.source : texts.manifest;
  if (part == "source")
    for (const auto& [header, included] : texts.headers) text += fmt::format("\n// ---- {} ----\n{}", header, included);
  const Page page = page_of(text, static_cast<std::size_t>(arguments.within("offset", 0, 0, 1 << 24)));
  Answer parameters = Answer::array();
  for (const Parameter& each : variant.parameters) {
    Answer values = Answer::array();
    for (const Value& value : each.values) values.push_back(Answer(value_to_json(value)));
    parameters.push_back({{"name", each.name}, {"values", values}});
  }
  return {{"ok", true},
          {"kernel", info.name},
          {"variant", variant.name},
          {"technique", variant.technique},
          {"parameters", parameters},
          {part, page.text},
          {"next_offset", or_null(page.next_offset)},
          {"next",
           "evaluate it with edits {search, replace} or a whole source, and the parts of its manifest that change"}};
}

Answer HarnessTools::playbook(const Arguments& arguments) {
  const auto pages = workshop_.playbook();
  if (arguments.has("id")) {
    const Pattern pattern = pages->pattern(arguments.text("id"));
    const Page page = page_of(pattern.text, static_cast<std::size_t>(arguments.within("offset", 0, 0, 1 << 24)));
    return {{"ok", true},
            {"id", pattern.id},
            {"title", pattern.title},
            {"techniques", pattern.techniques},
            {"page", page.text},
            {"next_offset", or_null(page.next_offset)},
            {"next", "similar_attempts says what came of this technique"}};
  }
  Answer rows = Answer::array();
  for (const Pattern& each : pages->patterns())
    if (each.error.empty()) rows.push_back({{"id", each.id}, {"name", each.name}, {"title", each.title}});
  return {{"ok", true}, {"patterns", rows}, {"next", "playbook with an id reads the page"}};
}

Answer HarnessTools::floor(const Arguments& arguments) {
  const std::string kernel = arguments.text("kernel");
  const std::string workload = workload_of(kernel, arguments.text("workload"));
  const Problem problem = problem_of(kernel, workload);
  const auto sum = floor_ns(problem.work, written_for(device()));
  Answer answer = {{"ok", true}, {"kernel", kernel}, {"workload", workload}};
  answer["floor_ns"] = sum ? Answer(sum->ns) : Answer();
  if (sum) answer["binds"] = sum->binds, answer["terms"] = sum->terms;
  if (const auto limit = known_limit(problem.work, written_for(device())))
    answer["limit_ns"] = limit->ns, answer["limit_terms"] = limit->terms;
  else answer["why"] = "there is no floor here: times of this device are emulation, or a peak is unknown";
  answer["work"] = {{"bytes", problem.work.bytes}, {"flops", json(problem.work.flops)}, {"exps", problem.work.exps}};
  answer["next"] = "best says how near the fastest candidate is";
  return answer;
}

}  // namespace harness::mcp
