#include <memory>

#include "harness/cli/command.h"
#include "harness/core/error.h"
#include "harness/core/gpu.h"
#include "harness/report/format.h"
#include "harness/report/out.h"
#include "harness/report/table.h"
#include "harness/shipping/guard_file.h"
#include "harness/shipping/guard_package.h"
#include "harness/system/files.h"
#include "harness/system/interrupt.h"
#include "harness/system/resource_limits.h"

// guard: whether what is here now is right and no slower than what was packaged.
namespace harness {
namespace {

struct GuardArguments {
  PackageQuestion package;
  FileQuestion change;
  std::string device = "auto", junit, markdown;
  bool code_only = false, json = false;
};

void write_reports(const GuardArguments& arguments, const GuardVerdict& verdict) {
  if (!arguments.junit.empty()) replace_file(arguments.junit, package::junit_text(verdict.kernels, verdict.lines));
  if (!arguments.markdown.empty())
    replace_file(arguments.markdown, package::markdown_text(verdict.kernels, verdict.device, verdict.lines));
}

void print_lines(const GuardVerdict& verdict) {
  for (const package::GuardLine& line : verdict.lines)
    report::out("{}: {}: {}: {}\n", line.workload, report::clean(line.candidate), line.verdict,
                report::clean(line.text));
}

/// What both questions answer with; `object` says what was asked.
json verdict_json(json object, const GuardVerdict& verdict) {
  object.update({{"gates", {{"checked", verdict.gates}, {"failed", verdict.failed_gates}}},
                 {"workloads", verdict.workloads},
                 {"passed", verdict.passed()}});
  return object;
}

int guard_folder(const GuardArguments& arguments, Shell& shell) {
  const auto [verdict, files, digest, table_changes] = guard_package(shell, arguments.package);
  if (verdict.interrupted) return 130;
  write_reports(arguments, verdict);
  if (arguments.json) {
    report::out_json(verdict_json({{"package", arguments.package.folder},
                                   {"kernel", verdict.kernels},
                                   {"device", arguments.code_only ? json() : json(verdict.device)},
                                   {"digests", {{"files", files}, {"package", digest}}},
                                   {"table_changes", table_changes}},
                                  verdict));
  } else {
    print_lines(verdict);
    for (const std::string& change : table_changes)
      report::out("{}: harness tune FILE --refresh measures them again\n", report::clean(change));
    report::out("{}as good as what was packaged\n", verdict.passed() ? "" : "not ");
  }
  return verdict.passed() ? 0 : 1;
}

/// --file: what a pull request does to an adopted file.
int guard_change(const GuardArguments& arguments, Shell& shell) {
  FileQuestion question = arguments.change;
  if (question.architecture.empty()) question.architecture = find_gpu("").architecture;
  const GuardVerdict verdict = guard_file(shell, question);
  if (verdict.interrupted) return 130;
  write_reports(arguments, verdict);
  if (arguments.json) {
    report::out_json(verdict_json({{"file", arguments.change.file},
                                   {"base", arguments.change.base},
                                   {"kernel", verdict.kernels},
                                   {"device", verdict.device}},
                                  verdict));
  } else {
    print_lines(verdict);
    report::out("{}as good as at {}\n", verdict.passed() ? "" : "not ", report::clean(arguments.change.base));
  }
  return verdict.passed() ? 0 : 1;
}

}  // namespace

void define_guard(CLI::App& app, Shell& shell, std::function<int()>& action) {
  auto arguments = std::make_shared<GuardArguments>();
  auto* folder = app.add_option("folder", arguments->package.folder, "The package that must not be fallen behind")
                     ->type_name("DIR");
  app.add_option("--against", arguments->package.against,
                 "Another package in the place of the kernels that are here now")
      ->type_name("DIR");
  app.add_option("--key", arguments->package.key, "Public key (PEM, Ed25519) that must have signed the package")
      ->type_name("FILE")
      ->needs(folder);
  auto* file = app.add_option("--file", arguments->change.file,
                              "An adopted file instead of a package: is its change as good as its base?")
                   ->type_name("FILE.cu")
                   ->excludes(folder);
  auto* base = app.add_option("--base", arguments->change.base, "The revision of git that --file is compared with")
                   ->type_name("REV")
                   ->needs(file);
  file->needs(base);
  app.add_option("--arch", arguments->change.architecture,
                 "With --file and --code-only: what to compile for (default: the first GPU's)")
      ->needs(file);
  app.add_option("--device", arguments->device, shell.rooms.device_words)->capture_default_str();
  app.add_flag("--code-only", arguments->code_only,
               "Without a GPU: compile both and compare registers, spills and machine code");
  app.add_option("--junit", arguments->junit, "Also write JUnit XML, for CI servers")->type_name("FILE");
  app.add_option("--markdown", arguments->markdown, "Also write a table, for a summary")->type_name("FILE");
  app.add_flag("--json", arguments->json, "One JSON object");
  add_gate_options(app, shell);
  add_plugin_options(app, shell);
  action = [arguments, &shell] {
    require_descriptors();
    catch_interrupts();
    arguments->package.device = arguments->change.device = arguments->device;
    arguments->package.code_only = arguments->change.code_only = arguments->code_only;
    if (!arguments->change.file.empty()) return guard_change(*arguments, shell);
    if (arguments->package.folder.empty()) throw bad_input("name a package, or --file FILE.cu --base REV");
    return guard_folder(*arguments, shell);
  };
}

}  // namespace harness
