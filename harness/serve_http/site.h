#pragma once
#include <atomic>
#include <mutex>
#include <semaphore>
#include <string>

#include "harness/core/page_record.h"
#include "harness/serve_http/answer_cache.h"
#include "harness/serve_http/guard.h"
#include "harness/serve_http/live.h"
#include "harness/serve_http/pages.h"
#include "harness/serve_http/readers.h"
#include "harness/service/shell.h"

namespace harness::http {

struct SiteOptions {
  std::string host = "127.0.0.1";
  bool agents = false;  // shows only what agents may know
  std::string token;    // "": none is asked for
  double query_seconds = 5;
};

struct Asked {
  std::string method = "GET", path = "/", body;
  PageWords words;  // of the query string
  Asker asker;
  std::string authorization, cookie;
};

struct Answer {
  int status = 200;
  std::string type = "application/json; charset=utf-8", body;
  Headers headers;
};

/// The live page without a socket. Any number of threads may ask it.
class Site {
 public:
  Site(Shell& shell, SiteOptions options);
  Answer answer(const Asked& asked);
  /// Nothing: it may be asked. Else the answer that says why not.
  std::optional<Answer> refusal(const Asked& asked);
  LiveFeed& live() { return live_; }

 private:
  Answer log_in(const Asked& asked);
  Answer data(const AskedPage& asked, PageWords words);
  Answer report_page(const PageWords& words);
  std::string page_text(const AskedPage& asked, const PageWords& words);
  json page_json(const AskedPage& asked, const PageWords& words);
  json detail_json(const AskedPage& asked, const PageWords& words, Readers::Lease& reader);
  json digest_json(const PageWords& words, Readers::Lease& reader);
  json patterns_json(const std::string& pattern);
  Answer csv(const AskedPage& asked, const PageWords& words);
  Answer sql(const AskedPage& asked, PageWords words);
  PageWords words_behind(Detail detail, PageWords words, Readers::Lease& reader);
  std::string live_text();
  SqlLimits limits(std::int64_t rows) const;

  Shell& shell_;
  SiteOptions options_;
  std::string session_ = random_secret();  // what the cookie of somebody who knows the token holds
  Readers readers_;
  AnswerCache answers_{8 << 20};
  std::mutex plugins_;                  // Lua of the playbook's pages and of digests: one at a time
  std::counting_semaphore<> large_{2};  // of answers of many megabytes
  std::atomic<int> wanting_{0};         // who wants such an answer, or is given one
  std::mutex reports_;  // a report reads all of a campaign, for seconds where it is large: one at a time
  LiveFeed live_;
};

}  // namespace harness::http
