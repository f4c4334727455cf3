#include <fmt/format.h>

#include <memory>

#include "harness/cli/command.h"
#include "harness/report/out.h"
#include "harness/report/table.h"

// models: which published models are known, and what one asks of the kernels.
namespace harness {
namespace {

struct ModelsArguments {
  ModelAsked asked;
  bool json = false;
};

std::string joined(const json& list) {
  return fmt::format("{}", fmt::join(list.get<std::vector<std::string>>(), ","));
}

int list_models(Shell& shell, bool as_json) {
  const json rows = models_here(shell);
  if (as_json) {
    report::out_json(rows);
    return 0;
  }
  report::Table table{
      {"model", "layers", "hidden", "heads", "kv_heads", "head_dim", "mlp", "experts", "dtype", "context", "phases"},
      {}};
  for (const json& row : rows) {
    const auto cell = [&](const char* key) { return report::cell(row.at(key)); };
    table.rows.push_back({cell("name"), cell("layers"), cell("hidden"), cell("heads"), cell("kv_heads"),
                          cell("head_dim"), cell("mlp"), cell("experts"), cell("dtype"), cell("context"),
                          joined(row.at("phases"))});
  }
  report::out("{}", report::aligned(table));
  report::tell("next: harness models NAME   or   harness run attention --model NAME --phase decode --batch 16\n");
  return 0;
}

int show_model(const ModelsArguments& arguments, Shell& shell) {
  const json row = model_here(arguments.asked, shell);
  if (arguments.json) {
    report::out_json(row);
    return 0;
  }
  report::tell("{}: {}\n", row.at("name").get<std::string>(), report::clean(row.at("source").get<std::string>()));
  if (const std::string note = row.at("note"); !note.empty()) report::tell("{}\n", report::clean(note));
  std::string facts;
  for (const auto& [name, value] : row.items())
    if (!value.is_array() && name != "name" && name != "source" && name != "note" && name != "file" && value != 0)
      facts += fmt::format("{}{} {}", facts.empty() ? "" : ", ", name,
                           value.is_string() ? value.get<std::string>() : value.dump());
  report::tell("{}\n", report::clean(facts));
  report::Table table{{"kernel", "part", "shape, and its calls in one pass"}, {}};
  for (const json& shape : row.at("shapes"))
    table.rows.push_back(
        {report::cell(shape.at("kernel")), report::cell(shape.at("part")), report::cell(shape.at("shape"))});
  report::out("{}", report::aligned(table));
  return 0;
}

}  // namespace

void add_model_options(CLI::App& app, ModelAsked& model) {
  app.add_option(
         "--phase", model.phases,
         "Of --model: prefill, chunk (512 more tokens), decode, encoder or cross, separated by commas (default: "
         "all that it has)")
      ->type_name("PHASE");
  app.add_option("--batch", model.batch, "Of --model: sequences at once")
      ->check(CLI::Range(1, 1 << 20))
      ->capture_default_str();
  app.add_option("--context", model.context,
                 "Of --model: tokens that each sequence has (default: 4096 or what the model can; all of an encoder)")
      ->check(CLI::Range(1, 1 << 30));
}

void add_workload_options(CLI::App& app, WorkloadWords& words) {
  app.add_option(
      "--workload", words.workloads,
      "Workloads, sets, or shapes of your own (\"B=4 Sq=3000\"; the rest as in the first workload), separated "
      "by commas (default: the set 'default')");
  app.add_option("--model", words.model.model,
                 "The shapes that the kernel has in a published model, by their calls (see harness models)")
      ->type_name("NAME");
  add_model_options(app, words.model);
  app.add_option("--mix", words.mix,
                 "Workloads with how often each is called: lines \"B=4 Sq=3000, 120\", or the folder of a capture")
      ->type_name("FILE");
}

void define_models(CLI::App& app, Shell& shell, std::function<int()>& action) {
  auto arguments = std::make_shared<ModelsArguments>();
  app.add_option("name", arguments->asked.model, "The model to show with its shapes (default: all, one a line)")
      ->type_name("NAME");
  add_model_options(app, arguments->asked);
  app.add_flag("--json", arguments->json, "As JSON");
  add_plugin_options(app, shell);
  action = [arguments, &shell] {
    return arguments->asked.model.empty() ? list_models(shell, arguments->json) : show_model(*arguments, shell);
  };
}

}  // namespace harness
