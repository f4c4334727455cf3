#include "harness/adopt/host/unpack.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <map>
#include <set>
#include <vector>

#include "harness/adopt/host/local_values.h"
#include "harness/adopt/host/resolver.h"
#include "harness/adopt/source/element_type.h"
#include "harness/adopt/source/kernels.h"
#include "harness/adopt/source/option_text.h"
#include "harness/core/error.h"

namespace harness::adopt {
namespace {

constexpr std::string_view kFront = "_unpacked";

bool is_accessor(const Parameter& parameter) {
  return parameter.type.find("PackedTensorAccessor") != std::string::npos;
}

/// PackedTensorAccessor32<scalar_t, 3, ...>
struct Accessor {
  std::string element;
  int rank = 0;
};

std::string without_const(std::string type) {
  if (type.starts_with("const ")) type.erase(0, 6);
  return type;
}

std::optional<Accessor> read_accessor(const std::string& type) {
  const std::vector<Token> tokens = tokens_of(type);
  std::size_t open = 0;
  while (open < tokens.size() && !tokens[open].is("<")) ++open;
  if (open == tokens.size()) return std::nullopt;
  Accessor read;
  std::size_t at = open + 1;
  for (int depth = 0; at < tokens.size() && !(depth == 0 && tokens[at].is(",")); ++at) {
    if (tokens[at].is("<")) ++depth;
    if (tokens[at].is(">")) --depth;
    read.element += (read.element.empty() || tokens[at].kind == Token::Kind::sign ? "" : " ");
    read.element += tokens[at].text;
  }
  if (at + 1 >= tokens.size() || tokens[at + 1].kind != Token::Kind::number) return std::nullopt;
  read.rank = std::atoi(std::string(tokens[at + 1].text).c_str());
  if (read.rank < 1 || read.rank > 8) return std::nullopt;
  return read;
}

std::string as_name(const std::string& text) {
  std::string name;
  for (const char c : text)
    if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_') name += c;
    else if (!name.empty() && name.back() != '_') name += '_';
  while (!name.empty() && name.back() == '_') name.pop_back();
  return name;
}

/// 3 of the argument `x + 3`, also where a constant says 3; nothing: it is passed from its first element on.
std::optional<std::int64_t> offset_of(const Source& source, const Declaration& kernel, const HostLaunch* launch,
                                      std::size_t i) {
  if (launch == nullptr || i >= launch->arguments.size() || kernel.parameters[i].pointee.empty()) return std::nullopt;
  const std::vector<Token>& argument = launch->arguments[i];
  if (argument.size() < 3 || !argument[0].is_word() || !argument[1].is("+")) return std::nullopt;
  const std::set<std::string> none;
  const FormulaPtr beyond = Resolver({source, launch, kernel, none}).read({argument.begin() + 2, argument.end()});
  if (!beyond || beyond->kind != Op::number || beyond->number < 1) return std::nullopt;
  return static_cast<std::int64_t>(beyond->number);
}

/// What a kernel's text says of the dimensions of an accessor: the greatest number that stands in x[n][7][f] at each,
/// where nothing but numbers does; and whether the outermost extent, which no address depends on, is asked for.
struct Indexed {
  std::vector<int> most;  // -1: not by numbers alone
  bool outermost = false;
};

/// At a word that is the accessor: its indices, or x.size(1).
void read_use(const std::vector<Token>& tokens, std::size_t at, Indexed& indexed, std::vector<bool>& open) {
  const std::size_t rank = open.size();
  if (at + 3 < tokens.size() && tokens[at + 1].is(".") && tokens[at + 2].is("size") && tokens[at + 3].is("(")) {
    const std::string which(at + 5 < tokens.size() && tokens[at + 5].is(")") ? tokens[at + 4].text : "");
    const std::size_t dimension = which.size() == 1 && std::isdigit(static_cast<unsigned char>(which[0])) != 0
                                      ? static_cast<std::size_t>(which[0] - '0')
                                      : rank;
    for (std::size_t d = 0; d < rank; ++d)
      if (dimension >= rank || d == dimension) open[d] = true;
    indexed.outermost = indexed.outermost || open[0];
    return;
  }
  std::size_t next = at + 1;
  for (std::size_t d = 0; d < rank; ++d) {
    const bool index = next < tokens.size() && tokens[next].is("[");
    if (!index && d == 0) indexed.outermost = true;  // handed on as a whole
    const std::size_t close = index ? closing(tokens, next) : tokens.size();
    const bool number = index && close == next + 2 && tokens[next + 1].kind == Token::Kind::number;
    if (number) indexed.most[d] = std::max(indexed.most[d], std::atoi(std::string(tokens[next + 1].text).c_str()));
    else open[d] = true;
    if (index) next = close + 1;
  }
}

Indexed indexed_in(const Source::Place& kernel, const std::string& accessor, int rank) {
  Indexed indexed{std::vector<int>(static_cast<std::size_t>(rank), -1), false};
  std::vector<bool> open(static_cast<std::size_t>(rank), false);
  const std::vector<Token>& tokens = kernel.file->tokens;
  for (std::size_t i = 1; i < tokens.size() && tokens[i].begin < kernel.chunk->end; ++i)
    if (tokens[i].begin > kernel.chunk->body && tokens[i].is(accessor) && !tokens[i - 1].is(".") &&
        !tokens[i - 1].is("->"))
      read_use(tokens, i, indexed, open);
  for (std::size_t d = 0; d < open.size(); ++d)
    if (open[d]) indexed.most[d] = -1;
  return indexed;
}

/// x, y, z and w of a long4 and CUDA's other vectors; empty: it is none.
std::vector<Parameter> fields_of_vector(const std::string& type) {
  static const std::map<std::string, std::string> elements{{"char", "char"},
                                                           {"uchar", "unsigned char"},
                                                           {"short", "short"},
                                                           {"ushort", "unsigned short"},
                                                           {"int", "int"},
                                                           {"uint", "unsigned"},
                                                           {"long", "long"},
                                                           {"ulong", "unsigned long"},
                                                           {"longlong", "long long"},
                                                           {"ulonglong", "unsigned long long"},
                                                           {"float", "float"},
                                                           {"double", "double"}};
  if (type.empty() || type.back() < '1' || type.back() > '4') return {};
  const auto element = elements.find(type.substr(0, type.size() - 1));
  if (element == elements.end()) return {};
  std::vector<Parameter> fields;
  for (const char axis : std::string_view("xyzw").substr(0, static_cast<std::size_t>(type.back() - '0')))
    fields.push_back({.name = std::string(1, axis), .type = element->second});
  return fields;
}

/// A structure of the file whose parts are all numbers of one type, side by side: an array of it is one of these.
class UniformStructure {
 public:
  explicit UniformStructure(const Source& source) : source_(source) {}

  /// "float" of `struct Ball { float3 at; float radius; };`; "": its parts differ, or what it is made of is not known.
  std::string element_of(const std::string& type) const { return element_of(type, 0); }

 private:
  static std::string last_name(const std::string& type) {
    const std::size_t scope = type.rfind("::");
    return scope == std::string::npos ? type : type.substr(scope + 2);
  }

  std::string element_of(const std::string& given, int depth) const {
    const std::string type = without_const(given.substr(0, given.find('[')));
    const std::string plain(trimmed(type));
    if (plain.find_first_of("*&<") != std::string::npos || depth > kDeepestName) return "";
    int lanes = 1;
    if (dtype_of_type(plain, &lanes)) {
      const std::vector<Parameter> parts = lanes > 1 ? fields_of_vector(plain) : std::vector<Parameter>();
      return parts.empty() ? plain : parts.front().type;
    }
    const Declaration* const structure = structure_named(last_name(plain));
    if (structure == nullptr) return "";
    std::string element;
    for (const Parameter& field : structure->parameters) {
      const std::string own = element_of(field.resolved.empty() ? field.type : field.resolved, depth + 1);
      if (own.empty() || (!element.empty() && own != element)) return "";
      element = own;
    }
    return element;
  }

  /// Nothing of it may stand between its parts, or before them.
  const Declaration* structure_named(const std::string& name) const {
    const Declaration* structure = nullptr;
    for (std::size_t i = 0; i < source_.parsed.declarations.size(); ++i) {
      const Declaration& declaration = source_.parsed.declarations[i];
      if (declaration.kind != Declaration::Kind::type || declaration.name != name || declaration.parameters.empty())
        continue;
      const Source::Place place = source_.places[i];
      if (structure != nullptr || place.chunk == nullptr || !declaration.templates.empty()) return nullptr;
      const std::string text = place.file->text.substr(place.chunk->begin, place.chunk->end - place.chunk->begin);
      const std::string head = text.substr(0, text.find('{'));
      static const std::set<std::string> kOther{"virtual", "union", "alignas", "__align__", "template"};
      const bool derived = head.find(':') != std::string::npos;
      const bool plain = !derived && std::ranges::none_of(
                                         words_of(text), [](const std::string& word) { return kOther.contains(word); });
      if (!plain) return nullptr;
      structure = &declaration;
    }
    return structure;
  }

  const Source& source_;
};

/// "float" of a pointer to structures of such parts; "": it is none.
std::string element_of_structures(const Source& source, const Parameter& parameter) {
  if (parameter.pointee.empty() || dtype_of_type(parameter.resolved) || !parameter.enumerators.empty()) return "";
  return UniformStructure(source).element_of(parameter.resolved);
}

/// Builds the kernel in front, parameter by parameter.
class Front {
 public:
  Front(const Source& source, const Source::Place& place, const Declaration& kernel, const HostLaunch* launch)
      : source_(source), place_(place), kernel_(kernel), launch_(launch) {}

  std::vector<std::string> parameters, passed, before, host;  // its own; to the original; its body; at the launch

  void add(std::size_t i) {
    const Parameter& parameter = kernel_.parameters[i];
    const std::string argument = host_argument(i);
    if (is_accessor(parameter)) add_accessor(parameter, argument);
    else if (parameter.record) add_record(parameter, argument);
    else if (const std::string element = element_of_structures(source_, parameter); !element.empty())
      add_structures(parameter, element, argument);
    else {
      parameters.push_back(declared(parameter, parameter.name));
      const auto offset = from_begin_ ? offset_of(source_, kernel_, launch_, i) : std::nullopt;
      passed.push_back(offset ? fmt::format("{} + {}", parameter.name, *offset) : parameter.name);
      host.push_back(offset ? std::string(launch_->arguments[i][0].text) : argument);
    }
  }

  /// Arrays that the launch passes from an element of theirs on are passed from their first one.
  void pass_from_begin() { from_begin_ = true; }

  /// The sizes of accessors come last.
  void finish() {
    for (const auto& [text, name] : sizes_) {
      parameters.push_back("int " + name);
      host.push_back(text);
    }
  }

 private:
  static std::string declared(const Parameter& parameter, const std::string& name) {
    if (parameter.pointee.empty()) return fmt::format("{} {}", without_const(parameter.type), name);
    return fmt::format("{}{}* {}", parameter.read_only ? "const " : "", without_const(parameter.pointee), name);
  }

  Error refusal(const Parameter& parameter, const std::string& why) const {
    return bad_input(fmt::format("{}: parameter '{}' of '{}' is a {}, {}", shown_file(kernel_.file), parameter.name,
                                 kernel_.name, parameter.type, why));
  }

  std::string host_argument(std::size_t i) const {
    if (launch_ == nullptr || i >= launch_->arguments.size() || launch_->arguments[i].empty())
      return kernel_.parameters[i].name;
    return launch_->file->text_of(launch_->arguments[i]);
  }

  void add_accessor(const Parameter& parameter, const std::string& argument) {
    const auto accessor = read_accessor(parameter.type);
    if (!accessor)
      throw refusal(parameter, "a tensor accessor that adopt cannot read; pass its data pointer and sizes");
    const std::string tensor = argument.substr(0, argument.find_first_of(".-"));
    parameters.push_back(fmt::format("{}* {}", accessor->element, parameter.name));
    host.push_back(tensor);
    std::vector<std::string> sizes;
    const Indexed indexed = indexed_in(place_, parameter.name, accessor->rank);
    for (const std::string& text : extents_of_tensor(launch_, tensor, accessor->rank)) {
      const int most = indexed.most[sizes.size()];
      const bool unused = sizes.empty() && !indexed.outermost && !is_known(text) && !host_names(text);
      if (is_number(text)) sizes.push_back(text);
      else if (most >= 0 && !sizes.empty()) sizes.push_back(fmt::format("{}", most + 1));  // x[n][7]: 8 at least
      else sizes.push_back(unused ? "1" : size_named(text));
    }
    before.push_back(fmt::format("{} harness_{}({}, {{{}}});", without_const(parameter.type), parameter.name,
                                 parameter.name, fmt::join(sizes, ", ")));
    passed.push_back("harness_" + parameter.name);
  }

  /// Structures of three numbers are three numbers each.
  void add_structures(const Parameter& parameter, const std::string& element, const std::string& argument) {
    const std::string before_type = parameter.read_only ? "const " : "";
    parameters.push_back(fmt::format("{}{}* {}", before_type, element, parameter.name));
    passed.push_back(
        fmt::format("reinterpret_cast<{}{}*>({})", before_type, without_const(parameter.resolved), parameter.name));
    host.push_back(argument);
  }

  static bool is_number(const std::string& text) {
    return !text.empty() && text.find_first_not_of("0123456789") == std::string::npos;
  }

  bool is_known(const std::string& text) const {
    return std::ranges::any_of(sizes_, [&](const auto& size) { return size.first == text; });
  }

  /// Does the function that launches speak of it? Then its grid may be made of it.
  bool host_names(const std::string& text) const {
    if (launch_ == nullptr || launch_->chunk == nullptr) return true;
    std::string host;
    for (const Token& token : launch_->file->tokens)
      if (token.begin >= launch_->chunk->begin && token.begin < launch_->chunk->end) host += token.text;
    return text.find('.') == std::string::npos || host.find(text) != std::string::npos;
  }

  /// A number stays; anything else becomes a parameter, one for each text.
  std::string size_named(const std::string& text) {
    if (is_number(text)) return text;
    for (const Parameter& parameter : kernel_.parameters)  // the kernel is passed it anyway
      if (parameter.name == text && parameter.pointee.empty() && !parameter.record) return text;
    for (const auto& [written, name] : sizes_)
      if (written == text) return name;
    sizes_.emplace_back(text, as_name(text));
    return sizes_.back().second;
  }

  /// Of a structure of the file or a vector of CUDA's.
  std::vector<Parameter> fields_of(const Parameter& parameter, const std::string& type) const {
    const std::size_t scope = type.rfind("::");
    const std::string name = scope == std::string::npos ? type : type.substr(scope + 2);
    const auto record = std::ranges::find_if(source_.parsed.declarations, [&](const Declaration& declaration) {
      return declaration.kind == Declaration::Kind::type && declaration.name == name && !declaration.parameters.empty();
    });
    if (record != source_.parsed.declarations.end()) return record->parameters;
    std::vector<Parameter> fields = fields_of_vector(name);
    if (fields.empty())
      throw refusal(parameter, "a structure by value whose fields are not declared in the file or beside it");
    return fields;
  }

  void add_record(const Parameter& parameter, const std::string& argument) {
    const std::string type = without_const(parameter.resolved);
    const std::vector<Parameter> fields = fields_of(parameter, type);
    const std::vector<std::string> values = values_of(argument);
    before.push_back(fmt::format("{} {};", type, parameter.name));
    for (std::size_t i = 0; i < fields.size(); ++i) {
      const Parameter& field = fields[i];
      if (field.record || field.type.find('[') != std::string::npos || field.type.find('&') != std::string::npos)
        throw refusal(parameter, fmt::format("whose field '{}' is a {}; pass its parts as parameters of their own",
                                             field.name, field.type));
      const std::string own = parameter.name + "_" + field.name;
      parameters.push_back(declared(field, own));
      before.push_back(fmt::format("{}.{} = {};", parameter.name, field.name, own));
      host.push_back(value_of_part(argument, field.name, i < values.size() ? values[i] : ""));
    }
    passed.push_back(parameter.name);
  }

  /// What the host puts into a field, one by one or in braces; the field itself where the launch may be made of it.
  std::string value_of_part(const std::string& variable, const std::string& field, const std::string& in_braces) const {
    const std::string itself = fmt::format("{}.{}", variable, field);
    if (launch_ == nullptr || host_reads(variable, field)) return itself;
    if (const auto set = value_of_field(*launch_, variable, field)) return *set;
    return in_braces.empty() ? itself : in_braces;
  }

  /// Does the function that launches read a field of a variable of its own?
  bool host_reads(const std::string& variable, const std::string& field) const {
    if (launch_ == nullptr || launch_->chunk == nullptr) return false;
    const std::vector<Token>& tokens = launch_->file->tokens;
    for (std::size_t i = 0; i + 3 < tokens.size() && tokens[i].begin < launch_->chunk->end; ++i)
      if (tokens[i].begin > launch_->chunk->begin && tokens[i].is(variable) && tokens[i + 1].is(".") &&
          tokens[i + 2].is(field) && !tokens[i + 3].is("="))
        return true;
    return false;
  }

  /// The parts of P{x, n} and make_int2(x, n), also where a variable holds it; empty: they are not written so.
  std::vector<std::string> values_of(const std::string& argument) const {
    const auto local = launch_ == nullptr ? std::nullopt : value_of_local(*launch_, argument);
    const std::string written = local.value_or(argument);
    const std::vector<Token> tokens = tokens_of(written);
    if (tokens.size() < 3) return {};
    const bool is_call =
        tokens[0].text.starts_with("make_") && tokens[1].is("(") && closing(tokens, 1) == tokens.size() - 1;
    if (!is_call && !tokens.back().is("}")) return {};
    const std::size_t open = written.find(is_call ? '(' : '{');
    return parts_of(written.substr(open + 1, tokens.back().begin - open - 1));
  }

  static std::vector<std::string> parts_of(const std::string& text) {
    std::vector<std::string> parts;
    for (const Tokens& piece : split_by_commas(tokens_of(text)))
      parts.push_back(piece.empty() ? "" : text.substr(piece.front().begin, piece.back().end - piece.front().begin));
    return parts;
  }

  const Source& source_;
  const Source::Place& place_;
  const Declaration& kernel_;
  const HostLaunch* launch_;
  bool from_begin_ = false;
  std::vector<std::pair<std::string, std::string>> sizes_;  // text at the launch, name
};

std::string kernel_in_front(const Source::Place& place, const Declaration& kernel, const Front& front,
                            const std::string& name) {
  std::string call = kernel.name;
  std::vector<std::string> arguments;
  for (const TemplateParameter& parameter : kernel.templates) arguments.push_back(parameter.name);
  if (!arguments.empty()) call += fmt::format("<{}>", fmt::join(arguments, ", "));
  return fmt::format(
      "\n\n// Made by harness adopt: the parts of the structures that {} takes are parameters here.\n"
      "{}__global__ void {}({}) {{\n  {}\n  {}({});\n}}\n",
      kernel.name, template_head(place), name, fmt::join(front.parameters, ", "), fmt::join(front.before, "\n  "), call,
      fmt::join(front.passed, ", "));
}

}  // namespace

std::string behind_front(const std::string& name) {
  return name.ends_with(kFront) ? name.substr(0, name.size() - kFront.size()) : "";
}

std::optional<Unpacked> unpack(const Source& source, std::size_t index, const HostLaunch* launch, bool from_begin) {
  const Declaration& kernel = source.parsed.declarations[index];
  bool needed = std::ranges::any_of(kernel.parameters, [&](const Parameter& parameter) {
    return is_accessor(parameter) || parameter.record || !element_of_structures(source, parameter).empty();
  });
  for (std::size_t i = 0; i < kernel.parameters.size() && from_begin; ++i)
    needed = needed || offset_of(source, kernel, launch, i).has_value();
  const Source::Place declared = source.places[index];
  if (!needed || declared.chunk == nullptr) return std::nullopt;
  Front front(source, declared, kernel, launch);
  if (from_begin) front.pass_from_begin();
  for (std::size_t i = 0; i < kernel.parameters.size(); ++i) front.add(i);
  front.finish();
  const SourceText& main = source.main();
  if (launch != nullptr && launch->file != &main)
    throw bad_input(fmt::format("'{}' takes structures, and is launched in {}; give --grid EXPR and --block EXPR",
                                kernel.name, launch->file->name));
  if (declared.file != &main)
    throw bad_input(fmt::format("'{}' takes structures by value and is not in {} itself; name the file that holds it",
                                kernel.name, main.name));
  Unpacked result{"", kernel.name + std::string(kFront)};
  std::vector<TextEdit> edits{
      {declared.chunk->end, declared.chunk->end, kernel_in_front(declared, kernel, front, result.kernel)}};
  if (launch != nullptr) {
    const std::size_t name = main.text.rfind(launch->entry, launch->place);
    edits.push_back({name, name + launch->entry.size(), result.kernel});
    const auto place = std::ranges::find_if(
        main.tokens, [&](const Token& token) { return token.begin > launch->place && token.is(">>>"); });
    const auto open = static_cast<std::size_t>(place - main.tokens.begin()) + 1;
    const std::size_t close = closing(main.tokens, open);
    edits.push_back({main.tokens[open].end, main.tokens[close].begin, fmt::format("{}", fmt::join(front.host, ", "))});
  }
  result.text = edited(main.text, std::move(edits));
  return result;
}

}  // namespace harness::adopt
