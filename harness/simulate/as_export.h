#pragma once
#include <string>

#include "harness/simulate/recorded_space.h"

namespace harness::simulate {

/// A recorded space in the text form of `harness export` (store/transfer.h), so that it can be imported: one campaign
/// without decisions whose attempts are the configurations, with their times, outcomes and costs. Its identity follows
/// from the content: importing the same space again adds nothing. `unix_time` is what is noted as its time.
std::string as_export(const RecordedSpace& space, double unix_time);

}  // namespace harness::simulate
