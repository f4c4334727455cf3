#pragma once
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/propose/command_proposer.h"
#include "harness/system/descriptor.h"
#include "harness/system/temporary_folder.h"

namespace harness {

/// One process for all requests of a campaign: a request is a line on its standard input, a reply a line of JSON on its
/// standard output, with the request's `id`. So it may keep a conversation, and answer several requests in any order. A
/// request whose deadline has passed is given up, and the process stays. When it ends, its requests have failed; the
/// next one starts it anew. It is killed, with all that it started, when the campaign ends.
class SessionProposer : public Proposer {
 public:
  explicit SessionProposer(CommandSetup setup);
  ~SessionProposer() override;
  std::string spec() const override { return setup_.spec; }
  void begin(const ProposalRecord& record, double deadline_s) override;
  std::optional<ProposerAnswer> take(double patience_s, const std::function<bool()>& stop) override;
  void cancel() override;

 private:
  using Clock = std::chrono::steady_clock;
  struct Asked {
    std::int64_t number = 0;
    std::string id;  // as it stands in the request
    Clock::time_point begun, deadline;
    double deadline_s = 0;
  };
  struct Process;

  void start();
  void send_waiting();
  void read_lines();
  std::optional<ProposerAnswer> next_answer();
  ProposerAnswer ended(std::size_t place, ProposerAnswer::End end, const std::string& text, const std::string& why);
  std::string new_log();

  CommandSetup setup_;
  std::unique_ptr<Process> process_;
  std::vector<Asked> asked_;        // in the order in which they were begun
  std::vector<std::string> lines_;  // that were read, and answer nothing yet
};

}  // namespace harness
