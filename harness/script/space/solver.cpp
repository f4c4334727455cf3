#include "harness/script/space/solver.h"

#include <algorithm>
#include <ctime>
#include <numeric>

namespace harness::script {
namespace {

constexpr double kPatience = 60;                 // seconds
constexpr std::size_t kAsksBetweenLooks = 1000;  // asks
constexpr std::size_t kManyAsks = 20'000'000;    // for one point

Facts list_fronts(const VariantManifest& variant, const SpaceSolver::Lists& lists) {
  Facts facts;
  for (std::size_t p = 0; p < lists.size(); ++p) facts[variant.info().parameters[p].name] = lists[p].front();
  return facts;
}

Facts facts_from(const std::map<std::string, Value>& values) {
  return {values.begin(), values.end()};
}

/// Of this thread: a busy machine must not make a space too slow to list.
double cpu_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// Thrown inside the walk only: more questions than the caller allowed.
struct TooManyAsks {};

}  // namespace

SpaceSolver::SpaceSolver(VariantManifest& variant, const Workload& workload, const DeviceInfo& device, Lists lists)
    : variant_(variant),
      valid_(variant.reader().function("valid")),
      lists_(std::move(lists)),
      parameters_(variant.manifest(), "parameter list", list_fronts(variant, lists_)),
      workload_(variant.manifest(), "workload", facts_from(workload.values)),
      device_(variant.manifest(), "device", facts_from(device_values(device))),
      assigned_(lists_.size(), -1) {
  for (const std::vector<Value>& list : lists_) {
    values_.emplace_back();
    for (const Value& value : list) values_.back().push_back(&value);
  }
  clear();
}

void SpaceSolver::assign(std::size_t parameter, int choice) {
  assigned_[parameter] = choice;
  const std::string& name = variant_.info().parameters[parameter].name;
  if (choice < 0) parameters_.unset(name);
  else parameters_.set(name, lists_[parameter][static_cast<std::size_t>(choice)]);
}

void SpaceSolver::clear() {
  for (std::size_t p = 0; p < lists_.size(); ++p) assign(p, -1);
}

void SpaceSolver::count_asks(std::size_t asks) {
  // The clock is looked at now and then: it costs as much as a question.
  if (asks_ == 0) begun_ = cpu_seconds();
  const std::size_t before = asks_;
  asks_ += asks;
  if (before / kAsksBetweenLooks != asks_ / kAsksBetweenLooks) seconds_ = cpu_seconds() - begun_;
  if (asks_ > most_asks_) throw TooManyAsks();
  if (seconds_ > kPatience)
    throw variant_.manifest().error(line(),
                                    "the constraint 'valid' took more than 60 s over the whole space; simplify it");
}

SpaceSolver::Answer SpaceSolver::answer_of(const PartialAnswer& partial) {
  if (partial.kind == PartialAnswer::Kind::yes) return {Verdict::allowed, 0};
  if (partial.kind == PartialAnswer::Kind::no) return {Verdict::refused, 0};
  const auto& parameters = variant_.info().parameters;
  const auto at = std::ranges::find(parameters, partial.wanted, &Parameter::name);
  return {Verdict::asks, static_cast<std::size_t>(at - parameters.begin())};
}

std::vector<SpaceSolver::Answer> SpaceSolver::ask_each(std::size_t parameter) {
  const std::vector<const Value*>& values = values_[parameter];
  count_asks(values.size());
  const std::string& name = variant_.info().parameters[parameter].name;
  const auto partial = variant_.manifest().try_calls(*valid_, parameters_, {&workload_, &device_}, name, values);
  std::vector<Answer> answers(partial.size());
  for (std::size_t i = 0; i < partial.size(); ++i) {
    if (partial[i].kind != PartialAnswer::Kind::other) {
      answers[i] = answer_of(partial[i]);
      continue;
    }
    parameters_.set(name, *values[i]);
    answers[i] = ask();
    parameters_.unset(name);
  }
  return answers;
}

/// With the parameters as they are. What is no answer is asked for once more, in a way that says where it goes wrong.
SpaceSolver::Answer SpaceSolver::ask() {
  if (valid_ == nullptr) return {Verdict::allowed, 0};
  count_asks(1);
  const PartialAnswer partial =
      variant_.manifest().try_calls(*valid_, parameters_, {&workload_, &device_}, "", {}).front();
  if (partial.kind != PartialAnswer::Kind::other) return answer_of(partial);
  const Node result = variant_.manifest().call(*valid_, {&parameters_, &workload_, &device_});
  throw variant_.manifest().error(line(), "valid must return true or false, not " + result.described());
}

bool SpaceSolver::walk(const Answer& answer, const Visit& visit,
                       const std::function<void(std::vector<std::uint16_t>&)>& shuffle) {
  if (answer.verdict == Verdict::refused) return true;
  if (answer.verdict == Verdict::allowed) return visit(assigned_);
  const std::size_t parameter = answer.parameter;
  std::vector<std::uint16_t> order;  // empty: that of the list
  if (shuffle) {
    order.resize(lists_[parameter].size());
    std::iota(order.begin(), order.end(), std::uint16_t{0});
    shuffle(order);
  }
  const std::vector<Answer> answers = ask_each(parameter);
  bool on = true, told = false;
  for (std::size_t i = 0; i < answers.size() && on; ++i) {
    const std::size_t choice = order.empty() ? i : order[i];
    if (answers[choice].verdict == Verdict::refused) continue;
    // What is allowed already needs no facts told, only to be noted.
    if (answers[choice].verdict == Verdict::allowed) assigned_[parameter] = static_cast<int>(choice);
    else assign(parameter, static_cast<int>(choice));
    told = told || answers[choice].verdict == Verdict::asks;
    on = walk(answers[choice], visit, shuffle);
  }
  assigned_[parameter] = -1;
  if (told) assign(parameter, -1);
  return on;
}

std::optional<std::vector<SpaceSolver::Cells>> SpaceSolver::list(std::size_t most_points, std::size_t most_asks) {
  std::vector<Cells> points;
  Cells cells;
  asks_ = 0;
  most_asks_ = most_asks;
  seconds_ = 0;
  bool fits = true;
  const auto add_product = [&](const std::vector<int>& assigned) {
    std::size_t count = 1;
    for (std::size_t p = 0; p < assigned.size(); ++p) {
      if (assigned[p] < 0) count *= lists_[p].size();
      fits = fits && points.size() + count <= most_points;
    }
    if (!fits) return false;
    cells.resize(assigned.size());
    for (std::size_t p = 0; p < cells.size(); ++p) cells[p] = static_cast<std::uint16_t>(std::max(assigned[p], 0));
    for (std::size_t n = 0; n < count; ++n) {
      points.push_back(cells);
      for (std::size_t p = cells.size(); p-- > 0;) {
        if (assigned[p] >= 0) continue;
        if (++cells[p] < lists_[p].size()) break;
        cells[p] = 0;
      }
    }
    return true;
  };
  try {
    walk(ask(), add_product, nullptr);
  } catch (const TooManyAsks&) {
    fits = false;
  }
  clear();
  if (!fits) return std::nullopt;
  std::ranges::sort(points);
  return points;
}

bool SpaceSolver::satisfiable() {
  return !walk(
      ask(), [](const std::vector<int>&) { return false; }, nullptr);
}

std::optional<SpaceSolver::Cells> SpaceSolver::first() {
  asks_ = 0;
  most_asks_ = kManyAsks;
  seconds_ = 0;
  Cells found;
  try {
    for (std::size_t p = 0; p < lists_.size(); ++p) {
      std::size_t choice = 0;
      for (; choice < lists_[p].size(); ++choice) {
        assign(p, static_cast<int>(choice));
        if (satisfiable()) break;
        clear();
        for (std::size_t held = 0; held < p; ++held) assign(held, found[held]);
      }
      if (choice == lists_[p].size()) break;
      clear();
      found.push_back(static_cast<std::uint16_t>(choice));
      for (std::size_t held = 0; held <= p; ++held) assign(held, found[held]);
    }
    if (lists_.empty() && !satisfiable()) return std::nullopt;
  } catch (const TooManyAsks&) {
    clear();
    throw variant_.manifest().error(
        line(),
        "the constraint 'valid' was asked 20000000 times and no configuration was found; put its strictest "
        "conditions first, joined by 'and'");
  }
  clear();
  if (found.size() < lists_.size()) return std::nullopt;
  return found;
}

std::optional<SpaceSolver::Cells> SpaceSolver::draw(const std::function<std::uint64_t(std::uint64_t)>& below) {
  asks_ = 0;
  most_asks_ = kManyAsks;
  std::optional<Cells> found;
  const auto take = [&](const std::vector<int>& assigned) {
    found.emplace();
    for (std::size_t p = 0; p < assigned.size(); ++p)
      found->push_back(static_cast<std::uint16_t>(assigned[p] >= 0 ? static_cast<std::uint64_t>(assigned[p])
                                                                   : below(lists_[p].size())));
    return false;
  };
  const auto shuffle = [&](std::vector<std::uint16_t>& order) {
    for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[below(i)]);
  };
  try {
    walk(ask(), take, shuffle);
  } catch (const TooManyAsks&) {
    found.reset();
  }
  clear();
  return found;
}

bool SpaceSolver::allows(const Cells& cells) {
  most_asks_ = kManyAsks;
  asks_ = 0;
  seconds_ = 0;
  for (std::size_t p = 0; p < cells.size(); ++p) assign(p, cells[p]);
  const bool allowed = ask().verdict == Verdict::allowed;
  clear();
  return allowed;
}

}  // namespace harness::script
