#include "harness/package/standalone_data.h"

#include <fmt/format.h>

#include <set>

#include "harness/core/error.h"
#include "harness/package/literals.h"
#include "harness/package/standalone_generator.h"

namespace harness::package {
namespace {

std::int64_t bytes_of(const Argument& argument) {
  return span_elements(argument) * storage_bytes(argument.dtype);
}

class DataWriter {
 public:
  DataWriter(const Realized& original, const Realized& winner)
      : original_(original), winner_(winner), problem_(winner.problem) {}

  ProgramData write() {
    for (std::size_t i = 0; i < problem_.arguments.size(); ++i) tensor(i);
    for (std::size_t i = 0; i < problem_.arguments.size(); ++i) input(i);
    for (std::size_t i = 0; i < problem_.arguments.size(); ++i) output(i);
    for (const Argument& argument : problem_.arguments) reference(argument);
    workspaces("original", original_);
    workspaces("winner", winner_);
    if (!original_.plan.constants.empty()) line("::original::fill_constants(original.memory);");
    if (!winner_.plan.constants.empty()) line("::winner::fill_constants(winner.memory);");
    return std::move(made_);
  }

 private:
  template <typename... Values>
  void line(fmt::format_string<Values...> format, Values&&... values) {
    made_.memory += "  " + fmt::format(format, std::forward<Values>(values)...) + '\n';
  }

  std::size_t index_of(const std::string& name) const {
    for (std::size_t i = 0; i < problem_.arguments.size(); ++i)
      if (problem_.arguments[i].name == name && is_tensor(problem_.arguments[i].kind) && !problem_.arguments[i].absent)
        return i;
    throw bad_input(fmt::format("'{}' is no tensor of kernel '{}' on this workload", name, problem_.kernel));
  }

  void tensor(std::size_t i) {
    const Argument& argument = problem_.arguments[i];
    if (!is_tensor(argument.kind) || argument.absent) return;
    line("const Tensor tensor_{}{{{}, {}, {}, {}, {}}};", i, quoted(argument.name), type_literal(argument),
         braces(argument.shape), braces(argument.strides), span_elements(argument));
  }

  bool is_drawn(const Argument& argument) const {
    return is_tensor(argument.kind) && !argument.absent && argument.gen.has_value();
  }

  /// The input's elements under the name numbers_<i>, once.
  void numbers(std::size_t i) {
    if (!numbers_.insert(i).second) return;
    const Argument& argument = problem_.arguments[i];
    if (!is_drawn(argument)) throw bad_input(fmt::format("'{}' is no input that is drawn", argument.name));
    const GeneratorCode code = generator_code(problem_, argument, i + 1);
    if (!code.numbers) {
      line("Numbers numbers_{}({});", i, count_elements(argument));
      line("for (long long i = 0; i < {}; ++i) numbers_{}[(std::size_t)i] = (long long)({});", count_elements(argument),
           i, code.text);
      return;
    }
    if (code.of.empty()) return line("const Numbers numbers_{} = {};", i, code.text);
    const std::size_t of = index_of(code.of);
    numbers(of);
    line("const Numbers numbers_{} = [](const Numbers& of) {{ return {}; }}(numbers_{});", i, code.text, of);
  }

  void input(std::size_t i) {
    const Argument& argument = problem_.arguments[i];
    if (!is_drawn(argument)) return;
    const GeneratorCode code = generator_code(problem_, argument, i + 1);
    if (code.numbers) numbers(i);
    const std::string value = code.numbers ? fmt::format("(double)numbers_{}[(std::size_t)i]", i) : code.text;
    line("unsigned char* const input_{0} = uploaded(filled(tensor_{0}, [&](long long i) {{ return {1}; }}));", i,
         value);
    if (argument.kind == ArgumentKind::input) both(argument.name, fmt::format("input_{}", i));
  }

  void both(const std::string& name, const std::string& address) {
    line("original.memory[{0}] = winner.memory[{0}] = {1};", quoted(name), address);
  }

  void output(std::size_t i) {
    const Argument& argument = problem_.arguments[i];
    if (!is_written(argument.kind) || argument.absent) return;
    const std::int64_t bytes = bytes_of(argument);
    for (const char* side : {"original", "winner"}) {
      line("{}.memory[{}] = allocated({});", side, quoted(argument.name), bytes);
      if (is_drawn(argument)) line("{}.restore({}, input_{}, {});", side, quoted(argument.name), i, bytes);
    }
    std::string rows = "nullptr";
    if (!argument.valid_rows.empty()) {
      const std::size_t of = index_of(argument.valid_rows);
      numbers(of);
      rows = fmt::format("&numbers_{}", of);
    }
    made_.compare +=
        fmt::format("  finite = compare(tensor_{0}, original.memory.at({1}), winner.memory.at({1}), {2}) && finite;\n",
                    i, quoted(argument.name), rows);
  }

  /// Views and arrays of pointers, into memory that is there by now.
  void reference(const Argument& argument) {
    if (argument.absent) return;
    if (argument.kind == ArgumentKind::workspace)
      throw bad_input(
          fmt::format("its argument '{}' is a workspace of the contract, which a standalone program does "
                      "not have",
                      argument.name));
    if (argument.kind != ArgumentKind::view && argument.kind != ArgumentKind::pointers) return;
    const std::int64_t unit = storage_bytes(problem_.arguments[index_of(argument.of)].dtype);
    for (const char* side : {"original", "winner"}) {
      if (argument.kind == ArgumentKind::view) {
        line("{0}.memory[{1}] = {0}.memory.at({2}) + {3};", side, quoted(argument.name), quoted(argument.of),
             argument.offset * unit);
        continue;
      }
      std::vector<std::int64_t> offsets = argument.offsets;
      for (std::int64_t& offset : offsets) offset *= unit;
      line("{0}.memory[{1}] = pointers_into({0}.memory.at({2}), {3});", side, quoted(argument.name),
           quoted(argument.of), braces(offsets));
    }
  }

  void workspaces(const char* side, const Realized& realized) {
    for (const Workspace& workspace : realized.plan.workspaces) {
      line("{}.memory[{}] = allocated({});", side, quoted(workspace.name), workspace.bytes);
      if (workspace.zeroed) line("{}.zero({}, {});", side, quoted(workspace.name), workspace.bytes);
    }
  }

  const Realized &original_, &winner_;
  const Problem& problem_;
  std::set<std::size_t> numbers_;
  ProgramData made_;
};

}  // namespace

ProgramData standalone_data(const Realized& original, const Realized& winner) {
  return DataWriter(original, winner).write();
}

}  // namespace harness::package
