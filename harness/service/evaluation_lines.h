#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "harness/service/arguments.h"
#include "harness/service/shell.h"

// `harness eval KERNEL --lines`: candidates of one kernel, asked for one after the other by a program that searches.
namespace harness {

struct LinesAsked {
  std::string kernel, device = "auto";
  AskedTimes times;
  std::vector<std::string> workloads;  // of lines that name none: names, sets or shapes; empty: the set "default"
  bool no_record = false;
  bool reuse = false;  // what was evaluated before is answered from the record
};

struct LinesWatch {
  std::function<std::optional<std::string>()> next;  // the next line; nothing: there are no more
  std::function<void(const json& answer)> ended;
  std::function<void(const std::string& task)> begun;
};

/// Answers each line with one object. Processes, the judge's references and what is compiled stay from line to line; a
/// candidate is screened beside the fastest so far, unless it is asked for as a finalist. A line that names nothing is
/// answered and ends nothing. Whether all of them passed; nothing: interrupted. Throws Error(bad_input) for a kernel
/// that nobody has, or whose gates let wrong answers pass.
std::optional<bool> evaluate_lines(const LinesAsked& asked, const Places& places, Shell& shell,
                                   const LinesWatch& watch);

}  // namespace harness
