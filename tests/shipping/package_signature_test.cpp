#include "harness/shipping/package_signature.h"

#include <catch2/catch.hpp>
#include <filesystem>

#include "harness/package/folder/files.h"
#include "harness/system/files.h"
#include "tests/support/keys.h"
#include "tests/support/program.h"

using namespace harness;
using namespace harness::tests;

namespace {

package::PackageFiles few_files() {
  return {{"kernel.json", R"({"schema":1,"kernel":"k","stamps":[],"workloads":[],"configurations":[],"modules":[]})"},
          {"src/k.cpp", "int k;\n"}};
}

struct SignedPackage {
  Scratch scratch;
  std::string folder = scratch.path("p"), key = scratch.path("public"), other = scratch.path("other");

  explicit SignedPackage(bool with_key = true) {
    scratch.write("key", kPrivateKey);
    scratch.write("public", kPublicKey);
    scratch.write("other", kOtherPublicKey);
    package::PackageFiles files = few_files();
    end_package(files, with_key ? scratch.path("key") : "");
    package::write_package(folder, files);
  }
  PackageSignature against(const std::string& public_key) const {
    return signature_of(package::read_package(folder), public_key);
  }
};

}  // namespace

TEST_CASE("a signed package holds for the key that signed it, and for no other") {
  const SignedPackage made;
  const PackageSignature good = made.against(made.key);
  CHECK(good.state == Signature::good);
  CHECK(good.holds());
  CHECK_THAT(good.text, Catch::Contains(std::string("signed by ") + kKeyName));
  const PackageSignature other = made.against(made.other);
  CHECK(other.state == Signature::other_key);
  CHECK_FALSE(other.holds());
  const PackageSignature unasked = made.against("");
  CHECK(unasked.state == Signature::not_checked);
  CHECK(unasked.holds());
  CHECK_THAT(unasked.text, Catch::Contains("not checked"));
}

TEST_CASE("whoever changes a signed package and makes its digests anew is found by the key") {
  const SignedPackage made;
  package::PackageFiles files{{"kernel.json", read_file(made.folder + "/kernel.json")}, {"src/k.cpp", "int evil;\n"}};
  package::seal(files);
  for (const auto& [path, bytes] : files) write_file(made.folder + "/" + path, bytes);
  const PackageSignature changed = made.against(made.key);  // read_package() finds nothing
  CHECK(changed.state == Signature::wrong);
  CHECK_FALSE(changed.holds());
  std::filesystem::remove(made.folder + "/" + kSignatureFile);
  CHECK(made.against(made.key).state == Signature::wrong);
}

TEST_CASE("a package that nobody signed does not hold where a key was to have signed it") {
  const SignedPackage made(false);
  CHECK(made.against("").text == "not signed");
  const PackageSignature missed = made.against(made.key);
  CHECK(missed.state == Signature::none);
  CHECK_FALSE(missed.holds());
  CHECK_THAT(missed.text, Catch::Contains("is not signed"));
}
