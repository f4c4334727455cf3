#include "harness/callable/catalog.h"
#include "harness/callable/evaluator.h"
#include "harness/callable/line.h"
#include "harness/campaign/loop.h"
#include "harness/cli/command.h"
#include "harness/core/error.h"
#include "harness/report/events.h"
#include "harness/report/live_row.h"
#include "harness/report/out.h"
#include "harness/report/readers.h"
#include "harness/service/campaign_run.h"
#include "harness/system/awake_clock.h"
#include "harness/system/interrupt.h"

// `harness callable --stdio`: the other end of Python's harness.tune. Its standard output carries events and questions.
namespace harness {
namespace {

struct CallableArguments {
  CampaignOptions options;
  std::string budget, goal, name;
  double usd_per_hour = 0;
  bool stdio = false;
};

class CallableClock : public Clock {
 public:
  double seconds() override { return awake_seconds(); }
  std::int64_t unix_seconds() override { return SystemClock().unix_seconds(); }
};

CampaignOptions campaign_options_of(const CallableArguments& arguments, const callable::Question& question) {
  CampaignOptions options = arguments.options;
  options.kernels = {question.name};
  options.predict = "off";
  options.profile = "off";
  if (!arguments.budget.empty()) options.budget_s = parse_duration(arguments.budget);
  if (!arguments.goal.empty()) options.goal_speedup = parse_goal(arguments.goal).speedup;
  if (!arguments.name.empty()) options.name = arguments.name;
  if (arguments.usd_per_hour > 0) options.usd_per_hour = arguments.usd_per_hour;
  return options;
}

int tune_callable(const CallableArguments& arguments, Shell& shell) {
  if (!arguments.stdio)
    throw bad_input("harness.tune of Python talks with this command: harness callable --stdio; see docs/callables.md");
  catch_interrupts();
  watch_for_stops();
  callable::Line line(0, 1, interrupted);
  callable::Question question;
  try {
    question = callable::read_question(line.read());
  } catch (const callable::CallerGone&) {
    return 130;
  }
  const CampaignOptions options = campaign_options_of(arguments, question);
  const auto archive = shell.rooms.archive(shell.store_path(), ArchiveAccess::write);
  const auto scripts = shell.rooms.scripts(shell.places());
  report::JsonDisplay display;
  report::LiveRowWriter row([&shell] { return open_live(shell); });
  report::Readers readers({&display, &row});
  callable::CallableCatalog catalog(question);
  constexpr double kShareOfForms = 0.15, kFormsWithoutBudget_s = 60;
  const double forms_s = options.budget_s ? kShareOfForms * *options.budget_s : kFormsWithoutBudget_s;
  callable::CallableEvaluator evaluator(question, line, options.usd_per_hour, forms_s,
                                        [&readers](const std::string& what) {
                                          readers.phase({what, std::nullopt});
                                        });
  CallableClock clock;
  const json environment{{"harness", shell.rooms.program.number},
                         {"revision", shell.rooms.program.revision},
                         {"device", evaluator.device()},
                         {"caller", question.program},
                         {"claim", callable::kClaim}};
  const auto stop = [&line] { return line.ended() || interrupted(); };
  Campaign campaign({catalog, *scripts, evaluator, archive->ledger(), readers, clock, stop, environment}, options,
                    std::nullopt);
  const CampaignSummary summary = campaign.run();
  if (summary.reason == EndReason::script_error) throw bad_input(summary.message);
  if (summary.reason == EndReason::device_lost || summary.reason == EndReason::store_error)
    throw environment_error(summary.message);
  return summary.reason == EndReason::interrupted ? 130 : 0;
}

}  // namespace

void define_callable(CLI::App& app, Shell& shell, std::function<int()>& action) {
  auto arguments = std::make_shared<CallableArguments>();
  CampaignOptions& options = arguments->options;
  app.add_flag("--stdio", arguments->stdio, "Questions and answers on standard output and input, one a line");
  app.add_option("--budget", arguments->budget, "Wall time, confirmation of the winner included: 90s, 30m");
  app.add_option("--goal", arguments->goal, "End early once the speedup over the baseline is this: 2x");
  app.add_option("--usd-per-hour", arguments->usd_per_hour, "The device's price")->check(CLI::PositiveNumber);
  app.add_option("--strategy", options.strategy, "Chooses the arm: a name or a file")->capture_default_str();
  app.add_option("--search", options.search, "Chooses the configuration: a name or a file")->capture_default_str();
  app.add_option("--seed", options.seed, "Of strategies and searches")
      ->capture_default_str()
      ->check(CLI::NonNegativeNumber);
  app.add_option("--name", arguments->name, "A name for the campaign");
  add_db_option(app, shell);
  add_plugin_options(app, shell);
  action = [arguments, &shell] { return tune_callable(*arguments, shell); };
}

}  // namespace harness
