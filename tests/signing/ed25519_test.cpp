#include "harness/signing/ed25519.h"

#include <catch2/catch.hpp>
#include <filesystem>

#include "harness/core/error.h"
#include "tests/support/keys.h"
#include "tests/support/program.h"

using namespace harness;
using namespace harness::signing;
using namespace harness::tests;

namespace {

std::string hex(const std::string& bytes) {
  std::string text;
  for (const unsigned char byte : bytes) text += fmt::format("{:02x}", byte);
  return text;
}

}  // namespace

TEST_CASE("a signature is that of RFC 8032, and holds for its key and its bytes alone") {
  const Scratch scratch;
  scratch.write("key", kPrivateKey);
  scratch.write("public", kPublicKey);
  scratch.write("other", kOtherPublicKey);
  const PrivateKey key(scratch.path("key"));
  const PublicKey known(scratch.path("public")), other(scratch.path("other"));
  const std::string signature = key.sign("");
  CHECK(
      hex(signature) ==
      "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24"
      "655141438e7a100b");
  CHECK(key.name() == kKeyName);
  CHECK(known.name() == kKeyName);
  CHECK(known.signed_this("", signature));
  CHECK_FALSE(other.signed_this("", signature));
  CHECK_FALSE(known.signed_this("x", signature));
  CHECK_FALSE(known.signed_this("", signature.substr(1)));
  CHECK_FALSE(known.signed_this("", ""));
}

TEST_CASE("a file that is no key for the purpose is refused, and nothing of it is told") {
  const Scratch scratch;
  scratch.write("key", kPrivateKey);
  scratch.write("public", kPublicKey);
  scratch.write("text", "no key");
  scratch.write("x25519",
                "-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VuAyEAfcmE436Cc7WxJcemaJkMuqxcV9e6t8UQC86giDXfPjk=\n"
                "-----END PUBLIC KEY-----\n");
  CHECK_THROWS_WITH(PublicKey(scratch.path("key")),
                    Catch::Contains("this is a private key") && !Catch::Contains("MC4CAQ"));
  CHECK_THROWS_WITH(PublicKey(scratch.path("x25519")), Catch::Contains("none of Ed25519"));
  CHECK_THROWS_WITH(PublicKey(scratch.path("text")), Catch::Contains("no public key in PEM"));
  CHECK_THROWS_WITH(PrivateKey(scratch.path("public")), Catch::Contains("no private key in PEM"));
  CHECK_THROWS_WITH(PrivateKey(scratch.path("absent")), Catch::Contains("cannot be read"));
  namespace fs = std::filesystem;
  fs::permissions(scratch.path("key"), fs::perms::owner_read);
  CHECK_FALSE(is_read_by_others(scratch.path("key")));
  fs::permissions(scratch.path("key"), fs::perms::owner_read | fs::perms::group_read);
  CHECK(is_read_by_others(scratch.path("key")));
}
