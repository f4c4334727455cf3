#include "harness/worker/reference/python_reference.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <fstream>
#include <optional>
#include <sstream>

#include "harness/core/error.h"
#include "harness/judge/elements.h"
#include "harness/judge/indexing.h"
#include "harness/system/child.h"
#include "harness/system/descriptor.h"
#include "harness/system/files.h"
#include "harness/system/python.h"
#include "harness/system/temporary_folder.h"
#include "harness/system/walls.h"

namespace harness {
namespace {

constexpr double kDeadlineS = 100, kStartS = 60;
constexpr std::size_t kLongestAnswer = 1 << 20;

/// Both ends of a named pipe, so that opening it waits for nobody.
Descriptor named_pipe(const std::string& path) {
  if (mkfifo(path.c_str(), 0600) != 0)
    throw environment_error(fmt::format("no pipe could be made at {}: {}", path, std::strerror(errno)));
  return Descriptor(open(path.c_str(), O_RDWR | O_CLOEXEC));
}

void write_bytes(const std::string& path, const void* bytes, std::size_t count) {
  std::ofstream file(path, std::ios::binary);
  file.write(static_cast<const char*>(bytes), static_cast<std::streamsize>(count));
  if (!file.flush()) throw environment_error(fmt::format("{} cannot be written; is the disk full?", path));
}

template <typename T>
void read_bytes(const std::string& path, judge::Uncleared<T>& into) {
  std::ifstream file(path, std::ios::binary);
  const auto count = static_cast<std::streamsize>(into.size() * sizeof(T));
  file.read(reinterpret_cast<char*>(into.data()), count);
  if (file.gcount() != count) throw environment_error(fmt::format("{} is shorter than its array", path));
}

json array_json(const Argument& a, const std::string& file) {
  return {{"name", a.name}, {"file", file}, {"dtype", name(a.dtype)}, {"shape", a.shape}};
}

/// The elements of an input in row-major order: floating ones widened, integers as they are stored.
void write_input(const Argument& a, std::span<const std::byte> payload, const std::string& path) {
  const judge::Indexer indexer(a);
  const int bytes = is_floating(a.dtype) ? sizeof(double) : storage_bytes(a.dtype), stored = storage_bytes(a.dtype);
  judge::Bytes dense(static_cast<std::size_t>(indexer.count() * bytes));
  judge::parallel_ranges(indexer.count(), 0, [&](std::int64_t begin, std::int64_t end) {
    indexer.for_row_parts(begin, end, [&](std::int64_t logical, std::int64_t storage, std::int64_t count) {
      const std::byte* const units = payload.data() + storage * stored;
      std::byte* const to = dense.data() + logical * bytes;
      if (is_floating(a.dtype))
        judge::load_strided(a.dtype, units, indexer.column_stride(),
                            {reinterpret_cast<double*>(to), static_cast<std::size_t>(count)});
      else
        for (std::int64_t i = 0; i < count; ++i)
          std::memcpy(to + i * bytes, units + i * indexer.column_stride() * bytes, static_cast<std::size_t>(bytes));
    });
  });
  write_bytes(path, dense.data(), dense.size());
}

judge::ReferenceArray read_output(const Argument& a, const std::string& path) {
  judge::ReferenceArray array{a.dtype, a.shape, {}, {}};
  const auto count = static_cast<std::size_t>(std::max<std::int64_t>(1, count_elements(a)));
  array.values = judge::Uncleared<double>(count);
  if (is_floating(a.dtype)) {
    read_bytes(path, array.values);
    return array;
  }
  judge::Bytes raw(count * static_cast<std::size_t>(storage_bytes(a.dtype)));
  read_bytes(path, raw);
  judge::load_strided(a.dtype, raw.data(), 1, array.values);
  array.raw.assign(raw.begin(), raw.end());
  return array;
}

json sizes_json(const Workload& workload) {
  json sizes = json::object();
  for (const auto& [name, value] : workload.values)
    if (const auto* whole = std::get_if<std::int64_t>(&value)) sizes[name] = *whole;
  return sizes;
}

json number_json(const Value& value) {
  return std::visit([](const auto& plain) { return json(plain); }, value);
}

}  // namespace

/// The interpreter, and the folder that both sides know.
class PythonReference::Process {
 public:
  Process(const std::string& python, const std::string& program)
      : program_(program), text_(read_file(program, Error::Kind::bad_input)) {
    write_file(folder_.path("python_reference.py"), python_reference_text());
    ask_ = named_pipe(folder_.path("ask"));
    answer_ = named_pipe(folder_.path("answer"));
    const Confinement walls(walls_here(),
                            python_reach(python, {std::filesystem::path(program).parent_path()}, folder_.path()));
    std::vector<std::string> words{python, folder_.path("python_reference.py"), folder_.path(), program};
    std::vector<std::string> environment = python_environment(folder_.path());
    const std::vector<char*> argv = exec_list(words), variables = exec_list(environment);
    const Descriptor nowhere(open(folder_.path("log").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
    child_.emplace(ChildSetup{nowhere.get(), python_limits(), &walls}, [&] {
      if (chdir("/") == 0) execve(argv[0], argv.data(), variables.data());
      return 127;
    });
  }

  bool serves(const std::string& program) const { return program == program_; }
  std::string path(const std::string& name) const { return folder_.path(name); }

  void send(const json& request) {
    const std::string line = json_text(request) + "\n";
    for (std::size_t at = 0; at < line.size();) {
      const ssize_t count = write(ask_.get(), line.data() + at, line.size() - at);
      if (count < 0 && errno != EINTR) throw environment_error("the reference's process takes no request");
      at += count > 0 ? static_cast<std::size_t>(count) : 0;
    }
  }

  /// Nothing: it has ended, or the time is up (`late`).
  std::optional<json> receive(double seconds, bool& late) {
    const auto limit = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
    while (answer_text_.find('\n') == std::string::npos) {
      pollfd ready{answer_.get(), POLLIN, 0};
      if (poll(&ready, 1, 50) > 0) {
        char part[4096];
        const ssize_t count = read(answer_.get(), part, sizeof part);
        if (count > 0) answer_text_.append(part, static_cast<std::size_t>(count));
        if (answer_text_.size() > kLongestAnswer) return std::nullopt;
        continue;
      }
      if (child_->ends_within(0)) return std::nullopt;
      late = std::chrono::steady_clock::now() > limit;
      if (late) return std::nullopt;
    }
    const std::size_t end = answer_text_.find('\n');
    json answer = json::parse(answer_text_.substr(0, end), nullptr, false);
    answer_text_.erase(0, end + 1);
    if (!answer.is_object()) return std::nullopt;
    return answer;
  }

  /// Ends it. What it wrote last that names an error, else its last line.
  std::string last_words() {
    child_->kill();
    std::istringstream lines(read_file_if_any(folder_.path("log")).value_or(""));
    std::string words;
    bool error = false;
    for (std::string line; std::getline(lines, line);) {
      const bool names_error = line.find("Error: ") != std::string::npos || line.find("what(): ") != std::string::npos;
      if (names_error || (!error && !line.empty())) words = line.substr(0, 300);
      error = error || names_error;
    }
    return words;
  }

 private:
  TemporaryFolder folder_{"reference"};
  std::string program_, text_, answer_text_;
  Descriptor ask_, answer_;
  std::optional<Child> child_;
};

PythonReference::PythonReference() = default;
PythonReference::~PythonReference() = default;

PythonReference::Process& PythonReference::process_for(const std::string& program) {
  if (process_ && process_->serves(program)) return *process_;
  std::string said;
  for (const std::string& python : python_interpreters()) {
    process_ = std::make_unique<Process>(python, program);
    bool late = false;
    if (process_->receive(kStartS, late)) return *process_;
    const std::string words = process_->last_words();
    if (words.find("No module named") == std::string::npos)
      said += fmt::format("; {} did not start: {}", python, late ? "it took too long" : words);
  }
  process_.reset();
  throw environment_error(no_pytorch() + said);
}

judge::ReferenceValues PythonReference::compute(const Problem& problem, const ImageLayout& layout,
                                                std::span<const std::byte> image) {
  Process& process = process_for(problem.reference.source);
  json request{{"sizes", sizes_json(problem.workload)},
               {"numbers", json::object()},
               {"inputs", json::object()},
               {"outputs", json::array()}};
  for (const Argument& a : problem.arguments) {
    if (a.kind == ArgumentKind::scalar && a.value) request["numbers"][a.name] = number_json(*a.value);
    if (judge::is_drawn(a)) {
      write_input(a, judge::payload(layout, a.name, image), process.path("in." + a.name));
      request["inputs"][a.name] = array_json(a, "in." + a.name);
    }
    if (judge::is_judged(a)) request["outputs"].push_back(array_json(a, "out." + a.name));
  }
  process.send(request);
  bool late = false;
  const std::optional<json> answer = process.receive(kDeadlineS, late);
  const std::string program = std::filesystem::path(problem.reference.source).filename();
  if (!answer) {
    const std::string words = process.last_words();
    process_.reset();
    throw bad_input(late ? fmt::format("{} did not answer within {:.0f} s on workload '{}'; use a smaller one here",
                                       program, kDeadlineS, problem.workload.name)
                         : fmt::format("{} ended on workload '{}': {}", program, problem.workload.name, words));
  }
  if (answer->contains("error"))
    throw bad_input(
        fmt::format("{} on workload '{}': {}", program, problem.workload.name, answer->at("error").get<std::string>()));
  judge::ReferenceValues values;
  for (const Argument& a : problem.arguments)
    if (judge::is_judged(a)) values[a.name] = read_output(a, process.path("out." + a.name));
  return values;
}

std::string no_pytorch() {
  return "this problem's reference is a Python program, and no python3 here has PyTorch and NumPy; install them "
         "(Debian: apt-get install python3-torch), or name an interpreter that has them in HARNESS_PYTHON";
}

const char* python_reference_text() {
  static constexpr const char* kText =
#include "embedded/harness/worker/reference/python_reference.in"
      ;
  return kText;
}

}  // namespace harness
