#pragma once

namespace harness {

/// Takes from this process, and from all that it forks afterwards, what tells the time without a system call: the
/// processor's time stamp counter, and the kernel's pages of time (vDSO and vvar). Reading either is a segmentation
/// fault from then on, also from this program's own code: std::chrono and clock_gettime must not be called. Other
/// threads keep theirs, so there should be none yet. False where the kernel of this machine does not do it.
bool hide_clocks();

}  // namespace harness
