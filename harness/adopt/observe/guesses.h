#pragma once
#include <vector>

#include "harness/adopt/observe/attempted.h"
#include "harness/adopt/observe/steps.h"

// What may be so where a kernel's arrays are not understood by steps of its sizes alone.
namespace harness::adopt {

void set_steps(AdoptedKernel& kernel, const Steps& steps, const Tiles& tiles);

/// A guess, by what it supposes. `applies`: it may explain what was attempted. `holds`: tried by attempts of its own,
/// it explains all arrays; `finish` was called then.
struct Guess {
  const char* name;
  bool (*applies)(const AdoptedKernel& kernel, const Attempted& attempted);
  bool (*holds)(const Observing& observing, const Attempted& attempted, const Finish& finish);
};

/// Right behind the first attempt that failed, in their order.
const std::vector<Guess>& early_guesses();
/// Behind all attempts, in their order.
const std::vector<Guess>& late_guesses();

/// The first guess of a list that holds; nullptr: none does.
const Guess* first_that_holds(const std::vector<Guess>& guesses, const Observing& observing, const Attempted& attempted,
                              const Finish& finish);

}  // namespace harness::adopt
