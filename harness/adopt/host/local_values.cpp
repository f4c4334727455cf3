#include "harness/adopt/host/local_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>

#include "harness/adopt/source/tokens.h"

namespace harness::adopt {
namespace {

/// {a, b} of `P p{a, b};`, as HostLaunch::local() of `P p = {a, b};`.
std::optional<Tokens> braces_of_local(const HostLaunch& launch, std::string_view name) {
  if (launch.chunk == nullptr) return std::nullopt;
  const Tokens& tokens = launch.file->tokens;
  for (std::size_t i = tokens.size() - 1; i-- > 1;) {
    if (tokens[i].begin >= launch.place || !tokens[i].is(name)) continue;
    if (tokens[i].begin < launch.chunk->begin) break;
    if (tokens[i - 1].is_word() && tokens[i + 1].is("{")) return part(tokens, i + 1, closing(tokens, i + 1) + 1);
  }
  return std::nullopt;
}

/// "x" of x.permute({0, 2, 1}).contiguous() and of x.packed_accessor32<float, 3>(); `order` then says which dimension
/// of x each one is. "": the tensor is made otherwise.
std::string base_of_view(const Tokens& value, std::vector<std::size_t>& order) {
  if (value.size() < 4 || !value[0].is_word() || !value[1].is(".")) return "";
  std::vector<std::vector<std::size_t>> moves;
  for (std::size_t i = 1; i + 1 < value.size() && value[i].is(".");) {
    const std::string_view member = value[i + 1].text;
    std::size_t open = i + 2;
    while (open < value.size() && !value[open].is("(")) ++open;
    const std::size_t close = open < value.size() ? closing(value, open) : value.size();
    if (close >= value.size()) return "";
    std::vector<std::size_t> numbers;
    for (std::size_t k = open; k < close; ++k)
      if (value[k].kind == Token::Kind::number)
        numbers.push_back(static_cast<std::size_t>(std::atoi(std::string(value[k].text).c_str())));
    if (member == "permute") {
      moves.push_back(numbers);
    } else if (member == "transpose" && numbers.size() == 2 && std::max(numbers[0], numbers[1]) < order.size()) {
      moves.emplace_back(order.size());
      for (std::size_t k = 0; k < order.size(); ++k) moves.back()[k] = k;
      std::swap(moves.back()[numbers[0]], moves.back()[numbers[1]]);
    } else if (!member.starts_with("packed_accessor") && member != "contiguous" && member != "to" &&
               member != "detach" && member != "clone") {
      return "";
    }
    i = close + 1;
  }
  std::vector<std::size_t> moved = order;
  for (auto move = moves.rbegin(); move != moves.rend(); ++move) {  // the last one is nearest to the result
    const bool whole = move->size() == moved.size() &&
                       std::ranges::all_of(*move, [&](std::size_t index) { return index < moved.size(); });
    if (!whole) return "";
    for (std::size_t& index : moved) index = (*move)[index];
  }
  order = moved;
  return std::string(value[0].text);
}

}  // namespace

std::string written_out(const HostLaunch& launch, const Tokens& tokens, int depth) {
  std::string text;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const bool free = tokens[i].is_word() && (i == 0 || !(tokens[i - 1].is("::") || tokens[i - 1].is(".")));
    const Tokens* const meaning = free && depth < kDeepestName ? launch.local(tokens[i].text) : nullptr;
    const std::string one = meaning ? written_out(launch, *meaning, depth + 1) : std::string(tokens[i].text);
    const bool apart = !text.empty() && (std::isalnum(static_cast<unsigned char>(text.back())) || text.back() == '_') &&
                       !one.empty() && (std::isalnum(static_cast<unsigned char>(one.front())) || one.front() == '_');
    text += (apart ? " " : "") +
            (meaning && tokens.size() > 1 && meaning->size() > 1 && !meaning->back().is(">") ? "(" + one + ")" : one);
  }
  return text;
}

std::optional<std::string> value_of_local(const HostLaunch& launch, const std::string& name) {
  const Tokens* const meaning = launch.local(name);
  const auto value = meaning != nullptr ? std::optional(*meaning) : braces_of_local(launch, name);
  if (!value || value->empty()) return std::nullopt;
  return launch.file->text_of(*value);
}

std::optional<std::string> value_of_field(const HostLaunch& launch, const std::string& name, const std::string& field) {
  if (launch.chunk == nullptr) return std::nullopt;
  const Tokens& tokens = launch.file->tokens;
  for (std::size_t i = tokens.size(); i-- > 4;) {
    if (tokens[i].begin >= launch.place || !tokens[i].is("=")) continue;
    if (tokens[i].begin < launch.chunk->begin) break;
    if (!tokens[i - 1].is(field) || !tokens[i - 2].is(".") || !tokens[i - 3].is(name) || tokens[i - 4].is("."))
      continue;
    std::size_t end = i + 1;
    while (end < tokens.size() && !tokens[end].is(";")) ++end;
    return launch.file->text.substr(tokens[i].end, tokens[end - 1].end - tokens[i].end);
  }
  return std::nullopt;
}

std::vector<std::string> extents_of_tensor(const HostLaunch* launch, const std::string& given, int rank) {
  std::string tensor = given;
  std::vector<std::string> extents;
  std::vector<std::size_t> order;  // dimension of `given` -> of `tensor`
  for (int i = 0; i < rank; ++i) order.push_back(static_cast<std::size_t>(i));
  for (int depth = 0; launch != nullptr && depth < kDeepestName; ++depth) {
    const Tokens* const value = launch->local(tensor);
    if (value == nullptr) break;
    std::string like = base_of_view(*value, order);
    for (std::size_t i = 0; i + 1 < value->size() && extents.empty(); ++i) {
      const Token& token = (*value)[i];
      if (!token.is_word() || !(*value)[i + 1].is("(")) continue;
      const Tokens arguments = part(*value, i + 2, std::min(closing(*value, i + 1), value->size()));
      if (arguments.empty()) continue;
      if (token.text.ends_with("_like") && arguments[0].is_word()) like = arguments[0].text;
      const bool makes = token.is("zeros") || token.is("empty") || token.is("ones") || token.is("full") ||
                         token.is("reshape") || token.is("view") || token.is("expand");
      if (!makes || !arguments[0].is("{")) continue;
      for (const Tokens& piece : split_by_commas(part(arguments, 1, closing(arguments, 0))))
        extents.push_back(written_out(*launch, piece));
    }
    if (!extents.empty() || like.empty()) break;
    tensor = like;
  }
  std::vector<std::string> own;
  const bool all_written = static_cast<int>(extents.size()) == rank;
  for (const std::size_t i : order) own.push_back(all_written ? extents[i] : fmt::format("{}.size({})", tensor, i));
  return own;
}

}  // namespace harness::adopt
