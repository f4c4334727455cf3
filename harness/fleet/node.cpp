#include "harness/fleet/node.h"

#include <fmt/format.h>

#include <atomic>
#include <chrono>
#include <map>

#include "harness/campaign/gatekeeper.h"
#include "harness/core/error.h"
#include "harness/core/gpu.h"
#include "harness/fleet/mailbox.h"
#include "harness/fleet/wire.h"

namespace harness::fleet {
namespace {

double now_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

json error_of(const Error& error) {
  return {{"kind", error.kind() == Error::Kind::bad_input ? "bad_input" : "environment"}, {"message", error.what()}};
}

/// Takes calls and answers them, until there are no more.
class Node {
 public:
  Node(NodeParts parts, int input, int output) : parts_(std::move(parts)), mail_(input, output) {}

  int run() {
    say_hello();
    while (const auto call = mail_.take(parts_.interrupted)) {
      json answer;
      try {
        answer["answer"] = done(*call);
      } catch (const Error& error) {
        answer["error"] = error_of(error);
      } catch (const std::exception& error) {
        answer["error"] = {{"kind", "environment"}, {"message", error.what()}};
      }
      answer["uuid"] = uuid_;
      deadline_ = 0;
      mail_.answer(answer);
    }
    return 0;
  }

 private:
  void say_hello() {
    json devices = json::array();
    for (const DeviceInfo& device : parts_.devices)
      devices.push_back({{"info", device}, {"uuid", uuid_of(device)}, {"admission_key", device.admission_key}});
    mail_.send({{"hello", kProtocol},
                {"build", parts_.build},
                {"driver_release", parts_.driver_release},
                {"devices", devices}});
  }

  std::string uuid_of(const DeviceInfo& device) const { return device.uuid.empty() ? parts_.machine : device.uuid; }

  bool stops() { return mail_.cancelled() || parts_.interrupted() || (deadline_ > 0 && now_s() > deadline_); }

  json done(const json& call) {
    const auto what = call.at("call").get<std::string>();
    deadline_ = call.contains("deadline_s") ? now_s() + call.at("deadline_s").get<double>() : 0;
    if (what == "use") return use(call);
    if (evaluator_ == nullptr) throw bad_input(fmt::format("the call '{}' came before 'use'", what));
    if (what == "evaluate") return evaluate(call);
    if (what == "prepare") return prepare(call);
    if (what == "admission") return keep_admission(call);
    if (what == "admit") return admit(call);
    if (what == "measure_peaks") return evaluator_->measure_peaks();
    if (what == "calibrate") return calibrate();
    if (what == "peaks") {
      evaluator_->use_peaks(call.at("peaks").get<MeasuredPeaks>());
      return true;
    }
    throw bad_input(fmt::format("this node knows no call '{}'", what));
  }

  /// From now on this device, after the plugins were found to be the same.
  json use(const json& call) {
    catalog_ = parts_.catalog();
    for (const auto& [kernel, hash] : call.at("kernels").items())
      if (plugins_hash(*catalog_, kernel) != hash)
        throw bad_input(
            fmt::format("the plugins of this node are others: kernel '{}' is not the same as where the "
                        "campaign runs; copy the folder kernels/ to the node",
                        kernel));
    for (const DeviceInfo& device : parts_.devices)
      if (device.device == call.at("device")) {
        const auto predicts = call.at("predicts").get<std::string>();
        evaluator_ = parts_.evaluator(predicts.empty() ? device : predicting(device, find_gpu(predicts)),
                                      [this] { return stops(); });
        uuid_ = uuid_of(device);
      }
    if (evaluator_ == nullptr)
      throw environment_error(fmt::format("this node has no device '{}'", call.at("device").get<std::string>()));
    const auto preflight = evaluator_->preflight_device();
    return {{"preflight", preflight ? json(*preflight) : json()}};
  }

  json calibrate() {
    const double begin = now_s();
    const CardCalibration calibration = evaluator_->calibrate();
    return {{"calibration", calibration}, {"seconds", now_s() - begin}};
  }

  json evaluate(const json& call) {
    const json& wire = call.at("request");
    const auto kernel = wire.at("name").at("candidate").at("kernel").get<std::string>();
    const auto admitted = admissions_.find(kernel);
    EvaluationRequest request =
        request_from(wire, *catalog_, *evaluator_, admitted == admissions_.end() ? nullptr : &admitted->second);
    if (wire.at("asks_recorded").get<bool>())
      request.recorded_with = [this](const std::string& hash) {
        const json answer = mail_.ask({{"ask", "recorded"}, {"hash", hash}});
        return answer.is_number_integer() ? answer.get<std::int64_t>() : std::int64_t{0};
      };
    Evaluation evaluation = evaluator_->evaluate(request);
    const bool late = deadline_ > 0 && now_s() > deadline_ && std::holds_alternative<Interrupted>(evaluation.outcome);
    if (late) evaluation.outcome = TimedOut{call.at("deadline_s").get<double>(), "evaluation"};
    return {{"evaluation", to_wire(evaluation, request.realized.build.source)},
            {"prepare_s", evaluator_->take_prepare_seconds()}};
  }

  json prepare(const json& call) {
    std::vector<Realized> candidates;
    for (const json& name : call.at("candidates")) {
      try {
        candidates.push_back(realize_named(name, *catalog_, evaluator_->device()));
      } catch (const Error&) {  // what is wrong is said when it is evaluated
      }
    }
    evaluator_->prepare(candidates);
    return true;
  }

  json keep_admission(const json& call) {
    Admission admission = call.at("admission").get<Admission>();
    const std::string kernel = admission.kernel;
    admissions_.insert_or_assign(kernel, std::move(admission));
    return true;
  }

  json admit(const json& call) {
    AdmissionRequest request = admission_request(*catalog_, *evaluator_, call.at("kernel"));
    for (const auto& [part, found] : call.at("elsewhere").items()) request.elsewhere[part] = found;
    request.known = [this](const std::string& part) -> std::optional<json> {
      json answer = mail_.ask({{"ask", "known"}, {"part", part}});
      return answer.is_null() ? std::nullopt : std::optional(std::move(answer));
    };
    request.keep = [this](const std::string& part, const json& evidence) {
      mail_.ask({{"ask", "keep"}, {"part", part}, {"found", evidence}});
    };
    const auto admission = evaluator_->admit(request);
    if (!admission) return nullptr;
    return {{"admission", *admission}, {"parts", admission->parts}};
  }

  NodeParts parts_;
  Mailbox mail_;
  std::unique_ptr<Catalog> catalog_;
  std::unique_ptr<Evaluator> evaluator_;
  std::string uuid_;  // of its card, in each answer: whoever asked knows whom they asked
  std::map<std::string, Admission> admissions_;
  std::atomic<double> deadline_ = 0;  // of the call at work; other threads ask whether it is over
};

}  // namespace

int serve_node(NodeParts parts, int input, int output) {
  return Node(std::move(parts), input, output).run();
}

}  // namespace harness::fleet
