#include "harness/cli/complete.h"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>
#include <set>

#include "harness/cli/help.h"
#include "harness/core/error.h"
#include "harness/core/gpu.h"
#include "harness/core/outcome.h"
#include "harness/report/out.h"
#include "harness/service/templates/templates.h"

namespace harness {
namespace {

using Names = std::vector<std::string>;

/// A command line up to the word that is typed.
struct Typed {
  std::string command;
  Names positionals;     // whole ones, after the command
  std::string option;    // whose value is typed; "": none
  bool is_flag = false;  // the half typed word begins with a dash
};

Typed read_typed(const Names& words, CLI::App* command) {
  Typed typed;
  typed.command = words.empty() ? "" : words.front();
  typed.is_flag = !words.empty() && words.back().starts_with("-");
  for (std::size_t i = 1; i + 1 < words.size(); ++i) {
    typed.option.clear();
    if (!words[i].starts_with("-")) {
      typed.positionals.push_back(words[i]);
      continue;
    }
    const CLI::Option* option = command == nullptr ? nullptr : command->get_option_no_throw(words[i]);
    if (option == nullptr || !takes_value(*option)) continue;
    if (i + 2 == words.size()) typed.option = words[i];
    else if (option->get_items_expected_min() > 0) ++i;
  }
  return typed;
}

Names kernels(Shell& shell) {
  return shell.rooms.catalog(shell.places())->kernel_names();
}

/// Of the kernels that are named, else of all; `of` adds what it wants of each.
Names of_kernels(Shell& shell, const Names& named, const std::function<void(const KernelInfo&, Names&)>& of) {
  const auto catalog = shell.rooms.catalog(shell.places());
  const Names all = catalog->kernel_names();
  Names names;
  for (const std::string& kernel : named.empty() ? all : named) {
    if (std::ranges::find(all, kernel) == all.end()) continue;
    try {
      of(catalog->kernel(kernel), names);
    } catch (const Error&) {  // a broken plugin hides no other
    }
  }
  return names;
}

Names variants(Shell& shell, const Names& named) {
  return of_kernels(shell, named, [](const KernelInfo& kernel, Names& names) {
    for (const VariantInfo& variant : kernel.variants) names.push_back(variant.name);
  });
}

Names workloads(Shell& shell, const Names& named) {
  return of_kernels(shell, named, [](const KernelInfo& kernel, Names& names) {
    for (const Workload& workload : kernel.workloads) {
      names.push_back(workload.name);
      names.insert(names.end(), workload.sets.begin(), workload.sets.end());
    }
  });
}

Names techniques(Shell& shell, const Names& named) {
  return of_kernels(shell, named, [](const KernelInfo& kernel, Names& names) {
    for (const VariantInfo& variant : kernel.variants) names.push_back(variant.technique);
  });
}

Names scripts(Shell& shell, const std::set<std::string>& kinds) {
  Names names;
  for (const json& script : shell.rooms.scripts(shell.places())->list())
    if (kinds.empty() || kinds.contains(script.value("kind", ""))) names.push_back(script.value("name", ""));
  return names;
}

/// A store is read where there is one, and never made.
Names campaigns(Shell& shell) {
  std::error_code none;
  if (!std::filesystem::exists(shell.store_path(), none)) return {};
  HistoryFilter filter;
  filter.limit = 50;
  Names names{"latest"};
  for (const json& row : shell.rooms.archive(shell.store_path(), ArchiveAccess::read)->history().campaigns(filter)) {
    names.push_back(row.at("campaign").dump());
    if (row.at("name").is_string()) names.push_back(row.at("name"));
  }
  return names;
}

Names devices(Shell& shell) {
  Names names{"auto"};
  for (const DeviceInfo& device : shell.rooms.devices(shell.places())) names.push_back(device.device);
  return names;
}

Names names_of_gpus() {
  Names names;
  for (const GpuFacts& gpu : harness::gpus()) names.emplace_back(gpu.name);
  return names;
}

Names patterns(Shell& shell) {
  Names names;
  for (const Pattern& pattern : shell.rooms.playbook(shell.places())->patterns()) names.push_back(pattern.name);
  return names;
}

Names names_of_commands() {
  Names names;
  for (const Command& command : commands()) names.emplace_back(command.name);
  return names;
}

Names scaffold_kinds() {
  Names names;
  for (const Scaffold& scaffold : scaffolds()) names.emplace_back(scaffold.kind);
  return names;
}

Names names_of_models(Shell& shell) {
  Names names;
  for (const Model& model : shell.rooms.models(shell.places())) names.push_back(model.name);
  return names;
}

/// Of the model that was typed before, else all.
Names phases(Shell& shell, const Typed& typed) {
  if (typed.command == "models" && !typed.positionals.empty())
    for (const Model& model : shell.rooms.models(shell.places()))
      if (model.name == typed.positionals.front()) return model.phases;
  return model_phases();
}

using Lookup = std::function<Names(Shell&, const Typed&)>;

/// --variant of `run softmax`: the kernel that was typed before.
Lookup by_kernel(Names (*names)(Shell&, const Names&)) {
  return [names](Shell& shell, const Typed& typed) {
    const bool takes_kernel_first = typed.command != "history" && typed.command != "cost";
    const Names named = takes_kernel_first ? typed.positionals : Names{};
    return names(shell, named);
  };
}

const std::map<std::string, Lookup>& option_lookups() {
  static const std::map<std::string, Lookup> lookups{
      {"--kernel", [](Shell& shell, const Typed&) { return kernels(shell); }},
      {"--variant", by_kernel(variants)},
      {"--workload", by_kernel(workloads)},
      {"--technique", by_kernel(techniques)},
      {"--strategy", [](Shell& shell, const Typed&) { return scripts(shell, {"strategy"}); }},
      {"--search", [](Shell& shell, const Typed&) { return scripts(shell, {"search"}); }},
      {"--check", [](Shell& shell, const Typed&) { return scripts(shell, {}); }},
      {"--campaign", [](Shell& shell, const Typed&) { return campaigns(shell); }},
      {"--resume", [](Shell& shell, const Typed&) { return campaigns(shell); }},
      {"--outcome", [](Shell&, const Typed&) { return harness::names_of<OutcomeKind>(); }},
      {"--verdict", [](Shell&, const Typed&) { return harness::names_of<Comparison>(); }},
      {"--device", [](Shell& shell, const Typed&) { return devices(shell); }},
      {"--model", [](Shell& shell, const Typed&) { return names_of_models(shell); }},
      {"--phase", phases},
      {"--for", [](Shell&, const Typed&) { return names_of_gpus(); }},
  };
  return lookups;
}

/// The positional words of a command, in their order; the last goes on where it may be given several times.
struct Positionals {
  std::vector<Lookup> lookups;
  bool last_repeats = false;
};

const std::map<std::string, Positionals>& positional_lookups() {
  static const Lookup kernel = [](Shell& shell, const Typed&) { return kernels(shell); };
  static const Lookup variant = by_kernel(variants);
  static const Lookup campaign = [](Shell& shell, const Typed&) { return campaigns(shell); };
  static const std::map<std::string, Positionals> lookups{
      {"run", {{kernel}, true}},
      {"check", {{kernel}, true}},
      {"eval", {{kernel, variant}}},
      {"profile", {{kernel, variant}}},
      {"sweep", {{kernel, variant}}},
      {"best", {{kernel}}},
      {"recommend", {{kernel}}},
      {"variants", {{kernel}}},
      {"package", {{kernel}}},
      {"models", {{[](Shell& shell, const Typed&) { return names_of_models(shell); }}}},
      {"report", {{campaign}}},
      {"replay", {{campaign}}},
      {"compare", {{campaign, campaign}}},
      {"playbook", {{[](Shell& shell, const Typed&) { return patterns(shell); }}}},
      {"new", {{[](Shell&, const Typed&) { return scaffold_kinds(); }}}},
      {"fleet", {{[](Shell&, const Typed&) {
         return Names{"slurm", "ssh"};
       }}}},
      {"help", {{[](Shell&, const Typed&) { return names_of_commands(); }}}},
  };
  return lookups;
}

Lookup lookup_of(const Typed& typed) {
  if (!typed.option.empty()) {
    const auto option = option_lookups().find(typed.option);
    return option == option_lookups().end() ? nullptr : option->second;
  }
  const auto command = positional_lookups().find(typed.command);
  if (command == positional_lookups().end()) return nullptr;
  const auto& [lookups, last_repeats] = command->second;
  const std::size_t place = typed.positionals.size();
  if (place < lookups.size()) return lookups[place];
  return last_repeats ? lookups.back() : nullptr;
}

CLI::App* described(CLI::App& app, const Names& words) {
  for (CLI::App* command : app.get_subcommands({}))
    if (!words.empty() && command->get_name() == words.front()) return command;
  return nullptr;
}

}  // namespace

bool completes_option(const std::string& flag) {
  return option_lookups().contains(flag);
}

int complete(const Names& words, Shell& shell) {
  const auto app = described_commands(shell);
  const Typed typed = read_typed(words, described(*app, words));
  if (typed.is_flag) return 0;  // flags stand in the scripts
  const Lookup lookup = lookup_of(typed);
  if (!lookup) return typed.option.empty() ? 0 : kNothingKnown;
  std::set<std::string> said;
  try {
    for (const std::string& name : lookup(shell, typed))
      if (!name.empty() && said.insert(name).second) report::out("{}\n", name);
  } catch (const Error&) {  // a broken store or folder has no names
  }
  return 0;
}

}  // namespace harness
