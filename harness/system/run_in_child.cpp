#include "harness/system/run_in_child.h"

#include <unistd.h>

#include <cerrno>
#include <chrono>

#include "harness/core/bounded_log.h"
#include "harness/core/error.h"
#include "harness/system/child.h"
#include "harness/system/deadline.h"
#include "harness/system/pipe.h"
#include "harness/system/walls.h"

namespace harness {
namespace {

// The first byte of what a child sends.
constexpr char kAnswer = 'a', kBroken = 'e';
// A cubin with its log; a child that sends more is out of order.
constexpr std::size_t kMaxAnswerBytes = 256 << 20;

ResourceLimits limits_of_work(const CompileLimits& limits) {
  ResourceLimits all{.cpu_s = static_cast<rlim_t>(limits.deadline_s) + 1, .file_bytes = 0};
#ifndef __SANITIZE_ADDRESS__  // whose shadow is terabytes of address space
  all.memory_bytes = mapped_bytes() + static_cast<rlim_t>(limits.memory_bytes);
#endif
  return all;
}

void send_all(const std::string& text) {
  for (std::size_t sent = 0; sent < text.size();) {
    const ssize_t count = write(STDIN_FILENO, text.data() + sent, text.size() - sent);
    if (count < 0 && errno != EINTR) return;
    if (count > 0) sent += static_cast<std::size_t>(count);
  }
}

int work_and_answer(const std::function<std::string()>& work, int answer) {
  if (chdir("/") != 0) return kNotConfined;
  dup2(answer, STDIN_FILENO);  // the one place for it that is never another's
  close_range(STDERR_FILENO + 1, ~0U, 0);
  try {
    send_all(kAnswer + work());
  } catch (const std::exception& broken) {
    send_all(kBroken + std::string(broken.what()));
  }
  return 0;
}

}  // namespace

ChildAnswer run_in_child(const std::function<std::string()>& work, const CompileLimits& limits,
                         const Confinement& confinement) {
  Pipe answer, output;
  Child child({output.write_end.get(), limits_of_work(limits), &confinement},
              [&] { return work_and_answer(work, answer.write_end.get()); });
  answer.write_end.reset();
  output.write_end.reset();
  BoundedLog said;
  std::string text;
  const auto take_answer = [&](std::string_view part) { return text.append(part).size() <= kMaxAnswerBytes; };
  const auto take_output = [&](std::string_view part) { return said.append(part), true; };
  ChildAnswer result;
  const std::vector<Stream> streams{{answer.read_end.get(), take_answer}, {output.read_end.get(), take_output}};
  bool flooded = false;
  Deadline deadline(child.id(), patience_of(limits));
  result.timed_out = !ends_in_time(deadline, [&](auto slice) {
    const bool closed = read_until_closed(streams, std::chrono::steady_clock::now() + slice);
    flooded = text.size() > kMaxAnswerBytes;
    return closed || flooded;
  });
  result.timed_out = result.timed_out || flooded;
  if (result.timed_out) child.kill();
  const int ended = child.wait().status();
  if (ended == kNotConfined) throw not_confined(said.text());
  if (ended == 0 && text.starts_with(kBroken)) throw environment_error(text.substr(1));
  result.answered = !result.timed_out && ended == 0 && text.starts_with(kAnswer);
  result.signal = ended > 128 ? ended - 128 : 0;
  result.text = result.answered ? text.substr(1) : said.text();
  return result;
}

}  // namespace harness
