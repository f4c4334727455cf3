#include "harness/serve_http/guard.h"

#include <sys/stat.h>

#include <catch2/catch.hpp>
#include <fstream>

#include "harness/core/error.h"
#include "tests/serve_http/served.h"

using namespace harness;
using namespace harness::http;
using namespace harness::http::test;

TEST_CASE("a script is named by its digest as a policy of the browser wants it") {
  CHECK(script_digest("") == "sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=");
  CHECK(script_digest("abc") == "sha256-ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=");
}

TEST_CASE("on loopback only loopback names are answered, however they are written") {
  for (const char* host : {"127.0.0.1", "127.0.0.1:8080", "localhost:1", "[::1]:8080", "localhost"})
    CHECK(host_allowed(host, "127.0.0.1"));
  for (const char* host : {"evil.com", "127.0.0.1.evil.com", "localhost.evil.com:8080", "", "0.0.0.0:8080"}) {
    INFO(host);
    CHECK_FALSE(host_allowed(host, "127.0.0.1"));
  }
  CHECK(host_allowed("gpu1.example:8080", "0.0.0.0"));  // a token guards that one
}

TEST_CASE("a script of another origin is not answered, a link from elsewhere is") {
  CHECK_FALSE(asked_from_elsewhere({"localhost:8080", "", "", ""}));
  CHECK_FALSE(asked_from_elsewhere({"localhost:8080", "http://localhost:8080", "same-origin", "cors"}));
  CHECK_FALSE(asked_from_elsewhere({"localhost:8080", "", "cross-site", "navigate"}));
  CHECK(asked_from_elsewhere({"localhost:8080", "", "cross-site", "no-cors"}));
  CHECK(asked_from_elsewhere({"localhost:8080", "", "same-site", "no-cors"}));
  CHECK(asked_from_elsewhere({"localhost:8080", "http://evil.com", "", ""}));
  CHECK(asked_from_elsewhere({"localhost:8080", "null", "", ""}));
  CHECK(asked_from_elsewhere({"localhost:8080", "http://localhost:9090", "same-site", "cors"}));
}

TEST_CASE("secrets and cookies are compared whole") {
  CHECK(same_secret("0123456789abcdef", "0123456789abcdef"));
  CHECK_FALSE(same_secret("0123456789abcdef", "0123456789abcdeF"));
  CHECK_FALSE(same_secret("0123456789abcdef", "0123456789abcde"));
  CHECK_FALSE(same_secret("", "0123456789abcdef"));
  CHECK_FALSE(same_secret("0123456789abcdef", ""));
  CHECK(cookie("a=1; harness=xyz; b=2", "harness") == "xyz");
  CHECK(cookie("otherharness=xyz", "harness").empty());
  CHECK(random_secret().size() == 32);
  CHECK(random_secret() != random_secret());
}

TEST_CASE("a token is read from a file that its owner alone can read") {
  const store::test::Folder folder;
  const auto write = [&](const char* text, mode_t mode) {
    std::ofstream(folder / "token") << text;
    chmod((folder / "token").c_str(), mode);
  };
  write("a token of 24 characters\nmore\n", 0600);
  CHECK(read_token(folder / "token") == "a token of 24 characters");
  write("a token of 24 characters\n", 0644);
  CHECK_THROWS_WITH(read_token(folder / "token"), Catch::Contains("chmod 600"));
  write("short\n", 0600);
  CHECK_THROWS_WITH(read_token(folder / "token"), Catch::Contains("at least 16"));
  CHECK_THROWS_AS(read_token(folder / "none"), Error);
}
