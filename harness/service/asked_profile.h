#pragma once
#include <functional>
#include <string>
#include <vector>

#include "harness/core/profile.h"
#include "harness/service/asked_candidate.h"

namespace harness {

struct ProfileAsked {
  CandidateWords words;
  std::string device = "auto";
  std::vector<std::string> workloads;  // names, sets or shapes; empty: the recorded one, else the first of "default"
  std::string gpu;                     // whose time is predicted; "": the device itself, or the one that is known best
  std::string through;                 // "": the best way that works
  int blocks = 16;                     // of a launch that are counted, at most
  bool alone = false, beside = false;  // on a GPU others are shown beside it, elsewhere not
  bool numbers_only = false;           // on a GPU: without the lines that the cpu device counts
  std::function<bool()> stop;
};

/// A candidate's profile under the title "candidate", and behind it those of others on the same workload.
struct ComparedProfiles {
  std::vector<std::string> titles;
  std::vector<Realized> candidates;
  std::vector<Profile> profiles;

  json as_json() const;
};

struct ProfileWatch {
  std::function<void(const std::string& task)> begun;
  std::function<void(const ComparedProfiles&)> ended;  // a workload at a time
};

/// False: it was stopped. Throws Error(bad_input) for words that name nothing. One of the others that fails, or calls a
/// library that nobody can count, is left out and told to the shell.
bool profile_asked(const ProfileAsked& asked, const Places& places, Shell& shell, const ProfileWatch& watch);

}  // namespace harness
