#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/core/enum_text.h"
#include "harness/core/json.h"

// What a candidate does on a device, in numbers: counted on the cpu device, or read from a GPU's counters.
namespace harness {

/// Who found the numbers of a profile. `counted`: the cpu device, from every access of the blocks that it sampled; the
/// same on every machine. `cupti`: a GPU's counters, through CUPTI's range profiler. `ncu`: the same counters, through
/// NVIDIA's command line profiler. `binary`: no counters; what the machine code, the launch and the time say.
enum class ProfileSource { counted, cupti, ncu, binary };
HARNESS_ENUM_TEXT(ProfileSource);

/// A way to find a profile out on a device, and whether it is there.
struct ProfileWay {
  ProfileSource source = ProfileSource::binary;
  std::string missing;  // what it lacks here, a sentence; "": it may work
  std::string mend;     // then: a command
};

/// What a number of a profile is called in this program, in the store and in Lua. A source that cannot know a number
/// leaves it out: nothing is stored as 0 because nobody measured it.
struct ProfileMetric {
  std::string_view name;     // "global_load_sectors"
  std::string_view unit;     // "bytes", "sectors", "share" (0 to 1), "ns"; "" for a count or a ratio
  std::string_view counter;  // the name that CUPTI and ncu know, or "" where it is none of theirs
  std::string_view what;     // for people
  bool adds_up = false;      // over blocks and over the launches of a plan; otherwise it is a ratio
};

/// In the order in which they are shown.
const std::vector<ProfileMetric>& profile_metrics();
const ProfileMetric* find_profile_metric(std::string_view name);

struct ProfileNumber {
  std::string name;  // one of profile_metrics()
  double value = 0;
  bool operator==(const ProfileNumber&) const = default;
};

/// "dram_share 0.82, instructions 3.2e+08": for a log or a model, in the order of the table.
std::string in_words(const std::vector<ProfileNumber>& numbers);

/// What one line of the source caused, scaled from the blocks that were sampled to the whole launch.
struct ProfiledLine {
  std::string file;  // as the compiler was told
  int line = 0;
  std::vector<ProfileNumber> numbers;
  std::vector<std::string> notes;  // where a number is less sure, and why
  bool operator==(const ProfiledLine&) const = default;
};

/// One launch of a plan.
struct LaunchProfile {
  std::string entry;
  std::int64_t blocks = 0;
  std::int64_t sampled_blocks = 0;  // of them were counted; on a GPU all
  std::vector<ProfileNumber> numbers;
  std::vector<ProfiledLine> lines;  // the dearest first; none where the source knows no lines
  bool operator==(const LaunchProfile&) const = default;
};

/// What limits a candidate, by a rule of strategies/diagnoses/.
struct Diagnosis {
  std::string rule;  // "bank-conflicts"
  std::string text;  // one sentence that names the numbers it rests on
  std::string page;  // of the playbook, which answers it; may be empty
  bool operator==(const Diagnosis&) const = default;
};

/// What is known of one candidate on one workload. `numbers` is over all launches of the plan: what adds up is added, a
/// ratio is weighted by the launches' time, or by their instructions where there is no time.
struct Profile {
  ProfileSource source = ProfileSource::binary;
  std::string why;     // why this source and no better one
  std::string device;  // the GPU's name; for `counted` the one whose model was used, or ""
  std::vector<ProfileNumber> numbers;
  std::vector<LaunchProfile> launches;
  std::string lines_from;  // who told the launches' lines, where it was not `source`: a sentence
  std::optional<Diagnosis> diagnosis;
  double wall_s = 0;  // what it cost to find out

  std::optional<double> number(std::string_view name) const;
  bool operator==(const Profile&) const = default;
};

/// A profile of an iteration that a campaign recorded.
struct ProfileRecord {
  std::int64_t iteration = 0;
  Profile profile;
};

void to_json(json& to, const Diagnosis& value);
void from_json(const json& from, Diagnosis& value);
void to_json(json& to, const LaunchProfile& value);
void from_json(const json& from, LaunchProfile& value);
void to_json(json& to, const Profile& profile);
void from_json(const json& from, Profile& profile);

}  // namespace harness
