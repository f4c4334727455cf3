#include "harness/serve_http/site.h"

#include <fmt/format.h>
#include <malloc.h>

#include <chrono>

#include "harness/core/error.h"
#include "harness/report/live_view.h"
#include "harness/report/pattern.h"
#include "harness/serve_http/assets.h"
#include "harness/serve_http/report_file.h"
#include "harness/serve_http/tables.h"
#include "harness/service/campaign_view.h"
#include "harness/service/candidate_digest.h"
#include "harness/service/pattern_records.h"

namespace harness::http {
namespace {

constexpr std::int64_t kTableRows = 5000, kAnswerRows = 2000;
constexpr const char* kMostDecisions = "200";
constexpr std::chrono::milliseconds kLivePeriod{500};

double unix_now() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

Answer error_answer(int status, const std::string& sentence) {
  return {status, "application/json; charset=utf-8", json{{"error", sentence}}.dump(), {}};
}

Answer page_answer(std::string_view name) {
  const auto asset = find_asset(name);
  return {200, std::string(asset->type), std::string(asset->text), {{"Cache-Control", "no-cache"}}};
}

std::string word(const PageWords& words, const std::string& name) {
  const auto found = words.find(name);
  return found == words.end() ? "" : found->second;
}

std::int64_t number_word(const PageWords& words, const std::string& name) {
  const std::string text = word(words, name);
  if (text.empty() || text.size() > 15 || text.find_first_not_of("0123456789") != std::string::npos)
    throw bad_input(fmt::format("'{}' is no number of {}", text, name));
  return std::stoll(text);
}

/// Longer than any page needs; a log of megabytes is read with `harness show`.
void shorten(json& object, const char* key, std::size_t most) {
  if (!object.is_object() || !object.contains(key) || !object[key].is_string()) return;
  auto& text = object[key].get_ref<std::string&>();
  if (text.size() <= most) return;
  text = fmt::format("{}\n... {} more bytes\n", text.substr(0, most), text.size() - most);
}

json row_json(const SqlAnswer& answer, std::size_t row) {
  json object = json::object();
  for (std::size_t at = 0; at < answer.columns.size(); ++at) object[answer.columns[at]] = answer.rows[row].at(at);
  return object;
}

/// "?a=%2312&b=%2334" of a comparison names two attempts.
AskedPage of_two_attempts(AskedPage asked, PageWords& words) {
  const auto a = words.find("a"), b = words.find("b");
  const bool two = a != words.end() && b != words.end() && a->second.starts_with("#") && b->second.starts_with("#");
  if (asked.page->detail != Detail::comparison || !two) return asked;
  a->second.erase(0, 1);
  b->second.erase(0, 1);
  asked.page = find_page("/difference", false)->page;
  return asked;
}

/// What may take seconds and many megabytes is made for two at a time; few wait, so that pages keep their threads.
class LargeTurn {
 public:
  LargeTurn(std::counting_semaphore<>& turns, std::atomic<int>& wanting) : turns_(turns), wanting_(wanting) {
    constexpr int kMostWanting = 12;
    constexpr std::chrono::seconds kPatience{12};
    if (++wanting_ <= kMostWanting && turns_.try_acquire_for(kPatience)) return;
    --wanting_;
    throw environment_error("other queries are being answered: try again");
  }
  ~LargeTurn() {
    malloc_trim(0);  // else the process would keep what one large answer took
    turns_.release();
    --wanting_;
  }
  LargeTurn(const LargeTurn&) = delete;
  LargeTurn& operator=(const LargeTurn&) = delete;

 private:
  std::counting_semaphore<>& turns_;
  std::atomic<int>& wanting_;
};

json iteration_json(Archive& archive, std::int64_t iteration) {
  json found = archive.history().iteration(iteration, true);
  shorten(found, "source", 1 << 20);
  shorten(found, "log", 256 << 10);
  return {{"iteration", std::move(found)}, {"decision", archive.history().decision_of(iteration)}};
}

}  // namespace

Site::Site(Shell& shell, SiteOptions options)
    : shell_(shell),
      options_(std::move(options)),
      readers_({shell.store_path(),
                [this] {
                  return shell_.rooms.page_record(shell_.store_path(),
                                                  options_.agents ? SqlReach::agent_views : SqlReach::everything);
                },
                [this] { return open_to_read(shell_); }}),
      live_([this] { return live_text(); }, kLivePeriod) {}

SqlLimits Site::limits(std::int64_t rows) const {
  return {.seconds = options_.query_seconds, .rows = rows, .bytes = 32 << 20};
}

/// Agents are told what changed and which campaigns have not ended, and not what is being confirmed.
std::string Site::live_text() {
  try {
    Readers::Lease reader(readers_);
    const SqlAnswer newest = reader.pages().table(options_.agents ? "agent_newest" : "newest", {}, limits(1)).answer;
    json changed = newest.rows.empty() ? json::object() : row_json(newest, 0);
    json live = json::array();
    if (options_.agents) {
      const SqlAnswer running = reader.pages().table("agent_running", {}, limits(kAnswerRows)).answer;
      for (std::size_t at = 0; at < running.rows.size(); ++at) live.push_back(row_json(running, at));
    } else {
      live = report::live_rows_json(reader.archive().live().all(), unix_now());
    }
    return json{{"newest", std::move(changed)}, {"live", std::move(live)}}.dump();
  } catch (const std::exception& error) {
    return json{{"error", error.what()}}.dump();
  }
}

std::optional<Answer> Site::refusal(const Asked& asked) {
  if (!host_allowed(asked.asker.host, options_.host))
    return error_answer(421, "this page answers under localhost and 127.0.0.1 alone");
  if (asked_from_elsewhere(asked.asker)) return error_answer(403, "a page of another origin may not ask");
  if (asked.method == "POST" && asked.path == "/login" && !options_.token.empty()) return log_in(asked);
  if (asked.method != "GET" && asked.method != "HEAD")
    return error_answer(405, "this page only reads: GET and HEAD are all that it answers");
  if (options_.token.empty() || same_secret(cookie(asked.cookie, "harness"), session_)) return std::nullopt;
  if (same_secret(asked.authorization, "Bearer " + options_.token)) return std::nullopt;
  if (asked.path.find('.') == std::string::npos) {
    Answer door = page_answer("login.html");
    door.status = 401;
    return door;
  }
  if (asked.path.starts_with("/assets/")) return std::nullopt;
  return error_answer(401, "this page wants its token: a header 'Authorization: Bearer TOKEN'");
}

/// The body is a form: token=...
Answer Site::log_in(const Asked& asked) {
  const auto token = asked.words.find("token");
  if (token == asked.words.end() || !same_secret(token->second, options_.token)) {
    Answer door = page_answer("login.html");
    door.status = 403;
    return door;
  }
  return {303,
          "text/plain",
          "",
          {{"Location", "/"}, {"Set-Cookie", fmt::format("harness={}; HttpOnly; SameSite=Lax; Path=/", session_)}}};
}

Answer Site::answer(const Asked& asked) {
  if (auto refused = refusal(asked)) return *refused;
  try {
    if (asked.path.starts_with("/assets/")) {
      const auto asset = find_asset(std::string_view(asked.path).substr(8));
      if (!asset) return error_answer(404, "there is no such file");
      return {200,
              std::string(asset->type),
              std::string(asset->text),
              {{"Cache-Control", "no-cache"}, {"ETag", asset->tag}}};
    }
    if (asked.path == "/live.json")
      return {200, "application/json; charset=utf-8", live_.now().text, {{"Cache-Control", "no-store"}}};
    if (asked.path.starts_with("/campaign/") && asked.path.ends_with("/report.html") && !options_.agents)
      return report_page({{"campaign", asked.path.substr(10, asked.path.size() - 22)}});
    const auto page = find_page(asked.path, options_.agents);
    if (!page) {
      if (asked.path.find('.') != std::string::npos) return error_answer(404, "there is no such page");
      Answer missing = page_answer("page.html");
      missing.status = 404;
      return missing;
    }
    if (page->form.empty() && page->page->shown) return page_answer("page.html");
    if (page->form.empty()) return error_answer(404, "this is data: ask for it with .json, .csv or .sql");
    PageWords words = asked.words;
    for (const auto& [name, value] : page->words) words[name] = value;
    words.emplace("before", "999999999999999");
    words.emplace("text", "");
    words.emplace("most", kMostDecisions);
    const AskedPage meant = of_two_attempts(*page, words);
    return data(meant, std::move(words));
  } catch (const Error& error) {
    return error_answer(error.kind() == Error::Kind::bad_input ? 400 : 503, error.what());
  } catch (const std::exception& error) {
    return error_answer(500, error.what());
  }
}

/// The whole report, as `harness report --html` writes it.
Answer Site::report_page(const PageWords& words) {
  const std::unique_lock one(reports_, std::try_to_lock);
  if (!one) return error_answer(503, "another report is being made: try again");
  Readers::Lease reader(readers_);
  const CampaignFigures figures = reader.archive().history().figures(number_word(words, "campaign"));
  const report::CampaignReport made = campaign_view(shell_, reader.archive(), figures, {true, false});
  const ReportSource source{figures.campaign, readers_.path(), shell_.rooms.program.number, options_.query_seconds};
  return {200,
          "text/html; charset=utf-8",
          report_file(reader.pages(), made, source),
          {{"Content-Security-Policy", report_policy() + "; frame-ancestors 'none'"}}};
}

Answer Site::data(const AskedPage& asked, PageWords words) {
  std::optional<LargeTurn> turn;
  if (asked.form == "csv" || asked.page->detail == Detail::answer) turn.emplace(large_, wanting_);
  if (asked.form == "json")
    return {200, "application/json; charset=utf-8", page_text(asked, words), {{"Cache-Control", "no-store"}}};
  return asked.form == "csv" ? csv(asked, words) : sql(asked, std::move(words));
}

/// Many tabs ask the same after each change, and one answer serves them all.
std::string Site::page_text(const AskedPage& asked, const PageWords& words) {
  const Detail detail = asked.page->detail;
  const bool of_the_store = detail == Detail::none || detail == Detail::iteration || detail == Detail::comparison ||
                            detail == Detail::difference;
  const auto stamp = of_the_store ? settled_stamp(readers_.path()) : std::nullopt;
  const std::string question = asked.page->pattern + json(words).dump(-1, ' ', true, json::error_handler_t::replace);
  if (!stamp) return page_json(asked, words).dump(-1, ' ', false, json::error_handler_t::replace);
  if (auto known = answers_.find(question, *stamp)) return *std::move(known);
  const auto turn = answers_.turn(question);
  const std::lock_guard waiting(*turn);
  if (auto known = answers_.find(question, *stamp)) return *std::move(known);
  std::string text = page_json(asked, words).dump(-1, ' ', false, json::error_handler_t::replace);
  if (settled_stamp(readers_.path()) == stamp) answers_.keep(question, *stamp, text);
  return text;
}

json Site::page_json(const AskedPage& asked, const PageWords& words) {
  Readers::Lease reader(readers_);
  json object{{"page", asked.page->pattern},
              {"store", readers_.path()},
              {"agents", options_.agents},
              {"program", shell_.rooms.program.number}};
  object["tables"] = tables_json(reader.pages(), asked.page->tables, words, limits(kTableRows));
  json detail = detail_json(asked, words, reader);
  if (detail.is_object())
    for (auto& [name, value] : detail.items()) object[name] = std::move(value);
  return object;
}

json Site::detail_json(const AskedPage& asked, const PageWords& words, Readers::Lease& reader) {
  switch (asked.page->detail) {
    case Detail::none:
      return {};
    case Detail::iteration:
      return iteration_json(reader.archive(), number_word(words, "iteration"));
    case Detail::digest:
      return digest_json(words, reader);
    case Detail::difference:
      return {{"difference", reader.archive().history().diff(number_word(words, "a"), number_word(words, "b"))}};
    case Detail::comparison: {
      if (word(words, "a").empty() || word(words, "b").empty()) return {};
      History& history = reader.archive().history();
      const auto [a, b] = history.compared_sides(word(words, "a"), word(words, "b"));
      return {{"comparison", history.compare(a, b)}};
    }
    case Detail::patterns:
      return patterns_json("");
    case Detail::pattern:
      return patterns_json(word(words, "pattern"));
    case Detail::report: {
      const std::unique_lock one(reports_, std::try_to_lock);
      if (!one) throw environment_error("another report is being made: try again");
      const CampaignFigures figures = reader.archive().history().figures(number_word(words, "campaign"));
      return {{"report", report::campaign_json(campaign_view(shell_, reader.archive(), figures, {true, false}))}};
    }
    case Detail::answer: {
      const std::string sql = word(words, "sql");
      return {{"answer", table_json({"", sql, reader.pages().query(sql, limits(kAnswerRows))})}};
    }
  }
  return {};
}

/// Against what it was edited from; where it is no edit, against the best before it.
json Site::digest_json(const PageWords& words, Readers::Lease& reader) {
  const SqlAnswer kin = reader.pages().table("kin", words, limits(1)).answer;
  History& history = reader.archive().history();
  json iteration = history.iteration(number_word(words, "iteration"), false), parent;
  if (!kin.rows.empty()) {
    const json row = row_json(kin, 0);
    iteration["device_name"] = row.at("device_name");
    const json& other = row.at("parent").is_null() ? row.at("incumbent") : row.at("parent");
    if (!other.is_null()) parent = history.iteration(other, false);
  }
  const std::lock_guard lock(plugins_);
  return {{"digest", recorded_digest(iteration, parent, shell_)}, {"profiled", iteration.contains("profile")}};
}

json Site::patterns_json(const std::string& pattern) {
  const std::lock_guard lock(plugins_);
  const auto records = pattern_records_here(shell_, pattern);
  if (!pattern.empty()) return {{"pattern", report::pattern_page_json(records.front())}};
  json all = json::array();
  for (const report::PatternRecord& record : records) all.push_back(report::pattern_json(record));
  return {{"patterns", std::move(all)}};
}

}  // namespace harness::http
