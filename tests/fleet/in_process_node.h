#pragma once
#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <thread>

#include "harness/fleet/fleet.h"
#include "harness/fleet/node.h"
#include "harness/system/pipe.h"
#include "tests/fakes/ports.h"

// A node in a thread of this process, over two pipes, and a way between that may do to the bytes what it likes.
namespace harness::fakes {

/// What happens to a line on its way; returns what arrives.
using Meddler = std::function<std::string(const std::string& line)>;

class ThreadNode : public fleet::Transport {
 public:
  struct Setup {
    std::string build = "test", machine = "here", uuid;
    std::function<void()> before = [] {};  // it says hello
    std::function<Outcome(const EvaluationRequest&)> answer = FakeEvaluator::honest;
    std::function<void(const EvaluationRequest&, const std::function<bool()>& stop)> meanwhile;
    std::function<void(FakeCatalog&)> edit;  // of its plugins
    std::function<CardCalibration()> calibrate = [] { return CardCalibration{}; };
    std::function<void(Evaluation&)> forge = [](Evaluation&) {};  // what it says instead of the truth
    std::string uuid_in_answers;                                  // instead of its card's
    Meddler from_node, to_node;
  };

  explicit ThreadNode(Setup setup) : setup_(std::move(setup)) {
    thread_ = std::thread([this] { serve(); });
    fcntl(from_.read_end.get(), F_SETFL, O_NONBLOCK);
  }
  ~ThreadNode() override {
    to_.write_end.reset();
    thread_.join();
  }
  int descriptor() const override { return from_.read_end.get(); }
  bool send(std::string_view bytes) override {
    const std::string arrives = setup_.to_node ? setup_.to_node(std::string(bytes)) : std::string(bytes);
    return write(to_.write_end.get(), arrives.data(), arrives.size()) == static_cast<ssize_t>(arrives.size());
  }
  std::optional<std::string> receive() override {
    char buffer[65536];
    for (;;) {
      const ssize_t got = read(from_.read_end.get(), buffer, sizeof buffer);
      if (got < 0) break;
      if (got == 0) return std::nullopt;
      pending_.append(buffer, static_cast<std::size_t>(got));
    }
    if (!setup_.uuid_in_answers.empty()) return with_other_uuid();
    std::string all;
    for (std::size_t end; (end = pending_.find('\n')) != std::string::npos; pending_.erase(0, end + 1)) {
      const std::string line = pending_.substr(0, end + 1);
      all += setup_.from_node ? setup_.from_node(line) : line;
    }
    if (ended) return std::nullopt;
    return all;
  }
  std::atomic<bool> ended = false;  // as if its process had died

 private:
  std::string with_other_uuid() {
    fleet::Lines lines(fleet::Side::node);
    lines.add(std::exchange(pending_, ""));
    std::string all;
    while (auto message = lines.next()) {
      if (message->contains("uuid") && message->contains("answer") && message->at("answer").is_object())
        (*message)["uuid"] = setup_.uuid_in_answers;
      all += fleet::framed(fleet::Side::node, *message);
    }
    return all;
  }

  class Evaluating : public FakeEvaluator {
   public:
    Evaluating(FakeClock& clock, const Setup& setup, std::function<bool()> stop)
        : FakeEvaluator(clock), setup_(setup), stop_(std::move(stop)) {
      answer = setup.answer;
    }
    Evaluation evaluate(const EvaluationRequest& request) override {
      if (setup_.meanwhile) setup_.meanwhile(request, stop_);
      if (stop_()) return {};
      Evaluation evaluation = FakeEvaluator::evaluate(request);
      setup_.forge(evaluation);
      return evaluation;
    }
    CardCalibration calibrate() override { return setup_.calibrate(); }

   private:
    const Setup& setup_;
    std::function<bool()> stop_;
  };

  void serve() {
    setup_.before();
    FakeClock clock;
    fleet::NodeParts parts;
    parts.build = setup_.build;
    parts.machine = setup_.machine;
    parts.devices = {FakeEvaluator(clock).device()};
    parts.devices.front().uuid = setup_.uuid;
    parts.catalog = [this] {
      auto catalog = std::make_unique<FakeCatalog>();
      if (setup_.edit) setup_.edit(*catalog);
      return catalog;
    };
    parts.evaluator = [&](const DeviceInfo&, std::function<bool()> stop) {
      return std::make_unique<Evaluating>(clock, setup_, std::move(stop));
    };
    parts.interrupted = [] { return false; };
    fleet::serve_node(std::move(parts), to_.read_end.get(), from_.write_end.get());
    from_.write_end.reset();
  }

  Setup setup_;
  Pipe to_, from_;
  std::string pending_;
  std::thread thread_;
};

}  // namespace harness::fakes
