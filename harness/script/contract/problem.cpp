// The part of a kernel manifest that is different on every workload: arguments, reference, work model, identity.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "harness/core/hash.h"
#include "harness/script/contract/arguments.h"
#include "harness/script/contract/constants.h"
#include "harness/script/contract/draws.h"
#include "harness/script/contract/kernel.h"
#include "harness/script/contract/sources.h"

namespace harness::script {
namespace {

/// Contract hashes once covered the version of the gates, and this was the last that they did: kept, so that results
/// from then are found as those of the same contract. An iteration holds the version that judged it.
constexpr int kHashedGates = 6;

std::int64_t size_value(const Reader& reference, const Workload& workload, const std::string& name) {
  const auto found = workload.values.find(name);
  if (found == workload.values.end()) {
    throw reference.error(fmt::format("passes '{}' as a size, which workload '{}' does not have", name, workload.name));
  }
  if (const bool* flag = std::get_if<bool>(&found->second)) return *flag ? 1 : 0;
  if (const auto* whole = std::get_if<std::int64_t>(&found->second)) return *whole;
  throw reference.error(fmt::format("passes '{}' as a size, which is {} on workload '{}'; sizes are whole numbers",
                                    name, to_text(found->second), workload.name));
}

/// grid = { ... }, block = { ... }, shared = bytes: of a reference that keeps the launch of its original.
template <typename Launch>
void read_blocks(const Reader& reader, Sizes& sizes, Launch& launch) {
  const auto shape = [&](const std::string& field) {
    std::vector<std::int64_t> numbers = sizes.list(reader.need(field), reader, field);
    for (const std::int64_t number : numbers)
      if (number < 1 || number > INT32_MAX) throw reader.wrong(field, "one to three numbers from 1 to 2^31 - 1");
    if (numbers.empty() || numbers.size() > 3) throw reader.wrong(field, "one to three numbers from 1 to 2^31 - 1");
    return numbers;
  };
  launch.grid = shape("grid");
  launch.block = shape("block");
  if (const Node* const shared = reader.find("shared")) launch.shared = sizes.whole(*shared, reader, "shared");
}

/// when = function(w) ... end: a launch that other sizes do not have.
bool is_launched(const Reader& launch, Sizes& sizes) {
  const Node* const when = launch.find("when");
  if (when == nullptr) return true;
  const Value holds = sizes.value(*when, launch, "when");
  return holds != Value(false) && holds != Value(std::int64_t{0});
}

/// steps = { { entry = ..., grid = ..., block = ... }, ... }: further launches, with the arguments of the first.
void read_steps(const Reader& reader, Sizes& sizes, Reference& reference) {
  const Node* const steps = reader.find("steps");
  if (steps == nullptr) return;
  if (!steps->table || steps->list.empty()) throw reader.wrong("steps", "a list of launches");
  for (const Node& node : steps->list) {
    const Reader step(reader.manifest(), node, "step of the reference");
    step.only({"entry", "when", "grid", "block", "shared"});
    if (!is_launched(step, sizes)) continue;
    ReferenceLaunch& launch = reference.further.emplace_back();
    launch.entry = fill_in(step.text("entry"), sizes.workload().values, step);
    read_blocks(step, sizes, launch);
  }
}

/// The first launch is none of this workload's: the next one that is takes its place.
void begin_with_next(const Reader& reader, Reference& reference) {
  if (reference.further.empty())
    throw reader.error("has no launch whose 'when' holds on a workload; the domain's 'where' leaves such sizes out");
  const ReferenceLaunch next = reference.further.front();
  reference.further.erase(reference.further.begin());
  reference.entry = next.entry;
  reference.grid = next.grid;
  reference.block = next.block;
  reference.shared = next.shared;
}

/// scratch = { { "partial", bytes = ..., init = "dirty" }, ... }
void read_scratch(const Reader& reader, Sizes& sizes, Reference& reference) {
  const Node* const scratch = reader.find("scratch");
  if (scratch == nullptr) return;
  if (!scratch->table) throw reader.wrong("scratch", "a list of names with their bytes");
  for (const Node& node : scratch->list) {
    const Reader each(reader.manifest(), node, "scratch of the reference");
    each.only({"bytes", "init"}, 1);
    const std::string init = each.text("init", "dirty");
    if (init != "dirty" && init != "zeroed") throw each.wrong("init", "\"dirty\" or \"zeroed\"");
    const std::int64_t bytes = sizes.whole(each.need("bytes"), each, "bytes");
    if (bytes < 1) throw each.wrong("bytes", "1 or more");
    reference.scratch.push_back({each.leading_name(), bytes, init == "zeroed"});
  }
}

/// deterministic = false, or by workload: the name of a flag of the domain, or a function.
bool is_deterministic(Sizes& sizes, const Reader& kernel) {
  const Node* const node = kernel.find("deterministic");
  if (node == nullptr) return true;
  const Value held = node->table ? Value(std::string()) : sizes.value(*node, kernel, "deterministic");
  if (const bool* const is = std::get_if<bool>(&held)) return *is;
  throw kernel.wrong("deterministic", "true, false, the name of a flag or a function that returns one of them");
}

double amount(const Reader& work, const Node& node, const std::string& name, const Workload& workload) {
  const auto number = node.number();
  if (number && std::isfinite(*number) && *number >= 0) return *number;
  throw work.error(fmt::format("gives {} = {} on workload '{}'; it must be a finite number, 0 or more", name,
                               node.described(), workload.name));
}

}  // namespace

Problem KernelManifest::make_problem(const Workload& workload) {
  const Reader kernel(manifest_, manifest_.root(), "kernel");
  Sizes sizes(manifest_, workload);
  Problem problem;
  problem.kernel = name_;
  problem.workload = workload;
  problem.arguments = read_arguments(sizes, kernel, folder_);
  problem.reference = read_reference(kernel, workload, problem.arguments);
  problem.work = read_work(kernel, workload);
  problem.deterministic = is_deterministic(sizes, kernel);
  problem.batch_invariant = batch_invariant_;
  problem.policy = policy_;
  problem.accept = accept_;
  problem.forms = forms_;
  const SourceText& reference = reference_text(problem.reference.source);
  problem.reference.digest = sha256_hex(reference.text);
  problem.reference.included = hashes_of(reference.included);
  problem.contract_hash = contract_hash(problem);
  return problem;
}

Problem KernelManifest::bare_problem(const Workload& workload) {
  Sizes sizes(manifest_, workload);
  Problem problem;
  problem.kernel = name_;
  problem.workload = workload;
  problem.arguments = read_arguments(sizes, Reader(manifest_, manifest_.root(), "kernel"), folder_);
  return problem;
}

/// golden = { "folder" } holds for every workload, golden = { [WORKLOAD] = "folder" } for those that it names.
std::vector<std::string> KernelManifest::golden_of(const Reader& reference, const Workload& workload) const {
  const Node* const node = reference.find("golden");
  if (node == nullptr || !node->table || node->fields.empty()) return reference.texts("golden");
  const Reader by_workload(reference.manifest(), *node, "golden");
  for (const auto& [name, folder] : node->fields)
    if (std::ranges::none_of(workloads_, [&name = name](const Workload& each) { return each.name == name; }))
      throw by_workload.error(fmt::format("names '{}', which is no workload", name));
  if (by_workload.find(workload.name) == nullptr) return {};
  return {by_workload.text(workload.name)};
}

/// Of one in Python nothing is launched; its process takes one request at a time.
Reference KernelManifest::read_program(const Reader& reader, Reference reference) {
  reader.only({"source", "weak"});
  reference.threads = 1;
  reference.weak = reader.text("weak", "");
  return reference;
}

Reference KernelManifest::read_reference(const Reader& kernel, const Workload& workload,
                                         const std::vector<Argument>& arguments) {
  const Reader reader(manifest_, kernel.need("reference"), "reference");
  reader.only({"source", "entry", "sizes", "threads", "golden", "numbers", "when", "grid", "block", "shared", "steps",
               "scratch", "constants", "weak"});
  Sizes sizes(manifest_, workload);
  Reference reference;
  reference.source = own_file(reader, folder_, reader.text("source")).string();
  if (reference.source.ends_with(".py")) return read_program(reader, std::move(reference));
  reference.entry = fill_in(reader.text("entry"), workload.values, reader);
  reference.sizes = reader.texts("sizes");
  for (const std::string& name : reference.sizes) reference.size_values.push_back(size_value(reader, workload, name));
  if (reader.find("block") != nullptr) {
    const bool first = is_launched(reader, sizes);
    if (first) read_blocks(reader, sizes, reference);
    read_steps(reader, sizes, reference);
    if (!first) begin_with_next(reader, reference);
    read_scratch(reader, sizes, reference);
  } else {
    for (const char* field : {"steps", "scratch"})
      if (reader.find(field) != nullptr)
        throw reader.error(fmt::format("has '{}', which a launch of 'grid' and 'block' must come before", field));
    reference.threads = sizes.whole(reader.need("threads"), reader, "threads");
    if (reference.threads < 1)
      throw reader.error(fmt::format("has {} threads on workload '{}'", reference.threads, workload.name));
  }
  reference.numbers = named<ReferenceNumbers>(reader.text("numbers", "exact"));
  reference.constants = read_constants(reader, arguments);
  reference.weak = reader.text("weak", "");
  for (const std::string& folder : golden_of(reader, workload))
    reference.golden.push_back(own_file(reader, folder_, folder).string());
  return reference;
}

Work KernelManifest::read_work(const Reader& kernel, const Workload& workload) {
  const FunctionRef* function = kernel.function("work");
  if (function == nullptr) kernel.need("work");
  Sizes sizes(manifest_, workload);
  const Node result = sizes.call(*function);
  const Reader reader(manifest_, result, "work");
  if (!result.table) throw reader.error("must return { bytes = ..., flops = { TYPE = ... }, exps = ... }");
  reader.only({"bytes", "flops", "exps", "turns", "dependent"});
  Work work;
  work.bytes = amount(reader, reader.need("bytes"), "bytes", workload);
  double total = work.bytes;
  if (const Node* flops = reader.find("flops")) {
    if (!flops->table) throw reader.wrong("flops", "a table of TYPE = number");
    for (const auto& [type, node] : flops->fields) {
      if (!parse_dtype(type)) throw reader.error(fmt::format("counts flops of '{}', which is no element type", type));
      work.flops[type] = amount(reader, node, "flops." + type, workload);
      total += work.flops[type];
    }
  }
  if (const Node* exps = reader.find("exps")) work.exps = amount(reader, *exps, "exps", workload);
  if (const Node* turns = reader.find("turns")) work.turns = amount(reader, *turns, "turns", workload);
  if (const Node* trips = reader.find("dependent")) work.dependent = amount(reader, *trips, "dependent", workload);
  if (total + work.exps > 0) return work;
  throw reader.error(
      fmt::format("is zero on workload '{}'; give the bytes and operations nothing can avoid", workload.name));
}

const SourceText& KernelManifest::reference_text(const std::string& source) {
  const auto known = references_.find(source);
  if (known != references_.end()) return known->second;
  if (source.ends_with(".py")) {
    const std::string text = read_text(source, relative_name(source, folder_));
    return references_.emplace(source, SourceText{text, {}, sha256_hex(text)}).first->second;
  }
  return references_.emplace(source, read_source(source, relative_name(source, folder_), include_dirs_)).first->second;
}

/// The same on every machine: paths are replaced by the texts behind them. Names, sets, devices and weights of a
/// workload do not change what a result means and stay out.
std::string KernelManifest::contract_hash(const Problem& problem) {
  json identity = problem;
  identity.erase("contract_hash");
  identity.erase("accept");
  for (const char* field : {"digest", "included"}) identity["reference"].erase(field);
  identity["workload"] = json(problem.workload)["values"];
  identity["gates"] = kHashedGates;
  if (problem.batch_invariant.empty()) identity.erase("batch_invariant");  // as in contracts from before
  json& reference = identity["reference"];
  // What a reference of the plain kind does not have is no part of its identity: older results stay comparable.
  if (problem.reference.numbers == ReferenceNumbers::exact) reference.erase("numbers");
  if (problem.reference.block.empty())
    for (const char* field : {"grid", "block", "shared"}) reference.erase(field);
  if (problem.reference.weak.empty()) reference.erase("weak");
  if (problem.reference.further.empty()) reference.erase("further");
  if (problem.reference.scratch.empty()) reference.erase("scratch");
  if (problem.reference.constants.empty()) reference.erase("constants");
  const auto hash_of = [&](const std::string& source) {
    return read_source(source, relative_name(source, folder_), include_dirs_).hash;
  };
  reference["source"] = reference_text(problem.reference.source).hash;
  for (json& golden : reference["golden"]) golden = relative_name(golden.get<std::string>(), folder_);
  for (json& argument : identity["arguments"]) {
    if (argument["values"].is_null()) argument.erase("values");
    for (const char* part : {"gen", "compare"}) {
      if (argument[part].is_null() || !argument[part]["options"].contains("source")) continue;
      json& source = argument[part]["options"]["source"];
      source = hash_of(source.get<std::string>());
    }
  }
  return sha256_hex(json_text(identity));
}

}  // namespace harness::script
