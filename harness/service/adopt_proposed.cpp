#include "harness/service/adopt_proposed.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "harness/campaign/proposal_reply.h"
#include "harness/core/error.h"
#include "harness/core/torch_call.h"
#include "harness/system/files.h"

namespace fs = std::filesystem;

namespace harness {
namespace {

/// What an iteration ran that stands in no file.
struct Unfiled {
  std::string source, manifest, technique, label, origin;
};

std::string slug_of(const std::string& text) {
  std::string slug;
  for (const char c : text) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0)
      slug += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    else if (!slug.empty() && slug.back() != '_') slug += '_';
  }
  constexpr std::size_t kLongest = 40;
  slug = slug.substr(0, kLongest);
  while (!slug.empty() && slug.back() == '_') slug.pop_back();
  return slug.empty() ? "proposed" : slug;
}

/// The next ten beyond the numbers that are taken, else the first free number.
std::string numbered_name(const KernelInfo& kernel, const std::string& slug) {
  std::vector<bool> taken(100, false);
  int highest = 0;
  for (const VariantInfo& variant : kernel.variants) {
    if (variant.proposal || variant.name.size() < 3) continue;
    const int number = (variant.name[0] - '0') * 10 + (variant.name[1] - '0');
    if (number < 0 || number > 99) continue;
    taken[static_cast<std::size_t>(number)] = true;
    highest = std::max(highest, number);
  }
  int number = highest / 10 * 10 + 10;
  if (number > 99) number = static_cast<int>(std::find(taken.begin() + 1, taken.end(), false) - taken.begin());
  if (number > 99) throw bad_input(fmt::format("kernel '{}' has no variant number left", kernel.name));
  return fmt::format("{:02}_{}", number, slug);
}

std::string one_line(std::string text) {
  std::ranges::replace(text, '\n', ' ');
  return text;
}

Unfiled of_proposal(const ProposalRecord& record, std::int64_t iteration) {
  Unfiled found{record.source, record.manifest, record.arm.technique, record.label.value_or(record.variant), ""};
  const std::string recorded = fmt::format("made.technique = \"{}~{}\"", record.arm.technique, record.number);
  if (const std::size_t at = found.manifest.rfind(recorded); at != std::string::npos)
    found.manifest.replace(at, recorded.size(), fmt::format("made.technique = \"{}\"", record.arm.technique));
  found.origin = fmt::format("Proposed over {} (model {}), iteration {}: {}", record.parents.front(),
                             record.usage.model.value_or("unknown"), iteration, one_line(record.hypothesis));
  return found;
}

Unfiled unfiled_of(const json& row, std::int64_t iteration, Catalog& catalog, CampaignReader& reader) {
  const std::string kernel = row.at("kernel"), variant = row.at("variant");
  for (const ProposalRecord& record : reader.proposals(row.at("campaign")))
    if (record.variant == variant && record.arm.kernel == kernel) return of_proposal(record, iteration);
  if (!row.at("parent").is_string() || !row.at("source").is_string())
    throw bad_input(
        fmt::format("iteration {} ran {} as it stands in its folder: there is nothing to adopt", iteration, variant));
  return {row.at("source"), catalog.plugin(kernel).variant_texts(variant).manifest, row.at("technique"),
          row.at("label").is_string() ? row.at("label").get<std::string>() : variant + " edited",
          fmt::format("An edit of {}, iteration {}", variant, iteration)};
}

}  // namespace

json adopted_files(std::int64_t iteration, const std::string& name, Shell& shell) {
  const Places places = shell.places();
  const auto archive = open_to_read(shell);
  const json row = archive->history().iteration(iteration, true);
  const std::string kernel = row.at("kernel");
  const auto catalog = shell.rooms.formula_catalog(places);
  const Unfiled found = unfiled_of(row, iteration, *catalog, archive->ledger());
  const std::string variant = numbered_name(catalog->kernel(kernel), slug_of(name.empty() ? found.label : name));
  const fs::path folder = fs::path(catalog->plugin(kernel).folder()) / "variants";
  const std::string manifest = (folder / (variant + ".lua")).string(), source = (folder / (variant + ".cu")).string();
  const std::string text = manifest_started_at(found.manifest, config_from_json(row.at("config")));
  catalog->plugin(kernel).add_variant(
      {kernel, variant, first_kernel_of(catalog->kernel(kernel)).name, found.source, text, 0});
  replace_file(source, "// " + found.origin + "\n" + found.source);
  replace_file(manifest, "-- " + found.origin + "\n" + text);
  return {{"kernel", kernel}, {"variant", variant}, {"files", {manifest, source}}};
}

}  // namespace harness
