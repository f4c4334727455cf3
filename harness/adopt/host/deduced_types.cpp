#include "harness/adopt/host/deduced_types.h"

#include <algorithm>
#include <map>
#include <set>

#include "harness/adopt/host/definitions.h"
#include "harness/adopt/host/local_values.h"
#include "harness/adopt/source/element_type.h"
#include "harness/adopt/source/tokens.h"

namespace harness::adopt {
namespace {

/// float of `(float*)p`, `reinterpret_cast<float*>(p)`, `x.data_ptr<float>()`; "": the argument says no type itself.
std::string type_written_in(const Tokens& argument) {
  if (argument.size() > 3 && argument[0].is("(")) {
    const std::size_t close = closing(argument, 0);
    const bool cast =
        close > 1 && close + 1 < argument.size() &&
        std::all_of(argument.begin() + 1, argument.begin() + static_cast<std::ptrdiff_t>(close),
                    [](const Token& token) { return token.is_word() || token.is("*") || token.is("::"); });
    if (cast) return type_text(argument, 1, close);
  }
  for (std::size_t i = argument.size(); i-- > 1;) {
    if (!argument[i].is("<") || !argument[i - 1].is_word()) continue;
    const std::size_t close = end_of_template(argument, i);
    const bool called = close + 1 < argument.size() && argument[close + 1].is("(");
    if (called) return type_text(argument, i + 1, close);
  }
  return "";
}

/// Of a variable of the host's function: what its declaration says; "": nothing does.
std::string type_of_variable(const HostFunction& function, const KernelLaunch& at, const std::string& name,
                             bool pointer) {
  if (const HostFunction::Parameter* const parameter = function.parameter(name))
    return parameter->tensor || parameter->array != pointer ? "" : parameter->type;
  if (pointer) {
    if (std::string element = function.element_of(name); !element.empty()) return element;
    const Tokens* const value = at.launch->local(name);  // auto p = x.data_ptr<float>();
    return value == nullptr ? "" : type_written_in(*value);
  }
  const Tokens& tokens = function.tokens();
  for (std::size_t i = at.launch->token; i-- > function.body().begin + 1;)
    if (tokens[i].is(name) && is_number_type(tokens[i - 1].text)) {
      std::size_t from = i;
      while (from > 0 && is_number_type(tokens[from - 1].text)) --from;
      return type_text(tokens, from, i);
    }
  return "";
}

std::string type_of_literal(const Token& token) {
  const std::string_view text = token.text;
  if (token.kind != Token::Kind::number || text.starts_with("0x")) return "";
  if (text.find_first_of(".eE") == std::string_view::npos)
    return text.find_first_of("uUlL") == std::string_view::npos ? "int" : "";
  return text.ends_with("f") || text.ends_with("F") ? "float" : "double";
}

std::string type_of_argument(const KernelLaunch& at, const Tokens& argument, bool pointer) {
  if (argument.empty()) return "";
  if (std::string written = type_written_in(argument); !written.empty()) return written;
  const HostFunction* const function = at.launch->function.get();
  if (!pointer && argument.size() == 1 && argument[0].kind == Token::Kind::number) return type_of_literal(argument[0]);
  if (function == nullptr) return "";
  const std::size_t first = argument[0].is("&") ? 1 : 0;
  const bool plain = first < argument.size() && argument[first].is_word() &&
                     (first + 1 == argument.size() || argument[first + 1].is("[") || argument[first + 1].is("+"));
  return plain ? type_of_variable(*function, at, std::string(argument[first].text), pointer) : "";
}

/// ScalarType::Half and at::kHalf, by their last words.
std::string dtype_of_scalar_type(std::string_view word) {
  static const std::map<std::string_view, std::string> types{{"Float", "f32"},
                                                             {"Double", "f64"},
                                                             {"Half", "f16"},
                                                             {"BFloat16", "bf16"},
                                                             {"Int", "s32"},
                                                             {"Long", "s64"},
                                                             {"Short", "s16"},
                                                             {"Char", "s8"},
                                                             {"Byte", "u8"},
                                                             {"Bool", "b8"},
                                                             {"UInt16", "u16"},
                                                             {"UInt32", "u32"},
                                                             {"Float8_e4m3fn", "e4m3"},
                                                             {"Float8_e5m2", "e5m2"}};
  if (word.size() > 1 && word[0] == 'k' && word[1] >= 'A' && word[1] <= 'Z') word.remove_prefix(1);
  const auto type = types.find(word);
  return type == types.end() ? "" : type->second;
}

/// Of a macro of PyTorch, by its name. False: it is none.
bool add_types_of_torch(std::string_view macro, std::vector<std::string>& types) {
  if (!macro.starts_with("AT_DISPATCH_") && !macro.starts_with("THO_DISPATCH_")) return false;
  const auto has = [&](const char* word) { return macro.find(word) != std::string_view::npos; };
  const bool reduced = has("REDUCED_FLOATING");
  if (!reduced && (has("FLOATING_TYPES") || has("ALL_TYPES"))) types.insert(types.end(), {"f32", "f64"});
  if (has("_HALF") || reduced) types.emplace_back("f16");
  if (has("BFLOAT16") || reduced) types.emplace_back("bf16");
  if (has("INTEGRAL_TYPES")) types.insert(types.end(), {"s32", "s64"});
  return true;
}

/// What the words of a text and of the macros in it say. `unknown`: a dispatch among them is defined nowhere.
void add_types_of(const Source& source, const Definitions& definitions, const Tokens& tokens,
                  std::vector<std::string>& types, bool& unknown, std::set<std::string>& open) {
  for (const Token& token : tokens) {
    if (!token.is_word()) continue;
    if (const std::string dtype = dtype_of_scalar_type(token.text); !dtype.empty()) types.push_back(dtype);
    const bool dispatch = token.text.find("DISPATCH_") != std::string_view::npos;
    const auto macro = definitions.macro_named(token.text);
    if (macro) {
      if (open.insert(std::string(token.text)).second)
        add_types_of(source, definitions, macro->body, types, unknown, open);
    } else if (dispatch && !add_types_of_torch(token.text, types)) {
      unknown = true;
    }
  }
}

}  // namespace

std::string type_without_names(const KernelLaunch& at, const std::string& given) {
  const Definitions definitions(at.source, at.launch);
  std::string type = given;
  for (int depth = 0; depth < kDeepestName && !dtype_of_type(type); ++depth) {
    std::string other;
    if (const Tokens* const local = at.launch->local(type)) other = type_text(*local, 0, local->size());
    if (other.empty()) other = definitions.type_behind(type);
    if (other.empty() || other == type) break;
    type = other;
  }
  return type;
}

std::string deduced_type(const KernelLaunch& at, const std::string& name) {
  for (std::size_t i = 0; i < std::min(at.launch->arguments.size(), at.kernel.parameters.size()); ++i) {
    const Parameter& parameter = at.kernel.parameters[i];
    const bool pointer = !parameter.pointee.empty();
    std::string own = pointer ? parameter.pointee : parameter.type;
    if (own.starts_with("const ")) own.erase(0, 6);
    if (own != name) continue;
    if (const std::string type = type_of_argument(at, at.launch->arguments[i], pointer); !type.empty())
      return type_without_names(at, type);
  }
  return "";
}

std::vector<std::string> dispatched_types(const Source& source, const std::string& text) {
  std::vector<std::string> types;
  std::set<std::string> open;
  bool unknown = false;
  add_types_of(source, Definitions(source, nullptr), tokens_of(text), types, unknown, open);
  if (unknown) return {};
  std::vector<std::string> once;
  for (const std::string& type : types)
    if (std::ranges::find(once, type) == once.end()) once.push_back(type);
  return once;
}

}  // namespace harness::adopt
