#include "harness/core/hash.h"

#include <catch2/catch.hpp>

namespace harness {

TEST_CASE("SHA-256 gives the digests of the standard's examples") {
  CHECK(sha256_hex("") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  CHECK(sha256_hex("abc") == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  CHECK(sha256_hex("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq") ==
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  CHECK(sha256_hex(std::string(1'000'000, 'a')) == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST_CASE("a hash does not depend on how the bytes were handed over") {
  const std::string text(200, 'x');
  for (std::size_t cut = 0; cut <= text.size(); cut += 7)
    CHECK(Sha256().update(text.substr(0, cut)).update(text.substr(cut)).hex() == sha256_hex(text));
}

TEST_CASE("fields cannot run into each other") {
  CHECK(Sha256().field("ab").field("c").hex() != Sha256().field("a").field("bc").hex());
}

}  // namespace harness
