#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "harness/evaluate/worker_pool.h"
#include "harness/judge/bytes.h"

namespace harness {

/// One launch that was judged: on which subject, with which draw, and what came of it.
struct Launched {
  Verdict verdict;
  std::optional<RunnerFailure> failure;  // it did not end; then there is no verdict
  double seconds = 0;                    // of the launch, transfers included
  double elapsed_ns = 0;                 // without them; 0: unknown
  bool passed() const { return !failure && verdict.passed(); }
};

/// The subjects with all their images, as a runner prepares them.
std::vector<Contender> contenders_of(const std::vector<Subject*>& subjects);

/// Runs a prepared contender once on an image painted before, and judges what it left. On the cpu device the candidate
/// could still write to the image afterwards: what is judged is a copy taken when the launch had ended.
Launched launch_and_judge(WorkerPool& workers, Subject& subject, std::size_t contender, std::size_t image,
                          double deadline_s, Inputs inputs = Inputs::behind_walls);

/// The bytes of every output, as the launch left them.
judge::Bytes output_bytes(const Subject& subject, std::size_t image);
/// In words, where the outputs differ from those of the first launch on the same inputs; "" if they agree bit for bit.
/// Parts that the contract leaves open are not compared.
std::string difference_in_words(const Subject& subject, const judge::Bytes& first, std::size_t image);

/// "o 3.1e-04 of 6.3e-04, lse 2e-08 of 7e-06": errors against tolerances.
std::string errors_in_words(const Verdict& verdict);

}  // namespace harness
