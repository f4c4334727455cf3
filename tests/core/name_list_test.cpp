#include "harness/core/name_list.h"

#include <catch2/catch.hpp>

using namespace harness;

TEST_CASE("a filter is a list of names and wildcards") {
  CHECK(listed_names("a") == std::vector<std::string>{"a"});
  CHECK(listed_names("a,b c,,d,") == std::vector<std::string>{"a", "b c", "d"});
  CHECK(listed_names("H200, predicted,a") == std::vector<std::string>{"H200, predicted", "a"});
  CHECK(listed_names(",").empty());
  CHECK(is_pattern("seed*"));
  CHECK(is_pattern("s?"));
  CHECK_FALSE(is_pattern("n=3000 causal=true"));
}

TEST_CASE("a wildcard fits whole names") {
  for (const auto& [name, pattern, fits] :
       std::initializer_list<std::tuple<const char*, const char*, bool>>{{"seed_b1", "seed*", true},
                                                                         {"seed_b1", "*b1", true},
                                                                         {"seed_b1", "*e*b*", true},
                                                                         {"seed_b1", "seed", false},
                                                                         {"seed_b1", "seed_b?", true},
                                                                         {"seed_b12", "seed_b?", false},
                                                                         {"", "*", true},
                                                                         {"a", "", false},
                                                                         {"aab", "*ab", true},
                                                                         {"Seed", "seed*", false}}) {
    INFO(name << " " << pattern);
    CHECK(matches_pattern(name, pattern) == fits);
  }
  CHECK(glob_of("a[1]*") == "a[[]1]*");
}
