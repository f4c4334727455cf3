#pragma once
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "harness/core/proposal.h"
#include "harness/system/child.h"

namespace harness {

struct CommandSetup {
  std::string spec;
  std::vector<std::string> arguments;    // the first one is the program's path
  std::vector<std::string> environment;  // NAME=VALUE, all that it gets
  std::vector<std::string> secrets;      // values that are struck out of everything it writes
};

/// Puts "[removed]" in the place of each secret in what a program wrote.
void strike_out_secrets(ProposerAnswer& answer, const std::vector<std::string>& secrets);

/// A process for each request: the request on its standard input, the reply on its standard output, its log on its
/// standard error. It is killed with all that it started when it has ended, at the deadline, and when what it writes is
/// more than is read. All three are files, so nothing has to attend to it while it runs.
class CommandProposer : public Proposer {
 public:
  explicit CommandProposer(CommandSetup setup);
  ~CommandProposer() override;
  std::string spec() const override { return setup_.spec; }
  void begin(const ProposalRecord& record, double deadline_s) override;
  std::optional<ProposerAnswer> take(double patience_s, const std::function<bool()>& stop) override;
  void cancel() override;

 private:
  struct Running;
  /// What has become of it, if it is over.
  static std::optional<ProposerAnswer> outcome_of(const Running& running, bool ended);
  ProposerAnswer end(std::size_t place, ProposerAnswer answer);
  CommandSetup setup_;
  std::vector<std::unique_ptr<Running>> running_;  // in the order in which they were begun
};

}  // namespace harness
