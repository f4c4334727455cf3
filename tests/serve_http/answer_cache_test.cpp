#include "harness/serve_http/answer_cache.h"

#include <catch2/catch.hpp>
#include <chrono>
#include <filesystem>
#include <fstream>

#include "tests/serve_http/served.h"

using namespace harness;
using namespace harness::http;
using namespace harness::http::test;

namespace {

void age(const std::string& file, int seconds) {
  std::filesystem::last_write_time(file, std::filesystem::file_time_type::clock::now() - std::chrono::seconds(seconds));
}

}  // namespace

TEST_CASE("an answer is given again while the store stays as it is, and never after it changed") {
  AnswerCache cache(1000);
  const StoreStamp now{1, 2, 3}, later{1, 2, 4};
  CHECK_FALSE(cache.find("a", now));
  cache.keep("a", now, "one");
  CHECK(cache.find("a", now) == "one");
  CHECK_FALSE(cache.find("b", now));
  CHECK_FALSE(cache.find("a", later));
  cache.keep("b", later, "two");
  CHECK(cache.find("b", later) == "two");
  CHECK_FALSE(cache.find("a", later));
  CHECK_FALSE(cache.find("a", now));
}

TEST_CASE("answers are kept within their room") {
  AnswerCache cache(1000);
  const StoreStamp now{1, 2, 3};
  cache.keep("long", now, std::string(300, 'x'));
  CHECK_FALSE(cache.find("long", now));
  for (int at = 0; at < 20; ++at) cache.keep(std::to_string(at), now, std::string(200, 'x'));
  int kept = 0;
  for (int at = 0; at < 20; ++at) kept += cache.find(std::to_string(at), now) ? 1 : 0;
  CHECK(kept >= 1);
  CHECK(kept <= 4);
}

TEST_CASE("who asks the same at the same time waits for one answer; other questions do not") {
  AnswerCache cache(1000);
  const auto first = cache.turn("a");
  CHECK(cache.turn("a") == first);
  CHECK(cache.turn("b") != first);
  for (int at = 0; at < 1000; ++at) cache.turn(std::to_string(at));
  CHECK(cache.turn("a") == first);
}

TEST_CASE("a store that has just changed has no stamp; one that rests has, and each change gives it another") {
  Served served(1, 1);
  const std::string log = served.path + "-wal";
  std::ofstream(log) << "x";
  CHECK_FALSE(settled_stamp(served.path));
  age(served.path, 10);
  CHECK_FALSE(settled_stamp(served.path));
  age(log, 10);
  const auto before = settled_stamp(served.path);
  REQUIRE(before);
  CHECK(settled_stamp(served.path) == before);
  age(log, 5);
  CHECK(settled_stamp(served.path));
  CHECK(settled_stamp(served.path) != before);
  CHECK_FALSE(settled_stamp(served.path + "nowhere"));
}

TEST_CASE("a page that was asked before shows what was written since") {
  Served served(1, 3);
  Site site(served.shell, {});
  const auto newest = [&] {
    return answered(site, "/attempts.json").at("tables").at("attempts").at("rows").at(0).at(0).get<std::int64_t>();
  };
  age(served.path, 10);
  const std::int64_t first = newest();
  CHECK(newest() == first);
  store::test::record(*served.write(), store::test::an_attempt(1, 7), store::test::an_evaluation(CompileError{"x"}));
  CHECK(newest() > first);
}
