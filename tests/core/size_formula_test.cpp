#include "harness/core/size_formula.h"

#include <catch2/catch.hpp>

using namespace harness;
using namespace harness::sizes;
using Kind = Formula::Kind;

// A piece of C++ as the text that is expected, and as a function that computes it.
#define EXPECTED(name, code)                                           \
  const char* const name##_text = #code;                               \
  std::int64_t name([[maybe_unused]] std::int64_t a, std::int64_t b) { \
    return code;                                                       \
  }

namespace {

EXPECTED(quotient, ((b - a) / b - ((b - a) % b != 0 && ((b - a) < 0) != (b < 0))))
EXPECTED(rest, ((b - a) % b + ((b - a) % b != 0 && ((b - a) < 0) != (b < 0)) * b))
EXPECTED(groups, ((b - a) / b + ((b - a) % b != 0 && ((b - a) < 0) == (b < 0))))

std::string itself(const std::string& symbol) {
  return symbol;
}

FormulaPtr difference_by(Kind kind) {
  return formula(kind, {formula(Kind::subtract, {symbol("b"), symbol("a")}), symbol("b")});
}

std::int64_t value(Kind kind, std::int64_t a, std::int64_t b) {
  return evaluate(*formula(kind, {symbol("a"), symbol("b")}), {{"a", a}, {"b", b}}).value();
}

std::string cpp(const char* json_text) {
  return as_cpp(*formula_of(json::parse(json_text)), itself);
}

}  // namespace

TEST_CASE("quotients and rests of sizes round down, as in Lua and Python") {
  CHECK(value(Kind::divide, 7, 2) == 3);
  CHECK(value(Kind::divide, -7, 2) == -4);
  CHECK(value(Kind::divide, 7, -2) == -4);
  CHECK(value(Kind::modulo, -7, 2) == 1);
  CHECK(value(Kind::modulo, 7, -2) == -1);
  CHECK(value(Kind::cdiv, -7, 2) == -3);
  CHECK(value(Kind::round_up, -7, 2) == -6);
  CHECK_FALSE(evaluate(*formula(Kind::divide, {symbol("a"), number(0)}), {{"a", 1}}).has_value());
  CHECK(formula(Kind::divide, {number(-7), number(2)})->number == -4);
}

TEST_CASE("as C++ a formula has the same value, also where C++ truncates") {
  CHECK(as_cpp(*difference_by(Kind::divide), itself) == quotient_text);
  CHECK(as_cpp(*difference_by(Kind::modulo), itself) == rest_text);
  CHECK(as_cpp(*difference_by(Kind::cdiv), itself) == groups_text);
  for (std::int64_t a = -9; a <= 9; ++a)
    for (std::int64_t b = -5; b <= 5; ++b) {
      if (b == 0) continue;
      const Values values{{"a", a}, {"b", b}};
      CHECK(quotient(a, b) == evaluate(*difference_by(Kind::divide), values));
      CHECK(rest(a, b) == evaluate(*difference_by(Kind::modulo), values));
      CHECK(groups(a, b) == evaluate(*difference_by(Kind::cdiv), values));
    }
}

TEST_CASE("where nothing is negative C++ stays as a person writes it") {
  CHECK(cpp(R"({"//": [{"size": "N"}, 4]})") == "(N / 4)");
  CHECK(cpp(R"({"cdiv": [{"size": "N"}, 128]})") == "((N + 128 - 1) / 128)");
  CHECK(cpp(R"({"%": [{"max": [{"-": [{"size": "N"}, 1]}, 0]}, 4]})") == "(((N - 1) > 0 ? (N - 1) : 0) % 4)");
}

TEST_CASE("a launcher's formula is read with all its operations") {
  CHECK(cpp(R"({"divisible": [{"size": "N"}, 4]})") == "((N % 4) == 0)");
  CHECK(cpp(R"({"none_of": [{"eq": [{"size": "N"}, 1]}, {"eq": [{"size": "N"}, 2]}]})") ==
        "(((N == 1) || (N == 2)) == 0)");
  CHECK(cpp(R"({"/": [{"size": "N"}, 4]})") == "((double)N / (double)4)");
  CHECK(cpp(R"({"-": [{"size": "N"}]})") == "(0 - N)");
  CHECK_FALSE(is_whole(*formula_of(json::parse(R"({"/": [{"size": "N"}, 4]})"))));
  CHECK(formula_of(json::parse(R"({"device": "multiprocessors"})")) == nullptr);
  CHECK(as_lua(*formula_of(json::parse(R"({"//": [{"-": [{"size": "N"}, 1]}, 4]})")), itself) == "(N - 1) // 4");
}
