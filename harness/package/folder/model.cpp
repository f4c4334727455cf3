#include "harness/package/folder/model.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/core/error.h"
#include "harness/core/torch_call.h"
#include "harness/package/built_plan.h"
#include "harness/package/resolved.h"

namespace harness::package {
namespace {

constexpr std::size_t kMostInstances = 512;

/// "compute_90" of "sm_90".
std::string ptx_architecture(const std::string& architecture) {
  return "compute_" + architecture.substr(architecture.find('_') + 1);
}

class PackageMaker {
 public:
  PackageMaker(FormulaCatalog& catalog, const CodeMaker& code, const std::string& kernel, PackageRecord record,
               const std::string& program)
      : catalog_(catalog), code_(code), kernel_(catalog.kernel(kernel)) {
    made_.record = std::move(record);
    made_.launcher.kernel = kernel;
    made_.launcher.summary = kernel_.summary;
    made_.launcher.program = program;
    made_.launcher.fields = catalog.plugin(kernel).fields();
    for (const DeviceInfo& device : code.devices) made_.launcher.architectures.push_back(device.architecture);
    for (const DeviceInfo& device : code.ptx_devices)
      made_.launcher.ptx_architectures.push_back(ptx_architecture(device.architecture));
  }

  PackageModel make(std::size_t most) {
    add_originals();
    made_.dispatch = make_dispatch(made_.record.points, most, compiled_in(), made_.record.table);
    made_.first_winner = made_.launcher.configurations.size();
    for (const LauncherConfiguration& winner : made_.dispatch.winners) add_winner(winner.candidate);
    for (DispatchRule rule : made_.dispatch.rules) {
      rule.configuration += made_.first_winner;
      if (made_.record.stamps.contains("emulated")) rule.device.clear();
      made_.launcher.rules.push_back(std::move(rule));
    }
    compile();
    return std::move(made_);
  }

 private:
  /// Traced with the quantities of a GPU: of an emulated record the first that is compiled for.
  const DeviceInfo& device_of(const std::string& name) const {
    const auto device = std::ranges::find(made_.record.devices, name, &DeviceInfo::name);
    const bool real = device != made_.record.devices.end() && !device->emulation;
    return real ? *device : code_.devices.front();
  }

  /// The original's configurations: what a campaign begins with on each measured workload.
  void add_originals() {
    const VariantInfo& baseline = first_kernel_of(kernel_);
    for (const MeasuredPoint& point : made_.record.points) {
      const DeviceInfo& device = device_of(point.device);
      const Config config =
          catalog_.plugin(kernel_.name).default_config(baseline.name, point.workload.name, device, {});
      const Candidate candidate{kernel_.name, baseline.name, baseline.technique, config};
      if (!is_there(candidate)) add_original(candidate, point.workload, device);
    }
  }

  bool is_there(const Candidate& candidate) const {
    return std::ranges::any_of(made_.launcher.configurations, [&](const LauncherConfiguration& configuration) {
      return candidate_text(configuration.candidate) == candidate_text(candidate);
    });
  }

  /// For all flags, types and sizes that are compiled in, as far as the domain lists them.
  void add_original(const Candidate& candidate, const Workload& workload, const DeviceInfo& device) {
    const std::size_t configuration = made_.launcher.configurations.size();
    made_.launcher.configurations.push_back({candidate, true});
    const FormulaPlan first = catalog_.plugin(candidate.kernel).formulas(candidate, workload, device);
    std::vector<Workload> points{workload};
    for (const auto& [name, value] : first.fixed) points = with_all_values(points, name);
    if (points.size() > kMostInstances) {
      made_.left_out.push_back(
          fmt::format("the original has {} combinations of flags, types and sizes that are compiled "
                      "in; it is packaged for the measured ones only",
                      points.size()));
      points.clear();
      for (const MeasuredPoint& point : made_.record.points) points.push_back(point.workload);
    }
    for (const Workload& point : points) add_instance(configuration, candidate, point, device);
  }

  std::vector<Workload> with_all_values(const std::vector<Workload>& points, const std::string& name) {
    const FieldLimits& field = *std::ranges::find(made_.launcher.fields, name, &FieldLimits::name);
    std::vector<Value> values = field.values;
    if (std::holds_alternative<bool>(field.example) && values.empty()) values = {false, true};
    if (values.empty()) {
      for (const MeasuredPoint& point : made_.record.points) {
        const Value& value = point.workload.values.at(name);
        if (std::ranges::none_of(values, [&](const Value& other) { return same_value(other, value); }))
          values.push_back(value);
      }
      made_.left_out.push_back(
          fmt::format("'{}' is compiled in, and the domain does not list its values: the package "
                      "has those that were measured",
                      name));
    }
    std::vector<Workload> all;
    for (const Workload& point : points)
      for (const Value& value : values) {
        all.push_back(point);
        all.back().values[name] = value;
      }
    return all;
  }

  void add_winner(const Candidate& candidate) {
    const std::size_t configuration = made_.launcher.configurations.size();
    made_.launcher.configurations.push_back({candidate, false});
    for (std::size_t i = 0; i < made_.record.points.size(); ++i) {
      const MeasuredPoint& point = made_.record.points[i];
      const int chosen = made_.dispatch.chosen[i];
      if (chosen < 0) continue;
      const Candidate& its = point.runs[static_cast<std::size_t>(chosen)].candidate;
      if (candidate_text(its) == candidate_text(candidate))
        add_instance(configuration, its, point.workload, device_of(point.device));
    }
  }

  void add_instance(std::size_t configuration, const Candidate& candidate, const Workload& point,
                    const DeviceInfo& device) {
    FormulaPlan plan = catalog_.plugin(candidate.kernel).formulas(candidate, point, device);
    for (const LauncherInstance& instance : made_.launcher.instances)
      if (instance.configuration == configuration && to_text(instance.plan.fixed) == to_text(plan.fixed)) {
        if (instance.plan.build.uses != plan.build.uses)
          made_.left_out.push_back(
              fmt::format("on {} the original runs: {} was compiled anew for it, and a package holds "
                          "one module of a configuration",
                          point.name, candidate.variant));
        return;
      }
    const bool original = made_.launcher.configurations[configuration].original;
    const std::size_t unit = unit_of(plan.build, candidate.variant, original);
    LauncherInstance instance{configuration, std::move(plan), {}, {}};
    for (const FormulaConstant& constant : instance.plan.constants)
      instance.variables.push_back(variable_of(constant.symbol, unit));
    for (const FormulaStep& step : instance.plan.steps)
      if (const auto* launch = std::get_if<FormulaLaunch>(&step))
        instance.kernels.push_back(kernel_of(launch->entry, unit));
    made_.launcher.instances.push_back(std::move(instance));
  }

  /// The originals share modules. A winner has the module that was measured.
  std::size_t unit_of(const BuildSpec& build, const std::string& variant, bool original) {
    for (std::size_t i = 0; i < made_.units.size(); ++i) {
      BuildSpec& other = made_.units[i].build;
      const bool like = other.source == build.source && other.defines == build.defines &&
                        other.options == build.options && other.constants == build.constants &&
                        other.builder == build.builder && other.uses == build.uses && shared_[i] == original;
      if (!like || (!original && other.entries != build.entries)) continue;
      for (const std::string& entry : build.entries)
        if (std::ranges::find(other.entries, entry) == other.entries.end()) other.entries.push_back(entry);
      return i;
    }
    made_.units.push_back({build, variant, {}});
    shared_.push_back(original);
    return made_.units.size() - 1;
  }

  /// The place of a name of a unit, behind all others where it is new.
  template <typename Named>
  static std::size_t place_of(std::vector<Named>& all, std::string Named::*name, const std::string& value,
                              std::size_t unit) {
    const auto position =
        std::ranges::find_if(all, [&](const Named& entry) { return entry.*name == value && entry.unit == unit; });
    const auto place = static_cast<std::size_t>(position - all.begin());
    if (position == all.end()) all.push_back({value, unit, ""});
    return place;
  }

  std::size_t kernel_of(const std::string& entry, std::size_t unit) {
    return place_of(made_.launcher.kernels, &LauncherKernel::entry, entry, unit);
  }
  std::size_t variable_of(const std::string& name, std::size_t unit) {
    return place_of(made_.launcher.variables, &LauncherVariable::name, name, unit);
  }

  std::set<std::string> compiled_in() const {
    std::set<std::string> names, variants;
    for (const MeasuredPoint& point : made_.record.points)
      for (const MeasuredRun& run : point.runs)
        if (variants.insert(run.candidate.variant).second)
          for (const auto& [name, value] : catalog_.plugin(run.candidate.kernel)
                                               .formulas(run.candidate, point.workload, device_of(point.device))
                                               .fixed)
            names.insert(name);
    return names;
  }

  void compile() {
    for (std::size_t unit = 0; unit < made_.units.size(); ++unit) {
      LauncherUnit images;
      for (const DeviceInfo& device : code_.devices) {
        const bool runs = catalog_.plugin(kernel_.name).unsupported_reason(made_.units[unit].variant, device).empty();
        made_.units[unit].code.push_back(runs ? code_.compile(device, made_.units[unit].build) : CompiledCode{});
        images.images.push_back(made_.units[unit].code.back().bytes);
      }
      made_.launcher.units.push_back(std::move(images));
    }
    for (LauncherInstance& instance : made_.launcher.instances)
      if (!instance.plan.build.builder.empty() && !instance.kernels.empty()) take_built(instance);
    for (LauncherKernel& kernel : made_.launcher.kernels)
      for (const CompiledCode& code : made_.units[kernel.unit].code)
        if (const auto symbol = code.symbols.find(kernel.entry); symbol != code.symbols.end())
          kernel.symbol = symbol->second;
    for (LauncherVariable& variable : made_.launcher.variables)
      for (const CompiledCode& code : made_.units[variable.unit].code)
        if (const auto symbol = code.symbols.find(constant_key(variable.name)); symbol != code.symbols.end())
          variable.symbol = symbol->second;
    for (std::size_t unit = 0; unit < made_.units.size(); ++unit)
      for (const DeviceInfo& device : code_.ptx_devices) {
        made_.units[unit].ptx.push_back(ptx_of(unit, device));
        made_.launcher.units[unit].ptx.push_back(made_.units[unit].ptx.back().bytes);
      }
  }

  /// Threads, shared memory and parameters are one thing in the launcher, whatever the architecture.
  void take_built(LauncherInstance& instance) const {
    const PackageUnit& unit = made_.units[made_.launcher.kernels[instance.kernels.front()].unit];
    const CompiledCode* first = nullptr;
    for (const CompiledCode& code : unit.code) {
      if (code.bytes.empty()) continue;
      if (first != nullptr && json_text(launches_of(code)) != json_text(launches_of(*first)))
        throw bad_input(fmt::format("{} is launched otherwise on {} than on {}; package them one by one (--arch)",
                                    unit.variant, code.artifact.architecture, first->artifact.architecture));
      if (first == nullptr) first = &code;
    }
    if (first != nullptr) instance.plan = with_built(std::move(instance.plan), first->artifact.entries);
  }

  static json launches_of(const CompiledCode& code) {
    json launches = json::array();
    for (const EntryResources& entry : code.artifact.entries)
      launches.push_back({entry.entry, entry.threads, entry.shared, entry.cluster, entry.passes});
    return launches;
  }

  /// Nothing, and a sentence, where a unit has no PTX that the launcher could take for its machine code.
  CompiledCode ptx_of(std::size_t unit, const DeviceInfo& device) {
    const std::string& variant = made_.units[unit].variant;
    std::string why = catalog_.plugin(kernel_.name).unsupported_reason(variant, device);
    if (const std::string& builder = made_.units[unit].build.builder; why.empty() && !builder.empty())
      why = fmt::format("'{}' makes code of one architecture", builder);
    if (why.empty()) {
      auto ptx = code_.ptx(device, made_.units[unit].build);
      if (auto* const code = std::get_if<CompiledCode>(&ptx)) {
        if (has_symbols(unit, code->symbols)) return std::move(*code);
        why = "its kernels have other names there";
      } else {
        why = std::get<std::string>(ptx);
      }
    }
    made_.left_out.push_back(
        fmt::format("{} has no PTX for {}: {}", variant, ptx_architecture(device.architecture), why));
    return {};
  }

  /// Whether the kernels and variables of a unit have these names. (In an unnamed namespace they may differ by
  /// architecture.)
  bool has_symbols(std::size_t unit, const std::map<std::string, std::string>& symbols) const {
    const auto has = [&](const auto& unit_part, const std::string& key) {
      const auto symbol = symbols.find(key);
      return unit_part.unit != unit || (symbol != symbols.end() && symbol->second == unit_part.symbol);
    };
    return std::ranges::all_of(made_.launcher.kernels, [&](const auto& kernel) { return has(kernel, kernel.entry); }) &&
           std::ranges::all_of(made_.launcher.variables,
                               [&](const auto& constant) { return has(constant, constant_key(constant.name)); });
  }

  FormulaCatalog& catalog_;
  const CodeMaker& code_;
  const KernelInfo& kernel_;
  std::vector<bool> shared_;  // of units: of originals
  PackageModel made_;
};

}  // namespace

PackageModel make_package(FormulaCatalog& catalog, const CodeMaker& code, const std::string& kernel,
                          PackageRecord record, std::size_t most, const std::string& program) {
  if (code.devices.empty()) throw bad_input("a package needs an architecture to compile for");
  return PackageMaker(catalog, code, kernel, std::move(record), program).make(most);
}

}  // namespace harness::package
