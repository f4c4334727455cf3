#include "harness/campaign/proposal_reply.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>

#include "harness/core/hash.h"
#include "harness/core/quote.h"
#include "harness/core/suggest.h"
#include "harness/core/utf8.h"
#include "harness/cpp_text/text.h"

namespace harness {
namespace {

constexpr std::size_t kLongestSource = 256 << 10, kLongestPart = 64 << 10, kMostEdits = 200;
constexpr std::size_t kLongestHypothesis = 2000, kLongestLesson = 300, kLongestLabel = 120, kLongestModel = 120;
constexpr double kMostTokens = 1e12, kMostUsd = 1e6, kMostSpeedup = 1e4;

/// Parts of a manifest that a reply may change: those that say what is launched, with what, and where it is valid.
const std::vector<std::string> kFunctions = {"steps", "valid", "workspaces"};
const std::vector<std::string> kValues = {"params", "options", "std", "multi_kernel", "requires", "start"};
/// All of these as Lua: a table, what returns one, or assignments to the names of parts.
constexpr const char* kLua = "lua";

ReplyProblem unparsable(std::string message) {
  return {ProposalOutcome::unparsable, std::move(message)};
}

bool is_text(const std::string& text) {
  return text.find('\0') == std::string::npos && valid_utf8(text) == text;
}

std::string beginning(std::string text, std::size_t most) {
  if (text.size() > most) text = valid_utf8(text.substr(0, most)) + "...";
  return text;
}

std::optional<std::int64_t> count_in(const json& object, const char* key) {
  const auto at = object.find(key);
  if (at == object.end() || !at->is_number()) return std::nullopt;
  const double value = at->get<double>();
  if (!(value >= 0) || value > kMostTokens) return std::nullopt;
  return static_cast<std::int64_t>(value);
}

/// What a proposer says of its cost is a claim: only what can be true is kept.
void read_usage(const json& reply, ProposalUsage& usage) {
  const auto usage_field = reply.find("usage");
  if (usage_field == reply.end() || !usage_field->is_object()) return;
  if (const auto model = usage_field->find("model"); model != usage_field->end() && model->is_string())
    usage.model = beginning(model->get<std::string>(), kLongestModel);
  usage.tokens_in = count_in(*usage_field, "tokens_in");
  usage.tokens_out = count_in(*usage_field, "tokens_out");
  usage.tokens_cached = count_in(*usage_field, "tokens_cached");
  const auto usd = usage_field->find("usd");
  if (usd == usage_field->end() || !usd->is_number()) return;
  const double value = usd->get<double>();
  if (value >= 0 && value <= kMostUsd) {
    usage.usd = value;
    usage.usd_source = "proposer";
  }
}

std::optional<std::string> text_in(const json& object, const char* key) {
  const auto at = object.find(key);
  if (at == object.end() || !at->is_string()) return std::nullopt;
  return at->get<std::string>();
}

std::optional<ReplyProblem> read_edits(const json& list, std::vector<SourceEdit>& edits) {
  if (!list.is_array() || list.empty()) return unparsable("'edits' is not a list of {\"search\", \"replace\"}");
  if (list.size() > kMostEdits) return unparsable(fmt::format("'edits' has more than {} entries", kMostEdits));
  for (const json& entry : list) {
    const auto search = entry.is_object() ? text_in(entry, "search") : std::nullopt;
    const auto replace = entry.is_object() ? text_in(entry, "replace") : std::nullopt;
    if (!search || !replace) return unparsable("an entry of 'edits' is not {\"search\": text, \"replace\": text}");
    if (search->empty()) return unparsable("an entry of 'edits' has an empty 'search'");
    edits.push_back({*search, *replace});
  }
  return std::nullopt;
}

void read_prediction(const json& reply, ProposalReply& read) {
  const auto predict = reply.find("predict");
  if (predict == reply.end() || !predict->is_object()) return;
  const auto range = predict->find("speedup");
  if (range == predict->end() || !range->is_array() || range->size() != 2) return;
  if (!(*range)[0].is_number() || !(*range)[1].is_number()) return;
  const double lo = (*range)[0].get<double>(), hi = (*range)[1].get<double>();
  if (!(lo > 0 && lo <= hi && hi <= kMostSpeedup)) return;
  read.predict_lo = lo;
  read.predict_hi = hi;
}

/// JSON as a Lua expression; null is nil.
std::string lua_value(const json& value) {
  if (value.is_null()) return "nil";
  if (value.is_string()) return lua_text(value.get<std::string>());
  if (value.is_array() || value.is_object()) {
    std::string table = "{ ";
    for (const auto& [name, each] : value.items())
      table += (value.is_object() ? "[" + lua_text(name) + "] = " : "") + lua_value(each) + ", ";
    return table + "}";
  }
  return json_text(value);
}

// A manifest over another one: its text, and fields that are set anew.
const std::string kOpen = "local made = (function()\n", kMade = "\nend)()\n", kClose = "return made\n";

std::string set_field(const std::string& field, const std::string& value) {
  return fmt::format("made.{} = {}\n", field, value);
}

bool is_word_char(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

std::string line_of(const std::string& text, std::size_t most = 60) {
  const std::size_t from = text.find_first_not_of(" \t\r\n");
  if (from == std::string::npos) return "";
  return beginning(text.substr(from, text.find('\n', from) - from), most);
}

}  // namespace

std::optional<ReplyProblem> manifest_problem(const json& parts) {
  if (!parts.is_object()) return unparsable("'manifest' is not an object of the changed parts");
  std::vector<std::string> names = kFunctions;
  names.insert(names.end(), kValues.begin(), kValues.end());
  for (const auto& [name, part] : parts.items()) {
    const bool is_function = std::ranges::find(kFunctions, name) != kFunctions.end(), is_lua = name == kLua;
    if (!is_function && !is_lua && std::ranges::find(kValues, name) == kValues.end())
      return unparsable(fmt::format("'manifest' has the part '{}', which cannot be changed; parts are: {}",
                                    beginning(name, 40), fmt::join(names, ", ")));
    if (is_function && !(part.is_string() && part.get_ref<const std::string&>().starts_with("function")))
      return unparsable(fmt::format("'manifest.{}' is not the text of a Lua function", name));
    if (is_lua && !part.is_string()) return unparsable("'manifest.lua' is not a text");
    if (json_text(part).size() > kLongestPart)
      return unparsable(fmt::format("'manifest.{}' is longer than {} KiB", name, kLongestPart >> 10));
  }
  return std::nullopt;
}

namespace {

std::variant<ProposalReply, ReplyProblem> reply_of(const json& reply) {
  if (const auto refusal = text_in(reply, "refusal"))
    return ReplyProblem{ProposalOutcome::refused, "it says that it will not: " + line_of(*refusal, 300)};
  ProposalReply read;
  read.hypothesis = beginning(text_in(reply, "hypothesis").value_or(""), kLongestHypothesis);
  read.lesson = line_of(text_in(reply, "lesson").value_or(""), kLongestLesson);
  if (const auto label = text_in(reply, "label"); label && !label->empty()) read.label = line_of(*label, kLongestLabel);
  read_prediction(reply, read);
  if (const auto parts = reply.find("manifest"); parts != reply.end() && !parts->is_null()) {
    if (auto problem = manifest_problem(*parts)) return *problem;
    read.manifest = *parts;
  }
  const auto edits = reply.find("edits");
  const bool has_edits = edits != reply.end() && !edits->is_null();
  read.source = text_in(reply, "source");
  if (read.source && has_edits) return unparsable("the reply has both 'source' and 'edits'; give one of them");
  if (has_edits) {
    if (auto problem = read_edits(*edits, read.edits)) return *problem;
  } else if (!read.source && read.manifest.empty()) {
    return unparsable("the reply has neither 'source' (a whole file) nor 'edits' nor 'manifest'");
  }
  if (read.source && read.source->size() > kLongestSource)
    return ReplyProblem{ProposalOutcome::too_long, fmt::format("'source' is longer than {} KiB", kLongestSource >> 10)};
  if (read.source && (!is_text(*read.source) || line_of(*read.source).empty()))
    return unparsable("'source' is empty or holds a zero byte");
  return read;
}

/// What a server's limit cut, as a sentence that whoever answers again can use.
ReplyProblem cut_by_length(const ProposalUsage& usage) {
  const std::string after = usage.tokens_out ? fmt::format(" after {} tokens", *usage.tokens_out) : "";
  return {ProposalOutcome::truncated,
          fmt::format("the reply was cut off by its length{}; answer shorter: edits in the place of a whole file, and "
                      "few words",
                      after)};
}

}  // namespace

std::string said_in(const std::string& reply) {
  const json whole = parse_json_if_valid(reply);
  if (!whole.is_object() || !whole.contains("end")) return reply;
  return text_in(whole, "text").value_or(reply);
}

std::variant<ProposalReply, ReplyProblem> read_reply(const std::string& text, ProposalUsage& usage) {
  if (!is_text(text)) return unparsable("the reply is no UTF-8 text");
  auto parsed = reply_object(text);
  if (auto* problem = std::get_if<ReplyProblem>(&parsed)) return *problem;
  const json reply = std::move(std::get<json>(parsed));
  read_usage(reply, usage);
  const auto answer = text_in(reply, "text");
  if (!answer || reply.contains("source") || reply.contains("edits")) return reply_of(reply);
  // What a server sent, wrapped by a program that asked it: the usage counts whatever the text is.
  if (const auto error = text_in(reply, "error")) return ReplyProblem{ProposalOutcome::failed, line_of(*error, 300)};
  if (text_in(reply, "end") == "length") return cut_by_length(usage);
  if (reply.contains("refusal")) return reply_of(reply);
  if (!is_text(*answer)) return unparsable("the reply holds a zero byte");
  auto inner = reply_object(*answer);
  if (auto* problem = std::get_if<ReplyProblem>(&inner)) return *problem;
  return reply_of(std::get<json>(inner));
}

namespace {

/// Whole lines of a text.
struct PlaceInSource {
  std::size_t begin = 0, size = 0;
  int places = 0;  // where they are
};

std::vector<std::string_view> bare_lines(std::string_view text, std::vector<std::size_t>& begins) {
  std::vector<std::string_view> lines;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    const std::size_t from = std::min(line.find_first_not_of(" \t\r"), line.size());
    lines.push_back(line.substr(from, line.find_last_not_of(" \t\r") + 1 - from));
    begins.push_back(at);
    at = end + 1;
  }
  begins.push_back(text.size() + 1);
  return lines;
}

/// Where lines are that are those of `search` but for blanks at their ends: models lose them.
PlaceInSource lines_like(const std::string& text, const std::string& search) {
  std::vector<std::size_t> begins, ignored;
  const std::vector<std::string_view> lines = bare_lines(text, begins);
  std::vector<std::string_view> search_lines = bare_lines(search, ignored);
  while (!search_lines.empty() && search_lines.back().empty()) search_lines.pop_back();
  while (!search_lines.empty() && search_lines.front().empty()) search_lines.erase(search_lines.begin());
  PlaceInSource place;
  if (search_lines.empty()) return place;
  for (std::size_t first = 0; first + search_lines.size() <= lines.size(); ++first) {
    if (!std::equal(search_lines.begin(), search_lines.end(), lines.begin() + static_cast<std::ptrdiff_t>(first)))
      continue;
    if (++place.places > 1) continue;
    place.begin = begins[first];
    place.size = begins[first + search_lines.size()] - 1 - place.begin;
  }
  return place;
}

/// Exactly, or else without blanks at the ends of lines.
PlaceInSource place_in(const std::string& text, const std::string& search) {
  const std::size_t at = text.find(search);
  if (at == std::string::npos) return lines_like(text, search);
  return {at, search.size(), text.find(search, at + 1) == std::string::npos ? 1 : 2};
}

}  // namespace

std::variant<std::string, ReplyProblem> edited_source(const std::string& parent, const std::vector<SourceEdit>& edits) {
  std::string text = parent;
  for (std::size_t i = 0; i < edits.size(); ++i) {
    const auto& [search, replace] = edits[i];
    const PlaceInSource place = place_in(text, search);
    const auto problem = [&](const char* what) {
      return ReplyProblem{ProposalOutcome::unappliable,
                          fmt::format("edit {} of {} {}: '{}'", i + 1, edits.size(), what, line_of(search))};
    };
    if (place.places == 0) return problem("is nowhere in the parent's source");
    if (place.places > 1) return problem("fits more than one place; search for more of it");
    text.replace(place.begin, place.size, replace);
    if (text.size() > kLongestSource) return problem("makes the source too long");
  }
  return text;
}

namespace {

/// A text of Lua as what returns a table of parts.
std::string returning_parts(const std::string& text) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n");
  const std::string body = begin == std::string::npos ? "" : text.substr(begin);
  if (body.starts_with("{") || body.starts_with("variant")) return "return " + body;
  if (body.starts_with("return") || body.find("\nreturn") != std::string::npos) return body;
  std::vector<std::string> parts = kValues;
  parts.insert(parts.end(), kFunctions.begin(), kFunctions.end());
  std::string table;
  for (const std::string& part : parts) table += fmt::format("{0} = {0}, ", part);
  return fmt::format("local {}\n{}\nreturn {{ {} }}", fmt::join(parts, ", "), body, table);
}

std::string set_by_lua(const std::string& text) {
  std::string fields = fmt::format("local given = (function()\n{}\nend)()\n", returning_parts(text));
  fields += "if given.params ~= nil and given.start == nil then made.start = nil end\n";
  for (const std::vector<std::string>* const parts : {&kValues, &kFunctions})
    for (const std::string& part : *parts)
      fields += fmt::format("if given.{0} ~= nil then made.{0} = given.{0} end\n", part);
  return fields;
}

}  // namespace

std::string changed_manifest(const std::string& parent, const ManifestChange& change) {
  std::string fields = set_field("technique", lua_text(change.technique));
  fields += set_field(
      "estimate", fmt::format("{{ speedup = {{ {}, {} }}, probability = {:.3f}, evaluations = {} }}", change.speedup_lo,
                              change.speedup_hi, change.probability, change.parts.contains("params") ? 8 : 4));
  fields += set_field("risk", "\"medium\"");
  for (const char* field : {"rival", "stages"}) fields += set_field(field, "nil");
  if (change.parts.contains("params") && !change.parts.contains("start")) fields += set_field("start", "nil");
  for (const std::string& name : kValues)
    if (change.parts.contains(name)) fields += set_field(name, lua_value(change.parts.at(name)));
  for (const std::string& name : kFunctions)
    if (change.parts.contains(name)) fields += set_field(name, change.parts.at(name).get<std::string>());
  if (change.parts.contains(kLua)) fields += set_by_lua(change.parts.at(kLua).get<std::string>());
  return kOpen + parent + kMade + fields + kClose;
}

namespace {

/// A manifest with further fields. One that was made here is not wrapped once more.
std::string with_fields(const std::string& manifest, const std::string& fields) {
  if (!manifest.ends_with(kClose)) return kOpen + manifest + kMade + fields + kClose;
  return manifest.substr(0, manifest.size() - kClose.size()) + fields + kClose;
}

}  // namespace

std::string recalled_manifest(const std::string& manifest, const std::string& technique, double speedup) {
  constexpr double kDoubt = 0.03, kProbability = 0.95;
  constexpr int kEvaluations = 3;
  return with_fields(manifest, set_field("technique", lua_text(technique)) +
                                   set_field("estimate", fmt::format("{{ speedup = {{ {:.4f}, {:.4f} }}, probability "
                                                                     "= {}, evaluations = {} }}",
                                                                     speedup * (1 - kDoubt), speedup * (1 + kDoubt),
                                                                     kProbability, kEvaluations)));
}

std::string manifest_started_at(const std::string& manifest, const Config& config) {
  if (config.empty()) return manifest;
  json start = json::object();
  for (const auto& [name, value] : config) start[name] = value_to_json(value);
  return with_fields(manifest, set_field("start", lua_value(json::array({start}))));
}

namespace {

/// In a directive white space stays, as one blank: in a macro's definition it may mean something. `gap`: some stands
/// before it, too. Recorded hashes of proposals have its blank.
void add_line(const cpp_text::Directive& directive, bool gap, std::string& normal) {
  if (!normal.empty() && normal.back() != '\n') normal += '\n';
  normal += gap ? " #" : "#";
  const auto add = [&](const cpp_text::Token& token) {
    if (token.spaced) normal += ' ';
    normal += token.text;
  };
  add(directive.name);
  for (const cpp_text::Token& token : directive.tokens) add(token);
}

}  // namespace

std::string normal_source(const std::string& text) {
  std::string normal;
  const cpp_text::Text read = cpp_text::read_text(text);
  auto directive = read.directives.begin();
  std::size_t done = 0;  // with the end of a directive's line
  for (const cpp_text::Token& token : read.tokens) {
    if (token.kind == cpp_text::Token::Kind::directive) {
      add_line(*directive++, token.begin > done, normal);
      if (token.end < text.size()) normal += '\n';
      done = token.end + 1;
      continue;
    }
    done = token.end;
    const bool between_words = !normal.empty() && is_word_char(normal.back()) && is_word_char(token.text.front());
    if (token.spaced && between_words) normal += ' ';
    normal += token.text;
  }
  return normal;
}

std::string normal_hash(const std::string& source, const std::string& parent, const json& parts) {
  Sha256 hash;
  hash.field(normal_source(source));
  if (!parts.empty()) hash.field(parent).field(json_text(parts));
  return hash.hex();
}

std::string manifest_form() {
  return "params = { NAME = { values = { 64, 128 }, bind = \"define\" } } (or \"template\", \"launch\", \"scalar\"); "
         "steps = function(p, w, device) return { launch { entry = \"NAME<$dtype,$BLOCK>\", grid = { x, y, z }, block "
         "= "
         "{ x }, shared = bytes, args = { \"argument\", i32(w.size) }, resident = 1 } } end; valid = function(p, w, "
         "device) return all_of(...) end; multi_kernel = true for several launches; workspaces = function(p, w, "
         "device) "
         "return { workspace { \"partial\", bytes = 4 * w.rows, align = 256 } } end (named among args like an "
         "argument); options, requires. $NAME is a parameter that binds as template, w.NAME a size or type, p.NAME a "
         "parameter, device.multiprocessors the device's; with `resident = 1` the grid is a limit, and at most as many "
         "blocks run as the device holds at once. Functions: cdiv, min, max, i32, i64, f32; conditions over sizes by "
         "le(a, b), lt, eq, divisible(a, b), all_of, any_of, none_of, values by select(condition, a, b). Keep the "
         "names "
         "and parameters of the kernels that the manifest launches, or change its steps with them.";
}

std::string reply_form() {
  return "Answer in text, in this form. First a few lines: \"Hypothesis: why it is faster\", \"Label: a few words\", "
         "\"Predict: 1.2 to 1.6\" (speedup over the kernel's baseline), and if you learnt something from what was "
         "tried, "
         "\"Lesson: one sentence for those who come later\". Then either the whole new file in a block fenced as "
         "```cuda, "
         "or edits of the first parent's source, each as\n<<<<<<< SEARCH\nlines that are there exactly once\n=======\n"
         "the lines in their place\n>>>>>>> REPLACE\n"
         "If the manifest changes too, a block fenced as ```lua with what changes of it, as assignments: " +
         manifest_form() + " " +
         "One JSON object with \"source\" or \"edits\": [{\"search\", \"replace\"}], \"manifest\", \"hypothesis\", "
         "\"label\", \"predict\": {\"speedup\": [lo, hi]}, \"lesson\", \"usage\" is read as well.";
}

}  // namespace harness
