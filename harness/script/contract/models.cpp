#include "harness/script/contract/models.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "harness/core/suggest.h"
#include "harness/script/contract/manifest.h"
#include "harness/script/contract/manifest_reader.h"

namespace harness::script {
namespace {

constexpr std::int64_t kLargestNumber = std::int64_t{1} << 31;

/// The fields of a model, run into facts: every fact is there, so that a function need not ask whether it is.
class ModelReader {
 public:
  explicit ModelReader(Manifest& manifest) : reader_(manifest, manifest.root(), "model") {}

  Model read() {
    reader_.only({"name",          "source",       "note",        "phases",     "dtype",    "context",
                  "layers",        "cross_layers", "hidden",      "heads",      "kv_heads", "head_dim",
                  "mlp",           "gated",        "bias",        "vocabulary", "experts",  "experts_per_token",
                  "cross_queries", "cross_keys",   "cross_hidden"});
    model_.name = reader_.text("name");
    model_.source = reader_.text("source");
    model_.note = reader_.text("note", "");
    model_.phases = reader_.texts("phases");
    read_facts();
    check_phases();
    check_heads();
    check_experts();
    return std::move(model_);
  }

 private:
  void put(const char* name, std::int64_t value) { model_.facts[name] = value; }
  std::int64_t fact(const char* name) const { return std::get<std::int64_t>(model_.facts.at(name)); }

  /// Whole numbers; `least` is also what stands for one that is absent, where there is no other.
  std::int64_t number(const char* name, std::optional<std::int64_t> absent) {
    if (!absent) reader_.need(name);
    const std::int64_t value = reader_.whole(name, absent.value_or(0));
    const bool given = reader_.find(name) != nullptr;
    if (given && (value < 1 || value > kLargestNumber)) throw reader_.wrong(name, "a whole number from 1 to 2^31");
    put(name, value);
    return value;
  }

  void read_facts() {
    const std::string dtype = reader_.text("dtype");
    if (dtype != "f16" && dtype != "bf16") throw reader_.wrong("dtype", "\"f16\" or \"bf16\"");
    model_.facts["dtype"] = dtype;
    for (const char* const name : {"layers", "hidden", "heads", "context"}) number(name, std::nullopt);
    number("kv_heads", fact("heads"));
    number("head_dim", fact("hidden") / fact("heads"));
    number("cross_layers", fact("layers"));
    number("cross_hidden", fact("hidden"));
    for (const char* const name : {"mlp", "vocabulary", "experts", "experts_per_token", "cross_queries", "cross_keys"})
      number(name, 0);
    for (const char* const name : {"gated", "bias"}) model_.facts[name] = reader_.flag(name, false);
  }

  void check_phases() const {
    if (model_.phases.empty()) throw reader_.error("names no phases; they are " + list_of(model_phases()));
    for (const std::string& phase : model_.phases)
      if (std::ranges::find(model_phases(), phase) == model_phases().end())
        throw reader_.error(fmt::format("has the phase '{}'; phases are {}{}", phase, list_of(model_phases()),
                                        did_you_mean(phase, model_phases())));
    if (std::ranges::find(model_.phases, "cross") != model_.phases.end() &&
        (fact("cross_keys") == 0 || fact("cross_queries") == 0))
      throw reader_.error("has the phase 'cross'; give cross_queries and cross_keys, its tokens");
  }

  void check_heads() const {
    if (fact("heads") % fact("kv_heads") != 0)
      throw reader_.wrong("kv_heads", fmt::format("a divisor of its {} heads", fact("heads")));
    if (reader_.find("head_dim") == nullptr && fact("hidden") % fact("heads") != 0)
      throw reader_.error(fmt::format("has {} heads in a hidden size of {}, which they do not divide; give head_dim",
                                      fact("heads"), fact("hidden")));
  }

  void check_experts() const {
    if ((fact("experts") == 0) != (fact("experts_per_token") == 0) || fact("experts_per_token") > fact("experts"))
      throw reader_.error("must have both experts and experts_per_token, the second at most the first, or neither");
  }

  static std::string list_of(const std::vector<std::string>& names) {
    return fmt::format("{}", fmt::join(names, ", "));
  }

  Reader reader_;
  Model model_;
};

/// By name: of files that are called the same, the one in the earlier folder.
std::map<std::string, std::filesystem::path> model_files(const std::vector<std::filesystem::path>& folders) {
  std::map<std::string, std::filesystem::path> files;
  std::error_code none;
  for (const std::filesystem::path& folder : folders)
    for (const auto& entry : std::filesystem::directory_iterator(folder, none))
      if (entry.path().extension() == ".lua") files.emplace(entry.path().stem().string(), entry.path());
  return files;
}

}  // namespace

Model model_from(const std::string& text, const std::string& file) {
  Manifest manifest(text, std::filesystem::path(file).filename().string(), file, "model");
  Model model = ModelReader(manifest).read();
  model.file = file;
  return model;
}

std::vector<Model> read_models(const std::vector<std::filesystem::path>& folders) {
  std::vector<Model> models;
  for (const auto& [stem, path] : model_files(folders)) {
    Model model = model_from(read_text(path, path.string()), path.string());
    if (model.name != stem)
      throw bad_input(
          fmt::format("{}:1: the model is named '{}'; file and model have one name", path.string(), model.name));
    models.push_back(std::move(model));
  }
  return models;
}

}  // namespace harness::script
