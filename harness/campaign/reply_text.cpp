#include "harness/campaign/reply_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/campaign/reply_blocks.h"
#include "harness/campaign/reply_json.h"

namespace harness {
namespace {

constexpr int kMostWrappings = 6;  // a call in a list of parts in a message ...

using Read = std::variant<json, ReplyProblem>;

ReplyProblem cannot_read(std::string message) {
  return {ProposalOutcome::unparsable, std::move(message)};
}

ReplyProblem broken_off(std::string message) {
  return {ProposalOutcome::truncated, std::move(message)};
}

bool is_blank_text(const std::string& text) {
  return text.find_first_not_of(" \t\r\n") == std::string::npos;
}

std::string_view without_blanks(std::string_view text) {
  const std::size_t from = text.find_first_not_of(" \t\r\n");
  if (from == std::string_view::npos) return {};
  return text.substr(from, text.find_last_not_of(" \t\r\n") + 1 - from);
}

bool has_any(const json& object, std::initializer_list<const char*> keys) {
  return std::ranges::any_of(keys, [&](const char* key) { return object.contains(key) && !object[key].is_null(); });
}

bool makes_a_variant(const json& object) {
  return has_any(object, {"source", "edits", "refusal", "manifest"});
}

bool says_anything(const json& object) {
  return makes_a_variant(object) || has_any(object, {"hypothesis", "label", "predict", "usage", "lesson", "text"});
}

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::ranges::find(words, word) != words.end();
}

Read object_within(const std::string& text, int depth);

/// A value that wraps a reply: a call of a tool by any of its names, or a list of parts of a message. Nothing: it is
/// none.
std::optional<Read> unwrapped(const json& value, int depth) {
  if (depth <= 0) return std::nullopt;
  if (value.is_array()) {
    std::string text;
    for (const json& part : value) {
      if (!part.is_object()) continue;
      if (part.contains("text") && part["text"].is_string()) text += part["text"].get<std::string>();
      else if (auto reply = unwrapped(part, depth - 1)) return reply;
    }
    return text.empty() ? std::nullopt : std::optional(object_within(text, depth - 1));
  }
  if (!value.is_object() || makes_a_variant(value)) return std::nullopt;
  for (const char* wrapping : {"arguments", "parameters", "input", "function", "tool_calls", "reply"}) {
    const auto inner = value.find(wrapping);
    if (inner == value.end()) continue;
    if (inner->is_string()) return object_within(inner->get<std::string>(), depth - 1);
    if (inner->is_object() && makes_a_variant(*inner)) return Read(*inner);
    if (auto reply = unwrapped(*inner, depth - 1)) return reply;
  }
  return std::nullopt;
}

/// "**Hypothesis:** why it is faster" of a text's lines: what follows the word.
std::string said_after(const std::string& prose, std::string_view word) {
  for (std::size_t at = 0; at < prose.size();) {
    const std::size_t end = std::min(prose.find('\n', at), prose.size());
    std::string line = prose.substr(at, end - at);
    at = end + 1;
    std::erase_if(line, [](char c) { return c == '*' || c == '#' || c == '`'; });
    const std::string_view bare = without_blanks(line);
    const bool begins = bare.size() > word.size() && bare[word.size()] == ':' &&
                        std::ranges::equal(bare.substr(0, word.size()), word, [](char a, char b) {
                          return std::tolower(static_cast<unsigned char>(a)) == b;
                        });
    if (begins) return std::string(without_blanks(bare.substr(word.size() + 1)));
  }
  return "";
}

/// "1.2 to 1.6", "[1.2, 1.6]", "1.2-1.6x" as two numbers; null: it says no range.
json range_in(const std::string& text) {
  std::vector<double> numbers;
  for (std::size_t at = text.find_first_of("0123456789"); at != std::string::npos && numbers.size() < 2;) {
    const std::size_t end = std::min(text.find_first_not_of("0123456789.", at), text.size());
    const json number = parse_json_if_valid(std::string_view(text).substr(at, end - at));
    if (number.is_number()) numbers.push_back(number.get<double>());
    at = text.find_first_of("0123456789", end);
  }
  if (numbers.size() != 2) return nullptr;
  return json{{"speedup", numbers}};
}

void add_sayings(const std::string& prose, json& reply) {
  for (const char* key : {"label", "lesson", "hypothesis"})
    if (const std::string value = said_after(prose, key); !value.empty() && !reply.contains(key)) reply[key] = value;
  if (const json range = range_in(said_after(prose, "predict")); range.is_object() && !reply.contains("predict"))
    reply["predict"] = range;
  if (reply.contains("hypothesis")) return;
  const std::string_view bare = without_blanks(prose);
  const std::string_view first = bare.substr(0, bare.find("\n\n"));
  if (!first.empty()) reply["hypothesis"] = std::string(first);
}

bool looks_like_cuda(std::string_view text) {
  return text.find("__global__") != std::string_view::npos;
}

/// Of several fenced files the longest with a kernel in it: models show a piece, and then the whole.
void add_source(const std::vector<FencedBlock>& fenced, json& reply) {
  const FencedBlock* best = nullptr;
  const auto rank = [](const FencedBlock& block) { return std::pair(looks_like_cuda(block.text), block.text.size()); };
  for (const FencedBlock& block : fenced) {
    const bool is_code =
        is_one_of(block.language, {"cuda", "cu", "cuh", "c++", "cpp", "cc", "c", "cuda-c++", "cuda_cpp"});
    if (!is_code && !looks_like_cuda(block.text)) continue;
    if (is_one_of(block.language, {"json", "json5", "lua", "python"})) continue;
    if (best == nullptr || rank(block) > rank(*best)) best = &block;
  }
  if (best != nullptr) reply["source"] = best->text + "\n";
}

/// The object that a text's JSON is, among several the last that makes a variant.
std::optional<Read> object_among(const ObjectsInText& objects, int depth) {
  std::optional<Read> reply;
  for (const json& object : objects.objects) {
    if (auto inner = unwrapped(object, depth)) reply = std::move(inner);
    else if (makes_a_variant(object) || (!reply && says_anything(object))) reply = object;
  }
  return reply;
}

void add_edits(const std::vector<WrittenEdit>& edits, json& reply) {
  if (edits.size() == 1 && is_blank_text(edits.front().search)) {
    reply["source"] = edits.front().replace + "\n";
    return;
  }
  reply["edits"] = json::array();
  for (const WrittenEdit& edit : edits) reply["edits"].push_back({{"search", edit.search}, {"replace", edit.replace}});
}

/// <name>text</name>, <parameter=name>text</parameter> and the like, as some models write calls of tools.
std::optional<std::string> tagged(const std::string& text, const std::string& key) {
  for (const auto& [open, close] :
       {std::pair("<" + key + ">", "</" + key + ">"), std::pair("<parameter=" + key + ">", std::string("</parameter>")),
        std::pair("<parameter name=\"" + key + "\">", std::string("</parameter>"))}) {
    const std::size_t begin = text.find(open);
    if (begin == std::string::npos) continue;
    const std::size_t from = begin + open.size(), end = text.find(close, from);
    if (end == std::string::npos) continue;
    std::string inner = text.substr(from, end - from);
    if (inner.starts_with('\n')) inner.erase(0, 1);
    const ReplyBlocks blocks = blocks_of(inner);
    return blocks.fenced.size() == 1 && is_blank_text(blocks.prose) ? blocks.fenced.front().text + "\n" : inner;
  }
  return std::nullopt;
}

json tagged_reply(const std::string& text) {
  json reply = json::object();
  for (const char* key : {"source", "code", "CODE"})
    if (const auto source = tagged(text, key); source && !reply.contains("source")) reply["source"] = *source;
  if (!reply.contains("source")) return reply;
  for (const char* key : {"hypothesis", "label", "lesson"})
    if (const auto value = tagged(text, key)) reply[key] = std::string(without_blanks(*value));
  if (const auto manifest = tagged(text, "manifest")) {
    const json parts = parse_json_if_valid(*manifest);
    reply["manifest"] = parts.is_object() ? parts : json{{"lua", *manifest}};
  }
  return reply;
}

/// What stands in fences, as edits or a source, and a manifest beside it.
json fenced_reply(const ReplyBlocks& blocks, const std::optional<Read>& beside) {
  json reply = json::object();
  if (!blocks.edits.empty()) add_edits(blocks.edits, reply);
  else add_source(blocks.fenced, reply);
  for (const FencedBlock& block : blocks.fenced)
    if (block.language == "lua") reply["manifest"] = {{"lua", block.text}};
  if (!beside || !std::holds_alternative<json>(*beside)) return reply;
  // A JSON block beside the code may have the manifest as a key, or be it.
  const json& object = std::get<json>(*beside);
  for (const auto& [key, value] : object.items())
    if (!reply.contains(key)) reply[key] = value;
  return reply;
}

/// A JSON block that is a manifest itself: all of its keys are parts of one. null: none is.
json manifest_itself(const std::vector<FencedBlock>& fenced) {
  for (const FencedBlock& block : fenced) {
    if (!is_one_of(block.language, {"json", "json5", ""})) continue;
    const ObjectsInText objects = objects_in(block.text);
    if (objects.objects.size() != 1 || objects.objects.front().empty()) continue;
    const json& object = objects.objects.front();
    const bool is_manifest = std::ranges::all_of(object.items(), [](const auto& part) {
      return is_one_of(part.key(), {"params", "options", "std", "multi_kernel", "requires", "start", "steps", "valid",
                                    "workspaces"});
    });
    if (is_manifest) return object;
  }
  return nullptr;
}

ReplyProblem why_unread(const std::string& text, const ReplyBlocks& blocks, const ObjectsInText& objects) {
  if (blocks.breaks_off) return broken_off("the reply breaks off within a block of code");
  if (!objects.error.empty())
    return cannot_read("the reply's JSON object cannot be read: " + objects.error.substr(0, 200));
  if (objects.breaks_off) return broken_off("the reply breaks off before its JSON object ends");
  return cannot_read(fmt::format(
      "the reply holds no source: a ```cuda block with the whole file, SEARCH/REPLACE blocks or a JSON object with "
      "'source' or 'edits' ({} bytes of words were read)",
      text.size()));
}

Read object_within(const std::string& text, int depth) {
  if (depth <= 0) return cannot_read("the reply is wrapped too often");
  if (const json whole = parse_json_if_valid(text); whole.is_object() || whole.is_array()) {
    if (auto reply = unwrapped(whole, depth)) return *reply;
    if (whole.is_object()) return whole;
  }
  const std::string answer = without_thoughts(text);
  if (is_blank_text(answer))
    return is_blank_text(text) ? cannot_read("the reply is empty")
                               : broken_off("the reply ends within the model's thoughts, before an answer");
  if (json reply = tagged_reply(answer); !reply.empty()) return reply;

  const ReplyBlocks blocks = blocks_of(answer);
  std::string data = blocks.prose;  // where JSON may be: not within code
  for (const FencedBlock& block : blocks.fenced)
    if (is_one_of(block.language, {"json", "json5", "jsonc", "javascript", "js", "python", "tool_call"}) ||
        (block.language.empty() && !looks_like_cuda(block.text)) || block.text.starts_with("{"))
      data += "\n" + block.text;
  const ObjectsInText objects = objects_in(data);
  std::optional<Read> object = object_among(objects, depth);
  const bool object_is_whole = object && std::holds_alternative<json>(*object) &&
                               has_any(std::get<json>(*object), {"source", "edits", "refusal"});
  if (object_is_whole || (object && std::holds_alternative<ReplyProblem>(*object))) return *object;

  json reply = fenced_reply(blocks, object);
  if (!has_any(reply, {"source", "edits", "manifest"}) || blocks.breaks_off) {
    const std::string_view bare = without_blanks(answer);
    const bool is_file = looks_like_cuda(bare) && !blocks.breaks_off && blocks.fenced.empty() &&
                         (bare.starts_with("#") || bare.starts_with("//") || bare.starts_with("/*") ||
                          bare.starts_with("extern") || bare.starts_with("template") || bare.starts_with("__global__"));
    if (is_file) return json{{"source", answer}};
    if (object && !blocks.breaks_off) return *object;
    return why_unread(answer, blocks, objects);
  }
  if (!reply.contains("manifest"))
    if (const json manifest = manifest_itself(blocks.fenced); manifest.is_object()) reply["manifest"] = manifest;
  add_sayings(blocks.prose, reply);
  return reply;
}

}  // namespace

std::variant<json, ReplyProblem> reply_object(const std::string& text) {
  return object_within(text, kMostWrappings);
}

}  // namespace harness
