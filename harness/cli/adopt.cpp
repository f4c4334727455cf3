#include "harness/adopt/adopt.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>

#include "harness/adopt/plugin/lua_text.h"
#include "harness/cli/command.h"
#include "harness/cli/first_look.h"
#include "harness/core/error.h"
#include "harness/report/out.h"
#include "harness/report/table.h"
#include "harness/service/adopt_capture.h"
#include "harness/service/adopt_flashinfer.h"
#include "harness/service/adopt_proposed.h"
#include "harness/service/new_problem.h"
#include "harness/system/interrupt.h"
#include "harness/system/resource_limits.h"

// adopt: an ordinary CUDA source becomes a kernel plugin.
namespace fs = std::filesystem;

namespace harness {
namespace {

struct AdoptArguments {
  adopt::AdoptOptions options;
  std::string device, flashinfer, solution, capture;
  std::int64_t from = 0;
  bool json = false;
};

using Kind = adopt::AdoptedParameter::Kind;

const char* role_of(const adopt::AdoptedParameter& parameter) {
  return parameter.kind == Kind::pointer   ? parameter.role.c_str()
         : parameter.kind == Kind::size    ? "size"
         : parameter.kind == Kind::scratch ? "workspace"
                                           : "scalar";
}

/// kernels/ of the project, or the last folder that --kernels named.
fs::path kernels_folder(const Shell& shell, const Places& places) {
  if (!shell.more_kernels.empty()) return fs::weakly_canonical(fs::absolute(shell.more_kernels.back()));
  if (places.own.empty())
    throw bad_input("this folder is in no project; make one with harness init, or name a folder with --kernels DIR");
  return fs::path(places.own) / "kernels";
}

void refuse_taken(const std::string& name, const fs::path& folder, Shell& shell, const Places& places) {
  const std::vector<std::string> known = shell.rooms.catalog(places)->kernel_names();
  if (fs::exists(folder / name) || std::find(known.begin(), known.end(), name) != known.end())
    throw bad_input(fmt::format("a kernel '{}' exists already; choose another name with --name", name));
}

/// All or nothing: beside their place first, then moved there.
void write_plugin(const adopt::Adopted& adopted, const fs::path& place) {
  const fs::path draft = place.parent_path() / fmt::format(".{}.{}", place.filename().string(), getpid());
  std::error_code failed;
  const auto check = [&](bool good) {
    if (good && !failed) return;
    std::error_code ignored;
    fs::remove_all(draft, ignored);
    throw environment_error(
        fmt::format("{} cannot be written{}", place.string(), failed ? ": " + failed.message() : ""));
  };
  for (const auto& [name, text] : adopted.files) {
    fs::create_directories((draft / name).parent_path(), failed);
    check(true);
    std::ofstream file(draft / name);
    file << text;
    check(static_cast<bool>(file.flush()));
  }
  fs::rename(draft, place, failed);
  check(true);
}

json arguments_json(const adopt::Adopted& adopted) {
  json all = json::array();
  for (const adopt::AdoptedParameter& each : adopted.kernel.parameters)
    all.push_back({{"name", each.name},
                   {"role", role_of(each)},
                   {"dtype", std::string(name(each.dtype))},
                   {"shape", adopt::is_array(each) ? json(adopt::shape_text(adopted.kernel, each)) : json()},
                   {"evidence", each.evidence}});
  return all;
}

void print_found(const adopt::Adopted& adopted) {
  if (adopted.kernel.further.empty())
    report::tell("{}, launched as in {}\n", adopted.kernel.qualified, adopted.kernel.launch.from);
  else report::tell("{}, a function of {} launches\n", adopted.kernel.function, adopted.kernel.launches().size());
  report::Table table{{"argument", "type", "role", "shape", "because"}, {}};
  for (const adopt::AdoptedParameter& each : adopted.kernel.parameters)
    table.rows.push_back({each.name, std::string(name(each.dtype)), role_of(each),
                          adopt::is_array(each) ? adopt::shape_text(adopted.kernel, each) : "", each.evidence});
  report::tell("{}", report::aligned(table));
  report::tell("{} launches at small sizes; {} sizes that no formula was made from agree\n", adopted.seen.runs,
               adopted.seen.held_out);
  for (const std::string& note : adopted.seen.notes) report::tell("{}\n", note);
  if (!adopted.reference.words.empty()) report::tell("reference: {}\n", adopted.reference.words);
  if (!adopted.reference.weak.empty()) report::tell("  weak: {}\n", adopted.reference.weak);
}

/// At a terminal: each answer is the text of an --arg. False: nobody answers.
bool ask(const adopt::Adopted& adopted, const AdoptArguments& arguments, adopt::AdoptOptions& options) {
  if (arguments.json || options.yes || isatty(STDIN_FILENO) == 0) return false;
  for (const adopt::Question& question : adopted.seen.questions) {
    const bool setting = question.option.starts_with("--set");
    report::err("{}; an answer is what stands behind {}:\n  {}\n> ", question.why, setting ? "--set" : "--arg",
                question.option);
    std::string answer;
    if (!std::getline(std::cin, answer) || answer.empty()) return false;
    (setting ? options.settings : options.arguments).push_back(answer);
  }
  return true;
}

Error open_questions(const adopt::Adopted& adopted) {
  std::vector<std::string> texts;
  for (const adopt::Question& question : adopted.seen.questions)
    texts.push_back(fmt::format("{} (give {})", question.why, question.option));
  const std::string& relations = adopted.seen.relations;
  return bad_input(fmt::format("{} cannot be adopted without {}: {}{}", adopted.kernel.shown_name(),
                               texts.size() == 1 ? "an answer" : fmt::format("{} answers", texts.size()),
                               fmt::join(texts, "; "), relations.empty() ? "" : "; " + relations));
}

/// It was observed there, and there it can be checked on every machine.
std::string emulated_device(const std::vector<DeviceInfo>& devices) {
  const auto found = std::ranges::find_if(devices, [](const DeviceInfo& device) { return device.emulation; });
  if (found == devices.end()) throw environment_error("this program has no device that emulates; name --device");
  return found->device;
}

/// Where a plugin in `folder` finds the file again: from the plugin's own folder if both lie in the project, else
/// whole.
std::string noted_path(const std::string& file, const fs::path& folder, const std::string& project) {
  std::error_code failed;
  const fs::path whole = fs::weakly_canonical(file, failed), top = fs::weakly_canonical(project, failed);
  const auto in_project = [&](const fs::path& path) {
    const fs::path relative = path.lexically_relative(top);
    return !project.empty() && !relative.empty() && *relative.begin() != "..";
  };
  const fs::path plugin = fs::weakly_canonical(folder, failed) / "plugin";
  return in_project(whole) && in_project(plugin) ? whole.lexically_relative(plugin).generic_string()
                                                 : whole.generic_string();
}

/// What comes with the source where it is a solution of a defined problem.
struct Besides {
  std::vector<adopt::PluginFile> files;
  std::vector<std::string> notes;
  adopt::SeenKernel seen;
};

/// How long adopt may take in all, so that nothing hangs: what would go on for longer is left to other commands.
class EndOfPatience {
 public:
  EndOfPatience() { interrupt_after(kAnswer_s); }
  ~EndOfPatience() { interrupt_after(0); }
  EndOfPatience(const EndOfPatience&) = delete;
  EndOfPatience& operator=(const EndOfPatience&) = delete;

  /// Is an evaluation worth beginning?
  bool suffices() const { return kAnswer_s - seconds() >= kLeastEvaluation_s; }
  double seconds() const { return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count(); }

 private:
  static constexpr double kAnswer_s = 118, kLeastEvaluation_s = 5;  // what is stopped takes a moment to end
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

/// What ended: a person, or the clock, which is said. The command's status.
int gave_up(const EndOfPatience& patience, const std::string& what, const std::string& advice) {
  if (!deadline_passed()) return 130;
  report::err("harness: {} did not end within {:.0f} s; {}\n", what, patience.seconds(), advice);
  return 1;
}

int left_to_eval(const EndOfPatience& patience, const std::string& kernel, const std::string& device) {
  return gave_up(patience, fmt::format("{} is adopted and its check passed; its first evaluation", kernel),
                 fmt::format("harness eval {} 00_original --device {} makes it", kernel, device));
}

int adopt_source(AdoptArguments& arguments, Shell& shell, const Besides& besides = {}) {
  require_descriptors();
  const Places places = shell.places();
  const fs::path folder = kernels_folder(shell, places);
  if (arguments.device.empty()) arguments.device = emulated_device(shell.rooms.devices(places));
  else choose_device(arguments.device, shell.rooms.devices(places));  // refuses before anything is written
  if (arguments.options.path.empty())
    arguments.options.path = noted_path(arguments.options.file, folder, places.project);
  if (!arguments.options.name.empty()) refuse_taken(arguments.options.name, folder, shell, places);
  catch_interrupts();
  const EndOfPatience patience;
  std::string last_step = "building it";
  adopt::Adopted adopted;
  do {
    const auto observer = shell.rooms.observer(places, interrupted);
    try {
      adopted = adopt::adopt(arguments.options, *observer, {places.include_folder}, besides.seen,
                             [&](const std::string& line) {
                               last_step = line;
                               report::err("{}\n", line);
                             });
    } catch (const Error&) {  // of launches that the clock stopped
      if (!deadline_passed()) throw;
    }
    if (interrupted())
      return gave_up(patience, "observing " + arguments.options.file,
                     fmt::format("last it said: {}; smaller sizes (--size), --arg, --grid and --block shorten what is "
                                 "tried",
                                 last_step.substr(0, last_step.find('\n'))));
  } while (!adopted.seen.questions.empty() && ask(adopted, arguments, arguments.options));
  if (!adopted.seen.questions.empty()) throw open_questions(adopted);
  refuse_taken(adopted.name, folder, shell, places);
  adopted.files.insert(adopted.files.end(), besides.files.begin(), besides.files.end());
  adopted.seen.notes.insert(adopted.seen.notes.end(), besides.notes.begin(), besides.notes.end());
  fs::create_directories(folder);
  write_plugin(adopted, folder / adopted.name);
  if (!arguments.json) print_found(adopted);
  if (!arguments.json) report::err("wrote {}\n", (folder / adopted.name).string());
  std::vector<std::string> problems = first_check(adopted.name, arguments.device, arguments.json, shell);
  if (interrupted())
    return gave_up(patience, "the check of " + adopted.name,
                   fmt::format("harness check {} --device {} makes it", adopted.name, arguments.device));
  bool passed = problems.empty();
  if (passed && !patience.suffices()) {
    report::err(
        "harness: {} is adopted and its check passed, after {:.0f} s; harness eval {} 00_original --device {} "
        "evaluates it\n",
        adopted.name, patience.seconds(), adopted.name, arguments.device);
  } else if (passed && !first_evaluation(adopted.name, "00_original", arguments.device, arguments.json, shell)) {
    passed = false;
    if (interrupted()) return left_to_eval(patience, adopted.name, arguments.device);
    problems.push_back(
        fmt::format("00_original does not pass its gates; harness eval {} 00_original --device {} says which",
                    adopted.name, arguments.device));
  }
  if (arguments.json) {
    const json object{{"kernel", adopted.name},
                      {"folder", (folder / adopted.name).string()},
                      {"arguments", arguments_json(adopted)},
                      {"asked", json::array()},
                      {"reference", {{"words", adopted.reference.words}, {"weak", adopted.reference.weak}}},
                      {"check", {{"passed", passed}, {"problems", problems}}}};
    report::out_json(object);
  } else {
    for (const std::string& problem : problems) report::out("  {}\n", problem);
    std::string where;
    if (!shell.more_kernels.empty()) where = " --kernels " + shell.more_kernels.back();
    if (passed) report::err("next: harness run {} --budget 5m{}\n", adopted.name, where);
    else
      report::err("next: mend {} and try harness check {} --device {}{}\n", (folder / adopted.name).string(),
                  adopted.name, arguments.device, where);
  }
  return passed ? 0 : 1;
}

/// A definition of FlashInfer-Bench with one of its solutions. Its reference is the definition's own where PyTorch is
/// here.
int adopt_from_flashinfer(AdoptArguments& arguments, Shell& shell) {
  adopt::AdoptOptions& options = arguments.options;
  const FlashinferSource source(arguments.flashinfer, options.file, arguments.solution);
  options.problem = source.problem;
  for (const adopt::ProblemTensor& each : source.problem.tensors) options.dtypes.push_back(each.dtype);
  options.file = source.file;
  options.path = source.noted;
  if (options.name.empty()) options.name = source.problem.name;
  Besides besides{source.besides, source.notes, nullptr};
  besides.seen = [&](adopt::AdoptedKernel&, const adopt::Matched& matched) {
    besides.files.emplace_back("flashinfer/names.json", json(matched).dump(1) + "\n");
    const std::string reference = source.reference(matched);
    if (reference.empty())
      besides.notes.emplace_back(
          "the definition's reference was not run: python3 has no PyTorch and NumPy here; where it does, adopt again");
    return reference;
  };
  return adopt_source(arguments, shell, besides);
}

/// One launch that harness capture recorded: its kernel, at its sizes, with what it read and wrote.
int adopt_from_capture(AdoptArguments& arguments, Shell& shell) {
  adopt::AdoptOptions& options = arguments.options;
  CapturedSource source(arguments.capture, options.file);
  options.file = source.file;
  options.dtypes = source.dtypes;
  if (options.entries.empty()) options.entries = {source.entry};
  Besides besides;
  besides.seen = [&](adopt::AdoptedKernel& kernel, const adopt::Matched&) {
    const std::string reference = source.take(kernel);
    besides.notes.push_back(source.note);
    return reference;
  };
  return adopt_source(arguments, shell, besides);
}

/// A file with Triton functions: read, not run; its reference is PyTorch's.
int adopt_from_triton(const AdoptArguments& arguments, Shell& shell) {
  const adopt::AdoptOptions& options = arguments.options;
  const Places places = shell.places();
  TritonAsked asked;
  asked.file = options.file;
  asked.answers.kernel = options.entries.empty() ? "" : options.entries.front();
  asked.name = options.name;
  if (asked.name.empty()) asked.name = fs::path(options.file).stem().string();
  asked.sizes = options.sizes;
  asked.answers.host = options.hosts.empty() ? "" : options.hosts.front();
  asked.answers.reference = options.reference;
  asked.answers.grid = options.grid;
  asked.answers.settings = options.settings;
  asked.answers.tune = options.tune;
  const fs::path folder = kernels_folder(shell, places);
  if (!is_identifier(asked.name))
    throw bad_input(fmt::format("'{}' is no name of a kernel; choose one with --name", asked.name));
  refuse_taken(asked.name, folder, shell, places);
  const NewProblem made = adopted_triton(asked, (folder / asked.name).string(), shell);
  if (arguments.json) {
    report::out_json({{"kernel", asked.name}, {"folder", (folder / asked.name).string()}, {"notes", made.lines}});
    return 0;
  }
  for (const std::string& line : made.lines) report::tell("{}\n", line);
  for (const std::string& path : made.files) report::out("{}\n", path);
  report::err("next, where a GPU and Triton are: harness run {} --budget 2m\n", asked.name);
  return 0;
}

/// --from ITERATION.
int adopt_proposed(std::int64_t iteration, const std::string& name, bool as_json, Shell& shell) {
  const json made = adopted_files(iteration, name, shell);
  if (as_json) {
    report::out_json(made);
    return 0;
  }
  report::err("wrote {} and .cu\n", made["files"][0].get<std::string>());
  report::err("next: harness eval {} {}\n", made["kernel"].get<std::string>(), made["variant"].get<std::string>());
  return 0;
}

}  // namespace

void define_adopt(CLI::App& app, Shell& shell, std::function<int()>& action) {
  auto arguments = std::make_shared<AdoptArguments>();
  adopt::AdoptOptions& options = arguments->options;
  auto* file =
      app.add_option(
             "file", options.file,
             "An ordinary CUDA source: kernels, their launches, host code. Or a Python file with Triton functions")
          ->type_name("FILE.cu|FILE.py");
  app.add_option("--from-flashinfer", arguments->flashinfer,
                 "Instead: a FlashInfer-Bench data set. FILE.cu is then the name of a definition in it")
      ->type_name("DIR");
  app.add_option("--solution", arguments->solution, "Which solution of the definition (default: the one in CUDA)")
      ->type_name("NAME");
  app.add_option("--from-capture", arguments->capture,
                 "Instead: the launch that harness capture --launch recorded; FILE.cu only where it is not found")
      ->type_name("DIR");
  app.add_option("--from", arguments->from,
                 "Instead: the proposed variant or the edited source that an iteration ran becomes files of its kernel")
      ->type_name("ITERATION")
      ->check(CLI::PositiveNumber)
      ->excludes(file);
  app.add_option("entry", options.entries, "Which kernel of it (default: the one that it launches)")
      ->type_name("[ENTRY]");
  app.add_option("--name", options.name, "What to call the plugin (default: as the kernel)")->type_name("KERNEL");
  app.add_option(
         "--arg", options.arguments,
         "What a pointer holds: \"out[N,C] f32\", \"idx[N] s32 < V\", \"text[N] s8 >= 97 < 123\", \"sum zeroed\"")
      ->type_name("TEXT")
      ->take_all();
  app.add_option("--size", options.sizes, "Sizes to time, or a number's value: N=8192,7 eps=1e-6")
      ->type_name("NAME=VALUES")
      ->take_all();
  app.add_option("--set", options.settings,
                 "A whole number that is the same in every call, or follows from others: act=3 \"C=D+2*D*deg\"")
      ->type_name("NAME=EXPR")
      ->take_all();
  app.add_option("--include", options.includes, "Where headers are looked for that do not lie beside the file")
      ->type_name("DIR")
      ->take_all();
  app.add_option("--host", options.hosts,
                 "The file that launches the kernel, where FILE.cu does not and several others do")
      ->type_name("FILE")
      ->take_all();
  app.add_option("--grid", options.grid, "Blocks, in terms of the parameters: \"cdiv(n, 256)\"")->type_name("EXPR");
  app.add_option("--block", options.block, "Threads of a block")->type_name("EXPR");
  app.add_option("--shared", options.shared, "Bytes of dynamic shared memory")->type_name("EXPR");
  app.add_option("--tune", options.tune, "Values of a macro, a constant, a template argument, or block")
      ->type_name("NAME=VALUES")
      ->take_all();
  app.add_option("--type", options.types, "Element types of a template parameter: T=f16,bf16")
      ->type_name("NAME=TYPES")
      ->take_all();
  app.add_option("-D", options.defines, "A macro that the compiler's command line defines: -D WIDTH=64")
      ->type_name("NAME=VALUE")
      ->take_all();
  app.add_option("--launch", options.launch_line, "Which launch of the kernel, by its line, where the file has several")
      ->type_name("LINE");
  app.add_option("--reference", options.reference,
                 "FILE.cu with a function of the host, 'command:python3 ref.py', recorded .npy files, or self. Of a "
                 "Triton file: "
                 "FILE.py with reference(...) and inputs(...) in PyTorch")
      ->type_name("FILE.cu|FILE.py|'command:PROGRAM'|FILE.npy|self");
  app.add_option("--device", arguments->device, "Where it is checked and evaluated first (default: cpu)");
  app.add_flag("--yes", options.yes,
               "Ask nothing: what would be asked ends the command with the options that answer it");
  app.add_flag("--json", arguments->json, "One JSON object");
  add_db_option(app, shell);
  add_plugin_options(app, shell);
  action = [arguments, &shell] {
    if (arguments->from > 0) return adopt_proposed(arguments->from, arguments->options.name, arguments->json, shell);
    if (!arguments->flashinfer.empty()) return adopt_from_flashinfer(*arguments, shell);
    if (!arguments->capture.empty()) return adopt_from_capture(*arguments, shell);
    if (arguments->options.file.empty()) throw bad_input("name a CUDA source, or an iteration with --from");
    if (arguments->options.file.ends_with(".py")) return adopt_from_triton(*arguments, shell);
    return adopt_source(*arguments, shell);
  };
}

}  // namespace harness
