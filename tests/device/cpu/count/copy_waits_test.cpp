#include "harness/device/cpu/count/copy_waits.h"

#include <catch2/catch.hpp>

using harness::cpu::CopyWaits;

TEST_CASE(
    "of bulk copies that begin together one is waited for, and one that begins after a wait is waited for again") {
  CopyWaits waits;
  waits.begin(2);
  const int keys = 0, values = 0;
  waits.copy(0, &keys);
  waits.copy(0, &values);
  for (const int thread : {0, 1}) {
    CHECK(waits.pass(thread, &keys));
    CHECK_FALSE(waits.pass(thread, &values));
  }
  waits.copy(0, &keys);  // one stage: the next tile when the last one has been used
  CHECK(waits.pass(1, &keys));
}

TEST_CASE("a copy that began a tile ago is no wait, though the producer's fiber ran later") {
  CopyWaits waits;
  waits.begin(2);
  const int full[2] = {}, empty = 0;
  const int producer = 0, consumer = 1;
  waits.copy(producer, &full[0]);
  waits.copy(producer, &full[1]);
  CHECK(waits.pass(consumer, &full[0]));
  waits.arrive(consumer, &empty);
  CHECK_FALSE(waits.pass(consumer, &full[1]));
  CHECK_FALSE(waits.pass(producer, &empty));  // that is no copy
  waits.copy(producer, &full[0]);
  CHECK_FALSE(waits.pass(consumer, &full[0]));
}

TEST_CASE("groups of cp.async are waited for by their number") {
  CopyWaits waits;
  waits.begin(1);
  waits.copy(0), waits.commit(0);
  waits.copy(0), waits.commit(0);
  CHECK(waits.wait(0, 1));
  CHECK_FALSE(waits.wait(0, 0));
  waits.copy(0);
  CHECK(waits.wait(0, -1));
  waits.commit(0);  // an empty group
  CHECK_FALSE(waits.wait(0, 0));
}

TEST_CASE("who met at a barrier has waited as the others have") {
  CopyWaits waits;
  waits.begin(2);
  const int tile = 0, next = 0;
  waits.copy(0, &tile);
  waits.copy(0, &next);
  CHECK(waits.pass(0, &tile));
  waits.learn(1, waits.time(0));
  CHECK_FALSE(waits.pass(1, &next));
}
