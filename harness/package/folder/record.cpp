#include "harness/package/folder/record.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "harness/core/error.h"
#include "harness/core/suggest.h"
#include "harness/core/torch_call.h"
#include "harness/package/resolved.h"

namespace harness::package {
namespace {

std::optional<double> number(const json& row, const char* key) {
  const json& value = row.at(key);
  return value.is_number() ? std::optional(value.get<double>()) : std::nullopt;
}

class RecordReader {
 public:
  RecordReader(Archive& archive, FormulaCatalog& catalog, const RecordQuery& query)
      : archive_(archive), catalog_(catalog), query_(query), kernel_(catalog.kernel(query.kernel)) {}

  PackageRecord read() {
    const json rows = archive_.history().timed_iterations(query_.kernel);
    if (rows.empty())
      throw bad_input(fmt::format("the store has nothing of kernel '{}' that passed; harness run {} makes it",
                                  query_.kernel, query_.kernel));
    check_names(rows);
    for (const json& row : rows)
      if (is_asked(row)) place(row);
    finish();
    return std::move(made_);
  }

 private:
  void refuse(const std::string& sentence) {
    if (std::ranges::find(made_.refused, sentence) == made_.refused.end()) made_.refused.push_back(sentence);
  }

  void check_names(const json& rows) const {
    std::vector<std::string> devices;
    for (const json& row : rows)
      if (const std::string name = row.at("device_name"); std::ranges::find(devices, name) == devices.end())
        devices.push_back(name);
    if (!query_.device.empty() && std::ranges::find(devices, query_.device) == devices.end())
      throw bad_input(fmt::format("the store has nothing of kernel '{}' on a device named '{}'{}; it has: {}",
                                  query_.kernel, query_.device, did_you_mean(query_.device, devices),
                                  fmt::join(devices, ", ")));
    std::vector<std::string> names;
    for (const json& row : rows) names.push_back(row.at("workload"));
    for (const Workload& workload : kernel_.workloads) {
      names.push_back(workload.name);
      names.insert(names.end(), workload.sets.begin(), workload.sets.end());
    }
    for (const std::string& word : query_.workloads)
      if (std::ranges::find(names, word) == names.end())
        throw bad_input(fmt::format("kernel '{}' has no workload or set '{}', and the store has neither{}",
                                    query_.kernel, word, did_you_mean(word, names)));
  }

  bool is_asked(const json& row) const {
    if (!query_.device.empty() && row.at("device_name") != query_.device) return false;
    if (query_.workloads.empty()) return true;
    const std::string name = row.at("workload");
    const auto is_asked = [&](const std::string& word) {
      return std::ranges::find(query_.workloads, word) != query_.workloads.end();
    };
    if (is_asked(name)) return true;
    const auto workload = std::ranges::find(kernel_.workloads, name, &Workload::name);
    return workload != kernel_.workloads.end() && std::ranges::any_of(workload->sets, is_asked);
  }

  const VariantInfo* variant_of(const json& row) const {
    return find_variant(kernel_, row.at("variant").get<std::string>());
  }

  /// The device as its campaign described it.
  const DeviceInfo* device_of(const json& row) {
    const std::string name = row.at("device_name");
    const auto position = std::ranges::find(made_.devices, name, &DeviceInfo::name);
    if (position != made_.devices.end()) return &*position;
    const CampaignRecord record = archive_.ledger().campaign(row.at("campaign").get<std::int64_t>());
    try {
      DeviceInfo device = record.environment.at("device").get<DeviceInfo>();
      device.name = name;
      made_.devices.push_back(std::move(device));
      return &made_.devices.back();
    } catch (const json::exception&) {
      refuse(fmt::format("campaign {} does not say what its device '{}' is like", row.at("campaign").dump(), name));
      return nullptr;
    }
  }

  /// A workload of the kernel, a shape that somebody asked for included.
  const Workload* workload_of(const std::string& name, const DeviceInfo& device) {
    const auto position = [&] { return std::ranges::find(kernel_.workloads, name, &Workload::name); };
    if (position() == kernel_.workloads.end() && name.find('=') != std::string::npos) {
      try {
        catalog_.plugin(query_.kernel).add_shape(name, device);
      } catch (const Error&) {
      }
    }
    if (position() != kernel_.workloads.end()) return &*position();
    refuse(fmt::format("workload '{}' is no workload of kernel '{}' any more", name, query_.kernel));
    return nullptr;
  }

  /// Whether the record is of the contract and the source that are here. A recorded source takes the place of the
  /// plugin's, once a variant.
  bool is_current(const json& row, const Workload& workload) {
    const std::string variant = row.at("variant"), hash = row.at("source_hash");
    if (row.at("contract_hash") != catalog_.plugin(query_.kernel).problem(workload.name).contract_hash) return false;
    const auto key = std::make_pair(variant, hash);
    if (const auto current = current_.find(key); current != current_.end()) return current->second;
    const auto is_it = [&] { return variant_of(row)->source_hash == hash; };
    if (!is_it() && !made_.sources.contains(variant)) {
      const json source =
          archive_.history().iteration(row.at("iteration").get<std::int64_t>(), true).value("source", json());
      const std::string before = source_of(variant, workload);
      if (source.is_string() && !before.empty()) {
        catalog_.plugin(query_.kernel).use_source(variant, source.get<std::string>());
        if (is_it()) made_.sources[variant] = source.get<std::string>();
        else catalog_.plugin(query_.kernel).use_source(variant, before);
      }
    }
    return current_[key] = is_it();
  }

  std::string source_of(const std::string& variant, const Workload& workload) {
    const DeviceInfo& device = made_.devices.front();
    try {
      const Config config = catalog_.plugin(query_.kernel).default_config(variant, workload.name, device, {});
      return catalog_.plugin(query_.kernel)
          .realize({query_.kernel, variant, "", config}, workload.name, device)
          .build.source;
    } catch (const Error&) {
      return "";
    }
  }

  bool allow(bool allowed, const char* stamp, const std::string& sentence) {
    if (allowed) made_.stamps.insert(stamp);
    else refuse(sentence + fmt::format("; --allow {} packages it all the same, and stamps it", stamp));
    return allowed;
  }

  MeasuredPoint& point_of(const std::string& device, const Workload& workload) {
    for (MeasuredPoint& point : made_.points)
      if (point.device == device && point.workload.name == workload.name) return point;
    made_.points.push_back({device, workload, {}, 0});
    return made_.points.back();
  }

  /// The baseline as a campaign begins with it. In another configuration it may win over itself.
  bool is_default(const VariantInfo& variant, const json& row, const Workload& workload, const DeviceInfo& device) {
    if (&variant != &first_kernel_of(kernel_)) return false;
    const Config config = catalog_.plugin(query_.kernel).default_config(variant.name, workload.name, device, {});
    return to_text(config) == to_text(config_from_json(row.at("config")));
  }

  void place(const json& row) {
    const DeviceInfo* device = device_of(row);
    const VariantInfo* variant = variant_of(row);
    if (device == nullptr || variant == nullptr || variant->rival) return;
    const Workload* workload = workload_of(row.at("workload"), *device);
    if (workload == nullptr) return;
    if (row.at("emulation") == true &&
        !allow(query_.allowed.emulated, "emulated",
               fmt::format("what was measured on '{}' is emulation, and says nothing about a GPU", device->name)))
      return;
    if (!first_kernel_of(kernel_).builder.empty())
      return refuse(
          fmt::format("the original of {} is built by '{}': a package's original runs at every size, and such "
                      "a module does not",
                      query_.kernel, first_kernel_of(kernel_).builder));
    const bool original = row.at("purpose") == "baseline" || is_default(*variant, row, *workload, *device);
    const std::string text = fmt::format("{} {} on {} (iteration {})", query_.kernel, variant->name, workload->name,
                                         row.at("iteration").dump());
    MeasuredPoint& point = point_of(device->name, *workload);
    if (original) {
      if (point.original_ns == 0) point.original_ns = row.at("time_ns").get<double>();
      return;
    }
    waiting_.push_back({row, device->name, *workload, text});
  }

  /// Of a configuration at a point the newest confirmed run counts; else, where that is allowed, the newest.
  void finish() {
    std::stable_sort(waiting_.begin(), waiting_.end(), [](const Waiting& a, const Waiting& b) {
      return a.row.at("confirmed") == true && b.row.at("confirmed") != true;
    });
    std::set<std::pair<std::string, std::string>> confirmed_points;
    for (const Waiting& run : waiting_)
      if (run.row.at("confirmed") == true) confirmed_points.insert({run.device, run.workload.name});
    for (const Waiting& run : waiting_) add_run(run, confirmed_points.contains({run.device, run.workload.name}));
    for (MeasuredPoint& point : made_.points) complete(point);
    std::erase_if(made_.points, [](const MeasuredPoint& point) { return point.original_ns <= 0; });
    const bool winner =
        std::ranges::any_of(made_.points, [](const MeasuredPoint& point) { return !point.runs.empty(); });
    if (made_.points.empty() || (!winner && !made_.refused.empty()))
      throw bad_input(
          fmt::format("kernel '{}' has nothing that can be packaged: {}", query_.kernel,
                      made_.refused.empty() ? std::string("no workload has a measured original") : first_refusals()));
  }

  std::string first_refusals() const {
    std::string text = made_.refused.front();
    if (made_.refused.size() > 1) text += fmt::format(" ({} more like it)", made_.refused.size() - 1);
    return text;
  }

  struct Waiting {
    json row;
    std::string device;
    Workload workload;
    std::string text;
  };

  void add_run(const Waiting& waiting, bool point_is_confirmed) {
    const json& row = waiting.row;
    const bool confirmed = row.at("confirmed") == true;
    if (!confirmed && point_is_confirmed) return;
    MeasuredPoint& point = point_of(waiting.device, waiting.workload);
    const Candidate candidate{query_.kernel, row.at("variant"), row.at("technique"),
                              config_from_json(row.at("config"))};
    const auto same = [&](const MeasuredRun& run) {
      return candidate_text(run.candidate) == candidate_text(candidate);
    };
    if (std::ranges::any_of(point.runs, same)) return;
    MeasuredRun run{row.at("iteration"),        row.at("campaign"),        candidate, row.at("time_ns").get<double>(),
                    number(row, "baseline_ns"), number(row, "speedup_lo"), confirmed};
    if (!run.beats_original()) return;
    if (is_self_referenced(row) &&
        !allow(query_.allowed.self_referenced, "self-referenced",
               waiting.text + " was compared with its own original only, which does not show that it is right"))
      return;
    if (!confirmed && !allow(query_.allowed.unconfirmed, "unconfirmed", waiting.text + " is not confirmed")) return;
    if (!is_current(row, waiting.workload) &&
        !allow(query_.allowed.unconfirmed, "unconfirmed",
               waiting.text +
                   " was measured with another contract, source or header than are here now, so nothing confirms "
                   "what is here"))
      return;
    try {
      const DeviceInfo& device = *std::ranges::find(made_.devices, waiting.device, &DeviceInfo::name);
      catalog_.plugin(candidate.kernel).realize(candidate, waiting.workload.name, device);
      catalog_.plugin(candidate.kernel).formulas(candidate, waiting.workload, device);
    } catch (const Error& why) {
      return refuse(fmt::format("{}: {}", waiting.text, why.what()));
    }
    point.runs.push_back(std::move(run));
  }

  /// A campaign on a kernel whose reference is its own original says so in each record.
  bool is_self_referenced(const json& row) {
    const std::int64_t iteration = row.at("iteration");
    const auto entry = self_referenced_.find(iteration);
    if (entry != self_referenced_.end()) return entry->second;
    return self_referenced_[iteration] =
               archive_.history().iteration(iteration, false).dump().find("self-referenced") != std::string::npos;
  }

  void complete(MeasuredPoint& point) {
    if (point.original_ns <= 0)
      for (const MeasuredRun& run : point.runs)
        if (run.baseline_ns) point.original_ns = *run.baseline_ns;
    std::ranges::sort(point.runs, {}, &MeasuredRun::time_ns);
  }

  Archive& archive_;
  FormulaCatalog& catalog_;
  const RecordQuery& query_;
  const KernelInfo& kernel_;
  std::vector<Waiting> waiting_;
  std::map<std::pair<std::string, std::string>, bool> current_;
  std::map<std::int64_t, bool> self_referenced_;
  PackageRecord made_;
};

}  // namespace

PackageRecord read_record(Archive& archive, FormulaCatalog& catalog, const RecordQuery& query) {
  return RecordReader(archive, catalog, query).read();
}

}  // namespace harness::package
