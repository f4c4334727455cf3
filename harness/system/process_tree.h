#pragma once
#include <sys/types.h>

#include <map>

namespace harness {

/// What the threads of a process and of all that it has started have done, from /proc.
struct ProcessTree {
  struct Thread {
    double ran_s = 0;     // on a core
    double waited_s = 0;  // ready to run, and others had the cores
  };
  std::map<long, Thread> threads;  // by thread number
  bool stopped = false;            // the process itself is stopped (SIGSTOP) or held by a debugger; a child may do so
  bool blocked = false;  // a thread waits in the kernel and nothing can wake it but what it waits for (state D)
};

/// Empty where the process has gone. Takes a millisecond or two on a machine with hundreds of processes.
ProcessTree look_at_tree(pid_t root);

}  // namespace harness
