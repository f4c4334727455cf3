#include "harness/worker/processes/channel.h"

#include <sys/socket.h>
#include <unistd.h>

#include <catch2/catch.hpp>

#include "harness/worker/processes/shared_memory.h"

using namespace harness;

namespace {
std::pair<Channel, Channel> connected() {
  int sockets[2];
  REQUIRE(socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) == 0);
  return {Channel(sockets[0]), Channel(sockets[1])};
}
}  // namespace

TEST_CASE("a message crosses with its descriptors") {
  auto [left, right] = connected();
  const SharedMemory memory(4096);
  memory.bytes()[17] = std::byte{42};
  REQUIRE(left.send({{"op", "run"}}, {memory.descriptor()}));
  Message message;
  REQUIRE(right.receive(message, 1) == Channel::Status::ok);
  CHECK(message.body["op"] == "run");
  REQUIRE(message.descriptors.size() == 1);
  const SharedMemory received(message.descriptors[0], 4096);
  CHECK(received.bytes()[17] == std::byte{42});
}

TEST_CASE("silence times out, a stop interrupts, a closed peer is noticed") {
  auto [left, right] = connected();
  Message message;
  CHECK(right.receive(message, 0.05) == Channel::Status::timed_out);
  CHECK(right.receive(message, 5, [] { return true; }) == Channel::Status::interrupted);
  { const Channel gone = std::move(left); }
  CHECK(right.receive(message, 1) == Channel::Status::closed);
}

TEST_CASE("what has come is taken, however late this process looks") {
  auto [left, right] = connected();
  REQUIRE(left.send({{"op", "run"}}));
  Message message;
  CHECK(right.receive(message, 0) == Channel::Status::ok);
  REQUIRE(left.send({{"op", "run"}}));
  CHECK(right.receive(message, -1, [] { return true; }) == Channel::Status::ok);
}

TEST_CASE("what is no message reads as a closed channel") {
  auto [left, right] = connected();
  const char nonsense[] = "\x05\x00\x00\x00{{{{{";
  REQUIRE(write(left.socket(), nonsense, 9) == 9);
  Message message;
  CHECK(right.receive(message, 1) == Channel::Status::closed);
  const unsigned char huge[] = {0xff, 0xff, 0xff, 0xff};
  REQUIRE(write(left.socket(), huge, 4) == 4);
  CHECK(right.receive(message, 1) == Channel::Status::closed);
}

TEST_CASE("shared memory smaller than promised is refused") {
  const SharedMemory memory(100);
  CHECK_THROWS(SharedMemory(dup(memory.descriptor()), 200));
}
