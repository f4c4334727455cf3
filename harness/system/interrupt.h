#pragma once

namespace harness {

/// From now on Ctrl-C (SIGINT, SIGTERM) sets a flag; a second one ends the program at once.
void catch_interrupts();
bool interrupted();

/// Sets the same flag after so many seconds, whatever was asked before; 0: not any more.
void interrupt_after(double seconds);
/// Was it that deadline that set the flag?
bool deadline_passed();

}  // namespace harness
