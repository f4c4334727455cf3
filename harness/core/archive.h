#pragma once
#include "harness/core/agent_session.h"
#include "harness/core/campaign_live.h"
#include "harness/core/history.h"
#include "harness/core/ledger.h"
#include "harness/core/transfer.h"

namespace harness {

enum class ArchiveAccess {
  read,   // the store must exist
  write,  // made on first use
};

/// Port to an open store: one record, which campaigns write and read back, people ask, and text carries elsewhere.
/// The five live as long as the archive.
class Archive {
 public:
  virtual ~Archive() = default;
  virtual Ledger& ledger() = 0;
  virtual History& history() = 0;
  virtual Transfer& transfer() = 0;
  virtual AgentSessions& sessions() = 0;
  virtual LiveCampaigns& live() = 0;
  /// A consistent snapshot of the store, put into a folder in the place of the one before; whole at any moment. Throws
  /// Error(environment).
  virtual void copy_to(const std::string& folder) = 0;
};

}  // namespace harness
