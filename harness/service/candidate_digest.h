#pragma once
#include <optional>
#include <string>

#include "harness/campaign/digest.h"
#include "harness/core/contract.h"
#include "harness/core/json.h"
#include "harness/core/profile.h"
#include "harness/service/shell.h"

namespace harness {

/// A candidate whose digest is asked for.
struct DigestAsked {
  const Profile* profile = nullptr;  // nullptr: nobody counted it
  Work work;                         // of its workload
  DeviceInfo device;                 // that its time is of, or is predicted for
  std::optional<double> time_ns;     // nothing: what the profile predicts
  std::optional<DigestParent> parent;
};

/// Its digest (campaign/digest.h), by all rules and pages that the shell has.
std::string candidate_digest(const DigestAsked& asked, Shell& shell);

/// Of an iteration as the record shows it in full, against another one, null where there is none. What its kernel must
/// move and calculate is looked up in the plugins that are here; without them the digest is shorter. "" where it did
/// not pass, and of an emulated time.
std::string recorded_digest(const json& iteration, const json& parent, Shell& shell);

}  // namespace harness
