#include <fmt/format.h>

#include <memory>

#include "harness/campaign/proposal_reply.h"
#include "harness/campaign/proposal_request.h"
#include "harness/cli/command.h"
#include "harness/report/format.h"
#include "harness/report/out.h"
#include "harness/report/table.h"
#include "harness/system/interrupt.h"

// `harness proposer --check SPEC`: one small request to a proposer, and what came back of it.
namespace harness {
namespace {

struct ProposerArguments {
  std::string spec, variables, timeout = "2m";
  bool json = false;
};

/// A kernel that anybody can edit: whoever answers this in the form that is asked can be asked more.
std::string small_request() {
  const json request{{"schema", 1},
                     {"kernel", "double_it"},
                     {"contract", {{"words", "y[i] = 2 * x[i] for n floats, one thread an element"}}},
                     {"reply", reply_form()},
                     {"technique", "check"},
                     {"ask", "one change of the first parent: call the variable i k, nothing else"},
                     {"parents",
                      {{{"variant", "00_plain"},
                        {"source",
                         "extern \"C\" __global__ void double_it(const float* x, float* y, int n) {\n"
                         "  const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                         "  if (i < n) y[i] = 2 * x[i];\n}\n"},
                        {"manifest", "return variant {}"},
                        {"outcome", "passed"}}}},
                     {"tried", json::array()},
                     {"pages", json::array()},
                     {"id", "check-1"}};
  return json_text(request);
}

std::string counted_tokens(const std::optional<std::int64_t>& tokens) {
  return tokens ? std::to_string(*tokens) : "unknown";
}

int check_proposer(const ProposerArguments& arguments, Shell& shell) {
  const auto proposer = shell.rooms.proposer(shell.places(), arguments.spec, split_commas(arguments.variables));
  ProposalRecord record;
  record.request = small_request();
  catch_interrupts();
  const double deadline_s = parse_duration(arguments.timeout);
  proposer->begin(record, deadline_s);
  const auto answer = proposer->take(deadline_s + 1, interrupted);
  if (!answer) return 130;
  ProposalUsage usage;
  std::string wrong = answer->why;
  if (answer->end == ProposerAnswer::End::answered) {
    const auto read = read_reply(answer->text, usage);
    if (const auto* problem = std::get_if<ReplyProblem>(&read))
      wrong = fmt::format("{}: {}", name(problem->outcome), problem->message);
  }
  if (arguments.json) {
    report::out_json({{"proposer", arguments.spec},
                      {"works", wrong.empty()},
                      {"problem", text_or_null(wrong)},
                      {"latency_s", answer->latency_s},
                      {"request_tokens_estimated", estimated_tokens(record.request)},
                      {"usage", usage},
                      {"log", answer->log}});
    return wrong.empty() ? 0 : 1;
  }
  report::out("{} {}, after {:.1f} s\n", report::clean(arguments.spec),
              wrong.empty() ? "answers as it was asked" : "does not work", answer->latency_s);
  if (!wrong.empty()) report::out("{}\n", report::clean(wrong));
  report::out("model {}; tokens: {} in (about {} were sent), {} cached, {} out; cost: {}\n",
              report::clean(usage.model.value_or("unknown")), counted_tokens(usage.tokens_in),
              estimated_tokens(record.request), counted_tokens(usage.tokens_cached), counted_tokens(usage.tokens_out),
              usage.usd ? fmt::format("${:.4f}, as it says", *usage.usd).c_str() : "unknown");
  if (!answer->log.empty()) report::out("--- its log\n{}\n", answer->log);
  return wrong.empty() ? 0 : 1;
}

}  // namespace

void define_proposer(CLI::App& app, Shell& shell, std::function<int()>& action) {
  auto arguments = std::make_shared<ProposerArguments>();
  app.add_option("--check", arguments->spec, "Send one small request; say whether the reply can be used, and its cost")
      ->required()
      ->type_name("SPEC");
  app.add_option("--proposer-env", arguments->variables, "Environment variables that it gets, by name")
      ->type_name("NAMES");
  app.add_option("--timeout", arguments->timeout, "Of the request")->capture_default_str();
  app.add_flag("--json", arguments->json, "One JSON object");
  action = [arguments, &shell] { return check_proposer(*arguments, shell); };
}

}  // namespace harness
