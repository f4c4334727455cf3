#pragma once
#include <string>

namespace harness {

/// What this machine does beside us, and how hot it is. Unknown values are negative.
struct MachineState {
  double load = -1;          // processes that run or wait to run, mean of a minute
  int cores = 1;             // that this process may use
  double hottest_c = -1;     // of the thermal zones
  long long throttled = -1;  // how often the processors were slowed down for their heat, since the machine started
};

MachineState machine_state();

/// "this machine is busy: load 14.2 on 2 cores", "...hot: 97 degrees", "...throttled": what makes times worse, in one
/// sentence; "" where nothing does. `before`: a state to compare with; what we ourselves run is `own_load`.
std::string complaint_of(const MachineState& now, const MachineState& before, double own_load);

}  // namespace harness
