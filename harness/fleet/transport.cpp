#include "harness/fleet/transport.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <cerrno>

#include "harness/system/child.h"
#include "harness/system/pipe.h"

namespace harness::fleet {
namespace {

constexpr int kCannotStart = 127;
constexpr int kPatienceMs = 2000;  // for a node that does not read
// A node of this program may be killed. Behind a command of the user's may be an allocation that the command alone
// gives back: an srun that is killed with its process group leaves its cards held until their time limit.
constexpr double kOwnLeavesS = 0.3;
constexpr double kLeavesS = 3, kEndsS = 3;  // at the end of its input; after SIGTERM

class ProcessTransport : public Transport {
 public:
  explicit ProcessTransport(const NodeSpec& spec) : words_(spec.start), list_(exec_list(words_)), own_(spec.is_child) {
    child_.emplace(ChildSetup{}, [this] {
      signal(SIGPIPE, SIG_DFL);
      if (dup2(to_.read_end.get(), 0) < 0 || dup2(from_.write_end.get(), 1) < 0) return kCannotStart;
      execvp(list_[0], list_.data());
      return kCannotStart;
    });
    to_.read_end.reset();
    from_.write_end.reset();
    for (const int end : {to_.write_end.get(), from_.read_end.get()}) fcntl(end, F_SETFL, O_NONBLOCK);
  }
  ~ProcessTransport() override {
    leave();
    if (child_->ends_within(own_ ? kOwnLeavesS : kLeavesS)) return;
    if (!own_) {
      kill(child_->id(), SIGTERM);
      if (child_->ends_within(kEndsS)) return;
    }
    child_->kill();
  }

  void leave() override { to_.write_end.reset(); }

  int descriptor() const override { return from_.read_end.get(); }

  bool send(std::string_view bytes) override {
    while (!bytes.empty()) {
      const ssize_t sent = write(to_.write_end.get(), bytes.data(), bytes.size());
      if (sent > 0) {
        bytes.remove_prefix(static_cast<std::size_t>(sent));
        continue;
      }
      if (sent < 0 && errno == EINTR) continue;
      pollfd ready{to_.write_end.get(), POLLOUT, 0};
      if (sent < 0 && errno == EAGAIN && poll(&ready, 1, kPatienceMs) > 0 && (ready.revents & POLLERR) == 0) continue;
      return false;
    }
    return true;
  }

  std::optional<std::string> receive() override {
    std::string all;
    char buffer[65536];
    for (;;) {
      const ssize_t got = read(from_.read_end.get(), buffer, sizeof buffer);
      if (got > 0) all.append(buffer, static_cast<std::size_t>(got));
      else if (got < 0 && errno == EINTR) continue;
      else if (got < 0 && errno == EAGAIN) return all;
      else return all.empty() ? std::nullopt : std::optional(all);
    }
  }

 private:
  std::vector<std::string> words_;
  std::vector<char*> list_;
  bool own_;
  Pipe to_, from_;
  std::optional<Child> child_;
};

}  // namespace

std::unique_ptr<Transport> start_process(const NodeSpec& spec) {
  signal(SIGPIPE, SIG_IGN);  // a node that ends is told by what is written to it
  return std::make_unique<ProcessTransport>(spec);
}

}  // namespace harness::fleet
