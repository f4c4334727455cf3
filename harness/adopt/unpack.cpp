#include "harness/adopt/unpack.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <vector>

#include "harness/adopt/template_head.h"
#include "harness/core/error.h"

namespace harness::adopt {
namespace {

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

/// Builds the kernel in front, parameter by parameter.
class Front {
 public:
  Front(const Source& source, const Declaration& kernel, const FoundLaunch* launch)
      : source_(source), kernel_(kernel), launch_(launch) {}

  std::vector<std::string> parameters, passed, before, host;  // its own; to the original; its body; at the launch

  void add(std::size_t i) {
    const Parameter& parameter = kernel_.parameters[i];
    const std::string argument = host_argument(i);
    if (is_accessor(parameter)) add_accessor(parameter, argument);
    else if (parameter.record) add_record(parameter, argument);
    else {
      parameters.push_back(declared(parameter, parameter.name));
      passed.push_back(parameter.name);
      host.push_back(argument);
    }
  }

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
    return bad_input(fmt::format("{}: parameter '{}' of '{}' is a {}, {}",
                                 std::filesystem::path(kernel_.file).filename().string(), parameter.name, kernel_.name,
                                 parameter.type, why));
  }

  std::string host_argument(std::size_t i) const {
    if (launch_ == nullptr || i >= launch_->arguments.size() || launch_->arguments[i].empty())
      return kernel_.parameters[i].name;
    const std::vector<Token>& tokens = launch_->arguments[i];
    return launch_->file->text.substr(tokens.front().begin, tokens.back().end - tokens.front().begin);
  }

  void add_accessor(const Parameter& parameter, const std::string& argument) {
    const auto accessor = read_accessor(parameter.type);
    if (!accessor)
      throw refusal(parameter, "a tensor accessor that adopt cannot read; pass its data pointer and sizes");
    const std::string tensor = argument.substr(0, argument.find_first_of(".-"));
    parameters.push_back(fmt::format("{}* {}", accessor->element, parameter.name));
    host.push_back(tensor);
    std::vector<std::string> sizes;
    for (const std::string& text : extents_of_tensor(launch_, tensor, accessor->rank))
      sizes.push_back(size_named(text));
    before.push_back(fmt::format("{} harness_{}({}, {{{}}});", without_const(parameter.type), parameter.name,
                                 parameter.name, fmt::join(sizes, ", ")));
    passed.push_back("harness_" + parameter.name);
  }

  /// A number stays; anything else becomes a parameter, one for each text.
  std::string size_named(const std::string& text) {
    if (!text.empty() && text.find_first_not_of("0123456789") == std::string::npos) return text;
    for (const Parameter& each : kernel_.parameters)  // the kernel is passed it anyway
      if (each.name == text && each.pointee.empty() && !each.record) return text;
    for (const auto& [known, name] : sizes_)
      if (known == text) return name;
    sizes_.emplace_back(text, as_name(text));
    return sizes_.back().second;
  }

  void add_record(const Parameter& parameter, const std::string& argument) {
    const std::string type = without_const(parameter.resolved);
    const std::size_t scope = type.rfind("::");
    const std::string name = scope == std::string::npos ? type : type.substr(scope + 2);
    const auto found = std::ranges::find_if(source_.parsed.declarations, [&](const Declaration& each) {
      return each.kind == Declaration::Kind::type && each.name == name && !each.parameters.empty();
    });
    if (found == source_.parsed.declarations.end())
      throw refusal(parameter, "a structure by value whose fields are not declared in the file or beside it");
    const std::vector<Token> tokens = tokens_of(argument);
    std::vector<std::string> values;
    if (tokens.size() > 2 && tokens.back().is("}")) {  // P{x, n}
      const std::size_t open = argument.find('{');
      std::string inside = argument.substr(open + 1, argument.rfind('}') - open - 1);
      values = parts_of(inside);
    }
    before.push_back(fmt::format("{} {};", type, parameter.name));
    for (std::size_t i = 0; i < found->parameters.size(); ++i) {
      const Parameter& field = found->parameters[i];
      if (field.record || field.type.find('[') != std::string::npos || field.type.find('&') != std::string::npos)
        throw refusal(parameter, fmt::format("whose field '{}' is a {}; pass its parts as parameters of their own",
                                             field.name, field.type));
      const std::string own = parameter.name + "_" + field.name;
      parameters.push_back(declared(field, own));
      before.push_back(fmt::format("{}.{} = {};", parameter.name, field.name, own));
      host.push_back(i < values.size() ? values[i] : fmt::format("{}.{}", argument, field.name));
    }
    passed.push_back(parameter.name);
  }

  static std::vector<std::string> parts_of(const std::string& text) {
    std::vector<std::string> parts;
    int depth = 0;
    std::size_t from = 0;
    for (const Token& token : tokens_of(text)) {
      if (token.is("(") || token.is("{") || token.is("[")) ++depth;
      if (token.is(")") || token.is("}") || token.is("]")) --depth;
      if (depth != 0 || !token.is(",")) continue;
      parts.push_back(text.substr(from, token.begin - from));
      from = token.end;
    }
    parts.push_back(text.substr(from));
    return parts;
  }

  const Source& source_;
  const Declaration& kernel_;
  const FoundLaunch* launch_;
  std::vector<std::pair<std::string, std::string>> sizes_;  // text at the launch, name
};

std::string kernel_in_front(const Source::Found& found, const Declaration& kernel, const Front& front,
                            const std::string& name) {
  std::string call = kernel.name;
  std::vector<std::string> arguments;
  for (const TemplateParameter& each : kernel.templates) arguments.push_back(each.name);
  if (!arguments.empty()) call += fmt::format("<{}>", fmt::join(arguments, ", "));
  return fmt::format(
      "\n\n// Made by harness adopt: the parts of what {} takes by value are parameters here.\n"
      "{}__global__ void {}({}) {{\n  {}\n  {}({});\n}}\n",
      kernel.name, template_head(found), name, fmt::join(front.parameters, ", "), fmt::join(front.before, "\n  "), call,
      fmt::join(front.passed, ", "));
}

}  // namespace

std::optional<Unpacked> unpack(const Source& source, std::size_t index, const FoundLaunch* launch) {
  const Declaration& kernel = source.parsed.declarations[index];
  const bool needed =
      std::ranges::any_of(kernel.parameters, [](const Parameter& each) { return is_accessor(each) || each.record; });
  const Source::Found found = source.find(index);
  if (!needed || found.chunk == nullptr) return std::nullopt;
  Front front(source, kernel, launch);
  for (std::size_t i = 0; i < kernel.parameters.size(); ++i) front.add(i);
  front.finish();
  const SourceText& main = source.main();
  if (found.file != &main || (launch != nullptr && launch->file != &main))
    throw bad_input(fmt::format("'{}' takes structures by value and is not in {} itself; name the file that holds it",
                                kernel.name, std::filesystem::path(main.path).filename().string()));
  Unpacked result{main.text, kernel.name + "_unpacked"};
  struct Edit {
    std::size_t begin, end;
    std::string text;
  };
  std::vector<Edit> edits{{found.chunk->end, found.chunk->end, kernel_in_front(found, kernel, front, result.kernel)}};
  if (launch != nullptr) {
    const std::size_t name = main.text.rfind(launch->entry, launch->place);
    edits.push_back({name, name + launch->entry.size(), result.kernel});
    const auto place = std::ranges::find_if(
        main.tokens, [&](const Token& each) { return each.begin > launch->place && each.is(">>>"); });
    const auto open = static_cast<std::size_t>(place - main.tokens.begin()) + 1;
    const std::size_t close = closing(main.tokens, open);
    edits.push_back({main.tokens[open].end, main.tokens[close].begin, fmt::format("{}", fmt::join(front.host, ", "))});
  }
  std::ranges::sort(edits, [](const Edit& a, const Edit& b) { return a.begin > b.begin; });
  for (const Edit& edit : edits) result.text.replace(edit.begin, edit.end - edit.begin, edit.text);
  return result;
}

}  // namespace harness::adopt
