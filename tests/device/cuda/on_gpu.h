#pragma once
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstdio>
#include <functional>
#include <iostream>
#include <string>

#include "harness/device/cuda/probe.h"
#include "tests/support/skip.h"

// A test process stays away from the driver, for a child of a process that used it cannot: whatever uses it runs in a
// forked child, which says what it found.

/// Runs `work` in a child and returns what it printed into its pipe: a failure of the child is visible as text.
inline std::string in_child(const std::function<std::string()>& work) {
  int ends[2];
  REQUIRE(pipe(ends) == 0);
  std::cout.flush();
  std::fflush(stdout);
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    std::string said;
    try {
      said = work();
    } catch (const std::exception& error) {
      said = std::string("exception: ") + error.what();
    }
    const ssize_t written = write(ends[1], said.data(), said.size());
    _exit(written == static_cast<ssize_t>(said.size()) ? 0 : 1);
  }
  close(ends[1]);
  std::string said;
  char part[4096];
  for (ssize_t n; (n = read(ends[0], part, sizeof part)) > 0;) said.append(part, static_cast<std::size_t>(n));
  close(ends[0]);
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  return said;
}

inline bool no_gpu() {
  static const std::string missing = in_child([] {
    const harness::DeviceInfo info = harness::cuda::probe_cuda().at(0);
    if (!harness::cuda::nvrtc_available()) return std::string("no NVRTC");
    return info.available ? "" : info.missing.at(0);
  });
  if (!missing.empty()) harness::tests::skip("no GPU: " + missing);
  return !missing.empty();
}
