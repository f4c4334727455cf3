#include "harness/device/cuda/profile/ncu.h"

#include <catch2/catch.hpp>

#include "harness/core/error.h"
#include "harness/device/cuda/profile/counters.h"
#include "harness/device/cuda/profile/cuda_profiler.h"

using namespace harness;
using namespace harness::cuda;

namespace {

// As ncu 2025.3 prints it: lines of its own before the table, every cell quoted, separators of thousands.
constexpr const char* kLog = R"log(==PROF== Connected to process 4242 (/usr/bin/harness)
==PROF== Profiling "transpose" - 0: 0%....50%....100% - 4 passes
==PROF== Disconnected from process 4242
"ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Block Size","Grid Size","Device","CC","Section Name","Metric Name","Metric Unit","Metric Value"
"0","4242","harness","127.0.0.1","transpose(float *, const float *, int)","1","7","(32, 8, 1)","(32, 32, 1)","0","9.0","Command line profiler metrics","dram__bytes.sum","byte","8,388,608"
"0","4242","harness","127.0.0.1","transpose(float *, const float *, int)","1","7","(32, 8, 1)","(32, 32, 1)","0","9.0","Command line profiler metrics","dram__throughput.avg.pct_of_peak_sustained_elapsed","%","41.5"
"0","4242","harness","127.0.0.1","transpose(float *, const float *, int)","1","7","(32, 8, 1)","(32, 32, 1)","0","9.0","Command line profiler metrics","gpu__time_duration.sum","us","4.25"
"1","4242","harness","127.0.0.1","scale<float, ""x"">(float *)","1","7","(256, 1, 1)","(64, 1, 1)","0","9.0","Command line profiler metrics","dram__bytes.sum","Kbyte","1.5"
"1","4242","harness","127.0.0.1","scale<float, ""x"">(float *)","1","7","(256, 1, 1)","(64, 1, 1)","0","9.0","Command line profiler metrics","gpu__time_duration.sum","ns","2,000"
"1","4242","harness","127.0.0.1","scale<float, ""x"">(float *)","1","7","(256, 1, 1)","(64, 1, 1)","0","9.0","Command line profiler metrics","lts__t_sector_hit_rate.pct","%","n/a"
)log";

Profile ran(std::initializer_list<const char*> entries) {
  Profile profile;
  for (const char* entry : entries) profile.launches.push_back({entry, 1, 1, {{"registers", 32}}, {}});
  return profile;
}

std::string refusal(std::string_view log) {
  try {
    read_ncu(log);
  } catch (const Error& error) {
    return error.what();
  }
  return "read";
}

}  // namespace

TEST_CASE("ncu's table becomes numbers in base units, one kernel after another") {
  const auto kernels = read_ncu(kLog);
  REQUIRE(kernels.size() == 2);
  CHECK(kernels[0].name == "transpose(float *, const float *, int)");
  CHECK(kernels[0].numbers ==
        std::vector<ProfileNumber>{{"dram_bytes", 8388608}, {"dram_share", 0.415}, {"time_ns", 4250}});
  CHECK(kernels[1].name == "scale<float, \"x\">(float *)");
  CHECK(kernels[1].numbers == std::vector<ProfileNumber>{{"dram_bytes", 1500}, {"time_ns", 2000}});
}

TEST_CASE("a log without a table is refused in ncu's own words") {
  CHECK(refusal("==ERROR== ERR_NVGPUCTRPERM - The user does not have permission to access NVIDIA GPU Performance "
                "Counters on the target device 0.\n")
            .find("NVreg_RestrictProfilingToAdminUsers=0") != std::string::npos);
  CHECK(refusal("") == "ncu counted nothing: its log has no table");
  CHECK(refusal("\"ID\",\"Kernel Name\"\n\"0\",\"k\"\n").find("no table") != std::string::npos);
}

TEST_CASE("what ncu counted joins what the launches said, and the whole plan adds up") {
  std::vector<Profile> profiles{ran({"transpose", "scale"})};
  CudaProfiler().read(kLog, ProfileSource::ncu, profiles);
  CHECK(profiles[0].source == ProfileSource::ncu);
  CHECK(profiles[0].number("dram_bytes") == 8390108);
  CHECK(profiles[0].number("time_ns") == 6250);
  CHECK(profiles[0].number("registers") == 32);
  CHECK(!profiles[0].number("dram_share"));  // of one launch nobody knows it
  CHECK(profiles[0].launches[0].entry == "transpose");
}

TEST_CASE("kernels of a library are taken as ncu names them; of several plans that is no answer") {
  std::vector<Profile> library{ran({"cudnn attention"})};
  CudaProfiler().read(kLog, ProfileSource::ncu, library);
  CHECK(library[0].launches.size() == 2);
  std::vector<Profile> two{ran({"a", "b"}), ran({"c"})};
  CHECK_THROWS_AS(CudaProfiler().read(kLog, ProfileSource::ncu, two), Error);
}

TEST_CASE("ncu is asked for every counter of the table, and changes neither clocks nor caches") {
  const auto words = ncu_command("/opt/ncu", "/tmp/log");
  CHECK(words.front() == "/opt/ncu");
  CHECK(words.back().find("dram__bytes.sum,") != std::string::npos);
  CHECK(std::find(words.begin(), words.end(), "--cache-control") != words.end());
}

TEST_CASE("a driver may show counters to root alone") {
  CHECK(counters_forbidden("EnableMSI: 1\nRmProfilingAdminOnly: 1\n", false));
  CHECK_FALSE(counters_forbidden("RmProfilingAdminOnly: 1\n", true));
  CHECK_FALSE(counters_forbidden("RmProfilingAdminOnly: 0\n", false));
  CHECK_FALSE(counters_forbidden("", false));
  const auto ways = CudaProfiler().ways("cuda:0");
  CHECK(ways.front().source == ProfileSource::cupti);
  CHECK(ways.back().source == ProfileSource::binary);
  for (const ProfileWay& way : ways) CHECK(way.missing.empty() == way.mend.empty());
}
