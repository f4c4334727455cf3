#include "harness/predict/counted_profile.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>

#include "harness/predict/compiled_requests.h"
#include "harness/predict/executed_code.h"
#include "harness/predict/predicted_time.h"

namespace harness {
namespace {

std::int64_t volume(const Dim3& d) {
  return std::int64_t{d.x} * d.y * d.z;
}

/// In which the threads of a block differ: a warp takes a pass through the pipe of shared memory to read its threads'
/// index in each.
int dimensions(const Dim3& block) {
  return (block.x > 1) + (block.y > 1) + (block.z > 1);
}

/// Adds numbers in the order of the table of metrics, and leaves out what is not known.
class Numbers {
 public:
  explicit Numbers(std::vector<ProfileNumber>& into) : into_(into) {}
  void add(const char* name, double value) { into_.push_back({name, value}); }
  void add_some(const char* name, double value) {
    if (value > 0) add(name, value);
  }
  void add_ratio(const char* name, double part, double whole) {
    if (whole > 0) add(name, part / whole);
  }

 private:
  std::vector<ProfileNumber>& into_;
};

/// What a warp takes of the pipe of shared memory where it waits for asynchronous copies, and at a barrier of its
/// cluster: an H100 shows it (docs/profile.md).
constexpr double kPassesOfWait = 3, kPassesOfClusterBarrier = 2;

/// `other_passes`: through the pipe of shared memory, besides those of what is counted here.
void add_counts(Numbers& numbers, const Counts& c, double other_passes = 0) {
  numbers.add_ratio("active_lanes", number(c, Count::memory_lanes), number(c, Count::memory_requests));
  numbers.add_some("global_bytes", number(c, Count::bytes));
  if (c[Count::load_requests] > 0) {
    numbers.add("global_load_requests", number(c, Count::load_requests));
    numbers.add("global_load_sectors", number(c, Count::load_sectors));
  }
  if (c[Count::store_requests] > 0) {
    numbers.add("global_store_requests", number(c, Count::store_requests));
    numbers.add("global_store_sectors", number(c, Count::store_sectors));
  }
  numbers.add_some("least_sectors", number(c, Count::least_sectors));
  numbers.add_ratio("l1_hit_share", number(c, Count::load_sectors) - number(c, Count::load_missed),
                    number(c, Count::load_sectors));
  numbers.add_some("bulk_sectors", number(c, Count::bulk_sectors));
  numbers.add_some("remote_requests", number(c, Count::remote_requests));
  numbers.add_some("remote_sectors", number(c, Count::remote_sectors));
  numbers.add_some("shared_requests", number(c, Count::shared_requests));
  numbers.add_some("shared_wavefronts", number(c, Count::shared_wavefronts) + number(c, Count::shuffles) +
                                            kPassesOfWait * number(c, Count::group_waits) +
                                            kPassesOfClusterBarrier * number(c, Count::cluster_barriers) +
                                            other_passes);
  if (c[Count::shared_requests] > 0) numbers.add("shared_conflicts", number(c, Count::shared_conflicts));
  numbers.add_some("constant_words", number(c, Count::constant_words));
  numbers.add_some("atomics", number(c, Count::atomics));
  numbers.add_ratio("atomic_contention", number(c, Count::atomic_turns), number(c, Count::atomic_requests));
  numbers.add_some("barriers", number(c, Count::barriers));
  numbers.add_ratio("barrier_wait_share", number(c, Count::barrier_longest) - number(c, Count::barrier_work),
                    number(c, Count::barrier_longest));
  numbers.add_some("tensor_instructions", number(c, Count::tensor_instructions));
}

ProfiledLine split_place(const std::string& place) {
  const auto colon = place.rfind(':');
  ProfiledLine line;
  line.file = place.substr(0, colon);
  if (colon != std::string::npos) std::from_chars(place.data() + colon + 1, place.data() + place.size(), line.line);
  return line;
}

/// The kernel's own line: of "vec.cuh:12, called at kernel.cu:41" the second, unless vec.cuh is its own.
ProfiledLine place_of(const std::string& text, const std::set<std::string>& own_files) {
  static constexpr std::string_view kCalled = ", called at ";
  const auto called = text.find(kCalled);
  const ProfiledLine inner = split_place(text.substr(0, called));
  if (called == std::string::npos || own_files.contains(inner.file)) return inner;
  ProfiledLine line = split_place(text.substr(called + kCalled.size()));
  line.notes.push_back("in " + text.substr(0, called));
  return line;
}

/// Cycles that a line keeps a multiprocessor's memory pipes busy, roughly: what lines are ordered by.
double weight(const Counts& c) {
  const double sectors = number(c, Count::load_sectors) + number(c, Count::store_sectors);
  return std::max(number(c, Count::load_requests) + number(c, Count::store_requests), sectors / 4) + l2_sectors(c) / 2 +
         number(c, Count::shared_wavefronts) + number(c, Count::shared_fills) + number(c, Count::constant_words) +
         4 * number(c, Count::atomic_turns) + 4 * number(c, Count::barriers) + number(c, Count::tensor_instructions);
}

std::vector<ProfiledLine> lines_of(const CountedLaunch& launch, const CountedRun& run) {
  struct Summed {
    ProfiledLine line;
    Counts counts;
    std::set<std::string> notes;
  };
  std::map<std::pair<std::string, int>, Summed> sums;
  for (const CountedPlace& place : launch.places) {
    const auto source_line = run.lines.find(place.site);
    if (source_line == run.lines.end()) continue;
    ProfiledLine line = place_of(source_line->second, run.own_files);
    Summed& sum = sums[{line.file, line.line}];
    sum.notes.insert(line.notes.begin(), line.notes.end());
    line.notes.clear();
    sum.line = line;
    sum.counts += place.counts;
  }
  std::vector<const Summed*> order;
  for (const auto& [key, sum] : sums) order.push_back(&sum);
  std::ranges::stable_sort(order, std::greater<>(), [](const Summed* sum) { return weight(sum->counts); });
  std::vector<ProfiledLine> lines;
  for (const Summed* sum : order) {
    ProfiledLine line = sum->line;
    Numbers numbers(line.numbers);
    add_counts(numbers, sum->counts);
    line.notes.assign(sum->notes.begin(), sum->notes.end());
    const Counts& c = sum->counts;
    if (c[Count::uneven_requests] > 0 && c[Count::memory_requests] > 0)
      line.notes.push_back(
          fmt::format("its lanes came differently often in {:.0f} % of the requests, which were "
                      "matched by their order: less sure",
                      100 * number(c, Count::uneven_requests) / number(c, Count::memory_requests)));
    lines.push_back(std::move(line));
  }
  return lines;
}

/// The kernel's own line of a place, as the machine code's table of lines names it.
std::optional<std::pair<std::string, int>> line_of(std::uint64_t site, const CountedRun& run) {
  const auto source_line = run.lines.find(site);
  if (source_line == run.lines.end()) return std::nullopt;
  const ProfiledLine line = place_of(source_line->second, run.own_files);
  return std::pair{line.file.substr(line.file.rfind('/') + 1), line.line};
}

CountsByLine counts_by_line(const CountedLaunch& launch, const CountedRun& run) {
  CountsByLine counts;
  for (const CountedPlace& place : launch.places)
    if (const auto line = line_of(place.site, run)) counts[*line] += place.counts;
  return counts;
}

/// With the requests that the machine code makes, where there is some.
CountedLaunch compiled_launch(const CountedLaunch& counted, const CountedRun& run, const MachineCode* code,
                              double warps) {
  CountedLaunch launch = counted;
  if (code == nullptr) return launch;
  const auto shares = compiled_shares(counts_by_line(counted, run), compiled_lines(*code, run.own_files), warps);
  for (CountedPlace& place : launch.places)
    if (const auto line = line_of(place.site, run)) place.counts = as_compiled(place.counts, shares.at(*line));
  return launch;
}

/// The counts of the warps of one role: of each place its part of the requests there. Places that it did not come to
/// count nothing, and are there all the same.
CountedLaunch launch_of_role(const CountedLaunch& launch, const CountedRole& role) {
  CountedLaunch part = launch;
  for (CountedPlace& place : part.places) {
    const auto requests_of = [&](const CountedRole& other) {
      const auto at =
          std::ranges::lower_bound(other.requests, place.site, {}, &std::pair<std::uint64_t, std::int64_t>::first);
      return at == other.requests.end() || at->first != place.site ? 0 : at->second;
    };
    std::int64_t all = 0;
    for (const CountedRole& other : launch.roles) all += requests_of(other);
    const std::int64_t own = requests_of(role);
    place.counts = own == 0 ? Counts{} : place.counts.scaled(own, all);
  }
  return part;
}

/// What the machine code says of the atomic operations of each line.
class AtomicsOfCode {
 public:
  AtomicsOfCode(const MachineCode* code, const CountedRun& run) : run_(run) {
    if (code != nullptr) lines_ = compiled_atomics(*code, run.own_files);
  }

  /// For what was there before, where it is not known that nobody asks.
  double waits(const CountedLaunch& launch) const {
    double sum = 0;
    for (const CountedPlace& place : launch.places)
      if (place.counts[Count::atomic_requests] > 0 && of(place.site).answered)
        sum += number(place.counts, Count::atomic_requests);
    return sum;
  }
  double turns(const HottestAddress& hottest) const {
    return static_cast<double>(of(hottest.site).by_lane ? hottest.lanes : hottest.requests);
  }

 private:
  CompiledAtomics of(std::uint64_t site) const {
    const auto line = line_of(site, run_);
    const auto atomics = line ? lines_.find(*line) : lines_.end();
    return atomics == lines_.end() ? CompiledAtomics{true, true} : atomics->second;
  }

  const CountedRun& run_;
  std::map<std::pair<std::string, int>, CompiledAtomics> lines_;
};

/// What the machine code comes to, role by role; nothing where it does not tell how often some loops run.
std::optional<ExecutedCode> executed_by_roles(const MachineCode& code, const CountedLaunch& counted,
                                              const CountedRun& run, double warps, const AtomicsOfCode& atomics,
                                              std::vector<WarpWork>& roles) {
  const CountsByLine of_all = counts_by_line(counted, run);
  if (counted.roles.empty()) return executed_code(code, of_all, run.own_files, warps, of_all);
  ExecutedCode sum;
  for (const CountedRole& role : counted.roles) {
    const CountedLaunch part = launch_of_role(counted, role);
    const auto executed =
        executed_code(code, counts_by_line(part, run), run.own_files, static_cast<double>(role.warps), of_all);
    if (!executed) {
      roles.clear();
      return executed_code(code, of_all, run.own_files, warps, of_all);
    }
    sum += *executed;
    roles.push_back({.warps = static_cast<double>(role.warps),
                     .waits = executed->waits,
                     .cycles = executed->cycles,
                     .atomic_waits = atomics.waits(part)});
    for (const CountedPlace& place : part.places) roles.back().counts += place.counts;
  }
  return sum;
}

void add_instructions(Numbers& numbers, const ExecutedCode& executed) {
  numbers.add("instructions", executed.all());
  for (std::size_t kind = 0; kind < kInstructionClasses; ++kind)
    numbers.add_some(fmt::format("instructions_{}", kInstructionClassNames[kind]).c_str(), executed.instructions[kind]);
}

/// How much different memory of a buffer all blocks touch, where only some were counted: no less than those did, as
/// much as there is if that is not more than what each touches by itself.
TouchedSectors of_all_blocks(const CountedBuffer& counted, const CountedLaunch& launch, std::int64_t buffer_bytes) {
  if (launch.counted_blocks == launch.blocks) return counted.together;
  const std::int64_t size = (buffer_bytes + kSectorBytes - 1) / kSectorBytes;
  const auto estimate = [&](std::int64_t TouchedSectors::*which) {
    return std::min(counted.by_block.*which, std::max(size, counted.together.*which));
  };
  return {estimate(&TouchedSectors::touched), estimate(&TouchedSectors::loaded), estimate(&TouchedSectors::stored)};
}

/// Bytes beyond the L1s.
struct Moved {
  double memory = 0;    // from and to device memory
  double repeated = 0;  // loaded by a block from the L2, and by another one as well
};

/// What comes from device memory and goes there: what is loaded of each buffer once and what is stored once, and again
/// as far as it does not stay in the L2. What an earlier launch of the plan touched stays there if it all fits.
Moved moved_bytes(const CountedLaunch& launch, const ImageLayout& layout, const GpuFacts& gpu,
                  std::set<std::int64_t>& touched_before) {
  double once = 0, again = 0;
  Moved bytes;
  std::map<std::int64_t, double> of_buffer;
  for (const CountedBuffer& counted : launch.buffers) {
    if (counted.buffer < 0 || counted.buffer >= static_cast<std::int64_t>(layout.buffers.size())) continue;
    const TouchedSectors different =
        of_all_blocks(counted, launch, layout.buffers[static_cast<std::size_t>(counted.buffer)].bytes);
    const std::int64_t moved = different.loaded + different.stored;
    of_buffer[counted.buffer] = static_cast<double>(moved * kSectorBytes);
    once += static_cast<double>(different.touched * kSectorBytes);
    again += static_cast<double>((counted.by_block.loaded + counted.by_block.stored - moved) * kSectorBytes);
    bytes.repeated += static_cast<double>((counted.by_block.loaded - different.loaded) * kSectorBytes);
  }
  // Accesses beyond the first miss as often as what is touched exceeds the L2, as if lines were replaced in any order.
  // What an earlier launch touched is taken to stay there where this one touches no more than half of it.
  const double l2 = static_cast<double>(gpu.l2_bytes);
  bytes.memory = again * std::max(0.0, 1 - l2 / std::max(1.0, once));
  for (const auto& [buffer, different] : of_buffer)
    if (once > l2 / 2 || !touched_before.contains(buffer)) bytes.memory += different;
  for (const auto& [buffer, different] : of_buffer) touched_before.insert(buffer);
  return bytes;
}

void add_prediction(Numbers& numbers, const PredictedTime& time) {
  numbers.add("predicted_ns", time.ns);
  numbers.add("predicted_lo_ns", time.lo_ns);
  numbers.add("predicted_hi_ns", time.hi_ns);
  for (const auto& [part, ns] : time.parts) numbers.add(("predicted_" + part + "_ns").c_str(), ns);
}

/// Numbers of a launch besides its counts.
struct Context {
  const CountedRun& run;
  const GpuFacts& gpu;
  double share = 1;  // of the workload's arithmetic that falls to the launch
};

LaunchProfile launch_profile(const CountedLaunch& as_written, const Launch& launch, const Context& context,
                             std::set<std::int64_t>& touched_before) {
  const std::int64_t threads = volume(launch.block), lanes = context.gpu.warp_lanes;
  const auto warps = static_cast<double>(as_written.blocks * ((threads + lanes - 1) / lanes));
  const auto entry_code = context.run.code.find(launch.entry);
  const MachineCode* const code =
      entry_code == context.run.code.end() || entry_code->second.empty() ? nullptr : &entry_code->second;
  const CountedLaunch counted = compiled_launch(as_written, context.run, code, warps);
  LaunchProfile profile{launch.entry, counted.blocks, counted.counted_blocks, {}, lines_of(counted, context.run)};
  LaunchWork work;
  for (const CountedPlace& place : counted.places) {
    work.counts += place.counts;
    work.l1_passes += l1_passes(place.counts);
  }
  work.blocks = counted.blocks;
  work.needs = block_needs(launch, context.run.executable->artifact, context.run.machine);
  const Moved moved = moved_bytes(counted, context.run.executable->layout, context.gpu, touched_before);
  work.memory_bytes = moved.memory;
  work.repeated_bytes = moved.repeated;
  if (counted.work > 0)
    work.heaviest = std::max(1.0, static_cast<double>(counted.heaviest) * static_cast<double>(counted.blocks) /
                                      static_cast<double>(counted.work));
  if (const auto drawn = context.run.drawn.find(counted.step); drawn != context.run.drawn.end() && drawn->second > 1)
    work.heaviest = work.longest = std::ceil(drawn->second) / drawn->second;
  const Work& all = context.run.executable->problem.work;
  const auto is_narrow = [](const std::string& type) { return type == "e4m3" || type == "e5m2"; };
  for (const auto& [type, flops] : all.flops)  // tensor cores do twice as many of 8 bits
    work.flops += flops * context.share / (is_narrow(type) ? 2 : 1);
  work.exps = all.exps * context.share;
  const AtomicsOfCode atomics(code, context.run);
  work.atomic_waits = atomics.waits(counted);
  work.hottest_turns = atomics.turns(counted.hottest);
  const auto executed =
      code ? executed_by_roles(*code, counted, context.run, warps, atomics, work.roles) : std::nullopt;
  if (executed) {
    work.instructions = executed->all();
    work.special = executed->instructions[static_cast<std::size_t>(InstructionClass::special)];
    work.waits = executed->waits;
    work.cycles = executed->cycles;
    work.tensor_cycles = executed->tensor_cycles;
  }
  const auto predicted = predict_time(context.gpu, work);
  Numbers numbers(profile.numbers);
  if (predicted) add_prediction(numbers, *predicted);
  numbers.add("blocks", static_cast<double>(counted.blocks));
  numbers.add("block_threads", static_cast<double>(work.needs.threads));
  if (predicted) {
    numbers.add("waves", predicted->waves);
    numbers.add("tail_share", 1 - predicted->waves / std::ceil(predicted->waves));
  }
  const auto machine = context.run.machine.find(launch.entry);
  if (machine != context.run.machine.end()) numbers.add("registers", machine->second.registers);
  numbers.add("shared_bytes", static_cast<double>(work.needs.shared_bytes));
  if (machine != context.run.machine.end())
    numbers.add("spill_bytes", static_cast<double>(machine->second.spill_bytes));
  if (predicted) numbers.add("occupancy_share", predicted->occupancy);
  if (executed) add_instructions(numbers, *executed);
  numbers.add("dram_bytes", work.memory_bytes);
  numbers.add("l2_sectors", l2_sectors(work.counts));
  // Each warp reads its threads' index in each dimension, and a barrier takes one pass of the whole block.
  const double block_warps = std::max(1.0, warps / std::max<double>(1, static_cast<double>(counted.blocks)));
  add_counts(numbers, work.counts,
             warps * dimensions(launch.block) + number(work.counts, Count::barriers) / block_warps);
  return profile;
}

/// Over the launches: sums of what adds up, means of the rest by predicted time.
std::vector<ProfileNumber> over_launches(const std::vector<LaunchProfile>& launches) {
  std::vector<ProfileNumber> numbers;
  for (const ProfileMetric& metric : profile_metrics()) {
    double sum = 0, weights = 0;
    bool any = false;
    for (const LaunchProfile& launch : launches) {
      const auto of = [&](std::string_view name) {
        const auto number = std::ranges::find(launch.numbers, name, &ProfileNumber::name);
        return number == launch.numbers.end() ? std::nullopt : std::optional(number->value);
      };
      const auto value = of(metric.name);
      if (!value) continue;
      const double weight = metric.adds_up ? 1 : of("predicted_ns").value_or(1);
      sum += *value * weight;
      weights += weight;
      any = true;
    }
    if (any) numbers.push_back({std::string(metric.name), metric.adds_up || weights == 0 ? sum : sum / weights});
  }
  return numbers;
}

}  // namespace

BlockNeeds block_needs(const Launch& launch, const Artifact& counted,
                       const std::map<std::string, EntryResources>& machine) {
  BlockNeeds needs{volume(launch.block), 0, launch.shared};
  if (const auto resources = machine.find(launch.entry); resources != machine.end()) {
    needs.registers = resources->second.registers;
    needs.shared_bytes += resources->second.static_shared_bytes;
    return needs;
  }
  for (const EntryResources& entry : counted.entries)
    if (entry.entry == launch.entry) needs.shared_bytes += entry.static_shared_bytes;
  return needs;
}

Profile counted_profile(const CountedRun& run, const GpuFacts& gpu) {
  Profile profile;
  profile.source = ProfileSource::counted;
  profile.device = gpu.name;
  std::set<std::int64_t> touched_before;
  double requests = 0;
  const auto weight_of = [](const CountedLaunch& launch) {
    double sum = 1;
    for (const CountedPlace& place : launch.places)
      sum += number(place.counts, Count::memory_requests) + number(place.counts, Count::tensor_instructions);
    return sum;
  };
  for (const CountedLaunch& launch : run.launches) requests += weight_of(launch);
  for (const CountedLaunch& counted : run.launches) {
    const auto& steps = run.executable->plan.steps;
    if (counted.step >= static_cast<std::int64_t>(steps.size())) continue;
    const auto* launch = std::get_if<Launch>(&steps[static_cast<std::size_t>(counted.step)]);
    if (launch == nullptr) continue;
    const Context context{run, gpu, weight_of(counted) / requests};
    profile.launches.push_back(launch_profile(counted, *launch, context, touched_before));
  }
  profile.numbers = over_launches(profile.launches);
  if (run.executable->problem.work.bytes > 0) {
    const auto after = std::ranges::find(profile.numbers, "dram_bytes", &ProfileNumber::name);
    profile.numbers.insert(after == profile.numbers.end() ? after : after + 1,
                           {"least_bytes", run.executable->problem.work.bytes});
  }
  return profile;
}

}  // namespace harness
