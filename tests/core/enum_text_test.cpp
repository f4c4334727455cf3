#include "harness/core/enum_text.h"

#include <catch2/catch.hpp>

#include "harness/core/error.h"
#include "harness/core/ledger.h"

using namespace harness;

namespace {

template <typename Enum>
void check_texts(std::size_t count) {
  const std::vector<std::string> names = names_of<Enum>();
  REQUIRE(names.size() == count);
  for (std::size_t i = 0; i < count; ++i) {
    const auto value = static_cast<Enum>(i);
    INFO(names[i]);
    CHECK(name(value) == names[i]);
    CHECK(named<Enum>(names[i]) == value);
    CHECK(json(value) == names[i]);
    CHECK(json(names[i]).get<Enum>() == value);
  }
}

}  // namespace

TEST_CASE("every value of an enum has a text, and the text leads back to it") {
  check_texts<Action>(5);
  check_texts<EndReason>(9);
  check_texts<Purpose>(5);
  check_texts<OutcomeKind>(std::variant_size_v<Outcome>);
  check_texts<Comparison>(3);
}

TEST_CASE("an unknown text is refused with the nearest known one, or with all of them") {
  CHECK_FALSE(named_if<Action>("tyr"));
  CHECK_THROWS_WITH(named<Action>("tyr"), "unknown action 'tyr'; did you mean 'try'?");
  CHECK_THROWS_WITH(named<Purpose>("x"), "unknown purpose 'x'; known are search, baseline, rival, confirm, eval");
  CHECK_THROWS_AS(json(3).get<EndReason>(), json::exception);
}
