#include "harness/adopt/plugin/recorded.h"

#include <catch2/catch.hpp>
#include <filesystem>

#include "harness/adopt/plugin/changed.h"
#include "harness/core/error.h"
#include "harness/core/hash.h"
#include "harness/system/run_program.h"
#include "tests/adopt/fixture.h"

// References from outside: a program's outputs, and arrays that were recorded elsewhere.
using namespace harness;
using namespace harness::tests;
namespace fs = std::filesystem;

namespace {

const std::string kDouble =
    "__global__ void twice(const float* x, float* y, int n) {\n"
    "  int i = blockIdx.x * 64 + threadIdx.x; if (i < n) y[i] = 2 * x[i]; }\n"
    "void r(float* x, float* y, int n) { twice<<<(n + 63) / 64, 64>>>(x, y, n); }\n";

/// Reads x.npy and writes FACTOR x as y.npy, with what every Python has.
std::string program(const std::string& before, const std::string& factor) {
  return "import array, json, sys\n" + before +
         "\nraw = open(sys.argv[1] + '/x.npy', 'rb').read()\n"
         "n = json.load(open(sys.argv[1] + '/sizes.json'))['n']\n"
         "header = 10 + raw[8] + 256 * raw[9]\n"
         "x = array.array('f'); x.frombytes(raw[header:]); assert len(x) == n\n"
         "y = array.array('f', [" +
         factor + " * v for v in x])\nopen(sys.argv[2] + '/y.npy', 'wb').write(raw[:header] + y.tobytes())\n";
}

struct Twice {
  Scratch scratch;
  std::unique_ptr<Observer> observer = cpu_observer();
  adopt::Adopted found;
  adopt::Subject subject;

  Twice() {
    scratch.write("twice.cu", kDouble);
    adopt::AdoptOptions options;
    options.file = scratch.path("twice.cu");
    options.reference = "self";
    found = adopted(options);
    subject.build.source_name = "twice.cu";
    subject.build.source = found.device.text;
    subject.build.include_dirs = {HARNESS_SOURCE_DIR "/kernels/include"};
    subject.entry = "twice";
    subject.build.entries = {"twice"};
  }

  adopt::ChosenReference by(const std::string& text) {
    scratch.write("ref.py", text);
    return adopt::recorded_by("python3 " + scratch.path("ref.py"), found.kernel, subject, *observer, found.reference);
  }

  std::string refusal(const std::string& text) {
    try {
      by(text);
    } catch (const Error& error) {
      CHECK(error.kind() == Error::Kind::bad_input);
      return error.what();
    }
    return "";
  }
};

}  // namespace

TEST_CASE("a program's outputs are recorded where they agree; whatever else it does is one sentence") {
  if (find_program("python3").empty()) return;
  Twice twice;
  const adopt::ChosenReference chosen = twice.by(program("", "2"));
  REQUIRE(chosen.golden.size() >= 2);
  CHECK_THAT(chosen.weak, Catch::StartsWith("checked on") && Catch::Contains("recorded inputs of ref.py; elsewhere"));
  CHECK(chosen.files.size() == 2 * chosen.golden.size());

  CHECK_THAT(twice.refusal(program("", "2.5")), Catch::Contains("lie 0.2 apart"));
  CHECK_THAT(twice.refusal("raise SystemExit('no torch here')"),
             Catch::Contains("ended with status 1") && Catch::Contains("no torch here"));
  CHECK_THAT(twice.refusal("pass"), Catch::Contains("there is no y.npy"));
  CHECK_THAT(twice.refusal(program("", "2") + "raw = raw.replace(b'(', b'(1, ', 1)\n"
                                              "open(sys.argv[2] + '/y.npy', 'wb').write(raw)\n"),
             Catch::Contains("y.npy"));
  CHECK_THAT(twice.refusal("import socket; socket.socket()"), Catch::Contains("ended with status"));
  CHECK_THAT(twice.refusal("open('" + twice.scratch.path("stolen") + "', 'w')"), Catch::Contains("ended with status"));

  // What the program wrote is what a person may have recorded: a folder of arrays says its own sizes.
  const fs::path folder = twice.scratch.path("arrays");
  fs::create_directories(folder);
  for (const auto& [name, text] : chosen.files)
    if (name.starts_with(chosen.golden.begin()->second))
      twice.scratch.write("arrays/" + fs::path(name).filename().string(), text);
  adopt::AdoptedKernel kernel = twice.found.kernel;
  const auto recorded =
      adopt::recorded_in((folder / "y.npy").string(), kernel, twice.subject, *twice.observer, twice.found.reference);
  CHECK(recorded.golden.size() == 1);
  CHECK_THAT(recorded.weak, Catch::StartsWith("checked on 1 recorded input of y.npy"));
  CHECK(kernel.sizes[0].values.size() == 1);
  fs::remove(folder / "x.npy");
  CHECK_THROWS_WITH(adopt::recorded_in(folder.string(), kernel, twice.subject, *twice.observer, twice.found.reference),
                    Catch::Contains("has no x.npy"));
}

TEST_CASE("a source that changed since it was adopted is told") {
  const Scratch scratch;
  fs::create_directories(scratch.path("kernels/k"));
  scratch.write("a.cu", "one");
  const std::string folder = scratch.path("kernels/k");
  const auto of = [](const std::string& path, const std::string& text) {
    return AdoptedFrom{"a.cu", "k", sha256_hex(text), path};
  };
  CHECK_FALSE(adopt::changed_source(folder, of("../../a.cu", "one")).has_value());
  CHECK_FALSE(adopt::changed_source(folder, of(scratch.path("a.cu"), "one")).has_value());
  CHECK_FALSE(adopt::changed_source(folder, of("", "two")).has_value());
  const auto changed = adopt::changed_source(folder, of("../../a.cu", "two"));
  REQUIRE(changed.has_value());
  CHECK(changed->path == scratch.path("a.cu"));
  CHECK_FALSE(changed->missing);
  CHECK(adopt::changed_source(folder, of("../../b.cu", "one"))->missing);
}
