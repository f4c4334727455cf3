#include "harness/flashinfer/write.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <set>
#include <sstream>

#include "harness/core/error.h"
#include "harness/core/hash.h"
#include "harness/core/torch_call.h"
#include "harness/flashinfer/cuda_solution.h"
#include "harness/flashinfer/dataset.h"
#include "harness/package/folder/record.h"
#include "harness/package/resolved.h"
#include "harness/system/files.h"

namespace harness::flashinfer {
namespace {

/// Letters, digits and _ in the place of anything else: names of files and solutions.
std::string plain(const std::string& text) {
  std::string result;
  for (const char c : text) result += std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' ? c : '_';
  return result;
}

/// The same text has the same number everywhere and always: a data set that is written again does not change.
std::string uuid_of(const std::string& text) {
  const std::string hex = sha256_hex(text);
  return fmt::format("{}-{}-{}-{}-{}", hex.substr(0, 8), hex.substr(8, 4), hex.substr(12, 4), hex.substr(16, 4),
                     hex.substr(20, 12));
}

/// Flags and types decide which definition a workload belongs to; numbers are its axes.
std::string definition_name(const std::string& kernel, const Workload& workload) {
  std::string name = kernel;
  for (const auto& [field, value] : workload.values) {
    if (const auto* const text = std::get_if<std::string>(&value)) name += "_" + *text;
    if (const auto* const flag = std::get_if<bool>(&value); flag != nullptr && *flag) name += "_" + field;
  }
  return plain(name);
}

Object number_of(const Value& value) {
  if (const auto* const whole = std::get_if<std::int64_t>(&value)) return *whole;
  if (const auto* const real = std::get_if<double>(&value)) return *real;
  if (const auto* const flag = std::get_if<bool>(&value)) return *flag;
  return std::get<std::string>(value);
}

class KernelWriter {
 public:
  KernelWriter(FormulaCatalog& catalog, const std::string& kernel, package::PackageRecord record,
               const std::string& program, Exported& exported)
      : catalog_(catalog), kernel_(kernel), record_(std::move(record)), program_(program), exported_(exported) {}

  void write() {
    for (const package::MeasuredPoint& point : record_.points) {
      try {
        write_point(point);
      } catch (const Error& failure) {
        if (failure.kind() != Error::Kind::bad_input) throw;
        leave_out(fmt::format("{} on {}: {}", kernel_, point.workload.name, failure.what()));
      }
    }
  }

 private:
  void leave_out(const std::string& sentence) {
    if (std::ranges::find(exported_.left_out, sentence) == exported_.left_out.end())
      exported_.left_out.push_back(sentence);
  }

  std::string path(const std::string& kind, const std::string& name, const char* ending) const {
    return fmt::format("{}/{}/{}{}", kind, plain(kernel_), name, ending);
  }

  void write_point(const package::MeasuredPoint& point) {
    const auto device = std::ranges::find(record_.devices, point.device, &DeviceInfo::name);
    const std::string baseline = first_kernel_of(catalog_.kernel(kernel_)).name;
    const Candidate original{kernel_, baseline, "",
                             catalog_.plugin(kernel_).default_config(baseline, point.workload.name, *device, {})};
    const FormulaPlan plan = catalog_.plugin(original.kernel).formulas(original, point.workload, *device);
    const std::string definition = defined(point, plan);
    const Object workload = workload_of(point, definition);
    add_line(path("workloads", definition, ".jsonl"),
             {{"definition", definition}, {"solution", nullptr}, {"workload", workload}, {"evaluation", nullptr}},
             exported_.workloads);
    package::MeasuredRun as_it_is;
    as_it_is.candidate = original;
    as_it_is.time_ns = point.original_ns;
    as_it_is.confirmed = true;
    add_trace(point, *device, definition, workload, as_it_is);
    for (const package::MeasuredRun& run : point.runs) add_trace(point, *device, definition, workload, run);
  }

  std::string defined(const package::MeasuredPoint& point, const FormulaPlan& plan) {
    const std::string folder = catalog_.plugin(kernel_).folder() + "/flashinfer/";
    const auto definition = read_file_if_any(folder + "definition.json");
    const auto reference = read_file_if_any(folder + "reference.py");
    if (!definition && !reference)
      throw bad_input(
          fmt::format("a definition of FlashInfer-Bench has its reference in PyTorch; write one, a function "
                      "run(...), as {}reference.py",
                      folder));
    Object object = definition ? Object::parse(*definition) : definition_of(point, plan, *reference);
    const std::string name = object.at("name").get<std::string>();
    if (exported_.files.emplace(path("definitions", name, ".json"), object.dump(2) + "\n").second)
      ++exported_.definitions;
    definition_ = std::move(object);
    parameters_ = definition ? parameters_of(read_file_if_any(folder + "names.json").value_or("{}"))
                             : std::vector<HostParameter>{};
    return name;
  }

  /// Those of the definition. A tensor that the kernel takes has the kernel's name for it.
  std::vector<HostParameter> parameters_of(const std::string& names) const {
    std::map<std::string, std::string> mine;  // the definition's name -> the kernel's
    const Object matched = Object::parse(names);
    for (const auto& [kernel_name, its] : matched.items()) mine[its.get<std::string>()] = kernel_name;
    std::vector<HostParameter> parameters;
    for (const char* part : {"inputs", "outputs"})
      for (const auto& [name, spec] : definition_.at(part).items()) {
        const bool scalar = spec.at("shape").is_null();
        const auto dtype = dtype_of(spec.at("dtype").get<std::string>());
        parameters.push_back({mine.contains(name) ? mine.at(name) : name, !scalar, dtype && !is_floating(*dtype)});
      }
    return parameters;
  }

  Object tensor(const FormulaArgument& argument, Object& axes) const {
    Object spec;
    const std::string dtype = dtype_name(argument.dtype);
    if (dtype.empty())
      throw bad_input(
          fmt::format("'{}' is of type {}, which FlashInfer-Bench has not", argument.name, name(argument.dtype)));
    if (argument.kind == ArgumentKind::scalar) return {{"shape", nullptr}, {"dtype", dtype}};
    spec["shape"] = Object::array();
    for (const Formula& extent : argument.shape) {
      std::string axis;
      if (extent.is_object() && extent.contains("size")) axis = extent.at("size").get<std::string>();
      else if (extent.is_number_integer()) axis = fmt::format("const_{}", extent.get<std::int64_t>());
      else
        throw bad_input(
            fmt::format("an extent of '{}' is computed from sizes, and a definition's axes are names", argument.name));
      if (!axes.contains(axis))
        axes[axis] = extent.is_object() ? Object{{"type", "var"}} : Object{{"type", "const"}, {"value", extent}};
      spec["shape"].push_back(axis);
    }
    spec["dtype"] = dtype;
    return spec;
  }

  /// Flags and types of the definition, which its reference may ask for by their names.
  static std::string constants(const Workload& workload) {
    std::string text;
    for (const auto& [field, value] : workload.values) {
      if (const auto* const word = std::get_if<std::string>(&value)) text += fmt::format("{} = \"{}\"\n", field, *word);
      if (const auto* const flag = std::get_if<bool>(&value))
        text += fmt::format("{} = {}\n", field, *flag ? "True" : "False");
    }
    return text.empty() ? "" : text + "\n";
  }

  Object definition_of(const package::MeasuredPoint& point, const FormulaPlan& plan,
                       const std::string& reference) const {
    Object axes = Object::object(), inputs = Object::object(), outputs = Object::object();
    for (const FormulaArgument& argument : plan.arguments) {
      if (argument.absent) continue;
      (argument.kind == ArgumentKind::output ? outputs : inputs)[argument.name] = tensor(argument, axes);
    }
    return {{"name", definition_name(kernel_, point.workload)},
            {"op_type", kernel_},
            {"description", catalog_.kernel(kernel_).summary},
            {"tags", {"source:harness"}},
            {"axes", axes},
            {"inputs", inputs},
            {"outputs", outputs},
            {"reference", constants(point.workload) + reference}};
  }

  /// As the data set has it that the kernel was adopted from.
  std::optional<Object> known_workload(const Object& axes) const {
    std::istringstream lines(
        read_file_if_any(catalog_.plugin(kernel_).folder() + "/flashinfer/workload.jsonl").value_or(""));
    for (std::string line; std::getline(lines, line);)
      if (Object object = Object::parse(line); object.at("axes") == axes) return object;
    return std::nullopt;
  }

  Object workload_of(const package::MeasuredPoint& point, const std::string& definition) const {
    Object axes = Object::object(), inputs = Object::object();
    for (const auto& [axis, spec] : definition_.at("axes").items()) {
      if (spec.at("type") != "var") continue;
      const auto value = point.workload.values.find(axis);
      if (value == point.workload.values.end() || !std::holds_alternative<std::int64_t>(value->second))
        throw bad_input(fmt::format("the definition's axis '{}' is no size of the kernel", axis));
      axes[axis] = std::get<std::int64_t>(value->second);
    }
    if (const auto workload = known_workload(axes)) return *workload;
    for (const auto& [input, spec] : definition_.at("inputs").items()) {
      inputs[input] = Object{{"type", "random"}};
      if (!spec.at("shape").is_null()) continue;
      const Problem& problem = catalog_.plugin(kernel_).problem(point.workload.name);
      const Argument* const argument = find_argument(problem, input);
      if (argument == nullptr || !argument->value)
        throw bad_input(fmt::format("the number '{}' of the definition is none of the kernel's", input));
      inputs[input] = Object{{"type", "scalar"}, {"value", number_of(*argument->value)}};
    }
    return {{"uuid", uuid_of(definition + axes.dump() + inputs.dump())}, {"axes", axes}, {"inputs", inputs}};
  }

  void add_line(const std::string& file, const Object& line, int& count) {
    const std::string text = line.dump() + "\n";
    if (exported_.files[file].find(text) != std::string::npos) return;
    exported_.files[file] += text;
    ++count;
  }

  /// "": it is no solution, and is left out with a sentence.
  std::string solved(const package::MeasuredPoint& point, const DeviceInfo& device, const std::string& definition,
                     const Candidate& candidate) {
    const std::string words = package::candidate_text(candidate);
    const std::string name = plain(definition + "_" + words);
    const std::string file = path("solutions", definition + "/" + name, ".json");
    if (exported_.files.contains(file)) return name;
    try {
      const FormulaPlan plan = catalog_.plugin(candidate.kernel).formulas(candidate, point.workload, device);
      const std::string head = fmt::format("// {} of {}, written by {}.\n", words, kernel_, program_);
      const Object solution{
          {"name", name},
          {"definition", definition},
          {"author", "harness"},
          {"description", fmt::format("{}, chosen by measurement", words)},
          {"spec",
           {{"language", "cuda"},
            {"target_hardware", {hardware(device)}},
            {"entry_point", "kernel.cu::run"},
            {"destination_passing_style", true},
            {"binding", "torch"},
            {"dependencies", Object::array()}}},
          {"sources", {{{"path", "kernel.cu"}, {"content", cuda_solution_source(plan, head, parameters_)}}}}};
      exported_.files[file] = solution.dump(2) + "\n";
      ++exported_.solutions;
      return name;
    } catch (const Error& failure) {
      if (failure.kind() != Error::Kind::bad_input) throw;
      leave_out(fmt::format("{} {}: {}", kernel_, words, failure.what()));
      return "";
    }
  }

  static std::string hardware(const DeviceInfo& device) {
    const std::string name = plain(device.name);
    return device.emulation ? "EMULATION_" + name : name;
  }

  void add_trace(const package::MeasuredPoint& point, const DeviceInfo& device, const std::string& definition,
                 const Object& workload, const package::MeasuredRun& run) {
    const std::string solution = solved(point, device, definition, run.candidate);
    if (solution.empty()) return;
    const std::string log = fmt::format(
        "{}; reference_latency_ms is the original's ({}); every gate passed: relative errors are in the "
        "store, not here",
        run.iteration > 0 ? fmt::format("iteration {} of campaign {}{}", run.iteration, run.campaign,
                                        run.confirmed ? ", confirmed" : ", not confirmed")
                          : "the original",
        first_kernel_of(catalog_.kernel(kernel_)).name);
    const Object evaluation{
        {"status", "PASSED"},
        {"environment",
         {{"hardware", hardware(device)}, {"libs", {{"driver", device.driver}, {"compiler", device.compiler}}}}},
        {"timestamp", "unknown"},
        {"log", log},
        {"correctness", {{"max_relative_error", "NaN"}, {"max_absolute_error", "NaN"}}},
        {"performance",
         {{"latency_ms", run.time_ns / 1e6},
          {"reference_latency_ms", point.original_ns / 1e6},
          {"speedup_factor", point.original_ns / run.time_ns}}}};
    add_line(path("traces", definition, ".jsonl"),
             {{"definition", definition}, {"workload", workload}, {"solution", solution}, {"evaluation", evaluation}},
             exported_.traces);
  }

  FormulaCatalog& catalog_;
  const std::string& kernel_;
  package::PackageRecord record_;
  const std::string& program_;
  Exported& exported_;
  Object definition_;                      // of the point that is being written
  std::vector<HostParameter> parameters_;  // of its solutions; none: as the contract has them
};

/// A package's refusals name its own option.
std::string reworded(std::string sentence) {
  const std::string theirs = "--allow emulated packages it all the same, and stamps it";
  const std::size_t at = sentence.find(theirs);
  return at == std::string::npos ? sentence : sentence.replace(at, theirs.size(), "--emulated writes it all the same");
}

}  // namespace

Exported export_dataset(Archive& archive, FormulaCatalog& catalog, const std::vector<std::string>& kernels,
                        bool emulated, const std::string& program) {
  Exported exported;
  for (const std::string& kernel : kernels) {
    try {
      package::PackageRecord record = package::read_record(archive, catalog, {kernel, {}, "", {true, emulated, true}});
      for (const std::string& reason : record.refused) exported.left_out.push_back(reworded(reason));
      KernelWriter(catalog, kernel, std::move(record), program, exported).write();
    } catch (const Error& failure) {
      if (failure.kind() != Error::Kind::bad_input) throw;
      exported.left_out.push_back(reworded(failure.what()));
    }
  }
  if (exported.traces == 0)
    throw bad_input(fmt::format("nothing of the store becomes a FlashInfer-Bench data set: {}",
                                fmt::join(exported.left_out, "; ")));
  return exported;
}

}  // namespace harness::flashinfer
