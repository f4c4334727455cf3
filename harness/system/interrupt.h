#pragma once

namespace harness {

/// From now on Ctrl-C (SIGINT, SIGTERM) sets a flag; a second one ends the program at once.
void catch_interrupts();
bool interrupted();

}  // namespace harness
