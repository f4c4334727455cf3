#pragma once
#include <string>

namespace harness {

/// Field `number` of /proc/ID/stat, counted from 1 as proc(5) does, at least 3: 4 is the parent, 22 the start in clock
/// ticks since boot. "" where there is no such process.
std::string process_stat(long id, int number);
/// The same of one thread. (/proc/THREAD/stat, which exists too, has the times of all threads of its process.)
std::string thread_stat(long process, long thread, int number);

}  // namespace harness
