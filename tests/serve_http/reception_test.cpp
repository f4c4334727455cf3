#include "harness/serve_http/reception.h"

#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <catch2/catch.hpp>

using namespace harness::http;
using namespace std::chrono_literals;

namespace {

/// A client's end; the other is the reception's.
class Client {
 public:
  explicit Client(Reception& reception) {
    int ends[2];
    REQUIRE(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
    handle_ = ends[0];
    reception.take(ends[1]);
  }
  ~Client() { close(handle_); }
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;
  bool say(const std::string& text) const {
    return send(handle_, text.data(), text.size(), MSG_NOSIGNAL) == static_cast<ssize_t>(text.size());
  }
  /// What comes until so many bytes have, or the other end is closed.
  std::string hear(std::size_t most) const {
    std::string heard(most, '\0');
    std::size_t size = 0;
    while (size < most) {
      const ssize_t now = recv(handle_, heard.data() + size, most - size, 0);
      if (now <= 0) break;
      size += static_cast<std::size_t>(now);
    }
    heard.resize(size);
    return heard;
  }

 private:
  int handle_ = -1;
};

ReceptionLimits quick() {
  return {.connections = 8, .idle = 60'000ms, .request = 60'000ms, .answer = 60'000ms};
}

/// Says how long the request was that it answers.
bool echo_length(Connection& connection) {
  const std::size_t size = whole_request(connection.in);
  connection.in.erase(0, size);
  const std::string text = std::to_string(size) + "\n";
  return send_now(connection, text.data(), text.size());
}

const std::string kRequest = "GET / HTTP/1.1\r\n\r\n";

}  // namespace

TEST_CASE("a request is whole with its head and the body that its head tells of") {
  CHECK(whole_request("GET / HTTP/1.1\r\nHost: a\r\n") == 0);
  CHECK(whole_request(kRequest) == kRequest.size());
  CHECK(whole_request(kRequest + "GET") == kRequest.size());
  const std::string post = "POST / HTTP/1.1\r\ncontent-LENGTH:  3\r\n\r\n";
  CHECK(whole_request(post + "ab") == 0);
  CHECK(whole_request(post + "abc") == post.size() + 3);
  CHECK(whole_request("POST / HTTP/1.1\r\nContent-Length: 18446744073709551615\r\n\r\nabc") == 0);
  CHECK(of_unknown_length("POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"));
  CHECK_FALSE(of_unknown_length("POST / HTTP/1.1\r\nX: Transfer-Encoding: chunked\r\n\r\n"));
}

TEST_CASE("one thread answers while others have sent half a request, nothing, or do not take their answers") {
  std::atomic<bool> large{true};
  Reception reception(quick(), 1, [&](Connection& connection) {
    if (!large.exchange(false)) return echo_length(connection);
    connection.in.erase(0, whole_request(connection.in));
    const std::string text(8 << 20, 'x');
    return send_now(connection, text.data(), text.size());
  });
  const Client slow(reception), half(reception), silent(reception), quick_one(reception);
  CHECK(slow.say(kRequest));
  CHECK(slow.hear(1) == "x");  // it takes no more for now
  CHECK(half.say("GET / HT"));
  CHECK(quick_one.say(kRequest + kRequest));
  CHECK(quick_one.hear(6) == "18\n18\n");
  CHECK(half.say("TP/1.1\r\n\r\n"));
  CHECK(half.hear(3) == "18\n");
  CHECK(slow.hear((8 << 20) - 1).size() == (8 << 20) - 1);
  CHECK(slow.say(kRequest));
  CHECK(slow.hear(3) == "18\n");
}

TEST_CASE("who sends a request too slowly, or asks for nothing for too long, is left") {
  ReceptionLimits limits = quick();
  limits.idle = 10ms;
  limits.request = 20ms;
  Reception reception(limits, 1, echo_length);
  const Client silent(reception), half(reception);
  half.say("GET / HT");
  CHECK(silent.hear(1).empty());
  CHECK(half.hear(1).empty());
}

TEST_CASE("where all places are taken, whoever asks for nothing makes room for a request") {
  Reception reception(quick(), 1, echo_length);
  std::vector<std::unique_ptr<Client>> silent;
  for (int number = 0; number < 40; ++number) silent.push_back(std::make_unique<Client>(reception));
  const Client client(reception);
  CHECK(client.say(kRequest));
  CHECK(client.hear(3) == "18\n");
  CHECK(silent.front()->hear(1).empty());
}

TEST_CASE("a request that is longer than any is handed on as it is, and the client is left after its answer") {
  std::atomic<bool> whole{true};
  Reception reception(quick(), 1, [&](Connection& connection) {
    whole = connection.whole;
    connection.in.clear();
    return send_now(connection, "no\n", 3);
  });
  const Client client(reception);
  CHECK(client.say(std::string(40'000, 'a')));
  CHECK(client.hear(4) == "no\n");
  CHECK_FALSE(whole);
}
