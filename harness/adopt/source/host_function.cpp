#include "harness/adopt/source/host_function.h"

#include <algorithm>

#include "harness/adopt/source/tokens.h"

namespace harness::adopt {
namespace {

bool is_one_of(const Token& token, std::initializer_list<std::string_view> signs) {
  return std::ranges::any_of(signs, [&](std::string_view sign) { return token.is(sign); });
}

bool is_member(const Tokens& tokens, std::size_t i) {
  return i > 0 && (tokens[i - 1].is(".") || tokens[i - 1].is("->") || tokens[i - 1].is("::"));
}

/// Behind the statement or block that begins at `from`.
std::size_t end_of_controlled(const Tokens& tokens, std::size_t from, std::size_t end) {
  if (from >= end) return end;
  if (tokens[from].is("{")) return std::min(closing(tokens, from) + 1, end);
  for (std::size_t i = from; i < end; ++i) {
    if (tokens[i].is("(") || tokens[i].is("{")) i = std::min(closing(tokens, i), end - 1);
    if (tokens[i].is(";") || tokens[i].is("}")) return i + 1;
  }
  return end;
}

}  // namespace

std::string type_text(const Tokens& tokens, std::size_t begin, std::size_t end) {
  std::string text;
  for (std::size_t i = begin; i < end; ++i) {
    if (is_one_of(tokens[i], {"const", "static", "constexpr", "__restrict__", "__restrict", "restrict", "*", "&"}))
      continue;
    const bool apart = !text.empty() && tokens[i].is_word() && (std::isalnum(static_cast<unsigned char>(text.back())));
    text += (apart ? " " : "") + std::string(tokens[i].text);
  }
  return text;
}

bool is_whole_number(const std::string& type) {
  for (const char* word : {"int", "long", "unsigned", "size_t", "int64_t", "int32_t", "uint32_t", "uint64_t"})
    if (type == word || type.starts_with(word + std::string(" "))) return true;
  return false;
}

std::shared_ptr<const HostFunction> HostFunction::of(const SourceText& file, const Chunk& chunk) {
  if (chunk.body >= chunk.end) return nullptr;
  const Tokens& tokens = file.tokens;
  for (std::size_t i = 0; i + 1 < tokens.size() && tokens[i].begin < chunk.body; ++i)
    if (tokens[i].begin >= chunk.begin && tokens[i].is_word() && tokens[i + 1].is("("))
      return std::make_shared<const HostFunction>(file, chunk, std::string(tokens[i].text), i);
  return nullptr;
}

bool HostFunction::is_given_its_sizes() const {
  const bool arrays = std::ranges::any_of(parameters_, &Parameter::array);
  return arrays && std::ranges::any_of(parameters_, [](const Parameter& parameter) {
           return parameter.tensor || (!parameter.array && parameter.whole);
         });
}

std::vector<Tokens> HostFunction::assertions() const {
  std::vector<Tokens> all;
  const Tokens& own = tokens();
  for (std::size_t i = body_.begin; i + 1 < body_.end; ++i) {
    if (!is_one_of(own[i], {"assert", "TORCH_CHECK", "TORCH_INTERNAL_ASSERT", "AT_ASSERTM", "AT_ASSERT"}) ||
        !own[i + 1].is("("))
      continue;
    const std::size_t close = std::min(closing(own, i + 1), body_.end);
    all.push_back(part(own, i + 2, std::min(end_of_value(own, i + 2), close)));
  }
  return all;
}

HostFunction::HostFunction(const SourceText& file, const Chunk& chunk, std::string name, std::size_t name_token)
    : file_(&file), chunk_(&chunk), name_(std::move(name)) {
  read_templates();
  if (name_ != "main") read_parameters(name_token + 1);  // what a program is given on its command line is no size
  read_body(token_at(chunk.body));
  read_control();
}

std::size_t HostFunction::token_at(std::size_t place) const {
  const auto token = std::ranges::lower_bound(tokens(), place, {}, &Token::begin);
  return static_cast<std::size_t>(token - tokens().begin());
}

void HostFunction::read_templates() {
  const std::size_t head = token_at(chunk_->begin);
  if (head + 1 >= tokens().size() || !tokens()[head].is("template") || !tokens()[head + 1].is("<")) return;
  const Tokens list = part(tokens(), head + 2, end_of_template(tokens(), head + 1));
  for (const Tokens& piece : split_by_commas(list, true)) {
    const auto value = std::ranges::find_if(piece, [](const Token& token) { return token.is("="); });
    templates_.emplace_back(value == piece.begin() ? std::string_view() : std::prev(value)->text);
  }
}

void HostFunction::read_parameters(std::size_t open) {
  const std::size_t close = closing(tokens(), open);
  std::size_t from = open + 1;
  int depth = 0;
  for (std::size_t i = open + 1; i <= close && i < tokens().size(); ++i) {
    if (is_one_of(tokens()[i], {"<", "(", "["})) ++depth;
    if (is_one_of(tokens()[i], {">", ")", "]"}) && i < close) --depth;
    if (i < close && !(tokens()[i].is(",") && depth == 0)) continue;
    std::size_t end = from;
    while (end < i && !tokens()[end].is("=")) ++end;
    if (end > from + 1 && tokens()[end - 1].is_word()) {
      Parameter parameter{std::string(tokens()[end - 1].text), type_text(tokens(), from, end - 1)};
      for (std::size_t k = from; k + 1 < end; ++k) {
        parameter.array = parameter.array || tokens()[k].is("*");
        parameter.tensor = parameter.tensor || tokens()[k].is("Tensor");
      }
      parameter.array = parameter.array || parameter.tensor;
      if (parameter.tensor) parameter.type.clear();
      parameter.whole = is_whole_number(parameter.type);
      parameters_.push_back(std::move(parameter));
    }
    from = i + 1;
  }
}

void HostFunction::read_body(std::size_t open) {
  body_ = {open + 1, std::min(closing(tokens(), open), tokens().size())};
  std::size_t from = body_.begin;
  for (std::size_t i = body_.begin; i < body_.end; ++i) {
    const Token& token = tokens()[i];
    if (token.is("(")) {  // but for a dispatch, which has statements in its parentheses
      const std::size_t close = std::min(closing(tokens(), i), body_.end - 1);
      const bool lambda = std::any_of(tokens().begin() + static_cast<std::ptrdiff_t>(i),
                                      tokens().begin() + static_cast<std::ptrdiff_t>(close),
                                      [](const Token& token) { return token.is("{"); });
      if (!lambda) i = close;
      continue;
    }
    const bool behind_word = i > from && tokens()[i - 1].is_word() &&
                             !is_one_of(tokens()[i - 1], {"else", "do", "try"}) &&
                             !tokens()[i - 2].is("->");  // the type of a lambda
    const bool initializer = token.is("{") && i > from && (tokens()[i - 1].is("=") || behind_word);
    if (initializer) {
      i = std::min(closing(tokens(), i), body_.end - 1);
      continue;
    }
    if (!is_one_of(token, {";", "{", "}"}) && token.kind != Token::Kind::directive) continue;
    if (i > from) statements_.push_back({from, i});
    from = i + 1;
  }
}

void HostFunction::read_control() {
  for (std::size_t i = body_.begin; i < body_.end; ++i) {
    const Token& token = tokens()[i];
    std::size_t next = i + 1;
    if (is_one_of(token, {"for", "while", "if", "switch"})) {
      if (next < body_.end && tokens()[next].is("constexpr")) ++next;
      if (next >= body_.end || !tokens()[next].is("(")) continue;
      next = closing(tokens(), next) + 1;
    } else if (!is_one_of(token, {"else", "do"})) {
      continue;
    }
    control_.push_back({{i, end_of_controlled(tokens(), next, body_.end)}, token.text});
  }
}

const HostFunction::Parameter* HostFunction::parameter(std::string_view name) const {
  const auto parameter_named = std::ranges::find(parameters_, name, &Parameter::name);
  return parameter_named == parameters_.end() ? nullptr : &*parameter_named;
}

std::string_view HostFunction::control_over(std::size_t token) const {
  for (const auto& [range, word] : control_)
    if (range.begin <= token && token < range.end) return word;
  return "";
}

bool HostFunction::may_be_skipped(std::size_t token, std::size_t place) const {
  return std::ranges::any_of(control_, [&](const auto& control) {
    const auto& [range, word] = control;
    return range.begin <= token && token < range.end && !(range.begin <= place && place < range.end);
  });
}

std::vector<HostFunction::Setting> HostFunction::settings_of(std::string_view variable, std::size_t before) const {
  std::vector<Setting> all;
  for (auto statement = statements_.rbegin(); statement != statements_.rend(); ++statement) {
    if (statement->begin >= before) continue;
    const bool loop = tokens()[statement->begin].is("for");
    int depth = 0;
    for (std::size_t i = statement->begin; i < statement->end; ++i) {
      if (is_one_of(tokens()[i], {"(", "["})) ++depth;
      if (is_one_of(tokens()[i], {")", "]"})) --depth;
      if (!tokens()[i].is(variable) || is_member(tokens(), i)) continue;
      const bool last = i + 1 >= statement->end;
      const Token& next = last ? tokens()[i] : tokens()[i + 1];
      const bool first = i == statement->begin;
      const bool typed = !first && (tokens()[i - 1].is_word() || is_one_of(tokens()[i - 1], {"*", "&", ">", ","})) &&
                         tokens()[statement->begin].is_word() &&
                         !is_one_of(tokens()[i - 1], {"return", "if", "while", "else", "do"});
      const bool inside = depth > 0 && !loop;  // an argument
      const bool declares = !inside && typed && (last || is_one_of(next, {"=", "(", "{", ",", "["}));
      const bool changes = !last && (is_one_of(next, {"=", "+=", "-=", "*=", "/=", "++", "--"}) ||
                                     (next.is("<<") && i + 2 < statement->end && tokens()[i + 2].is("=")) ||
                                     (next.is(">") && i + 2 < statement->end && tokens()[i + 2].is(">=")));
      if (!declares && !changes) continue;
      all.push_back({*statement, i, declares});
      if (declares) return all;
      break;
    }
  }
  return all;
}

bool HostFunction::allocates(std::string_view variable) const {
  const Tokens& all = tokens();
  for (std::size_t i = body_.begin; i + 1 < body_.end; ++i) {
    if (!all[i].is(variable) || is_member(all, i)) continue;
    if (all[i - 1].is("&")) {  // cudaMalloc(&x, bytes), cudaMalloc((void**)&x, bytes)
      for (std::size_t k = i - 1; k > body_.begin && k + 12 > i; --k)
        if (all[k].text.starts_with("cudaMalloc")) return true;
    }
    if (!all[i + 1].is("=")) continue;
    for (std::size_t k = i + 2; k + 1 < body_.end && !all[k].is(";"); ++k)
      if (all[k + 1].is("(") &&
          (all[k].text.starts_with("empty") || all[k].text.starts_with("zeros") || all[k].text.starts_with("ones") ||
           all[k].text.starts_with("new_") || is_one_of(all[k], {"full", "full_like"})))
        return true;
  }
  return false;
}

bool HostFunction::is_local_tensor(std::string_view variable) const {
  for (const TokenRange& statement : statements_)
    for (std::size_t i = statement.begin + 1; i + 1 < statement.end; ++i) {
      if (!tokens()[i].is(variable) || !tokens()[i + 1].is("=")) continue;
      if (tokens()[i - 1].is("Tensor")) return true;
      if (tokens()[i - 1].is("auto") && allocates(variable)) return true;
      for (std::size_t k = i + 2; k + 1 < statement.end && tokens()[i - 1].is("auto"); ++k)
        if (tokens()[k].is("contiguous")) return true;
    }
  return false;
}

std::string HostFunction::same_tensor(std::string_view variable) const {
  std::string name(variable);
  for (const TokenRange& statement : statements_)
    for (std::size_t i = statement.begin; i + 4 < statement.end; ++i)
      if (tokens()[i].is(name) && tokens()[i + 1].is("=") && tokens()[i + 2].is_word() && tokens()[i + 3].is(".") &&
          tokens()[i + 4].is("contiguous") && !tokens()[i + 2].is(name))
        return std::string(tokens()[i + 2].text);
  return name;
}

bool HostFunction::is_handed_over(std::string_view variable) const {
  for (const TokenRange& statement : statements_) {
    const bool returns = tokens()[statement.begin].is("return");
    for (std::size_t i = statement.begin; i < statement.end; ++i) {
      if (!tokens()[i].is(variable) || is_member(tokens(), i)) continue;
      if (returns) return true;
      for (std::size_t k = statement.begin; k < i; ++k)
        if (tokens()[k].text.starts_with("cudaMemcpy")) return true;
    }
  }
  return false;
}

Tokens HostFunction::bytes_of(std::string_view variable) const {
  const Tokens& all = tokens();
  for (std::size_t i = body_.begin; i + 1 < body_.end; ++i) {
    if (!all[i].text.starts_with("cudaMalloc") || !all[i + 1].is("(")) continue;
    std::size_t comma = i + 2;
    const std::size_t end = std::min(closing(all, i + 1), body_.end);
    while (comma < end && !all[comma].is(",")) ++comma;
    if (comma >= end || !all[comma - 1].is(variable)) continue;
    return part(all, comma + 1, std::min(end_of_value(all, comma + 1), end));  // cudaMallocAsync has a stream behind it
  }
  return {};
}

std::string HostFunction::element_of(std::string_view variable) const {
  for (const TokenRange& statement : statements_)
    for (std::size_t i = statement.begin + 1; i < statement.end; ++i) {
      if (!tokens()[i].is(variable) || !is_one_of(tokens()[i - 1], {"*", "__restrict__"})) continue;
      std::size_t star = statement.begin;
      while (star < i && !tokens()[star].is("*") && !is_one_of(tokens()[star], {"=", "("})) ++star;
      if (star > statement.begin && tokens()[star].is("*")) return type_text(tokens(), statement.begin, star);
    }
  return "";
}

}  // namespace harness::adopt
