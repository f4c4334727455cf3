#pragma once
#include <functional>
#include <string>
#include <vector>

#include "harness/service/rooms.h"

namespace harness {

/// Within what a question is asked, by a command line, an agent or a page: the program's ports, and the options that
/// all questions share.
struct Shell {
  const Rooms& rooms;
  std::vector<std::string> more_kernels, more_strategies;  // --kernels DIR, --strategies DIR
  std::string db;                                          // --db FILE; "" : the default store
  std::string policy = "refuse";                           // --policy
  bool trust_source = false;                               // --trust-source
  bool no_preflight = false;                               // --no-preflight
  /// Gets sentences that stand beside an answer ("the contract has changed since"); empty: nobody listens.
  std::function<void(const std::string& sentence)> tell;

  /// Throws Error(bad_input) for a folder that is not there, Error(environment) where no plugin folder is found.
  Places places() const;
  std::string store_path() const;
  /// A sentence for `tell`.
  void note(const std::string& sentence) const;
};

/// The store of a shell. Throws Error(bad_input) where there is none.
std::unique_ptr<Archive> open_to_read(const Shell& shell);
/// The rows of its campaigns that are under way, to be written over a connection of its own.
std::shared_ptr<LiveCampaigns> open_live(const Shell& shell);

}  // namespace harness
