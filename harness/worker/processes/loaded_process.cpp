#include "harness/worker/processes/loaded_process.h"

#include <fmt/format.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstring>

#include "harness/core/error.h"
#include "harness/system/files.h"
#include "harness/worker/processes/launch_report.h"

namespace harness {
namespace {

/// What the runner asks of the loaded process. `executable` < 0: a launch of the first that does nothing, again and
/// again.
struct Request {
  int executable = 0, image = 0;
  unsigned run = 0;
};

double now_ns() {
  return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

LaunchReport& in(const SharedMemory& memory) {
  return *reinterpret_cast<LaunchReport*>(memory.bytes().data());
}

/// Does `work` and reports what it throws.
template <typename Work>
LaunchReport::Code guarded(LaunchReport& report, Work&& work) {
  const auto reported = [&](LaunchReport::Code code, const char* text) {
    write_text(report, text);
    return code;
  };
  try {
    work();
    return LaunchReport::done;
  } catch (const DeviceFault& fault) {
    return reported(LaunchReport::fault, fault.what());
  } catch (const LaunchRefused& refused) {
    return reported(LaunchReport::refused, refused.what());
  } catch (const DeviceMemoryExhausted& memory) {
    return reported(LaunchReport::memory, memory.what());
  } catch (const NotSupported& unsupported) {
    return reported(LaunchReport::unsupported, unsupported.what());
  } catch (const std::bad_alloc&) {
    return reported(LaunchReport::memory, "the host has no memory left for it");
  } catch (const std::exception& error) {
    return reported(LaunchReport::environment, error.what());
  }
}

// ---- in the process of a launch

/// Images lie at another address in each launch. The kernel is asked, not the C library: from glibc 2.41 on, that draws
/// in the vDSO, whose code cannot be run here any more (system/clocks.h).
void move_on() {
  unsigned pages = 0;
  if (syscall(SYS_getrandom, &pages, sizeof pages, 0) != sizeof pages) return;
  mmap(nullptr, (pages % 65536 + 1) * std::size_t{4096}, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
}

/// `timed`: its pages are there before the clock starts. The arenas of an observed launch are mostly never touched.
SharedMemory map_image(int descriptor, std::size_t bytes, bool timed) {
  move_on();
  SharedMemory image(descriptor, bytes);
  constexpr int kPopulateWrite = 23;  // MADV_POPULATE_WRITE; older kernels refuse it, and then the run meets the faults
  if (timed) madvise(image.bytes().data(), bytes, kPopulateWrite);
  return image;
}

[[noreturn]] void be_launch(Session& session, const NativeExecutables& prepared, LaunchReport& report,
                            const Request& request, pid_t runner) noexcept {
  const auto which = static_cast<std::size_t>(std::max(request.executable, 0));
  const Executable& executable = prepared.executables.at(which);
  SharedMemory image;
  report.code = guarded(report, [&] {
    stand_alone(runner);
    if (request.executable >= 0) {
      image = map_image(prepared.images.at(which).at(static_cast<std::size_t>(request.image)).get(),
                        static_cast<std::size_t>(executable.layout.bytes), !prepared.observed.at(which));
      session.warm_up(executable);
      session.close_inputs(executable, image.bytes());
      session.set_run(request.run);
    } else {
      session.start_threads(executable);  // each is stopped and goes on; memory that nobody touches takes no part in it
    }
    drop_rights();
  });
  const bool ready = report.code == LaunchReport::done;
  if (ready) report.code = LaunchReport::nothing;
  stop_here();
  if (ready && request.executable >= 0) {
    const LaunchReport::Code code = guarded(report, [&] { session.run(executable, image.bytes()); });
    if (const auto findings = session.take_findings()) write_findings(report, json_text(json(*findings)));
    if (const auto counts = session.take_counts()) write_findings(report, json_text(json(*counts)));
    report.code = code;
  }
  for (;;) stop_here();
}

// ---- in the loaded process

std::vector<const Artifact*> artifacts_of(const Executable& executable) {
  std::vector<const Artifact*> artifacts = {&executable.artifact};
  if (executable.plain) artifacts.push_back(&*executable.plain);
  return artifacts;
}

[[noreturn]] void be_loaded(Session& session, const NativeExecutables& prepared, const Cage& cage, int socket,
                            LaunchReport& report, pid_t runner) noexcept {
  report.code = guarded(report, [&] {
    std::vector<std::string> paths;
    for (const Executable& executable : prepared.executables)
      for (const Artifact* const artifact : artifacts_of(executable)) paths.push_back(artifact->path);
    restrict_for_loading(cage, paths);
    for (const Executable& executable : prepared.executables)
      for (const Artifact* const artifact : artifacts_of(executable)) session.preload(*artifact);
  });
  forget_thread_number(1);
  Request request;
  pid_t launch = 0;
  for (ssize_t sent = write(socket, &launch, sizeof launch); sent == sizeof launch;) {
    if (read(socket, &request, sizeof request) != sizeof request) break;
    // fork() would note the new process's number where a candidate can read it, and count launches by it.
    launch = static_cast<pid_t>(syscall(SYS_clone, CLONE_PARENT | SIGCHLD, nullptr, nullptr, nullptr, nullptr));
    if (launch == 0) be_launch(session, prepared, report, request, runner);
    sent = write(socket, &launch, sizeof launch);
    explicit_bzero(&launch, sizeof launch);
  }
  _exit(0);
}

/// Waits until a child stops or ends.
siginfo_t wait_for(pid_t child, int events) {
  siginfo_t event{};
  while (waitid(P_PID, static_cast<id_t>(child), &event, events) != 0 && errno == EINTR) {
  }
  return event;
}

bool has_stopped(const siginfo_t& event) {
  return event.si_pid != 0 && event.si_code == CLD_STOPPED;
}

void end(pid_t child) {
  kill(child, SIGKILL);
  wait_for(child, WEXITED);
}

std::string end_in_words(const siginfo_t& event) {
  if (event.si_code == CLD_EXITED) return fmt::format("exit status {}", event.si_status);
  std::string words = fmt::format("signal {} ({})", event.si_status, strsignal(event.si_status));
  if (event.si_status == SIGSYS) words += ": it made a system call, which no device code may";
  return words;
}

/// Signals that a launch may not send itself (rights.cpp).
bool comes_from_outside(const siginfo_t& event) {
  if (event.si_code != CLD_KILLED) return false;
  const int signal = event.si_status;
  return signal == SIGKILL || signal == SIGTERM || signal == SIGHUP || signal == SIGINT || signal == SIGQUIT;
}

NativeLaunch::End meaning(std::uint32_t code) {
  using End = NativeLaunch::End;
  switch (code) {
    case LaunchReport::done:
      return End::done;
    case LaunchReport::fault:
      return End::fault;
    case LaunchReport::refused:
      return End::refused;
    case LaunchReport::memory:
      return End::memory;
    case LaunchReport::unsupported:
      return End::unsupported;
    case LaunchReport::environment:
      return End::environment;
    default:
      return End::died;
  }
}

}  // namespace

LoadedProcess::LoadedProcess(Session& session, const NativeExecutables& prepared, const Cage& cage)
    : prepared_(prepared), report_(sizeof(LaunchReport)) {
  for (const Executable& executable : prepared.executables)
    objects_.push_back(read_file_if_any(executable.artifact.path).value_or(""));
  int sockets[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets) != 0)
    throw environment_error(fmt::format("cannot make a socket for a launch: {}", std::strerror(errno)));
  socket_ = Descriptor(sockets[0]);
  Descriptor other(sockets[1]);
  const pid_t parent = getpid();
  process_ = fork();
  if (process_ < 0) throw environment_error(fmt::format("no process could be started: {}", std::strerror(errno)));
  if (process_ == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(0);
    socket_.reset();
    be_loaded(session, prepared, cage, other.get(), in(report_), parent);
  }
  other.reset();
  begin();
}

LoadedProcess::~LoadedProcess() {
  if (process_ > 0) end(process_);
}

void LoadedProcess::begin() {
  pid_t none = 0;
  if (read(socket_.get(), &none, sizeof none) != sizeof none) {
    const siginfo_t event = wait_for(process_, WEXITED);
    process_ = -1;
    throw LaunchRefused("the process that loads the candidate ended: " + end_in_words(event));
  }
  const NativeLaunch loaded = conclude(0, 0);
  if (loaded.end == NativeLaunch::End::environment) throw environment_error(loaded.detail);
  if (loaded.end != NativeLaunch::End::done) throw LaunchRefused(loaded.detail);
  empty_ns_ = measure_empty();
}

std::optional<pid_t> LoadedProcess::ask(int executable, int image) {
  LaunchReport& report = in(report_);
  report.code = LaunchReport::nothing;
  std::memset(report_.bytes().data(), 0, used_bytes_);  // nothing of an earlier launch is left there either
  const Request request{executable, image, ++runs_ % 2};
  pid_t launch = -1;
  if (write(socket_.get(), &request, sizeof request) != sizeof request ||
      read(socket_.get(), &launch, sizeof launch) != sizeof launch)
    return std::nullopt;
  if (launch < 0) throw environment_error("no process could be started for a launch");
  return launch;
}

// The least of several: what is subtracted must never be more than was spent.
double LoadedProcess::measure_empty() {
  constexpr int kRounds = 10;
  const std::optional<pid_t> begun = ask(-1, 0);
  if (!begun) return 0;  // the next launch says so
  const pid_t launch = *begun;
  double least = 0;
  bool stands = has_stopped(wait_for(launch, WSTOPPED | WEXITED));
  for (int round = 0; round < kRounds && stands; ++round) {
    const double begin = now_ns();
    kill(launch, SIGCONT);
    stands = has_stopped(wait_for(launch, WSTOPPED | WEXITED));
    const double spent = now_ns() - begin;
    least = round == 0 ? spent : std::min(least, spent);
  }
  if (stands) end(launch);
  return stands ? least : 0;
}

NativeLaunch LoadedProcess::launch(std::size_t executable, std::size_t image) {
  const std::optional<pid_t> begun = ask(static_cast<int>(executable), static_cast<int>(image));
  // It runs no foreign code: whatever ended it came from outside.
  if (!begun)
    return {NativeLaunch::End::killed, "the process that had loaded it was killed", 0, std::nullopt, std::nullopt};
  const pid_t launch = *begun;
  siginfo_t event = wait_for(launch, WSTOPPED | WEXITED);
  double elapsed_ns = 0;
  if (has_stopped(event) && in(report_).code == LaunchReport::nothing) {
    const double begin = now_ns();
    kill(launch, SIGCONT);
    event = wait_for(launch, WSTOPPED | WEXITED);
    elapsed_ns = std::max(1.0, now_ns() - begin - empty_ns_);
  }
  if (!has_stopped(event)) {
    const auto end = comes_from_outside(event) ? NativeLaunch::End::killed : NativeLaunch::End::died;
    return {end, end_in_words(event), elapsed_ns, std::nullopt, std::nullopt};
  }
  end(launch);
  NativeLaunch launched = conclude(executable, elapsed_ns);
  // Once a candidate has run, whatever is said of the environment may be the candidate's word.
  if (elapsed_ns > 0 && launched.end == NativeLaunch::End::environment) launched.end = NativeLaunch::End::died;
  return launched;
}

NativeLaunch LoadedProcess::conclude(std::size_t executable, double elapsed_ns) {
  const LaunchReport& report = in(report_);
  const auto bytes_of = [](std::uint32_t length, std::size_t most) { return std::min<std::size_t>(length, most); };
  const std::string text(report.text, bytes_of(report.text_bytes, sizeof report.text));
  const std::string findings(report.findings, bytes_of(report.findings_bytes, sizeof report.findings));
  used_bytes_ = findings.empty() ? offsetof(LaunchReport, findings) : sizeof report;
  NativeLaunch launch{meaning(report.code), words(executable, text), elapsed_ns, std::nullopt, std::nullopt};
  if (launch.end == NativeLaunch::End::died) launch.detail = "it stopped before its launch had ended";
  if (!findings.empty()) read_evidence(executable, findings, launch);
  return launch;
}

// What a checked run found, or a counted one counted: of the latter only numbers are kept.
void LoadedProcess::read_evidence(std::size_t executable, const std::string& text, NativeLaunch& launch) const {
  try {
    if (prepared_.executables.at(executable).counting) {
      launch.counts = parse_json(text).get<std::vector<CountedLaunch>>();
      return;
    }
    launch.findings = parse_json(text).get<std::vector<RawFinding>>();
    for (RawFinding& finding : *launch.findings) {
      finding.kind = words(executable, finding.kind);
      finding.text = words(executable, finding.text);
    }
  } catch (const std::exception&) {
    launch.findings.reset();
    launch.counts.reset();
  }
}

std::string LoadedProcess::words(std::size_t executable, const std::string& text) const {
  if (text.empty()) return "";
  const std::string plan = json_text(json(prepared_.executables.at(executable)));  // names of arguments and buffers
  return known_words(text, {objects_.at(executable), plan});
}

}  // namespace harness
