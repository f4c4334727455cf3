#include "harness/package/folder/images.h"

#include "harness/core/hash.h"
#include "harness/package/folder/reading.h"
#include "harness/system/files.h"
#include "tests/package/packages.h"

using namespace harness;
using namespace harness::package;
using namespace harness::package::test;
using harness::tests::Scratch;

TEST_CASE("the images of a launcher are read back from its code, byte by byte") {
  const SoftmaxPackage made;
  const auto images = images_in(made.files.at("src/softmax_code.cpp"));
  std::size_t number = 0;
  for (std::size_t unit = 0; unit < made.model.units.size(); ++unit)
    for (const CompiledCode& code : made.model.units[unit].code) {
      CHECK(images.at(image_name("softmax", unit, 0)) == code.bytes);
      ++number;
    }
  CHECK(images.size() == number);
}

TEST_CASE("code beside the images of a launcher is refused") {
  const SoftmaxPackage made;
  const std::string code = made.files.at("src/softmax_code.cpp");
  for (const std::string more : {"int evil() { return 1; }\n", "#include \"/etc/passwd\"\n", "    \"\\177\"\n",
                                 "alignas(64) const unsigned char more[] =  // sm_90a, 1 bytes\n"})
    CHECK_THROWS_WITH(images_in(code + more), Catch::Contains("was not written by harness package"));
  std::string split = code;
  split.insert(split.find("// sm_90a") + 9, "\\");
  CHECK_NOTHROW(images_in(split));  // within a comment
  split = code;
  split.insert(split.find("\"\n;") - 4, "\" evil \"");
  CHECK_THROWS(images_in(split));
}

TEST_CASE("an image that is not the listed one is told although every digest was made anew") {
  const Scratch scratch;
  SoftmaxPackage made;
  const std::string folder = scratch.path("p");
  std::string& code = made.files["src/softmax_code.cpp"];
  const std::size_t at = code.find("    \"\\");
  REQUIRE(at != std::string::npos);
  code[at + 8] = code[at + 8] == '0' ? '1' : '0';
  seal(made.files);
  write_package(folder, made.files);
  const HeldImages held = held_images(read_package(folder));
  CHECK(held.listed);
  REQUIRE(held.wrong.size() == 1);
  CHECK_THAT(held.wrong[0], Catch::Contains("the image softmax_image_0_0 is another than kernel.json lists"));
}
