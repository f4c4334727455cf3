#include "harness/script/plan/variant.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>

#include "harness/core/controls.h"
#include "harness/core/gpu.h"
#include "harness/core/hash.h"
#include "harness/core/suggest.h"
#include "harness/core/torch_call.h"
#include "harness/script/contract/sizes.h"
#include "harness/script/contract/sources.h"
#include "harness/script/plan/architecture.h"

namespace harness::script {
namespace {

const std::vector<std::string> kBinds = {"define", "template", "launch", "scalar"};
const std::vector<std::string> kRisks = {"low", "medium", "high"};
constexpr std::size_t kMostValues = 65535;  // a point of a space holds 16-bit indices

void require_word(const Reader& reader, const std::string& field, const std::string& word,
                  const std::vector<std::string>& known) {
  if (std::ranges::find(known, word) != known.end()) return;
  throw reader.error(fmt::format("has {} = '{}'; it must be one of: {}{}", field, word, fmt::join(known, ", "),
                                 did_you_mean(word, known)));
}

Parameter read_parameter(const Reader& reader, const std::string& name) {
  reader.only({"values", "bind"});
  Parameter parameter{name, {}, reader.text("bind")};
  require_word(reader, "bind", parameter.bind, kBinds);
  const Node& values = reader.need("values");
  for (const Node& node : values.list) {
    const auto value = node.value();
    if (!value) throw reader.wrong("values", "a list of numbers, strings, true and false");
    const auto same = [&](const Value& known) { return same_value(known, *value); };
    if (std::ranges::any_of(parameter.values, same)) throw reader.error(fmt::format("lists {} twice", to_text(*value)));
    parameter.values.push_back(*value);
  }
  if (parameter.values.empty() || !values.fields.empty()) throw reader.wrong("values", "a list of at least one value");
  if (parameter.values.size() > kMostValues) throw reader.error("has more than 65535 values");
  return parameter;
}

/// What a source may ask of any compiler of CUDA C++; everything else would tie it to one, or reach outside the build.
void check_option(const Reader& reader, const std::string& option) {
  static const std::vector<std::string> known = {"--use_fast_math", "--fmad",
                                                 "--ftz",           "--prec-div",
                                                 "--prec-sqrt",     "--std",
                                                 "--maxrregcount",  "--extra-device-vectorization",
                                                 "--device-debug",  "--generate-line-info"};
  const std::string name = option.substr(0, option.find('='));
  if (std::ranges::find(known, name) != known.end() || is_control(option)) return;
  if (option.starts_with("--ptxas-options=") && option.find('$') != std::string::npos)
    return;  // looked at when filled in
  const std::string meant = did_you_mean(name, known);
  throw reader.error(fmt::format("has the option '{}', which is not allowed{}", option,
                                 meant.empty() ? fmt::format("; allowed are: {}", fmt::join(known, ", ")) : meant));
}

Prior prior_of(const Reader& estimate) {
  estimate.only({"speedup", "probability", "evaluations"});
  Prior prior;
  if (const Node* range = estimate.find("speedup")) {
    const bool pair = range->list.size() == 2 && range->list[0].number() && range->list[1].number();
    if (!pair) throw estimate.wrong("speedup", "{ lowest, highest } over the baseline");
    prior.speedup_lo = *range->list[0].number();
    prior.speedup_hi = *range->list[1].number();
  }
  prior.probability = estimate.number("probability", prior.probability);
  const std::int64_t evaluations = estimate.whole("evaluations", prior.evaluations);
  if (!(prior.speedup_lo > 0 && prior.speedup_lo <= prior.speedup_hi && std::isfinite(prior.speedup_hi))) {
    throw estimate.error("has a speedup that is not 0 < lowest <= highest");
  }
  if (!(prior.probability > 0 && prior.probability <= 1)) throw estimate.error("has a probability outside (0, 1]");
  if (evaluations < 1 || evaluations > 1'000'000) throw estimate.error("has evaluations outside 1 to 1000000");
  prior.evaluations = static_cast<int>(evaluations);
  return prior;
}

std::string builder_in_words(const std::string& builder) {
  return builder.empty() ? "nvrtc" : builder;
}

/// A source of another language: what it reads besides is its builder's to say.
SourceText text_alone(std::string text) {
  std::string hash = sha256_hex(text);
  return {std::move(text), {}, std::move(hash)};
}

}  // namespace

std::string variant_name(const std::filesystem::path& file) {
  const std::string name = file.stem().string();
  const auto is_digit = [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; };
  const auto is_word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  const bool numbered = name.size() > 3 && is_digit(name[0]) && is_digit(name[1]) && name[2] == '_';
  return numbered && std::ranges::all_of(name, is_word) ? name : "";
}

// A variant is written for the GPU, also where its times are predicted: it launches as many blocks there as here.
std::map<std::string, Value> device_values(const DeviceInfo& device) {
  const DeviceInfo gpu = written_for(device);
  return {{"name", device.name},
          {"architecture", device.architecture},
          {"kind", device_kind(device.device)},
          {"emulation", device.emulation},
          {"compute_capability", std::int64_t{device.compute_capability}},
          {"multiprocessors", std::int64_t{gpu.multiprocessors}},
          {"max_threads_per_block", std::int64_t{device.max_threads_per_block}},
          {"max_shared_bytes", device.max_shared_bytes},
          {"l2_bytes", gpu.l2_bytes},
          {"memory_bytes", device.memory_bytes}};
}

VariantManifest::VariantManifest(const std::filesystem::path& file, const std::string& shown, std::string source_name,
                                 std::vector<std::filesystem::path> include_dirs,
                                 const std::vector<std::string>& device_kinds)
    : text_(read_text(file, shown)),
      manifest_(text_, file.filename().string(), shown, "variant"),
      source_name_(std::move(source_name)),
      folder_(file.parent_path()),
      include_dirs_(std::move(include_dirs)) {
  info_.name = variant_name(file);
  info_.file = shown;
  read(device_kinds);
  std::filesystem::path device_source = file;
  device_source.replace_extension(extension());
  source_name_ = std::filesystem::path(source_name_).replace_extension(extension()).generic_string();
  const std::string shown_source = std::filesystem::path(shown).replace_extension(extension()).string();
  if (info_.builder == kTorch) {
    const std::string program = reader().text("program");
    device_source = file.parent_path().parent_path() / program;
    if (std::filesystem::path(program).filename() != program)
      throw reader().error(fmt::format("names the program '{}', which is no file of the kernel's folder", program));
  }
  source_ = extension() == ".cu" ? read_source(device_source, shown_source, include_dirs_, defined_names())
                                 : text_alone(read_text(device_source, shown_source));
  info_.source_hash = source_.hash;
  if (reader().function("stages") == nullptr) return;
  std::filesystem::path stages_source = file;
  stages_source.replace_extension(".stages.cu");
  stages_ =
      read_source(stages_source, std::filesystem::path(shown).replace_extension(".stages.cu").string(), include_dirs_);
}

VariantManifest::VariantManifest(const VariantManifest& parent, const NewVariant& made,
                                 const std::vector<std::string>& device_kinds)
    : text_(made.manifest),
      manifest_(text_, made.name + ".lua", made.name + ".lua (proposed)", "variant"),
      source_name_(
          std::filesystem::path(parent.source_name_).replace_filename(made.name + parent.extension()).generic_string()),
      folder_(parent.folder_),
      include_dirs_(parent.include_dirs_) {
  info_.name = made.name;
  info_.file = manifest_.file();
  info_.proposal = made.proposal;
  read(device_kinds);
  if (reader().function("stages") != nullptr) throw reader().error("has stages, which a proposed variant cannot have");
  // A builder is a program of the operator's: no proposal chooses one.
  if (info_.builder != parent.info_.builder)
    throw reader().error(fmt::format("has build = '{}'; a proposed variant is built as its parent is: '{}'",
                                     builder_in_words(info_.builder), builder_in_words(parent.info_.builder)));
  use_source(made.source);
}

void VariantManifest::read(const std::vector<std::string>& device_kinds) {
  const Reader variant = reader();
  variant.only({"technique", "risk", "estimate", "multi_kernel", "params", "requires", "valid", "workspaces", "steps",
                "options", "std", "stages", "rival", "start", "constants", "build", "program"});
  info_.technique = variant.text("technique");
  info_.risk = variant.text("risk", "medium");
  require_word(variant, "risk", info_.risk, kRisks);
  info_.multi_kernel = variant.flag("multi_kernel", false);
  info_.rival = variant.flag("rival", false);
  variant.need("steps");
  for (const char* function : {"steps", "valid", "workspaces", "stages"}) variant.function(function);
  read_parameters(variant);
  if (const Node* const start = variant.find("start")) {
    starts_by_workload_ = start->function() != nullptr;
    if (!starts_by_workload_) starts_ = read_starts(*start);
  }
  read_estimate(variant);
  read_requirements(variant, device_kinds);
  read_options(variant);
  read_builder(variant);
}

void VariantManifest::read_builder(const Reader& variant) {
  std::string builder = variant.text("build", "nvrtc");
  constexpr std::string_view kCommand = "command:";
  if (builder == "nvrtc") builder.clear();
  else if (builder.starts_with(kCommand)) {
    const std::filesystem::path program = builder.substr(kCommand.size());
    if (program.empty()) throw variant.error("has build = 'command:', which names no program");
    builder = std::string(kCommand) + std::filesystem::weakly_canonical(folder_ / program).string();
  } else {
    require_word(variant, "build", builder,
                 {"nvrtc", std::string(kNvcc), "triton", std::string(kTorch), "command:PROGRAM"});
  }
  info_.builder = std::move(builder);
  if ((info_.builder == kTorch) != (variant.find("program") != nullptr))
    throw variant.error("must have both build = 'torch' and the program that PyTorch calls, or neither");
}

std::string VariantManifest::extension() const {
  return info_.builder.empty() || info_.builder == kNvcc ? ".cu" : ".py";
}

VariantTexts VariantManifest::texts(const std::filesystem::path& folder) const {
  VariantTexts texts{text_, source_.text, {}};
  for (const SourceFile& file : sources_inside(folder))
    if (file.name != source_name_) texts.headers.emplace_back(file.name, file.text);
  return texts;
}

void VariantManifest::use_source(const std::string& text) {
  source_ = extension() == ".cu" ? scan_source(text, source_name_, folder_, include_dirs_, defined_names())
                                 : text_alone(text);
  info_.source_hash = source_.hash;
}

std::set<std::string> VariantManifest::defined_names() const {
  std::set<std::string> names;
  for (const Parameter& parameter : info_.parameters)
    if (parameter.bind == "define") names.insert(parameter.name);
  return names;
}

void VariantManifest::read_parameters(const Reader& variant) {
  const Node* table = variant.find("params");
  if (table == nullptr) return;
  if (!table->table || !table->list.empty())
    throw variant.wrong("params", "a table of NAME = { values = {...}, bind = \"...\" }");
  for (const auto& [name, node] : table->fields) {
    if (name == kControls)
      throw variant.error(fmt::format(
          "has a parameter '{}', as every variant has for compiler controls; name it otherwise", kControls));
    info_.parameters.push_back(read_parameter(Reader(manifest_, node, "parameter '" + name + "'"), name));
  }
}

std::vector<Config> VariantManifest::starts(const Workload& workload) {
  if (!starts_by_workload_) return starts_;
  const FactsTable w(manifest_, "workload", Facts(workload.values.begin(), workload.values.end()));
  return read_starts(manifest_.call(*reader().function("start"), {&w}));
}

std::vector<Config> VariantManifest::read_starts(const Node& list) {
  std::vector<Config> starts;
  if (!list.table || !list.fields.empty())
    throw reader().wrong("start", "a list of { NAME = value, ... }, or a function that returns one");
  for (const Node& node : list.list) {
    const Reader start(manifest_, node, "start");
    Config config;
    for (const auto& [name, given] : node.fields) {
      const std::optional<Value> value = given.value();
      if (!value) throw start.wrong(name, "a number, a string, true or false");
      config[name] = listed_value(name, *value);
    }
    starts.push_back(std::move(config));
  }
  return starts;
}

void VariantManifest::read_estimate(const Reader& variant) {
  const Node* const given = variant.find("estimate");
  if (given == nullptr) return;
  info_.prior_by_workload = given->function() != nullptr;
  if (!info_.prior_by_workload) info_.prior = prior_of(Reader(manifest_, *given, "estimate"));
}

Prior VariantManifest::prior(const Workload& workload) {
  if (!info_.prior_by_workload) return info_.prior;
  const FactsTable w(manifest_, "workload", Facts(workload.values.begin(), workload.values.end()));
  const Node estimate = manifest_.call(*reader().function("estimate"), {&w});
  if (!estimate.table) throw reader().wrong("estimate", "a table, or a function that returns one");
  return prior_of(Reader(manifest_, estimate, "estimate"));
}

void VariantManifest::read_requirements(const Reader& variant, const std::vector<std::string>& device_kinds) {
  const Node* table = variant.find("requires");
  if (table == nullptr) return;
  const Reader required(manifest_, *table, "requires");
  required.only({"arch", "device"});
  if (required.find("arch") != nullptr) {
    const std::string arch = required.text("arch");
    if (!parse_requirement(arch))
      throw required.error(fmt::format("has arch = '{}'; write \">=80\", \"80\" or \"90a\"", arch));
    info_.requirements["arch"] = arch;
  }
  const std::string device = required.text("device", "");
  if (device.empty()) return;
  if (const std::string wrong = not_a_device(device, device_kinds); !wrong.empty())
    throw required.error(fmt::format("has device = '{}'{}", device, wrong));
  info_.requirements["device"] = device;
}

void VariantManifest::read_options(const Reader& variant) {
  options_ = variant.texts("options");
  for (const std::string& option : options_) check_option(variant, option);
  if (variant.find("std") == nullptr) return;
  const std::string standard = variant.text("std");
  require_word(variant, "std", standard, {"c++14", "c++17", "c++20"});
  options_.push_back("--std=" + standard);
}

const Value& VariantManifest::listed_value(const std::string& name, const Value& given) const {
  const Parameter& known = parameter(name);
  const std::size_t place = place_of(known, given);
  if (place < known.values.size()) return known.values[place];
  std::vector<std::string> texts;
  for (const Value& value : known.values) texts.push_back(to_text(value));
  throw bad_input(fmt::format("{}: parameter '{}' has no value {}; its values are: {}{}", info_.file, name,
                              to_text(given), fmt::join(texts, ", "), did_you_mean(to_text(given), texts)));
}

const Parameter& VariantManifest::parameter(const std::string& name) const {
  const auto found = std::ranges::find(info_.parameters, name, &Parameter::name);
  if (found != info_.parameters.end()) return *found;
  std::vector<std::string> names;
  for (const Parameter& parameter : info_.parameters) names.push_back(parameter.name);
  std::string help = did_you_mean(name, names);
  if (help.empty()) help = names.empty() ? "; it has none" : fmt::format("; it has: {}", fmt::join(names, ", "));
  throw bad_input(fmt::format("{}: the variant has no parameter '{}'{}", info_.file, name, help));
}

std::map<std::string, Value> VariantManifest::names(const Config& config, const Workload& workload) const {
  std::map<std::string, Value> names = workload.values;
  for (const auto& [name, value] : config) names[name] = value;
  return names;
}

BuildSpec VariantManifest::build(const Config& config, const Workload& workload,
                                 std::vector<std::string> entries) const {
  BuildSpec spec;
  spec.source_name = source_name_;
  spec.source = source_.text;
  spec.entries = std::move(entries);
  for (const Parameter& parameter : info_.parameters) {
    if (parameter.bind == "define") spec.defines.emplace_back(parameter.name, source_text(config.at(parameter.name)));
  }
  for (const std::string& option : options_) spec.options.push_back(fill_in(option, names(config, workload), reader()));
  for (std::string& control : controls_of(config)) spec.options.push_back(std::move(control));
  for (const auto& folder : include_dirs_) spec.include_dirs.push_back(folder.string());
  spec.included = hashes_of(source_.included);
  spec.builder = info_.builder;
  return spec;
}

BuildSpec VariantManifest::stages_build(std::vector<std::string> entries) const {
  BuildSpec spec;
  spec.source_name = std::filesystem::path(source_name_).replace_extension(".stages.cu").generic_string();
  spec.source = stages_.text;
  spec.entries = std::move(entries);
  for (const auto& folder : include_dirs_) spec.include_dirs.push_back(folder.string());
  spec.included = hashes_of(stages_.included);
  return spec;
}

std::string VariantManifest::unsupported_reason(const DeviceInfo& device) const {
  const std::string wanted = info_.requirements.value("device", "");
  if (!wanted.empty() && wanted != device_kind(device.device)) {
    return fmt::format("variant '{}' requires a {} device and this is '{}'", info_.name, wanted, device.device);
  }
  if (!info_.builder.empty() && info_.builder != kTorch && device.emulation)
    return fmt::format("variant '{}' is built by '{}', which makes code of GPUs alone", info_.name, info_.builder);
  const std::string arch = info_.requirements.value("arch", "");
  if (arch.empty() || device.emulation || meets(*parse_requirement(arch), device.compute_capability)) return "";
  return fmt::format("variant '{}' requires architecture {} and '{}' has {}", info_.name, arch, device.device,
                     device.architecture);
}

std::vector<SourceFile> VariantManifest::sources_inside(const std::filesystem::path& folder) const {
  std::vector<SourceFile> files{{source_name_, source_.text}};
  const auto add_included = [&](const SourceText& source) {
    for (const cpp_text::IncludedFile& included : source.included) {
      const std::string name = relative_name(included.path, folder);
      if (!name.empty() && !name.starts_with("..")) files.push_back({name, included.text});
    }
  };
  add_included(source_);
  if (stages_.text.empty()) return files;
  files.push_back({stages_build({}).source_name, stages_.text});
  add_included(stages_);
  return files;
}

}  // namespace harness::script
