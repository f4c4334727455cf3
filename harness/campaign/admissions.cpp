#include "harness/campaign/admissions.h"

#include <algorithm>
#include <optional>

#include "harness/campaign/gatekeeper.h"
#include "harness/campaign/store_failure.h"
#include "harness/core/error.h"

namespace harness {

void Admissions::measure_device() {
  context_.say("looking up what the device reaches");
  const double begin = context_.ports.clock.seconds();
  context_.ports.evaluator.use_peaks(known_peaks(context_.ports.evaluator, context_.ports.ledger));
  charge(context_.ports.clock.seconds() - begin);
}

Ended Admissions::admit_kernels() {
  constexpr double kShareForGates = 0.4;  // of the budget; the first kernel's gates are tried in any
  const CampaignPorts& ports = context_.ports;
  const std::optional<double>& budget_s = context_.options.budget_s;
  std::optional<Error> refused;
  for (const std::string& kernel : context_.options.kernels) {
    if (budget_s && !admissions_.empty() && context_.limits.spent_s() > kShareForGates * *budget_s) {
      leave_out(kernel, "no time is left to try its gates");
      continue;
    }
    if (const std::string doing = gates_to_try(ports.catalog, ports.evaluator, ports.ledger, kernel); !doing.empty())
      context_.say(doing, "trial of the gates");
    const double begin = ports.clock.seconds();
    std::optional<Admission> admission = known_admission(ports.catalog, ports.evaluator, ports.ledger, kernel);
    if (!admission) return stopped_by_user();
    const double seconds = ports.clock.seconds() - begin;
    charge(seconds);
    seconds_[kernel] += seconds;
    if (!admission->passed) {
      refused = bad_input(refusal(*admission));
      leave_out(kernel, refused->what());
      continue;
    }
    admissions_[kernel] = std::move(*admission);
  }
  if (admissions_.empty() && refused) throw *refused;
  return std::nullopt;
}

void Admissions::leave_out(const std::string& kernel, const std::string& why) {
  left_out_[kernel] = why;
  bool announced = false;
  for (Arm& arm : context_.state.arms().arms) {
    if (arm.state.id.kernel != kernel) continue;
    arm.state.closed = true;
    if (!announced)
      context_.ports.display.pivoted(
          {context_.campaign, true, std::nullopt, arm.state.id, std::nullopt, kernel + " is left out: " + why});
    announced = true;
  }
}

void Admissions::charge(double seconds) {
  context_.limits.work(seconds);
  stored([&] { context_.ports.ledger.charge(context_.campaign, "gates", seconds); });
}

const Admission* Admissions::of(const std::string& kernel) const {
  const auto admission = admissions_.find(kernel);
  return admission == admissions_.end() ? nullptr : &admission->second;
}

double Admissions::seconds(const std::string& kernel) const {
  const auto seconds = seconds_.find(kernel);
  return seconds == seconds_.end() ? 0 : seconds->second;
}

std::string Admissions::left_out(const std::string& kernel) const {
  const auto why = left_out_.find(kernel);
  return why == left_out_.end() ? "" : why->second;
}

}  // namespace harness
