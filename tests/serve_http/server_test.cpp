#include "harness/serve_http/server.h"

#include <httplib.h>

#include <catch2/catch.hpp>
#include <thread>

#include "harness/core/error.h"
#include "tests/serve_http/served.h"

using namespace harness;
using namespace harness::http;
using namespace harness::http::test;

namespace {

/// A server on a port of its own for as long as the test takes.
class Serving {
 public:
  explicit Serving(Shell& shell, int most_streams = 8, SiteOptions site = {})
      : server_(shell, {.site = std::move(site),
                        .port = 0,
                        .most_streams = most_streams,
                        .threads_for_pages = 3,
                        .heartbeat = std::chrono::milliseconds(50)}),
        thread_([this] { server_.serve([this] { return stop_.load(); }); }) {}
  ~Serving() {
    stop_ = true;
    thread_.join();
  }
  int port() const { return server_.port(); }
  httplib::Client client() const {
    httplib::Client client("127.0.0.1", server_.port());
    client.set_read_timeout(20, 0);
    return client;
  }

 private:
  Server server_;
  std::atomic<bool> stop_{false};
  std::thread thread_;
};

/// Listens until a text has come, or the stream ends.
struct Listening {
  std::atomic<bool> begun{false}, heard{false}, over{false};
  httplib::Client client_;
  std::thread thread;
  Listening(const Serving& serving, const std::string& text)
      : client_(serving.client()), thread([this, text] {
          std::string all;
          client_.Get("/live", [&](const char* data, std::size_t size) {
            all.append(data, size);
            begun = true;
            if (all.find(text) != std::string::npos) heard = true;
            return !over;
          });
        }) {}
  static void wait_for(const std::atomic<bool>& flag) {
    for (int step = 0; step < 2000 && !flag; ++step) std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  ~Listening() {
    over = true;
    client_.stop();
    thread.join();
  }
};

}  // namespace

TEST_CASE("a token is taken from a form or a header, never from an address") {
  Served served;
  const Serving serving(served.shell, 8, {.token = "0123456789abcdef"});
  httplib::Client client = serving.client();
  CHECK(client.Get("/campaigns.json?token=0123456789abcdef")->status == 401);
  CHECK(client.Post("/login?token=0123456789abcdef", "", "application/x-www-form-urlencoded")->status == 403);
  CHECK(client.Post("/login?token=0123456789abcdef", "token=no", "application/x-www-form-urlencoded")->status == 403);
  const auto opened = client.Post("/login", "token=0123456789abcdef", "application/x-www-form-urlencoded");
  CHECK(opened->status == 303);
  const std::string given = opened->get_header_value("Set-Cookie");
  CHECK_THAT(given, Catch::Contains("HttpOnly") && !Catch::Contains("0123456789abcdef"));
  CHECK(client.Get("/campaigns.json", {{"Cookie", given.substr(0, given.find(';'))}})->status == 200);
}

TEST_CASE("over a socket: pages with headers that confine them, data, and no other method") {
  Served served;
  const Serving serving(served.shell);
  httplib::Client client = serving.client();
  const auto page = client.Get("/campaign/1");
  REQUIRE(page);
  CHECK(page->status == 200);
  CHECK_THAT(page->get_header_value("Content-Security-Policy"), Catch::StartsWith("default-src 'self'"));
  CHECK(page->get_header_value("X-Content-Type-Options") == "nosniff");
  CHECK(page->get_header_value("X-Frame-Options") == "DENY");
  CHECK(json::parse(client.Get("/campaign/1.json")->body).at("tables").contains("curve"));
  CHECK(client.Get("/campaigns.json", {{"Host", "evil.com"}})->status == 421);
  CHECK(client.Get("/campaigns.json", {{"Origin", "http://evil.com"}})->status == 403);
  CHECK(client.Post("/campaigns.json", "x", "text/plain")->status == 405);
  CHECK(client.Delete("/campaign/1")->status == 405);
  CHECK(client.Get("/%2e%2e/%2e%2e/etc/passwd")->status == 404);
  CHECK(client.Get("/" + std::string(20'000, 'a'))->status == 414);
  const auto script = client.Get("/assets/app.js");
  CHECK(client.Get("/assets/app.js", {{"If-None-Match", script->get_header_value("ETag")}})->status == 304);
}

TEST_CASE("the script of the page comes as gzip to whom takes it, and is not compressed anew for each") {
  Served served;
  const Serving serving(served.shell);
  httplib::Client client = serving.client();
  client.set_decompress(false);
  const auto plain = client.Get("/assets/app.js", {{"Accept-Encoding", "identity"}});
  const auto packed = client.Get("/assets/app.js", {{"Accept-Encoding", "gzip, deflate, br"}});
  CHECK(plain->get_header_value("Content-Encoding").empty());
  CHECK(packed->get_header_value("Content-Encoding") == "gzip");
  CHECK(packed->body.size() < plain->body.size() / 2);
  CHECK(packed->get_header_value("ETag") == plain->get_header_value("ETag"));
  std::string text;
  CHECK(httplib::detail::gzip_decompressor().decompress(packed->body.data(), packed->body.size(),
                                                        [&](const char* some, std::size_t size) {
                                                          text.append(some, size);
                                                          return true;
                                                        }));
  CHECK(text == plain->body);
  double best_s = 1;
  for (int time = 0; time < 5; ++time) {
    const auto begun = std::chrono::steady_clock::now();
    client.Get("/assets/app.js", {{"Accept-Encoding", "br, gzip"}});
    best_s = std::min(best_s, std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count());
  }
  CHECK(best_s < 0.02);  // compressing it takes longer
}

TEST_CASE("a port that another server has is refused, not shared") {
  Served served;
  const Serving serving(served.shell);
  ServerOptions second;
  second.port = serving.port();
  CHECK_THROWS_AS(Server(served.shell, second), Error);
}

TEST_CASE("a stream tells of a new row; those for whom there is no room are told to poll, and pages still answer") {
  Served served(1, 3);
  const Serving serving(served.shell, 2);
  Listening first(serving, "\"iteration\":4"), second(serving, "\"iteration\":4");
  Listening::wait_for(first.begun);
  Listening::wait_for(second.begun);
  httplib::Client client = serving.client();
  CHECK(client.Get("/live")->status == 503);
  CHECK(client.Get("/campaigns.json")->status == 200);
  store::test::record(*served.write(), store::test::an_attempt(1, 3), store::test::passed(70));
  Listening::wait_for(first.heard);
  Listening::wait_for(second.heard);
  CHECK(first.heard);
  CHECK(second.heard);
}

TEST_CASE("a listener that goes away makes room for the next") {
  Served served(1, 3);
  const Serving serving(served.shell, 1);
  for (int number = 0; number < 3; ++number) {
    httplib::Client client = serving.client();
    int status = 503;
    for (int step = 0; step < 500 && status == 503; ++step) {
      const auto answer = client.Get(
          "/live",
          [&](const httplib::Response& response) {
            status = response.status;
            return true;
          },
          [&](const char*, std::size_t) { return status == 503; });
      if (status == 503) std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    CHECK(status == 200);
  }
}

TEST_CASE("a client that sends half a request, and one that reads nothing, hold nobody up") {
  Served served;
  const Serving serving(served.shell);
  httplib::Client client = serving.client();
  std::vector<int> half;
  for (int number = 0; number < 4; ++number) {
    const int handle = socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(static_cast<std::uint16_t>(serving.port()));
    REQUIRE(connect(handle, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
    const std::string text =
        number % 2 == 0 ? "GET /campaigns.json HT" : "GET /attempts.json HTTP/1.1\r\nHost: localhost\r\n\r\n";
    CHECK(write(handle, text.data(), text.size()) == static_cast<ssize_t>(text.size()));
    half.push_back(handle);
  }
  CHECK(client.Get("/campaigns.json")->status == 200);
  for (const int handle : half) close(handle);
}

TEST_CASE("a campaign that writes is neither slowed nor locked by readers") {
  Served served;
  const Serving serving(served.shell);
  std::atomic<bool> over{false};
  std::thread reader([&] {
    httplib::Client client = serving.client();
    while (!over) client.Get("/campaign/1.json");
  });
  const auto store = served.write();
  for (int number = 0; number < 50; ++number)
    store::test::record(*store, store::test::an_attempt(1, 100 + number), store::test::passed(60));
  over = true;
  reader.join();
  CHECK(store::test::value(*store, "SELECT count(*) FROM iteration") == 110);
}
