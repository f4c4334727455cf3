#include "harness/adopt/options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>

#include "harness/adopt/pragma.h"
#include "harness/adopt/unpack.h"
#include "harness/core/error.h"
#include "harness/core/hash.h"
#include "harness/core/suggest.h"

namespace harness::adopt {
namespace {

std::string shown_file(const std::string& path) {
  return std::filesystem::path(path).filename().string();
}

std::pair<std::string, std::string> name_and_rest(const std::string& option, const std::string& text) {
  const std::size_t sign = text.find('=');
  if (sign == std::string::npos || sign == 0 || sign + 1 == text.size())
    throw bad_input(fmt::format("--{} '{}' is not of the form NAME=VALUE,VALUE", option, text));
  return {text.substr(0, sign), text.substr(sign + 1)};
}

std::vector<std::string> by_commas(const std::string& text) {
  std::vector<std::string> parts;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    std::string each = text.substr(at, end - at);
    each.erase(0, each.find_first_not_of(' '));
    while (!each.empty() && each.back() == ' ') each.pop_back();
    parts.push_back(each);
    at = end + 1;
  }
  return parts;
}

std::int64_t whole(const std::string& option, const std::string& text) {
  char* end = nullptr;
  const long long value = std::strtoll(text.c_str(), &end, 0);
  if (text.empty() || *end != '\0' || value < 1)
    throw bad_input(fmt::format("{}: '{}' is no whole number above 0", option, text));
  return value;
}

/// Index of the kernel's declaration: its definition where there is one.
std::size_t index_of(const Source& source, const std::string& name) {
  std::optional<std::size_t> found;
  for (std::size_t i = 0; i < source.parsed.declarations.size(); ++i) {
    const Declaration& each = source.parsed.declarations[i];
    if (each.kernel && each.kind == Declaration::Kind::function && each.name == name && (!found || each.defined))
      found = i;
  }
  return *found;
}

std::string kernel_to_adopt(const Source& source, const AdoptOptions& options,
                            const std::vector<FoundLaunch>& launches) {
  const std::string file = shown_file(source.main().path);
  std::vector<std::string> names;
  for (const Declaration& each : source.parsed.declarations)
    if (each.kernel && each.kind == Declaration::Kind::function &&
        std::find(names.begin(), names.end(), each.name) == names.end())
      names.push_back(each.name);
  if (names.empty())
    throw bad_input(fmt::format("{} has no __global__ function; name the file that holds the kernel itself", file));
  if (options.entries.size() > 1)
    throw bad_input(
        "adopt takes one kernel at a time: a plugin has one contract; adopt the others by further commands");
  if (options.entries.size() == 1) {
    const std::string& asked = options.entries[0];
    if (std::find(names.begin(), names.end(), asked) != names.end()) return asked;
    throw bad_input(fmt::format("{} has no kernel '{}'{}; it has: {}", file, asked, did_you_mean(asked, names),
                                fmt::join(names, ", ")));
  }
  if (names.size() == 1) return names[0];
  std::vector<std::string> launched;
  for (const FoundLaunch& each : launches)
    if (std::find(names.begin(), names.end(), each.entry) != names.end() &&
        std::find(launched.begin(), launched.end(), each.entry) == launched.end())
      launched.push_back(each.entry);
  if (launched.size() == 1) return launched[0];
  throw bad_input(fmt::format("{} has {} kernels; name the one to adopt: harness adopt {} ENTRY, which is one of {}",
                              file, names.size(), file, fmt::join(names, ", ")));
}

void refuse_broken_signature(const Source& source, std::size_t index) {
  const Declaration& kernel = source.parsed.declarations[index];
  const Source::Found found = source.find(index);
  const std::string file = shown_file(kernel.file);
  if (found.chunk == nullptr)
    throw bad_input(
        fmt::format("{}: kernel '{}' is made by a macro that adopt cannot follow; write it out", file, kernel.name));
  if (found.chunk->body == found.chunk->end)
    throw bad_input(
        fmt::format("{}: kernel '{}' is only declared; name the file that holds its body", file, kernel.name));
  for (const Complaint& complaint : source.parsed.complaints)
    if (shown_file(complaint.file) == shown_file(found.file->path) && complaint.place >= found.chunk->begin &&
        complaint.place < found.chunk->body)
      throw bad_input(
          fmt::format("{}:{}: the signature of '{}' cannot be read: {}; put the header that declares it beside "
                      "the file, or write the type out",
                      file, line_of(found.file->text, complaint.place), kernel.name, complaint.text));
}

std::string qualified_name(const Source& source, std::size_t index) {
  const Source::Found found = source.find(index);
  std::string name;
  for (const std::string& scope : found.chunk->scopes) {
    const std::size_t at = scope.find("namespace ");
    if (at != std::string::npos) name += scope.substr(at + 10) + "::";
  }
  return name + source.parsed.declarations[index].name;
}

/// One name for several kernels, of which a launch would choose by its arguments.
void refuse_overloads(const Source& source, std::size_t index) {
  const auto types = [](const Declaration& kernel) {
    std::vector<std::string> all;
    for (const Parameter& each : kernel.parameters) all.push_back(each.type);
    return all;
  };
  const Declaration& kernel = source.parsed.declarations[index];
  const std::string name = qualified_name(source, index);
  for (std::size_t i = 0; i < source.parsed.declarations.size(); ++i) {
    const Declaration& other = source.parsed.declarations[i];
    if (i == index || !other.kernel || !other.defined || other.kind != Declaration::Kind::function ||
        other.name != kernel.name || other.templates.empty() != kernel.templates.empty() ||
        types(other) == types(kernel) || source.find(i).chunk == nullptr || qualified_name(source, i) != name)
      continue;
    throw bad_input(
        fmt::format("{} has several kernels '{}', which differ in their parameters; give the one to adopt "
                    "a name of its own",
                    shown_file(kernel.file), name));
  }
}

/// Which template arguments were taken, where the file launches it with several.
void note_of_templates(const std::vector<FoundLaunch>& launches, const Declaration& kernel,
                       std::vector<std::string>& notes) {
  std::vector<std::string> seen;
  for (const FoundLaunch& each : launches) {
    if (each.entry != kernel.name || each.templates.empty()) continue;
    const std::string written = fmt::format("{}<{}>", kernel.name, fmt::join(each.templates, ","));
    if (std::find(seen.begin(), seen.end(), written) == seen.end()) seen.push_back(written);
  }
  if (seen.size() < 2) return;
  std::string values;
  for (const TemplateParameter& each : kernel.templates)
    if (!each.type && values.empty()) values = fmt::format("; --tune {}=V,V makes a parameter of it", each.name);
  notes.push_back(fmt::format("the file launches {}: the first was taken{}", fmt::join(seen, " and "), values));
}

bool of_pointer(const AdoptedKernel& kernel, const std::string& type) {
  return std::any_of(kernel.declaration.parameters.begin(), kernel.declaration.parameters.end(),
                     [&](const Parameter& each) { return each.pointee == type; });
}

/// What each type of `kernel<...>` is: one that the host fixes, the one that its dispatch goes over, or one made from
/// that (at::acc_type<scalar_t, true>).
void choose_types(AdoptedKernel& kernel) {
  std::string dispatched;
  for (const TemplateParameter& parameter : kernel.declaration.templates) {
    if (!parameter.type) continue;
    const auto argument = kernel.launch.templates.find(parameter.name);
    const std::string written = argument == kernel.launch.templates.end() ? "" : argument->second;
    const std::vector<std::string> words = words_of(written);
    const bool plain = words.size() == 1 && words[0] == written;
    const auto fixed = dtype_of_type(written);
    if (fixed &&
        (!kernel.dtype_parameter.empty() || kernel.launch.dtypes.size() > 1 || !of_pointer(kernel, parameter.name))) {
      kernel.types[parameter.name] = written;
    } else if (kernel.dtype_parameter.empty() && (written.empty() || plain)) {
      kernel.dtype_parameter = parameter.name;
      dispatched = fixed ? "" : written;
      if (!kernel.launch.dtypes.empty() && !fixed)
        for (const std::string& type : kernel.launch.dtypes) kernel.dtypes.push_back(*parse_dtype(type));
      else kernel.dtypes = {fixed.value_or(Dtype::f32)};
    } else if (written.empty() || written == dispatched) {
      kernel.types[parameter.name] = "$dtype";
    } else {
      kernel.types[parameter.name] = written;
    }
  }
  if (dispatched.empty()) dispatched = "scalar_t";
  for (auto* list : {&kernel.types, &kernel.launch.templates})
    for (auto& [name, text] : *list) text = with_word(text, dispatched, "$dtype");
}

/// The element type of a template parameter that is not the dispatched one.
std::optional<Dtype> dtype_of_parameter(AdoptedKernel& kernel, const std::string& name, bool& follows) {
  const auto known = kernel.types.find(name);
  if (known == kernel.types.end()) return std::nullopt;
  follows = known->second == "$dtype";
  if (follows) return kernel.dtypes.front();
  if (const auto fixed = dtype_of_type(known->second)) return fixed;
  const bool sums = known->second.find("acc_type") != std::string::npos ||
                    known->second.find("opmath") != std::string::npos ||
                    known->second.find("OpMath") != std::string::npos;
  if (!sums || known->second.find("$dtype") == std::string::npos) return std::nullopt;
  std::erase(kernel.dtypes, Dtype::f64);  // sums of all others are made in float
  return kernel.dtypes.empty() ? std::nullopt : std::optional(Dtype::f32);
}

void refuse_type(const AdoptedKernel& kernel, const Parameter& parameter, const std::string& why) {
  throw bad_input(fmt::format("{}: parameter '{}' of '{}' is a {}, {}", shown_file(kernel.declaration.file),
                              parameter.name, kernel.declaration.name, parameter.type, why));
}

/// What numbers of such a name usually are, where nobody says.
double usual_value(const std::string& name) {
  const auto has = [&](const char* word) { return name.find(word) != std::string::npos; };
  if (has("eps")) return 1e-5;
  if (name == "lr" || has("learning_rate")) return 1e-3;
  if (name == "beta1" || has("momentum")) return 0.9;
  if (name == "beta2") return 0.999;
  if (has("decay")) return 0.01;
  return 0.5;
}

AdoptedParameter classify(AdoptedKernel& kernel, const Parameter& parameter) {
  AdoptedParameter adopted;
  adopted.name = parameter.name;
  std::string own = parameter.pointee.empty() ? parameter.type : parameter.pointee;
  if (own.starts_with("const ")) own.erase(0, 6);
  bool of_template = !kernel.dtype_parameter.empty() && own == kernel.dtype_parameter;
  const auto chosen = dtype_of_parameter(kernel, own, of_template);
  if (parameter.name.empty()) refuse_type(kernel, parameter, "has no name; give it one");
  if (of_template) adopted.type = kernel.dtype_parameter;
  if (!parameter.pointee.empty()) {
    if (parameter.resolved.find('*') != std::string::npos)
      refuse_type(kernel, parameter,
                  "a pointer to pointers, whose targets adopt cannot see; pass the arrays one by one");
    const auto dtype = of_template ? std::optional(kernel.dtypes.front())
                       : chosen    ? chosen
                                   : dtype_of_type(parameter.resolved, &adopted.lanes);
    if (!dtype)
      refuse_type(kernel, parameter,
                  "and adopt knows arrays of numbers only; make it a pointer to a type such as float");
    adopted.dtype = *dtype;
    adopted.evidence = parameter.read_only ? "const in the signature" : "not const in the signature";
    return adopted;
  }
  const auto dtype = of_template ? std::optional(kernel.dtypes.front())
                     : chosen    ? chosen
                                 : dtype_of_type(parameter.resolved);
  if (!dtype || parameter.record)
    refuse_type(kernel, parameter,
                parameter.type.find("Accessor") != std::string::npos
                    ? "a tensor accessor by value; pass its data pointer and sizes"
                    : "a structure by value; pass its fields as parameters of their own");
  adopted.dtype = *dtype;
  const auto constant = kernel.launch.constants.find(parameter.name);
  const bool known = constant != kernel.launch.constants.end();
  if (*dtype == Dtype::b8) {
    adopted.kind = AdoptedParameter::Kind::flag;
    adopted.value = known ? constant->second : 1;
    adopted.evidence = "bool in the signature";
  } else if (is_floating(*dtype)) {
    adopted.kind = AdoptedParameter::Kind::real;
    adopted.value = known ? constant->second : usual_value(parameter.name);
    adopted.evidence = known ? "the host passes it" : fmt::format("nobody said which; --size {}=VALUE", parameter.name);
  } else {
    adopted.kind = AdoptedParameter::Kind::size;
    adopted.evidence = fmt::format("{} in the signature", parameter.type);
  }
  return adopted;
}

/// Whole numbers below this that a launch passes as literals are settings of the kernel, not sizes: a radius, an axis.
constexpr double kLeastSize = 32;

void add_sizes(AdoptedKernel& kernel, const FoundLaunch* found) {
  for (std::size_t i = 0; i < kernel.parameters.size(); ++i) {
    AdoptedParameter& parameter = kernel.parameters[i];
    if (parameter.kind != AdoptedParameter::Kind::size) continue;
    const auto constant = kernel.launch.constants.find(parameter.name);
    const bool literal = found != nullptr && i < found->arguments.size() && found->arguments[i].size() == 1 &&
                         found->arguments[i][0].kind == Token::Kind::number;
    if (literal && constant != kernel.launch.constants.end() && constant->second < kLeastSize) {
      parameter.kind = AdoptedParameter::Kind::fixed;
      parameter.value = constant->second;
      parameter.evidence = fmt::format("the launch passes {}", constant->second);
      continue;
    }
    AdoptedSize size{.name = parameter.name, .symbol = parameter.name};
    if (constant != kernel.launch.constants.end()) size.host = static_cast<std::int64_t>(constant->second);
    size.evidence = parameter.evidence;
    kernel.sizes.push_back(std::move(size));
  }
  std::set<std::string> symbols;
  for (const auto* list : {&kernel.launch.grid, &kernel.launch.block})
    for (const FormulaPtr& each : *list) symbols.merge(symbols_of(*each));
  symbols.merge(symbols_of(*kernel.launch.shared));
  for (const std::string& symbol : symbols) {
    if (symbol.starts_with("p.") || symbol.starts_with("sizeof ") || kernel.size(symbol) != nullptr) continue;
    const auto known = std::find_if(kernel.parameters.begin(), kernel.parameters.end(),
                                    [&](const AdoptedParameter& each) { return each.name == symbol; });
    if (known != kernel.parameters.end()) continue;
    AdoptedSize size{.symbol = symbol};
    for (const char c : symbol)
      if (std::isalnum(static_cast<unsigned char>(c)) || c == '_') size.name += c;
      else if (!size.name.empty() && size.name.back() != '_') size.name += '_';
    while (!size.name.empty() && size.name.back() == '_') size.name.pop_back();
    const auto constant = kernel.launch.constants.find(symbol);
    if (constant != kernel.launch.constants.end()) size.host = static_cast<std::int64_t>(constant->second);
    size.evidence = "the host launches with it, the kernel is not passed it";
    kernel.sizes.push_back(std::move(size));
  }
  // Fixed parameters and flags may stand in a grid too.
  std::map<std::string, FormulaPtr> values;
  for (const AdoptedParameter& parameter : kernel.parameters)
    if (parameter.kind == AdoptedParameter::Kind::fixed || parameter.kind == AdoptedParameter::Kind::flag)
      values[parameter.name] = number(parameter.value);
  for (auto* list : {&kernel.launch.grid, &kernel.launch.block})
    for (FormulaPtr& each : *list) each = with(each, values);
  kernel.launch.shared = with(kernel.launch.shared, values);
}

std::map<std::string, std::vector<std::int64_t>> read_tuned(const AdoptOptions& options) {
  std::map<std::string, std::vector<std::int64_t>> tuned;
  for (const std::string& text : options.tune) {
    const auto [name, list] = name_and_rest("tune", text);
    for (const std::string& value : by_commas(list)) tuned[name].push_back(whole("--tune " + text, value));
  }
  return tuned;
}

/// A template argument of the kernel, a name in its launch, or a macro or constant of the file.
void bind_tuned(AdoptedKernel& kernel, const Source& source, const AdoptOptions& options) {
  std::set<std::string> in_launch;
  for (const auto* list : {&kernel.launch.grid, &kernel.launch.block})
    for (const FormulaPtr& each : *list) in_launch.merge(symbols_of(*each));
  in_launch.merge(symbols_of(*kernel.launch.shared));
  for (const auto& [name, values] : kernel.tuned) {
    std::vector<std::string> known{"block"};
    for (const TemplateParameter& parameter : kernel.declaration.templates) {
      known.push_back(parameter.name);
      if (parameter.name == name && !parameter.type) kernel.bound[name] = "template";
    }
    for (const Declaration& each : source.parsed.declarations) {
      if (each.kind != Declaration::Kind::macro && each.kind != Declaration::Kind::variable) continue;
      known.push_back(each.name);
      if (each.name == name && !kernel.bound.contains(name)) kernel.bound[name] = "define";
    }
    if (!kernel.bound.contains(name) && in_launch.contains("p." + name)) kernel.bound[name] = "launch";
    if (name == "block" && !kernel.bound.contains(name)) {
      kernel.launch.block = {symbol("p.block")};
      kernel.bound[name] = "launch";
    }
    if (!kernel.bound.contains(name))
      throw bad_input(
          fmt::format("--tune {}: '{}' is no macro, constant or template argument of {}, and no variable of its "
                      "launch{}",
                      name, name, shown_file(options.file), did_you_mean(name, known)));
  }
}

const FoundLaunch* launch_of(const std::vector<FoundLaunch>& launches, const std::string& entry) {
  for (const FoundLaunch& each : launches)
    if (each.entry == entry) return &each;
  return nullptr;
}

LaunchShape launch_shape(const Source& source, const FoundLaunch* found, const Declaration& declaration,
                         const AdoptOptions& options, const std::set<std::string>& tuned) {
  const bool given = !options.grid.empty() && !options.block.empty();
  LaunchShape shape;
  if (found != nullptr) {
    try {
      shape = resolve_launch(source, *found, declaration, tuned);
    } catch (const Error&) {
      if (!given) throw;
    }
  } else if (!given) {
    throw bad_input(
        fmt::format("{} has no launch {}<<<...>>> that says its grid and block; give --grid EXPR and --block EXPR "
                    "in terms of its parameters",
                    shown_file(source.main().path), declaration.name));
  }
  if (!options.grid.empty()) shape.grid = read_dimensions("--grid", options.grid, declaration, tuned);
  if (!options.block.empty()) shape.block = read_dimensions("--block", options.block, declaration, tuned);
  if (!options.shared.empty()) shape.shared = read_dimensions("--shared", options.shared, declaration, tuned).front();
  if (!options.grid.empty() || !options.block.empty()) shape.from = "--grid and --block";
  return shape;
}

AdoptedParameter& pointer_named(AdoptedKernel& kernel, const std::string& name, const std::string& text) {
  std::vector<std::string> names;
  for (AdoptedParameter& parameter : kernel.parameters) {
    if (parameter.kind != AdoptedParameter::Kind::pointer) continue;
    if (parameter.name == name) return parameter;
    names.push_back(parameter.name);
  }
  throw bad_input(fmt::format("--arg \"{}\": '{}' is no pointer of '{}'{}; they are: {}", text, name,
                              kernel.declaration.name, did_you_mean(name, names), fmt::join(names, ", ")));
}

/// "idx[N, 2] s32 < V", "sum[1] f32 zeroed"
void apply_argument(AdoptedKernel& kernel, const std::string& text) {
  const std::vector<Token> tokens = tokens_of(text);
  const auto refuse = [&] {
    return bad_input(
        fmt::format("--arg \"{}\" is not of the form NAME[SIZE, SIZE] TYPE, with input, output, inout, zeroed or "
                    "< BOUND behind it",
                    text));
  };
  if (tokens.size() < 2 || !tokens[0].is_word()) throw refuse();
  AdoptedParameter& parameter = pointer_named(kernel, std::string(tokens[0].text), text);
  std::size_t at = 1;
  if (tokens[1].is("[")) {
    const std::size_t close = closing(tokens, 1);
    if (close >= tokens.size()) throw refuse();
    parameter.shape = read_dimensions("--arg", text.substr(tokens[1].end, tokens[close].begin - tokens[1].end),
                                      kernel.declaration, {});
    parameter.answered = true;
    parameter.evidence = "--arg";
    at = close + 1;
  }
  for (; at < tokens.size(); ++at) {
    const std::string word(tokens[at].text);
    if (word == "input" || word == "output" || word == "inout") parameter.role = word;
    else if (word == "zeroed") parameter.zeroed = true;
    else if (const auto dtype = parse_dtype(word)) {
      if (storage_bytes(*dtype) != storage_bytes(parameter.dtype))
        throw bad_input(fmt::format("--arg \"{}\": the signature says that '{}' is {}", text, parameter.name,
                                    name(parameter.dtype)));
      parameter.dtype = *dtype;
    } else if (word == "<" && at + 1 < tokens.size()) {
      parameter.below = read_dimensions("--arg", text.substr(tokens[at].end), kernel.declaration, {}).front();
      break;
    } else throw refuse();
  }
  for (const FormulaPtr& extent : parameter.shape)
    for (const std::string& symbol : symbols_of(*extent))
      if (kernel.size(symbol) == nullptr && !symbol.starts_with("p.")) {  // a size that the kernel is not passed
        AdoptedSize size{.name = symbol, .symbol = symbol};
        size.evidence = "--arg";
        kernel.sizes.push_back(std::move(size));
      }
}

/// The kernel is told its sizes in types that may be too small for one.
void refuse_too_large(const AdoptedKernel& kernel, const AdoptedSize& size, const std::string& text) {
  for (const AdoptedParameter& parameter : kernel.parameters) {
    if (parameter.kind != AdoptedParameter::Kind::size || parameter.name != size.symbol) continue;
    const int bits = 8 * storage_bytes(parameter.dtype) - (name(parameter.dtype).starts_with("s") ? 1 : 0);
    for (const std::int64_t value : size.values)
      if (bits < 63 && value >> bits != 0)
        throw bad_input(fmt::format("--size {}: {} does not fit '{}', which '{}' takes as {}", text, value,
                                    parameter.name, kernel.declaration.name, name(parameter.dtype)));
  }
}

void apply_size(AdoptedKernel& kernel, const std::string& text) {
  const auto [name, list] = name_and_rest("size", text);
  std::vector<std::string> known;
  for (AdoptedSize& size : kernel.sizes) {
    known.push_back(size.name);
    if (size.name != name) continue;
    for (const std::string& value : by_commas(list)) size.values.push_back(whole("--size " + text, value));
    refuse_too_large(kernel, size, text);
    return;
  }
  for (AdoptedParameter& parameter : kernel.parameters) {
    const bool number = parameter.kind == AdoptedParameter::Kind::real ||
                        parameter.kind == AdoptedParameter::Kind::flag ||
                        parameter.kind == AdoptedParameter::Kind::fixed;
    if (!number) continue;
    known.push_back(parameter.name);
    if (parameter.name != name) continue;
    char* end = nullptr;
    parameter.value = std::strtod(list.c_str(), &end);
    if (*end != '\0') throw bad_input(fmt::format("--size {}: '{}' is no number", text, list));
    parameter.evidence = "--size";
    return;
  }
  throw bad_input(fmt::format("--size {}: '{}' has no size '{}'{}; it has: {}", text, kernel.declaration.name, name,
                              did_you_mean(name, known), fmt::join(known, ", ")));
}

}  // namespace

namespace {

/// "int block_sizes[] = {32, 64, 128};" of a host that tries several; else the usual ones.
std::vector<std::int64_t> usual_blocks(const Source& source, const std::string& name) {
  std::vector<std::int64_t> values;
  for (const auto& file : source.files)
    for (std::size_t i = 0; i + 4 < file->tokens.size() && values.empty(); ++i) {
      const std::vector<Token>& tokens = file->tokens;
      const bool list = tokens[i].is_word() && tokens[i].text.starts_with(name) && tokens[i + 1].is("[");
      const std::size_t equals = list ? closing(tokens, i + 1) + 1 : tokens.size();
      if (equals + 1 >= tokens.size() || !tokens[equals].is("=") || !tokens[equals + 1].is("{")) continue;
      for (std::size_t k = equals + 2; k < closing(tokens, equals + 1); ++k)
        if (tokens[k].kind == Token::Kind::number)
          values.push_back(std::strtoll(std::string(tokens[k].text).c_str(), nullptr, 0));
    }
  std::erase_if(values, [](std::int64_t value) { return value < 1 || value > 1024; });
  if (values.empty()) values = {256, 128, 512};
  const auto common = std::find(values.begin(), values.end(), 256);
  if (common != values.end()) std::rotate(values.begin(), common, common + 1);
  return values;
}

/// Edges of a block of two dimensions: the one that the launch passes as a template argument, else the usual ones.
std::vector<std::int64_t> tiles_of_launch(const AdoptedKernel& kernel) {
  for (const TemplateParameter& parameter : kernel.declaration.templates)
    if (const auto found = kernel.launch.templates.find(parameter.name);
        !parameter.type && found != kernel.launch.templates.end())
      if (const std::int64_t value = std::atoll(found->second.c_str()); value >= 2 && value <= 32) return {value};
  return {16, 32, 8};
}

/// Names in the block's size that nobody gives a value are what the host would tune.
bool tune_blocks(AdoptedKernel& kernel, const Source& source) {
  std::set<std::string> symbols;
  for (const FormulaPtr& each : kernel.launch.block) symbols.merge(symbols_of(*each));
  bool added = false;
  for (const std::string& each : symbols) {
    const bool known = each.starts_with("p.") || each.starts_with("sizeof ") ||
                       std::any_of(kernel.declaration.parameters.begin(), kernel.declaration.parameters.end(),
                                   [&](const Parameter& parameter) { return parameter.name == each; });
    const bool name =
        std::all_of(each.begin(), each.end(), [](unsigned char c) { return std::isalnum(c) || c == '_'; });
    if (known || !name) continue;
    const auto dimensions = std::count_if(kernel.launch.block.begin(), kernel.launch.block.end(),
                                          [&](const FormulaPtr& extent) { return symbols_of(*extent).contains(each); });
    kernel.tuned[each] = dimensions > 1 ? tiles_of_launch(kernel) : usual_blocks(source, each);
    added = true;
  }
  return added;
}

/// A value that a template needs and that no launch, option or default gives.
void refuse_open_templates(const AdoptedKernel& kernel, const Source& source) {
  const Source::Found found = source.find(kernel.index);
  const std::string_view text = found.chunk == nullptr ? std::string_view{} : found.file->text;
  const std::string head(
      found.chunk == nullptr ? text : text.substr(found.chunk->begin, found.chunk->body - found.chunk->begin));
  for (const TemplateParameter& parameter : kernel.declaration.templates) {
    const auto launched = kernel.launch.templates.find(parameter.name);
    const bool known = parameter.type || kernel.bound.contains(parameter.name) ||
                       (launched != kernel.launch.templates.end() && !launched->second.empty()) ||
                       head.find(parameter.name + " =") != std::string::npos ||
                       head.find(parameter.name + "=") != std::string::npos;
    if (!known)
      throw bad_input(fmt::format(
          "{}: '{}' is a template on {} {}, and no launch in the file says its value; give --tune {}=64,128",
          shown_file(kernel.declaration.file), kernel.declaration.name, parameter.written, parameter.name,
          parameter.name));
  }
}

}  // namespace

Source source_of(AdoptOptions& options, std::string& digest, std::vector<std::string>& notes) {
  Source source = read_cuda_source(options.file);
  digest = sha256_hex(source.main().text);
  const std::vector<FoundLaunch> launches = find_launches(source);
  const std::string name = kernel_to_adopt(source, options, launches);
  const std::size_t index = index_of(source, name);
  refuse_broken_signature(source, index);
  refuse_overloads(source, index);
  notes = take_pragmas(source, index, options);
  note_of_templates(launches, source.parsed.declarations[index], notes);
  const auto unpacked = unpack(source, index, launch_of(launches, name));
  if (!unpacked) return source;
  if (options.name.empty()) options.name = name;
  options.entries = {unpacked->kernel};
  return read_cuda_text(options.file, unpacked->text);
}

AdoptedKernel choose_kernel(const Source& source, const AdoptOptions& options) {
  const std::vector<FoundLaunch> launches = find_launches(source);
  const std::string name = kernel_to_adopt(source, options, launches);
  const std::size_t index = index_of(source, name);
  refuse_broken_signature(source, index);
  AdoptedKernel kernel;
  kernel.index = index;
  kernel.declaration = source.parsed.declarations[index];
  kernel.qualified = qualified_name(source, index);
  kernel.tuned = read_tuned(options);
  std::set<std::string> tuned;
  for (const auto& [each, values] : kernel.tuned) tuned.insert(each);
  const FoundLaunch* const found = launch_of(launches, name);
  kernel.launch = launch_shape(source, found, kernel.declaration, options, tuned);
  if (tune_blocks(kernel, source)) {
    for (const auto& [each, values] : kernel.tuned) tuned.insert(each);
    kernel.launch = launch_shape(source, found, kernel.declaration, options, tuned);
  }
  choose_types(kernel);
  if (kernel.dtypes.empty()) kernel.dtypes = {Dtype::f32};
  for (const Parameter& parameter : kernel.declaration.parameters)
    kernel.parameters.push_back(classify(kernel, parameter));
  for (AdoptedParameter& parameter : kernel.parameters)
    if (kernel.launch.zeroed.contains(parameter.name)) parameter.zeroed = true;
  bind_tuned(kernel, source, options);
  refuse_open_templates(kernel, source);
  add_sizes(kernel, found);
  return kernel;
}

void apply_answers(AdoptedKernel& kernel, const AdoptOptions& options) {
  for (const std::string& text : options.arguments) apply_argument(kernel, text);
  for (const std::string& text : options.sizes) apply_size(kernel, text);
}

}  // namespace harness::adopt
