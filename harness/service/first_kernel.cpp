#include "harness/service/first_kernel.h"

#include <fmt/format.h>

#include <filesystem>

#include "harness/campaign/arms.h"
#include "harness/campaign/proposal_reply.h"
#include "harness/campaign/proposal_request.h"
#include "harness/core/error.h"
#include "harness/core/evaluator.h"
#include "harness/core/torch_call.h"
#include "harness/service/asked_evaluation.h"
#include "harness/service/new_problem.h"
#include "harness/system/files.h"
#include "harness/system/interrupt.h"
#include "harness/system/temporary_folder.h"

namespace harness {
namespace {

constexpr int kMostRequests = 4;
constexpr std::int64_t kMostTokens = 24000;
constexpr const char* kAsk =
    "the first kernel of this problem, a naive one that is right at every size of the domain. The parent is a skeleton "
    "with the entry's name, its parameters, the grid and the indices: keep these, take out the #error, and write the "
    "body. Reply with the whole source.";

/// The problem that a proposer is asked about, and the files that its answer goes into.
struct Unwritten {
  std::string kernel, variant;
  VariantTexts skeleton;
  std::string folder;  // of variants
};

RequestParts parts_for(const Unwritten& unwritten, Catalog& catalog, const DeviceInfo& device) {
  const KernelInfo& info = catalog.kernel(unwritten.kernel);
  RequestParts parts;
  parts.ask = kAsk;
  const std::vector<std::string> workloads = choose_workloads(info, {}, device);
  parts.arm = {unwritten.kernel, workloads.empty() ? info.workloads.front().name : workloads.front(), "naive"};
  parts.problem = catalog.plugin(unwritten.kernel).problem(parts.arm.workload);
  parts.kernel = catalog.plugin(unwritten.kernel).texts();
  parts.device = device;
  parts.parents.push_back(
      {unwritten.variant, unwritten.skeleton, json::object(), "not tried: it is a skeleton", {}, {}, {}});
  return parts;
}

/// Where a kernel's variants lie.
std::filesystem::path variants_of(Catalog& catalog, const std::string& kernel) {
  const std::string reference =
      catalog.plugin(kernel).problem(catalog.kernel(kernel).workloads.front().name).reference.source;
  return std::filesystem::path(reference).parent_path() / "variants";
}

std::string answer_to(const ProposalRecord& record, const FirstKernels& by) {
  by.proposer->begin(record, by.deadline_s);
  while (!interrupted())
    if (const auto answer = by.proposer->take(1, interrupted)) {
      if (answer->end == ProposerAnswer::End::answered) return answer->text;
      throw bad_input(fmt::format("the proposer wrote no first kernel of this problem: {}", answer->why));
    }
  by.proposer->cancel();
  return "";
}

/// Source and manifest of a reply; what is wrong with it in `wrong`.
std::optional<VariantTexts> texts_of(const std::string& reply, const Unwritten& unwritten, std::string& wrong) {
  ProposalUsage usage;
  const auto read = read_reply(reply, usage);
  if (const auto* problem = std::get_if<ReplyProblem>(&read)) return wrong = problem->message, std::nullopt;
  const auto& proposal = std::get<ProposalReply>(read);
  VariantTexts texts = unwritten.skeleton;
  if (proposal.source) {
    texts.source = *proposal.source;
  } else {
    const auto edited = edited_source(unwritten.skeleton.source, proposal.edits);
    if (const auto* problem = std::get_if<ReplyProblem>(&edited)) return wrong = problem->message, std::nullopt;
    texts.source = std::get<std::string>(edited);
  }
  if (!proposal.manifest.empty())
    texts.manifest = changed_manifest(unwritten.skeleton.manifest, {"naive", 1, 1, 1, proposal.manifest});
  return texts;
}

/// "": it passed all gates on every workload of this device.
std::string what_is_wrong(const Unwritten& unwritten, const VariantTexts& texts, const FirstKernels& by, Shell& shell) {
  const TemporaryFolder folder("first");
  EvaluationAsked asked;
  asked.words = {unwritten.kernel, unwritten.variant, folder.path("first.cu"), 0, {}};
  asked.device = by.device;
  asked.label = "the first kernel";
  write_file(asked.words.source, texts.source);
  std::string wrong;
  EvaluationWatch watch;
  watch.begun = [](const std::string&) {};
  watch.ended = [&](const EvaluatedPoint& point) {
    if (!point.passed() && wrong.empty())
      wrong = error_json(point.evaluation.outcome).value("message", "it did not pass");
  };
  watch.refused = [&](const std::string& why) { wrong = why; };
  try {
    evaluate_asked(asked, shell.places(), shell, watch);
  } catch (const Error& error) {
    if (error.kind() == Error::Kind::environment) throw;
    return error.what();
  }
  return wrong;
}

/// The manifest stands in its file while the source is tried, and goes again with one that is wrong.
std::string try_texts(const Unwritten& unwritten, const VariantTexts& texts, const FirstKernels& by, Shell& shell) {
  const std::string stem = unwritten.folder + "/" + unwritten.variant;
  replace_file(stem + ".lua", texts.manifest);
  std::string wrong = what_is_wrong(unwritten, texts, by, shell);
  if (wrong.empty() && !interrupted()) replace_file(stem + ".cu", texts.source);
  else replace_file(stem + ".lua", unwritten.skeleton.manifest);
  return wrong;
}

void write_first(const Unwritten& unwritten, const FirstKernels& by, Catalog& catalog, const DeviceInfo& device,
                 Shell& shell) {
  RequestParts parts = parts_for(unwritten, catalog, device);
  std::string wrong;
  for (int number = 1; number <= kMostRequests && !interrupted(); ++number) {
    parts.id = fmt::format("{}-first-{}", unwritten.kernel, number);
    ProposalRecord record;
    record.number = number;
    record.arm = parts.arm;
    record.ask = parts.ask;
    record.request = request_text(parts, kMostTokens);
    const std::string reply = answer_to(record, by);
    const std::optional<VariantTexts> texts = texts_of(reply, unwritten, wrong);
    if (texts) wrong = try_texts(unwritten, *texts, by, shell);
    if (texts && wrong.empty())
      return shell.note(fmt::format("the first kernel of {} passed all gates: it is the baseline now ({} request{})",
                                    unwritten.kernel, number, number == 1 ? "" : "s"));
    shell.note(fmt::format("a first kernel of {} is not right: {}", unwritten.kernel, wrong));
    parts.problem_of_reply = wrong;
    parts.last_reply = reply;
  }
  if (!interrupted())
    throw bad_input(
        fmt::format("none of {} first kernels of {} was right; the last: {}", kMostRequests, unwritten.kernel, wrong));
}

}  // namespace

void keep_first_kernel(Catalog& catalog, const std::string& kernel, const std::string& source) {
  const std::string& variant = first_kernel_of(catalog.kernel(kernel)).name;
  replace_file((variants_of(catalog, kernel) / (variant + ".cu")).string(), source);
}

void write_first_kernels(const std::vector<std::string>& kernels, const FirstKernels& by, Shell& shell) {
  const Places places = shell.places();
  const auto catalog = shell.rooms.catalog(places);
  for (const std::string& kernel : kernels) {
    if (has_kernel(*catalog, kernel)) continue;
    if (by.proposer == nullptr)
      throw bad_input(
          fmt::format("{0} has no kernel yet; let a proposer write one (--proposer SPEC), or write it into its "
                      "variants/00_naive.cu (harness eval {0} 00_naive --source FILE tries one)",
                      kernel));
    const KernelInfo& info = catalog->kernel(kernel);
    const std::string& variant = first_kernel_of(info).name;
    const Unwritten unwritten{kernel, variant, catalog->plugin(kernel).variant_texts(variant),
                              variants_of(*catalog, kernel).string()};
    write_first(unwritten, by, *catalog, choose_device(by.device, shell.rooms.devices(places)), shell);
  }
}

}  // namespace harness
