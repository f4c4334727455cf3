#include "harness/service/show_patch.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "harness/adopt/plugin/changed.h"
#include "harness/adopt/plugin/patch.h"
#include "harness/adopt/plugin/patch_for_sizes.h"
#include "harness/adopt/plugin/revision.h"
#include "harness/core/error.h"
#include "harness/core/hash.h"
#include "harness/core/line_diff.h"
#include "harness/service/show_source.h"
#include "harness/system/files.h"

namespace harness {
namespace {

namespace fs = std::filesystem;

/// The file's path from the top of its repository, else from here: what stands behind a/ and b/.
std::string path_in_repository(const std::string& file) {
  std::error_code failed;
  const fs::path whole = fs::weakly_canonical(fs::absolute(file), failed);
  for (fs::path folder = whole.parent_path(); folder != folder.root_path(); folder = folder.parent_path())
    if (fs::exists(folder / ".git", failed)) return whole.lexically_relative(folder).generic_string();
  const fs::path here = whole.lexically_proximate(fs::current_path());
  return *here.begin() == ".." ? whole.filename().generic_string() : here.generic_string();
}

/// Memory that a step sets, or a library's call, is no launch of the file.
std::vector<Launch> launches_of(const Realized& realized) {
  std::vector<Launch> launches;
  for (const Step& step : realized.plan.steps) {
    const auto* launch = std::get_if<Launch>(&step);
    if (launch == nullptr)
      throw bad_input(fmt::format("'{}' does more than launch kernels", realized.candidate.variant));
    if (launch->cooperative || launch->pdl || launch->resident > 0 || launch->cluster != Dim3{})
      throw bad_input(
          "its launch has attributes (a cluster, cooperative, dependent, or cut to what is resident), which "
          "<<<>>> has not");
    launches.push_back(*launch);
  }
  return launches;
}

/// The winner's scratch, which the file's function makes too.
std::vector<adopt::MeasuredScratch> scratch_of(const Realized& winner, const Realized& original) {
  std::vector<adopt::MeasuredScratch> all;
  for (const Workspace& each : winner.plan.workspaces) {
    const auto known = std::ranges::find(original.plan.workspaces, each.name, &Workspace::name);
    if (known == original.plan.workspaces.end() || known->zeroed != each.zeroed)
      throw bad_input(fmt::format("'{}' takes a workspace '{}'{}, which the file does not make",
                                  winner.candidate.variant, each.name, each.zeroed ? " of zeros" : ""));
    all.push_back({each.name, each.bytes, known->bytes});
  }
  return all;
}

std::string entry_name(const std::string& entry) {
  return entry.substr(0, entry.find('<'));
}

std::map<std::string, std::int64_t> whole_values(const Config& config) {
  std::map<std::string, std::int64_t> values;
  for (const auto& [name, value] : config) {
    if (const auto* number = std::get_if<std::int64_t>(&value)) values[name] = *number;
    else if (const auto* flag = std::get_if<bool>(&value)) values[name] = *flag ? 1 : 0;
    else throw bad_input(fmt::format("its parameter '{}' is no whole number", name));
  }
  return values;
}

adopt::Winner winner_of(FormulaCatalog& catalog, const Realized& winner, const Realized& original,
                        const AdoptedFrom& from, const std::string& file, const DeviceInfo& device, bool all_sizes) {
  const std::vector<Launch> launches = launches_of(winner), first = launches_of(original);
  if (winner.plan.constants != original.plan.constants)
    throw bad_input(fmt::format("'{}' has other __constant__ variables than the file fills", winner.candidate.variant));
  if (launches.size() != first.size())
    throw bad_input(
        fmt::format("'{}' has {} launches, and the file {}", winner.candidate.variant, launches.size(), first.size()));
  adopt::Winner made{file,
                     from.entry,
                     original.build.source,
                     winner.build.source,
                     whole_values(winner.candidate.config),
                     whole_values(original.candidate.config),
                     winner.problem.workload.values,
                     {},
                     scratch_of(winner, original),
                     first,
                     adopt::defines_of(from)};
  const FormulaPlan plan =
      catalog.plugin(winner.candidate.kernel).formulas(winner.candidate, winner.problem.workload, device);
  const bool chosen = plan.steps.size() != launches.size();  // by the sizes
  if (chosen && (all_sizes || launches.size() != 1))
    throw bad_input(
        all_sizes
            ? "which of its launches are made depends on the sizes, so a patch changes those that it was measured "
              "on alone; leave --all-sizes out, or ship it as a package"
            : "it makes several launches, and which ones depends on the sizes; ship it as a package");
  for (std::size_t i = 0; i < launches.size(); ++i) {
    if (entry_name(launches[i].entry) != entry_name(first[i].entry))
      throw bad_input(fmt::format("it launches '{}' where the file launches '{}'", entry_name(launches[i].entry),
                                  entry_name(first[i].entry)));
    if (json(launches[i]).at("args") != json(first[i]).at("args"))
      throw bad_input("it gives its kernel other arguments than the file does");
    made.launches.push_back({launches[i], {}});
    const auto* const formulas = chosen ? nullptr : std::get_if<FormulaLaunch>(&plan.steps.at(i));
    if (formulas != nullptr) made.launches[i].formulas = *formulas;
  }
  return made;
}

/// What was measured on one workload says nothing of others.
std::vector<adopt::PatchedFile> files_of(const adopt::Winner& winner, bool all_sizes) {
  if (all_sizes) return adopt::patched(winner);
  try {
    return adopt::patched_for_sizes(winner);
  } catch (const Error& why) {
    if (why.kind() != Error::Kind::bad_input) throw;
    throw bad_input(fmt::format("{}; it was measured on {} only, and --all-sizes would change every launch", why.what(),
                                adopt::sizes_measured(winner)));
  }
}

}  // namespace

std::string adopted_file(FormulaCatalog& catalog, const std::string& kernel, const std::string& given) {
  const std::optional<AdoptedFrom> from = catalog.plugin(kernel).adopted();
  if (!from) throw bad_input(fmt::format("kernel '{}' was not adopted from a file, so there is none to patch", kernel));
  std::error_code failed;
  if (!given.empty()) return given;
  const std::string noted = adopt::source_of(catalog.plugin(kernel).folder(), *from);
  if (fs::is_regular_file(noted, failed)) return noted;
  if (fs::is_regular_file(from->file, failed)) return from->file;
  throw bad_input(fmt::format("'{}', which kernel '{}' was adopted from, is not where it was; name it with --file",
                              noted.empty() ? from->file : noted, kernel));
}

std::string write_patch(Shell& shell, Archive& archive, const json& row, const std::string& given, bool all_sizes) {
  const Places places = shell.places();
  const DeviceInfo device = recorded_device(archive, row);
  const auto catalog = shell.rooms.formula_catalog(places), own = shell.rooms.formula_catalog(places);
  const std::string kernel = row.at("kernel");
  const std::string file = adopted_file(*catalog, kernel, given);
  const AdoptedFrom from = *catalog->plugin(kernel).adopted();
  if (sha256_hex(read_file(file, Error::Kind::bad_input)) != from.digest)
    throw bad_input(
        fmt::format("'{}' has changed since kernel '{}' was adopted from it, so a patch would be for "
                    "another file; adopt it anew, or check out the file of then",
                    file, kernel));
  try {
    const Realized winner = recorded_candidate(shell, *catalog, row, device).realized;
    add_recorded_workload(*own, kernel, winner.problem.workload.name, device);
    const Realized original = baseline_beside(*own, winner, device);
    const adopt::Winner measured = winner_of(*catalog, winner, original, from, file, device, all_sizes);
    std::string text;
    for (const adopt::PatchedFile& patch : files_of(measured, all_sizes)) {
      const std::string path = path_in_repository(patch.path);
      text += unified_diff(patch.before, patch.after, "a/" + path, "b/" + path);
    }
    if (text.empty()) shell.note(fmt::format("the winner is {} as it is", from.file));
    else if (!all_sizes)
      shell.note(fmt::format("it runs on {}, where it was measured; all else stays as it was (--all-sizes: everywhere)",
                             adopt::sizes_measured(measured)));
    return text;
  } catch (const Error& why) {
    if (why.kind() != Error::Kind::bad_input) throw;
    throw bad_input(
        fmt::format("iteration {} is no patch of {}: {}; harness show {} --source --resolved prints it as a "
                    "source of its own",
                    row.at("iteration").dump(), from.file, why.what(), row.at("iteration").dump()));
  }
}

}  // namespace harness
