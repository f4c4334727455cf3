#include "harness/script/strategy/prompt.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <map>
#include <utility>

#include "harness/core/error.h"
#include "harness/script/sandbox/convert.h"

namespace harness::script {
namespace {

/// As a Lua string that has as many lines as the text, so that errors name the template's line.
std::string quoted_piece(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '\n') quoted += "\\\n";
    else if (c == '\r') quoted += "\\r";
    else if (c == '"' || c == '\\') quoted += std::string("\\") + c;
    else if (c == '\0') quoted += "\\0";
    else quoted += c;
  }
  return quoted + '"';
}

/// Whether nothing but blanks is beside a hole on its line.
bool stands_alone(std::string_view text, std::size_t begin, std::size_t end) {
  while (begin > 0 && (text[begin - 1] == ' ' || text[begin - 1] == '\t')) --begin;
  while (end < text.size() && (text[end] == ' ' || text[end] == '\t' || text[end] == '\r')) ++end;
  return (begin == 0 || text[begin - 1] == '\n') && (end == text.size() || text[end] == '\n');
}

constexpr const char* kWriter =
    "local function fence(text, language) text = tostring(text) local bar = '```' "
    "while text:find(bar, 1, true) do bar = bar .. '`' end "
    "return bar .. (language or '') .. '\\n' .. text .. (text:sub(-1) == '\\n' and '' or '\\n') .. bar end "
    "local function inline(value, within) if type(value) ~= 'table' then return tostring(value) end "
    "local parts = {} for _, v in ipairs(value) do parts[#parts + 1] = inline(v, true) end "
    "local is_list = #parts > 0 "
    "if not is_list then for k, v in pairs(value) do parts[#parts + 1] = tostring(k) .. '=' .. inline(v, true) end end "
    "local text = table.concat(parts, ', ') "
    "return is_list and '[' .. text .. ']' or within and '{' .. text .. '}' or text end "
    "return function(request) local out_ = {} local function put_(value) "
    "if value ~= nil then out_[#out_ + 1] = inline(value) end end ";

/// Makes a chunk of the template, line for line.
std::string chunk_of(const Source& source) {
  const std::string_view text = source.text;
  std::string chunk = kWriter;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t value = text.find("{{", at), code = text.find("{%", at), open = std::min(value, code);
    if (open == std::string_view::npos) {
      chunk += fmt::format("put_({}) ", quoted_piece(text.substr(at)));
      break;
    }
    const std::size_t close = text.find(open == value ? "}}" : "%}", open + 2);
    if (close == std::string_view::npos)
      throw bad_input(
          fmt::format("{}:{}: a hole begins here and is not closed", source.name,
                      1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(open), '\n')));
    std::size_t from = open, behind = close + 2;
    const bool alone = open == code && stands_alone(text, open, behind);
    if (alone)
      while (from > at && (text[from - 1] == ' ' || text[from - 1] == '\t')) --from;
    if (from > at) chunk += fmt::format("put_({}) ", quoted_piece(text.substr(at, from - at)));
    const std::string_view hole = text.substr(open + 2, close - open - 2);
    chunk += open == value ? fmt::format("put_({}) ", hole) : fmt::format("{} ", hole);
    if (alone) {
      behind = std::min(text.find('\n', behind), text.size() - 1) + 1;
      chunk += text[behind - 1] == '\n' ? "\n" : "";
    }
    at = behind;
  }
  return chunk + " return table.concat(out_) end";
}

class PromptedProposer : public Proposer {
 public:
  PromptedProposer(std::unique_ptr<Proposer> inner, PromptTemplate prompt)
      : inner_(std::move(inner)), prompt_(std::move(prompt)) {}
  std::string spec() const override { return inner_->spec(); }
  bool ready() override { return inner_->ready(); }
  bool needs_request() const override { return inner_->needs_request(); }
  void begin(const ProposalRecord& record, double deadline_s) override;
  std::optional<ProposerAnswer> take(double patience_s, const std::function<bool()>& stop) override;
  void cancel() override;

 private:
  std::unique_ptr<Proposer> inner_;
  PromptTemplate prompt_;
  std::map<std::int64_t, std::string> sent_;  // by the request's number
  std::deque<ProposerAnswer> failed_;
};

void PromptedProposer::begin(const ProposalRecord& record, double deadline_s) {
  auto request = nlohmann::ordered_json::parse(record.request, nullptr, false);
  if (!request.is_object()) return inner_->begin(record, deadline_s);
  ProposalRecord prompted = record;
  try {
    const std::string text = prompt_.render(json(request));
    request["prompt"] = text;
    sent_[record.number] = text;
  } catch (const Error& error) {
    if (error.kind() != Error::Kind::bad_input) throw;
    ProposerAnswer answer;
    answer.end = ProposerAnswer::End::unavailable;
    answer.why = error.what();
    answer.number = record.number;
    failed_.push_back(std::move(answer));
    return;
  }
  prompted.request = request.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  inner_->begin(prompted, deadline_s);
}

std::optional<ProposerAnswer> PromptedProposer::take(double patience_s, const std::function<bool()>& stop) {
  if (!failed_.empty()) {
    ProposerAnswer answer = std::move(failed_.front());
    failed_.pop_front();
    return answer;
  }
  std::optional<ProposerAnswer> answer = inner_->take(patience_s, stop);
  if (!answer) return answer;
  if (const auto sent = sent_.extract(answer->number); !sent.empty())
    answer->log =
        fmt::format("{}{}the prompt, by {}:\n{}", answer->log,
                    answer->log.empty() || answer->log.ends_with('\n') ? "" : "\n", prompt_.name(), sent.mapped());
  return answer;
}

void PromptedProposer::cancel() {
  sent_.clear();
  failed_.clear();
  inner_->cancel();
}

}  // namespace

PromptTemplate::PromptTemplate(Source source, Limits limits)
    : name_(source.name), chunk_(chunk_of(source)), limits_(limits) {}

std::string PromptTemplate::render(const json& request) const {
  Sandbox sandbox(limits_);
  sandbox.run(chunk_, name_);
  sandbox.protect(1, 1, [&](lua_State* L) {
    push_json(L, request);
    lua_call(L, 1, 1);
    return 1;
  });
  return to_json(sandbox.lua(), -1, name_).get<std::string>();
}

std::optional<PromptTemplate> find_prompt(const std::vector<std::filesystem::path>& proposer_folders) {
  for (const std::filesystem::path& folder : proposer_folders)
    if (const auto file = folder / "prompt.md"; std::filesystem::exists(file))
      return PromptTemplate(read_source(file, "proposers/prompt.md"));
  return std::nullopt;
}

std::unique_ptr<Proposer> with_prompt(std::unique_ptr<Proposer> proposer, PromptTemplate prompt) {
  return std::make_unique<PromptedProposer>(std::move(proposer), std::move(prompt));
}

}  // namespace harness::script
