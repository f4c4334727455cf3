#include "harness/service/templates/templates.h"

#include <fmt/format.h>

#include <filesystem>

#include "harness/core/embedded.h"
#include "harness/core/error.h"
#include "harness/core/torch_call.h"
#include "harness/service/templates/pattern_template.h"
#include "harness/system/files.h"

namespace harness {
namespace {

constexpr EmbeddedText kTemplates[] = {
#include "embedded/harness/service/templates.table"
};

constexpr const char* kKernelManifest = text_of(kTemplates, "kernel.lua");
constexpr const char* kReference = text_of(kTemplates, "reference.cu");
constexpr const char* kVariantManifest = text_of(kTemplates, "variant.lua");
constexpr const char* kVariantSource = text_of(kTemplates, "variant.cu");
constexpr const char* kStrategy = text_of(kTemplates, "strategy.lua");
constexpr const char* kRule = text_of(kTemplates, "rule.lua");
constexpr const char* kSearch = text_of(kTemplates, "search.lua");

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size())
    text.replace(at, what.size(), by);
  return text;
}

std::vector<TemplateFile> kernel_files(const NewArguments& arguments, Shell&) {
  return kernel_template(plain_name(arguments));
}

/// Where the project keeps kernels, or a person said so; nobody changes what came with the program.
void require_own_kernel(const std::filesystem::path& folder, const std::string& kernel, const Places& places,
                        const Shell& shell) {
  const auto same = [&](const std::filesystem::path& other) {
    return std::filesystem::weakly_canonical(other) == folder;
  };
  if (!places.own.empty() && same(places.own + "/kernels")) return;
  for (const std::string& named : shell.more_kernels)
    if (same(named)) return;
  throw bad_input(
      fmt::format("kernel '{}' came with the program and belongs to no project of yours; copy {} into one "
                  "(harness init)",
                  kernel, (folder / kernel).string()));
}

/// The part of "20_split_kv" behind the number, as a technique is written: "split-kv".
std::string technique_of(const std::string& stem) {
  const std::size_t begin = stem.find_first_not_of("0123456789_");
  return replaced(begin == std::string::npos ? stem : stem.substr(begin), "_", "-");
}

/// A copy of the kernel's baseline under another name and technique: it works at once, and is changed from there.
std::vector<TemplateFile> variant_files(const NewArguments& arguments, Shell& shell) {
  const auto slash = arguments.name.find('/');
  if (slash == std::string::npos || !is_identifier(arguments.name.substr(0, slash)) ||
      !is_identifier(arguments.name.substr(slash + 1)))
    throw bad_input(
        fmt::format("'{}' names no variant; write KERNEL/NN_NAME, for example softmax/30_fast", arguments.name));
  const std::string kernel = arguments.name.substr(0, slash), stem = arguments.name.substr(slash + 1);
  const Places places = shell.places();
  const VariantInfo baseline = first_kernel_of(shell.rooms.catalog(places)->kernel(kernel));
  for (const std::string& folder : places.kernel_folders) {
    const std::filesystem::path variants = std::filesystem::path(folder) / kernel / "variants";
    if (!std::filesystem::exists(variants / (baseline.name + ".lua"))) continue;
    require_own_kernel(std::filesystem::weakly_canonical(folder), kernel, places, shell);
    std::string manifest = read_file(variants / (baseline.name + ".lua"), Error::Kind::bad_input);
    manifest = replaced(manifest, '"' + baseline.technique + '"', '"' + technique_of(stem) + '"');
    const std::string to = (std::filesystem::weakly_canonical(variants) / stem).string();
    std::vector<TemplateFile> files{{to + ".lua", manifest}};
    if (std::filesystem::exists(variants / (baseline.name + ".cu")))
      files.push_back({to + ".cu", read_file(variants / (baseline.name + ".cu"), Error::Kind::bad_input)});
    return files;
  }
  throw bad_input(fmt::format("the baseline '{}' of kernel '{}' has no file to begin from", baseline.name, kernel));
}

std::vector<TemplateFile> strategy_files(const NewArguments& arguments, Shell&) {
  return {{"strategies/" + plain_name(arguments) + ".lua", kStrategy}};
}

std::vector<TemplateFile> rule_files(const NewArguments& arguments, Shell&) {
  return {{"strategies/rules/" + plain_name(arguments) + ".lua", kRule}};
}

std::vector<TemplateFile> search_files(const NewArguments& arguments, Shell&) {
  return {{"strategies/search/" + plain_name(arguments) + ".lua", kSearch}};
}

}  // namespace

std::vector<TemplateFile> kernel_template(const std::string& name) {
  const std::string folder = "kernels/" + name + "/";
  return {{folder + "kernel.lua", fill_in(kKernelManifest, {{"NAME", name}})},
          {folder + "reference.cu", kReference},
          {folder + "variants/00_naive.lua", fill_in(kVariantManifest, {{"NAME", "naive"}})},
          {folder + "variants/00_naive.cu", kVariantSource}};
}

const std::vector<Scaffold>& scaffolds() {
  static const std::vector<Scaffold> table{
      {"kernel", "NAME", kernel_files, "harness check @NAME@ --device cpu"},
      {"variant", "KERNEL/NN_NAME", variant_files, "it is a copy of the baseline; change it, then harness eval"},
      {"strategy", "NAME", strategy_files,
       "harness strategies --check @NAME@; harness run KERNEL --device cpu --strategy @NAME@ --dry-run"},
      {"rule", "NAME", rule_files, "harness strategies --check rules/@NAME@; list \"rules/@NAME@\" in a strategy"},
      {"search", "NAME", search_files,
       "harness strategies --check search/@NAME@; harness run KERNEL --device cpu --search @NAME@ --budget 1m"},
      {"pattern", "NAME", pattern_files, "say when it applies and what to do; harness playbook @NAME@ reads it"},
  };
  return table;
}

}  // namespace harness
