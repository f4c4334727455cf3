#include "harness/predict/executed_code.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>
#include <vector>

namespace harness {
namespace {

constexpr std::size_t kNone = static_cast<std::size_t>(-1);

/// Loops of a control flow graph: of each block the innermost, and of each loop the one around it.
class Loops {
 public:
  /// Blocks that `taken` leaves out, and edges to them, are as if they were not there.
  Loops(const MachineCode& code, const std::vector<bool>& taken)
      : code_(code), taken_(taken), before_(code.size()), innermost_(code.size(), kNone) {
    visit_all();
    find_dominators();
    for (const std::size_t from : order_)
      for (const std::size_t to : code[from].next)
        if (taken[to] && dominates(to, from)) add_back_edge(from, to);
    std::ranges::stable_sort(loops_, {}, [](const Loop& loop) { return loop.size; });
    for (std::size_t i = loops_.size(); i-- > 0;)  // the smallest is last to say
      for (std::size_t block = 0; block < code.size(); ++block)
        if (loops_[i].holds[block]) innermost_[block] = i;
  }

  bool reached(std::size_t block) const { return number_[block] != kNone; }
  std::size_t count() const { return loops_.size(); }
  /// kNone: in no loop. Loops are numbered from the smallest on.
  std::size_t innermost(std::size_t block) const { return innermost_[block]; }
  std::size_t around(std::size_t loop) const {
    for (std::size_t i = loop + 1; i < loops_.size(); ++i)
      if (loops_[i].holds[loops_[loop].head] && loops_[i].size > loops_[loop].size) return i;
    return kNone;
  }

 private:
  struct Loop {
    std::size_t head = 0, size = 0;
    std::vector<bool> holds;  // by block
  };

  /// Depth first, without recursion: blocks may be many.
  void visit_all() {
    number_.assign(code_.size(), kNone);
    std::vector<bool> seen(code_.size());
    std::vector<std::pair<std::size_t, std::size_t>> path;  // block, how many of its successors were looked at
    if (!code_.empty() && taken_[0]) path.emplace_back(0, 0), seen[0] = true;
    while (!path.empty()) {
      auto& [block, looked] = path.back();
      if (looked == code_[block].next.size()) {
        order_.push_back(block);
        path.pop_back();
        continue;
      }
      const std::size_t to = code_[block].next[looked++];
      if (!taken_[to]) continue;
      before_[to].push_back(block);
      if (!seen[to]) seen[to] = true, path.emplace_back(to, 0);
    }
    std::ranges::reverse(order_);
    assert(order_.empty() || order_.front() == 0);  // the dominators below begin at the first block
    for (std::size_t i = 0; i < order_.size(); ++i) number_[order_[i]] = i;
  }

  // Cooper, Harvey and Kennedy: A Simple, Fast Dominance Algorithm.
  void find_dominators() {
    dominator_.assign(code_.size(), kNone);
    if (order_.empty()) return;
    dominator_[0] = 0;
    for (bool changed = true; changed;) {
      changed = false;
      for (const std::size_t block : order_) {
        if (block == 0) continue;
        std::size_t common = kNone;
        for (const std::size_t from : before_[block])
          if (dominator_[from] != kNone) common = common == kNone ? from : common_dominator(common, from);
        if (dominator_[block] != common) dominator_[block] = common, changed = true;
      }
    }
  }
  std::size_t common_dominator(std::size_t a, std::size_t b) const {
    while (a != b) {
      while (number_[a] > number_[b]) a = dominator_[a];
      while (number_[b] > number_[a]) b = dominator_[b];
    }
    return a;
  }
  bool dominates(std::size_t a, std::size_t b) const { return common_dominator(a, b) == a; }

  void add_back_edge(std::size_t from, std::size_t head) {
    auto loop = std::ranges::find(loops_, head, &Loop::head);
    if (loop == loops_.end()) {
      loops_.push_back({head, 1, std::vector<bool>(code_.size())});
      loop = loops_.end() - 1;
      loop->holds[head] = true;
    }
    for (std::vector<std::size_t> left{from}; !left.empty();) {
      const std::size_t block = left.back();
      left.pop_back();
      if (loop->holds[block]) continue;
      loop->holds[block] = true;
      ++loop->size;
      left.insert(left.end(), before_[block].begin(), before_[block].end());
    }
  }

  const MachineCode& code_;
  const std::vector<bool> taken_;  // by block
  std::vector<std::vector<std::size_t>> before_;
  std::vector<std::size_t> order_, number_, dominator_, innermost_;
  std::vector<Loop> loops_;
};

double counted(const Counts& counts, SiteKind kind) {
  const auto of = [&](Count which) { return static_cast<double>(counts[which]); };
  switch (kind) {
    case SiteKind::global:
      return of(Count::load_requests) + of(Count::store_requests) + of(Count::remote_requests);
    case SiteKind::shared:
      return of(Count::shared_requests);
    case SiteKind::atomic:
      return of(Count::atomic_requests);
    case SiteKind::barrier:
      return of(Count::barriers);
    case SiteKind::tensor:
      return of(Count::tensor_instructions);
  }
  return 0;
}

std::pair<std::string, int> own_line(const std::vector<CodePlace>& places, const std::set<std::string>& own_files) {
  if (places.empty()) return {};
  const auto own = std::ranges::find_if(places, [&](const CodePlace& place) { return own_files.contains(place.file); });
  const CodePlace& place = own == places.end() ? places.back() : *own;
  return {place.file, place.line};
}

/// Copies of one line's instructions of one kind, by block.
using Copies = std::map<std::size_t, double>;
using Site = std::pair<std::pair<std::string, int>, SiteKind>;

/// Which of its neighbours' lines a tensor instruction bears is chance: the compiler merges them, and names the line of
/// an operand. So all of a kernel count as one line's.
const std::pair<std::string, int> kAnyLine;

std::map<Site, Copies> sites_of(const MachineCode& code, const Loops& loops, const std::set<std::string>& own_files) {
  std::map<Site, Copies> sites;
  for (std::size_t block = 0; block < code.size(); ++block)
    if (loops.reached(block))
      for (const CodeSite& site : code[block].sites) {
        const auto line = site.kind == SiteKind::tensor ? kAnyLine : own_line(site.places, own_files);
        ++sites[{line, site.kind}][block];
      }
  return sites;
}

std::optional<double> counted(const CountsByLine& counts, const Site& site) {
  if (site.first == kAnyLine) {
    double sum = 0;
    for (const auto& [line, of_line] : counts) sum += counted(of_line, site.second);
    return sum;
  }
  const auto of_line = counts.find(site.first);
  return of_line == counts.end() ? std::nullopt : std::optional(counted(of_line->second, site.second));
}

/// The same, if it tells how often the instructions were executed. Generic accesses that find shared memory, as those
/// of `wmma` or in a cluster, are counted there, and not as many as there are instructions.
std::optional<double> executed(const CountsByLine& counts, const Site& site) {
  const std::optional<double> here = counted(counts, site);
  if (!here || site.second != SiteKind::global) return here;
  const Counts& of_line = counts.at(site.first);
  const bool elsewhere =
      of_line[Count::load_requests] + of_line[Count::store_requests] == 0 && of_line[Count::shared_requests] > 0;
  return elsewhere ? std::nullopt : here;
}

struct LoopEstimate {
  double times = 0, weight = 0;
};

double middle(std::vector<LoopEstimate> estimates) {
  std::ranges::sort(estimates, {}, &LoopEstimate::times);
  double all = 0, seen = 0;
  for (const LoopEstimate& estimate : estimates) all += estimate.weight;
  for (const LoopEstimate& estimate : estimates)
    if (seen += estimate.weight; 2 * seen >= all) return estimate.times;
  return 0;
}

/// What the counts say of each loop, and of each block by itself.
struct LoopEstimates {
  std::vector<std::vector<LoopEstimate>> loops, blocks;
};

LoopEstimates no_estimates(const Loops& loops, std::size_t blocks) {
  return {std::vector<std::vector<LoopEstimate>>(loops.count()), std::vector<std::vector<LoopEstimate>>(blocks)};
}

/// Of lines whose instructions all lie in one block of a loop. Which of these lines an instruction bears is chance, as
/// the compiler moves loads up and merges them: those of one kind are put together.
LoopEstimates sole_estimates(const std::map<Site, Copies>& sites, const Loops& loops, const CountsByLine& counts,
                             std::size_t blocks) {
  struct Sum {
    double counted = 0, copies = 0;
  };
  std::map<std::pair<std::size_t, SiteKind>, Sum> sums;
  for (const auto& [site, copies] : sites) {
    const std::optional<double> all = executed(counts, site);
    if (!all || copies.size() != 1 || loops.innermost(copies.begin()->first) == kNone) continue;
    Sum& sum = sums[{copies.begin()->first, site.second}];
    sum.counted += *all;
    sum.copies += copies.begin()->second;
  }
  LoopEstimates estimates = no_estimates(loops, blocks);
  for (const auto& [place, sum] : sums) {
    const LoopEstimate estimate{sum.counted / sum.copies, sum.copies};
    estimates.blocks[place.first].push_back(estimate);
    estimates.loops[loops.innermost(place.first)].push_back(estimate);
  }
  return estimates;
}

/// A loop that the compiler unrolled: an inner loop with some copies of a line, and single ones beside it, a block for
/// each, for the turns that are left over. Each time that it is come to, it has as many turns: the inner loop takes as
/// many as it can.
class Unrolled {
 public:
  /// `loop_runs`: how often a loop runs, as far as that is known.
  Unrolled(const Copies& copies, const Loops& loops, const std::vector<std::optional<double>>& loop_runs, double warps)
      : loops_(loops) {
    std::map<std::size_t, double> inner;  // copies by loop
    bool single = true;
    for (const auto& [block, here] : copies) {
      const std::size_t loop = loops.innermost(block);
      if (loop != kNone && !loop_runs[loop]) inner[loop] += here;
      else rest_[loop].push_back(block), left_[loop] += here, single = single && here == 1;
    }
    for (const auto& [loop, here] : inner) {
      const std::size_t around = loops.around(loop);
      if (around != kNone && !loop_runs[around]) return;
      add_inner(loop, here, around, around == kNone ? warps : *loop_runs[around]);
    }
    const auto place = [](const auto& entry) { return entry.first; };
    holds_ = single && !unrolled_.empty() && std::ranges::equal(left_, entered_, {}, place, place);
  }

  bool holds() const { return holds_; }
  void add_to(LoopEstimates& estimates, double counted) const {
    // Turns that come this near to a whole number are taken for one. What keeps them from it where all times had as
    // many is the rounding of counts that were scaled from sampled blocks, which is less.
    constexpr double kWhole = 0.15;
    const double turns = counted / entries_, whole = std::max(1.0, std::round(turns));
    for (const auto& [loop, copies] : unrolled_) {
      // Where there is no whole number, not all times had as many turns: then nothing is known of a rest.
      const bool alike = std::abs(turns - whole) < kWhole || turns < copies;
      const double runs = alike ? std::floor(whole / copies) * turns / whole : turns / copies;
      const std::size_t around = loops_.around(loop);
      estimates.loops[loop].push_back({times_.at(around) * runs, copies});
      add_rest(estimates, around, times_.at(around) * (turns - copies * runs) / left_.at(around));
    }
  }

 private:
  void add_inner(std::size_t loop, double copies, std::size_t around, double times) {
    if (copies < 2) {
      rest_loops_[around].push_back(loop), left_[around] += copies;
      return;
    }
    unrolled_[loop] = copies;
    times_[around] = times;
    ++entered_[around];
    entries_ += times;
  }
  void add_rest(LoopEstimates& estimates, std::size_t around, double runs) const {
    const auto add = [&](std::vector<LoopEstimate>& to) { to.push_back({runs * entered_.at(around), 1}); };
    if (const auto blocks = rest_.find(around); blocks != rest_.end())
      for (const std::size_t block : blocks->second) add(estimates.blocks[block]);
    if (const auto inner = rest_loops_.find(around); inner != rest_loops_.end())
      for (const std::size_t loop : inner->second) add(estimates.loops[loop]);
  }

  const Loops& loops_;
  bool holds_ = false;
  double entries_ = 0;
  std::map<std::size_t, double> unrolled_;                             // copies in each inner loop
  std::map<std::size_t, double> times_, entered_, left_;               // by the loop around
  std::map<std::size_t, std::vector<std::size_t>> rest_, rest_loops_;  // by the loop around: blocks, loops
};

/// A line's copies outside of loops run once a warp, and those in a loop of which more is known as often as that one;
/// or all of them less often, where that would be too much: some branches only few warps take, and of two copies for
/// two cases one runs. The rest falls to the copies in other loops.
void add_alike(LoopEstimates& estimates, const Copies& copies, const Loops& loops,
               const std::vector<std::optional<double>>& loop_runs, double all, double warps) {
  const auto times_of = [&](std::size_t block) {
    const std::size_t loop = loops.innermost(block);
    return loop == kNone ? std::optional(warps) : loop_runs[loop];
  };
  double expected = 0, others = 0, squares = 0;
  for (const auto& [block, here] : copies) {
    const std::optional<double> times = times_of(block);
    if (times) expected += here * *times;
    else others += here, squares += here * here;
  }
  // 1e-9 only keeps the division from 0.
  const double share = std::min(1.0, all / std::max(expected + others * warps, 1e-9)), left = all - share * expected;
  for (const auto& [block, here] : copies)
    if (const std::optional<double> times = times_of(block)) estimates.blocks[block].push_back({share * *times, here});
    else if (left > 0) estimates.loops[loops.innermost(block)].push_back({here * left / squares, here});
}

/// A single instruction does not tell how often its loop runs: it may lie before the end, and run once more.
std::optional<double> trusted(const std::vector<LoopEstimate>& estimates) {
  double weight = 0;
  for (const LoopEstimate& estimate : estimates) weight += estimate.weight;
  return weight < 2 ? std::nullopt : std::optional(middle(estimates));
}

LoopEstimates estimates_of(const std::map<Site, Copies>& sites, const Loops& loops, const CountsByLine& counts,
                           double warps, std::size_t blocks) {
  LoopEstimates estimates = sole_estimates(sites, loops, counts, blocks);
  std::vector<std::optional<double>> loop_runs;
  for (const std::vector<LoopEstimate>& of_loop : estimates.loops) loop_runs.push_back(trusted(of_loop));
  LoopEstimates others = no_estimates(loops, blocks);
  for (const auto& [site, copies] : sites) {
    const std::optional<double> all = executed(counts, site);
    if (!all || (copies.size() == 1 && loops.innermost(copies.begin()->first) != kNone)) continue;
    const Unrolled unrolled(copies, loops, loop_runs, warps);
    if (site.first != kAnyLine && unrolled.holds()) unrolled.add_to(others, *all);
    else add_alike(others, copies, loops, loop_runs, *all, warps);
  }
  for (std::size_t loop = 0; loop < loops.count(); ++loop)
    if (!loop_runs[loop])
      estimates.loops[loop].insert(estimates.loops[loop].end(), others.loops[loop].begin(), others.loops[loop].end());
  for (std::size_t block = 0; block < blocks; ++block)
    if (estimates.blocks[block].empty()) estimates.blocks[block] = others.blocks[block];
  return estimates;
}

/// What can be reached from these blocks by these edges, and only through blocks that are `open`.
std::vector<bool> reached_from(const std::vector<std::size_t>& begins,
                               const std::vector<std::vector<std::size_t>>& edges, const std::vector<bool>& open) {
  std::vector<bool> reached(open.size());
  std::vector<std::size_t> left;
  const auto reach = [&](std::size_t block) {
    if (open[block] && !reached[block]) reached[block] = true, left.push_back(block);
  };
  for (const std::size_t block : begins) reach(block);
  while (!left.empty()) {
    const std::size_t block = left.back();
    left.pop_back();
    for (const std::size_t next : edges[block]) reach(next);
  }
  return reached;
}

/// What a site counts as, and how often these warps were counted there; nothing: its line was not.
std::optional<double> counted(const CountsByLine& counts, const CodeSite& site,
                              const std::set<std::string>& own_files) {
  return counted(counts, {site.kind == SiteKind::tensor ? kAnyLine : own_line(site.places, own_files), site.kind});
}

/// Whether these warps did not come to the block: others make a request there, and these made none. Of barriers that
/// several lines have the compiler makes one, so they say nothing.
bool avoided(const CodeBlock& block, const CountsByLine& counts, const CountsByLine& of_all,
             const std::set<std::string>& own_files) {
  return std::ranges::any_of(block.sites, [&](const CodeSite& site) {
    return site.always && site.kind != SiteKind::barrier && counted(of_all, site, own_files).value_or(0) > 0 &&
           counted(counts, site, own_files) == 0.0;
  });
}

/// Whether each request that these warps made is found in one of these blocks, if it is found at all.
bool holds_requests(const MachineCode& code, const std::vector<bool>& taken, const CountsByLine& counts,
                    const std::set<std::string>& own_files) {
  std::map<Site, bool> counted_sites;
  for (std::size_t block = 0; block < code.size(); ++block)
    for (const CodeSite& site : code[block].sites) {
      if (site.kind == SiteKind::barrier || counted(counts, site, own_files).value_or(0) == 0) continue;
      bool& here =
          counted_sites[{site.kind == SiteKind::tensor ? kAnyLine : own_line(site.places, own_files), site.kind}];
      here = here || taken[block];
    }
  return std::ranges::all_of(counted_sites, [](const auto& site) { return site.second; });
}

/// The blocks that warps with these counts may run: those on a way from the beginning to an end that leads through no
/// block which they avoided. All, where their own requests are on no such way: then the lines are not what they seem.
std::vector<bool> taken_blocks(const MachineCode& code, const CountsByLine& counts, const CountsByLine& of_all,
                               const std::set<std::string>& own_files) {
  std::vector<bool> open(code.size(), true);
  std::vector<std::vector<std::size_t>> next, before(code.size());
  std::vector<std::size_t> ends;
  for (std::size_t block = 0; block < code.size(); ++block) {
    open[block] = !avoided(code[block], counts, of_all, own_files);
    next.push_back(code[block].next);
    for (const std::size_t to : code[block].next) before[to].push_back(block);
    if (code[block].ends || code[block].next.empty()) ends.push_back(block);
  }
  const std::vector<bool> begun = reached_from({0}, next, open), ended = reached_from(ends, before, open);
  std::vector<bool> taken(code.size());
  for (std::size_t block = 0; block < code.size(); ++block) taken[block] = begun[block] && ended[block];
  return holds_requests(code, taken, counts, own_files) ? taken : std::vector<bool>(code.size(), true);
}

/// Whether these warps only come to barriers, none of which lies in a loop: then loops are others', if those do more.
bool idle(const std::map<Site, Copies>& sites, const Loops& loops, const CountsByLine& counts) {
  const auto in_loop = [&](const auto& copy) { return loops.innermost(copy.first) != kNone; };
  for (const auto& [line, of_line] : counts) {
    for (const SiteKind kind : {SiteKind::global, SiteKind::shared, SiteKind::atomic, SiteKind::tensor})
      if (counted(of_line, kind) > 0) return false;
    const auto barrier = sites.find({line, SiteKind::barrier});
    if (counted(of_line, SiteKind::barrier) > 0 && barrier != sites.end() &&
        std::ranges::any_of(barrier->second, in_loop))
      return false;
  }
  return true;
}

}  // namespace

CompiledLines compiled_lines(const MachineCode& code, const std::set<std::string>& own_files) {
  const Loops loops(code, std::vector<bool>(code.size(), true));
  CompiledLines lines;
  for (std::size_t block = 0; block < code.size(); ++block)
    for (const CodeSite& site : code[block].sites) {
      if (site.kind != SiteKind::global) continue;
      CompiledLine& line = lines[own_line(site.places, own_files)];
      CompiledAccess& access = site.stores ? line.stores : line.loads;
      access.bytes = access.instructions == 0 || access.bytes == site.bytes ? site.bytes : 0;
      ++access.instructions;
      // What nothing seems to lead to is reached in a way that is not understood.
      access.in_loop = access.in_loop || !loops.reached(block) || loops.innermost(block) != kNone;
    }
  return lines;
}

std::map<std::pair<std::string, int>, CompiledAtomics> compiled_atomics(const MachineCode& code,
                                                                        const std::set<std::string>& own_files) {
  std::map<std::pair<std::string, int>, CompiledAtomics> lines;
  for (const CodeBlock& block : code)
    for (const CodeSite& site : block.sites) {
      if (site.kind != SiteKind::atomic) continue;
      CompiledAtomics& line = lines[own_line(site.places, own_files)];
      line.answered = line.answered || site.answered;
      line.by_lane = line.by_lane || site.by_lane;
    }
  return lines;
}

double ExecutedCode::all() const {
  return std::accumulate(instructions.begin(), instructions.end(), 0.0);
}

ExecutedCode& ExecutedCode::operator+=(const ExecutedCode& other) {
  for (std::size_t kind = 0; kind < kInstructionClasses; ++kind) instructions[kind] += other.instructions[kind];
  waits += other.waits;
  cycles += other.cycles;
  tensor_cycles += other.tensor_cycles;
  return *this;
}

std::optional<ExecutedCode> executed_code(const MachineCode& code, const CountsByLine& counts,
                                          const std::set<std::string>& own_files, double warps,
                                          const CountsByLine& of_all) {
  if (code.empty()) return std::nullopt;
  const Loops loops(code, taken_blocks(code, counts, of_all, own_files));
  const std::map<Site, Copies> sites = sites_of(code, loops, own_files);
  const LoopEstimates estimates = estimates_of(sites, loops, counts, warps, code.size());
  const auto in_loop = [&](const auto& site) {
    return std::ranges::any_of(site.second, [&](const auto& copy) { return loops.innermost(copy.first) != kNone; });
  };
  const auto made_by_others = [&](const auto& site) {  // and so these warps only pass by
    return in_loop(site) && counted(counts, site.first).value_or(0) < counted(of_all, site.first).value_or(0);
  };
  if (std::ranges::any_of(sites, in_loop) && std::ranges::none_of(sites, made_by_others) &&
      (!idle(sites, loops, counts) || idle(sites, loops, of_all)) &&
      std::ranges::all_of(estimates.loops, [](const auto& of_loop) { return of_loop.empty(); }))
    return std::nullopt;
  std::vector<double> times(loops.count());
  for (std::size_t loop = loops.count(); loop-- > 0;) {  // from the outside in
    const std::size_t around = loops.around(loop);
    times[loop] = !estimates.loops[loop].empty() ? middle(estimates.loops[loop])
                  : around == kNone              ? warps
                                                 : times[around];
  }
  ExecutedCode executed;
  double multiplied = 0;  // tensor instructions
  for (std::size_t block = 0; block < code.size(); ++block) {
    if (!loops.reached(block)) continue;
    const std::size_t loop = loops.innermost(block);
    const double most = loop == kNone ? warps : times[loop];
    const double ran = estimates.blocks[block].empty() ? most : std::min(most, middle(estimates.blocks[block]));
    for (std::size_t kind = 0; kind < kInstructionClasses; ++kind)
      executed.instructions[kind] += ran * static_cast<double>(code[block].instructions[kind]);
    executed.waits += ran * static_cast<double>(code[block].waits);
    executed.cycles += ran * static_cast<double>(code[block].cycles);
    executed.tensor_cycles += ran * static_cast<double>(code[block].tensor_cycles);
    multiplied +=
        ran * static_cast<double>(code[block].instructions[static_cast<std::size_t>(InstructionClass::tensor)]);
  }
  // How many there are is known to the last one, and the code says how long each takes.
  const double really = *counted(counts, {kAnyLine, SiteKind::tensor});
  if (multiplied > really && really > 0) executed.tensor_cycles *= really / multiplied;
  return executed;
}

}  // namespace harness
