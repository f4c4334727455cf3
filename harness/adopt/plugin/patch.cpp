#include "harness/adopt/plugin/patch.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "harness/adopt/host/resolve_launch.h"
#include "harness/adopt/host/sequence.h"
#include "harness/adopt/host/unpack.h"
#include "harness/adopt/host/value_places.h"
#include "harness/adopt/kernel/kernel.h"
#include "harness/adopt/plugin/moved_lines.h"
#include "harness/adopt/source/element_type.h"
#include "harness/adopt/source/functions.h"
#include "harness/adopt/source/kernels.h"
#include "harness/adopt/source/launch.h"
#include "harness/adopt/source/python_text.h"
#include "harness/adopt/source/slice.h"
#include "harness/adopt/source/source.h"
#include "harness/core/error.h"

namespace harness::adopt {
namespace {

constexpr std::int64_t kSharedWithoutAsking = 48 * 1024;

std::string last_name(const std::string& qualified) {
  const std::size_t colon = qualified.rfind(':');
  return colon == std::string::npos ? qualified : qualified.substr(colon + 1);
}

/// A whole formula of the sizes as C++ of the host writes it.
class HostText {
 public:
  /// `names`: a size -> what the host calls it.
  explicit HostText(const std::map<std::string, std::string>& names) : names_(names) {}

  std::string of(const json& formula) const {
    const FormulaPtr read = sizes::formula_of(formula);
    if (!read || !sizes::is_whole(*read))
      throw bad_input(fmt::format("its launch has {}, which the file's own launch cannot say", formula.dump()));
    return as_cpp(*read, [this](const std::string& size) {
      const auto name = names_.find(size);
      if (name == names_.end())
        throw bad_input(fmt::format("its launch needs '{}', which the file's own launch does not know", size));
      return name->second;
    });
  }

 private:
  const std::map<std::string, std::string>& names_;
};

/// A launch of the file, and what was measured in its place. It is traced where its kernel's parameters are what the
/// winner's formulas are made of: in the file itself, or in the text with kernels in front (adopt/sequence.h).
struct LaunchPlace {
  HostLaunch written, traced;
  const Source* source = nullptr;  // of `traced`
  const Declaration* kernel = nullptr;
  const MeasuredLaunch* measured = nullptr;
};

std::string replaced_everywhere(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != std::string::npos && !from.empty(); at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

class Patch {
 public:
  explicit Patch(const Winner& winner)
      : winner_(winner),
        source_(read_cuda_source(winner.file, {.folders = {}, .defines = winner.defines, .hosts = {}})),
        name_(last_name(winner.entry)),
        shown_(std::filesystem::path(winner.file).filename().string()) {
    if (is_python(winner.file))
      throw bad_input(
          fmt::format("the kernel stands in a string of {}, and no patch changes strings of Python", shown_));
    for (const Declaration& declaration : source_.parsed.declarations)
      if (declaration.kernel && declaration.name == name_ && (kernel_ == nullptr || declaration.defined))
        kernel_ = &declaration;
    if (kernel_ != nullptr) find_launches_of_kernel();
    else find_sequence();
  }

  std::vector<PatchedFile> make() {
    for (const auto& [name, value] : winner_.set) set(name, value);
    write_launches();
    for (const MeasuredScratch& memory : winner_.scratch) check_scratch(memory);
    const std::string original = in_words_of_the_file(winner_.original), changed = in_words_of_the_file(winner_.source);
    std::vector<PatchedFile> all;
    for (const auto& file : source_.files) {
      std::string text = edited(file->text, edits_[file.get()]);
      if (file.get() == &source_.main() && changed != original)
        text = with_moved_lines(original, changed, file->text, text, shown_);
      if (text != file->text) all.push_back({file->path, file->text, text});
    }
    return all;
  }

 private:
  void find_launches_of_kernel() {
    refuse_overloads(source_, static_cast<std::size_t>(kernel_ - source_.parsed.declarations.data()));
    for (const HostLaunch& launch : source_.launches)
      if (launch.entry == name_) places_.push_back({launch, launch, &source_, kernel_, &winner_.launches.front()});
    if (places_.empty())
      throw bad_input(
          fmt::format("{} does not launch '{}' itself, so its grid and block stand elsewhere", shown_, name_));
  }

  void find_sequence() {
    const std::optional<Sequence> sequence = sequence_of(source_, name_);
    if (const std::string behind = behind_front(name_); !sequence && !behind.empty())
      throw bad_input(fmt::format("'{}' takes structures by value there, and the winner takes their parts", behind));
    if (!sequence || !sequence->only.empty())
      throw bad_input(fmt::format("{} has no kernel '{}' any more", shown_, name_));
    if (sequence->kernels.size() != winner_.launches.size())
      throw bad_input(fmt::format("{} launches {} kernels in {}, and the winner {}", shown_, sequence->kernels.size(),
                                  name_, winner_.launches.size()));
    fronts_ = read_cuda_text(winner_.file, sequence->text, {.folders = {}, .defines = winner_.defines, .hosts = {}});
    const std::vector<HostLaunch> written = launches_in(source_, *function_named(source_, name_));
    const std::vector<HostLaunch> traced = launches_in(*fronts_, *function_named(*fronts_, name_));
    for (std::size_t i = 0; i < written.size(); ++i)
      places_.push_back({written[i], traced.at(i), &*fronts_, &front(sequence->kernels[i]), &winner_.launches[i]});
    front_names_ = sequence->kernels;
  }

  const Declaration& front(const std::string& name) const {
    return *std::ranges::find_if(fronts_->parsed.declarations, [&](const Declaration& declaration) {
      return declaration.kernel && declaration.name == name;
    });
  }

  /// A plugin of several launches has kernels in front, which the file has not, and the file's own kernels as
  /// functions of the device.
  std::string in_words_of_the_file(std::string text) const {
    for (const std::string& name : front_names_) {
      const Source::Place place =
          fronts_->places[static_cast<std::size_t>(&front(name) - fronts_->parsed.declarations.data())];
      const std::string own = place.file->text.substr(place.chunk->comment, place.chunk->end - place.chunk->comment);
      if (text.find(own) == std::string::npos)
        throw bad_input(fmt::format("it changes '{}', which adopt made of a launch of {} and {} does not have", name,
                                    name_, shown_));
      text = replaced_everywhere(std::move(text), own, "");
    }
    for (std::size_t i = 0; fronts_ && i < source_.parsed.declarations.size(); ++i) {
      const Source::Place place = source_.places[i];
      if (!source_.parsed.declarations[i].kernel || place.chunk == nullptr) continue;
      const std::string head(place.file->head_of(*place.chunk));
      text = replaced_everywhere(std::move(text), as_device_function(head), head);
    }
    return text;
  }

  void replace(const SourceText& file, const std::vector<Token>& tokens, const std::string& text) {
    replace(file, tokens.front().begin, tokens.back().end, text);
  }
  void replace(const SourceText& file, std::size_t begin, std::size_t end, const std::string& text) {
    if (file.text.substr(begin, end - begin) == text) return;
    for (const TextEdit& edit : edits_[&file])
      if (edit.begin == begin && edit.end == end) return;
    edits_[&file].push_back({begin, end, text});
  }

  void set(const std::string& name, std::int64_t value) {
    std::vector<HostLaunch> launches;
    for (const LaunchPlace& place : places_) launches.push_back(place.written);
    const std::vector<ValuePlace> places = value_places(source_, kernel_, launches, name);
    if (places.empty() && is_template_argument(name))
      throw bad_input(
          fmt::format("{} launches '{}' without the template argument {}, so it would need more than a value", shown_,
                      name_, name));
    if (places.empty())
      throw bad_input(fmt::format("{} has no '{}' that could be given the value {}", shown_, name, value));
    for (const ValuePlace& place : places) replace(*place.file, place.begin, place.end, fmt::format("{}", value));
  }

  bool is_template_argument(const std::string& name) const {
    return kernel_ != nullptr && std::ranges::any_of(kernel_->templates, [&](const TemplateParameter& parameter) {
             return parameter.name == name && !parameter.type;
           });
  }

  /// The names that the winner gives values to.
  std::set<std::string> names_set() const {
    std::set<std::string> names;
    for (const auto& [name, value] : winner_.set) names.insert(name);
    return names;
  }

  Values known_values() const {
    Values values;
    for (const auto& [name, value] : winner_.set) values["p." + name] = value;
    for (const auto& [name, value] : winner_.sizes)
      if (const auto* number = std::get_if<std::int64_t>(&value)) values[name] = *number;
    return values;
  }

  /// Would the file's own launch, with the names set, be the one that was measured?
  bool is_as_measured(const LaunchPlace& place) const {
    const std::set<std::string> names = names_set();
    try {
      LaunchShape shape = resolve_launch({*place.source, &place.traced, *place.kernel, names}, !fronts_);
      if (names.contains("block") && !fronts_ && !uses(shape, "p.block")) shape.block = {symbol("p.block")};
      Values here = known_values();
      add_element_sizes(*shape.shared, here);
      for (const auto& [name, formula] : shape.follows) add_sizes_of_the_host(*formula, here);
      for (const FormulaPtr& extent : shape.grid) add_sizes_of_the_host(*extent, here);
      for (std::size_t i = 0; i < shape.follows.size(); ++i)  // one may follow from another
        for (const auto& [name, formula] : shape.follows)
          if (const auto value = evaluate(*formula, here)) here[name] = *value;
      const Launch& measured = place.measured->launch;
      add_passed_numbers(place, here);
      return is(shape.grid, measured.grid, here) && is(shape.block, measured.block, here) &&
             evaluate(*shape.shared, here) == measured.shared;
    } catch (const Error&) {
      return false;
    }
  }

  /// Where the host asks for its scratch in words that can be read, it must ask for enough. Where it cannot be read,
  /// the original's is enough.
  void check_scratch(const MeasuredScratch& scratch) const {
    const LaunchPlace& place = places_.back();
    const std::vector<Token> bytes = function_named(*fronts_, name_)->bytes_of(scratch.name);
    const std::set<std::string> names = names_set();
    const KernelLaunch at{*place.source, &place.traced, *place.kernel, names};
    const FormulaPtr formula = bytes.empty() ? nullptr : Resolver(at).read(bytes);
    std::optional<std::int64_t> allocated = scratch.original;
    if (formula) {
      Values here = known_values();
      add_element_sizes(*formula, here);
      if (const auto read = evaluate(*formula, here)) allocated = read;
    }
    if (*allocated < scratch.winner)
      throw bad_input(fmt::format("it needs {} bytes of '{}', and {} would make {}", scratch.winner, scratch.name,
                                  name_, *allocated));
  }

  static bool uses(const LaunchShape& shape, const std::string& name) {
    return std::ranges::any_of(shape.block,
                               [&](const FormulaPtr& extent) { return symbols_of(*extent).contains(name); });
  }

  void add_element_sizes(const Formula& formula, Values& values) const {
    const auto dtype = winner_.sizes.find("dtype");
    const auto* text = dtype == winner_.sizes.end() ? nullptr : std::get_if<std::string>(&dtype->second);
    const auto parsed = text == nullptr ? std::nullopt : parse_dtype(*text);
    for (const std::string& name : symbols_of(formula)) {
      if (!name.starts_with("sizeof ")) continue;
      const auto dtype = dtype_of_type(name.substr(7));
      if (dtype || parsed) values[name] = storage_bytes(dtype ? *dtype : *parsed);
    }
  }

  /// What a launch was passed for a parameter that is no size of the workload: 1 of --set B=1.
  static void add_passed_numbers(const LaunchPlace& place, Values& values) {
    const std::vector<LaunchArgument>& arguments = place.measured->launch.args;
    for (std::size_t i = 0; i < std::min(arguments.size(), place.kernel->parameters.size()); ++i)
      if (const auto* const scalar = std::get_if<ScalarArgument>(&arguments[i]))
        if (const auto* const number = std::get_if<std::int64_t>(&scalar->value))
          values.emplace(place.kernel->parameters[i].name, *number);
  }

  /// x.size(0) is what the workload calls x_size_0.
  static void add_sizes_of_the_host(const Formula& formula, Values& values) {
    for (const std::string& name : symbols_of(formula))
      if (const auto size = values.find(name_of_size(name)); size != values.end()) values.emplace(name, size->second);
  }

  static bool is(const std::vector<FormulaPtr>& formulas, const Dim3& extents, const Values& values) {
    const std::uint32_t numbers[3] = {extents.x, extents.y, extents.z};
    for (std::size_t i = 0; i < 3; ++i) {
      const std::optional<std::int64_t> got = i < formulas.size() ? evaluate(*formulas[i], values) : 1;
      if (got != static_cast<std::int64_t>(numbers[i])) return false;
    }
    return true;
  }

  void write_launches() {
    for (const LaunchPlace& place : places_) {
      if (is_as_measured(place)) continue;
      if (!fronts_ && places_.size() != 1)
        throw bad_input(
            fmt::format("{} launches '{}' in {} places, and not as it was measured", shown_, name_, places_.size()));
      write_launch(place);
    }
  }

  void write_launch(const LaunchPlace& place) {
    const auto& [launch, formulas] = *place.measured;
    if (launch.shared > kSharedWithoutAsking)
      throw bad_input(
          fmt::format("its launch takes {} bytes of shared memory, which the host must ask for with "
                      "cudaFuncSetAttribute first",
                      launch.shared));
    const HostLaunch &written = place.written, &traced = place.traced;
    std::map<std::string, std::string> names;
    for (std::size_t i = 0; i < std::min(traced.arguments.size(), place.kernel->parameters.size()); ++i)
      if (place.kernel->parameters[i].pointee.empty() && !traced.arguments[i].empty()) {
        const std::string text = traced.file->text_of(traced.arguments[i]);
        names[place.kernel->parameters[i].name] = traced.arguments[i].size() == 1 ? text : "(" + text + ")";
      }
    if (written.chunk != nullptr)  // what only the host knows, under its own name
      for (const auto& [name, value] : winner_.sizes)
        for (const Token& token : written.file->tokens)
          if (token.is(name) && token.begin >= written.chunk->begin && token.begin < written.place)
            names.emplace(name, name);
    const HostText host(names);
    replace(*written.file, written.configuration[0], dimensions(formulas.grid, host));
    const std::string block = dimensions(formulas.block, host), shared = host.of(formulas.shared);
    const bool says_shared = written.configuration.size() > 2 && !written.configuration[2].empty();
    replace(*written.file, written.configuration[1], says_shared || shared == "0" ? block : block + ", " + shared);
    if (says_shared) replace(*written.file, written.configuration[2], shared);
  }

  static std::string dimensions(const std::array<json, 3>& formulas, const HostText& host) {
    if (formulas[1] == json(1) && formulas[2] == json(1)) return host.of(formulas[0]);
    std::string text = fmt::format("dim3({}, {}", host.of(formulas[0]), host.of(formulas[1]));
    if (formulas[2] != json(1)) text += ", " + host.of(formulas[2]);
    return text + ")";
  }

  const Winner& winner_;
  Source source_;
  std::string name_, shown_;
  const Declaration* kernel_ = nullptr;  // nullptr: a function of several launches
  std::optional<Source> fronts_;         // its text with kernels in front
  std::vector<std::string> front_names_;
  std::vector<LaunchPlace> places_;
  std::map<const SourceText*, std::vector<TextEdit>> edits_;
};

}  // namespace

std::vector<PatchedFile> patched(const Winner& winner) {
  return Patch(winner).make();
}

}  // namespace harness::adopt
