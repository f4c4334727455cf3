#include "harness/judge/npy.h"

#include <catch2/catch.hpp>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "harness/core/error.h"
#include "tests/judge/launched.h"

using namespace harness;
using namespace harness::judge;
using Catch::Contains;

namespace {

/// A folder that goes with the test.
struct Folder {
  std::string path;
  Folder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "judge-npy-XXXXXX").string();
    path = mkdtemp(pattern.data());
  }
  ~Folder() { std::filesystem::remove_all(path); }
  std::string write(const std::string& name, const std::string& content) const {
    std::ofstream(path + "/" + name, std::ios::binary) << content;
    return path + "/" + name;
  }
};

/// As numpy.save writes it.
template <typename T>
std::string npy(const std::string& descr, const std::string& shape, const std::vector<T>& data, int version = 1,
                const char* fortran = "False") {
  std::string header = "{'descr': '" + descr + "', 'fortran_order': " + fortran + ", 'shape': " + shape + ", }";
  const std::size_t prefix = version == 1 ? 10 : 12;
  header.append(63 - (prefix + header.size()) % 64, ' ');
  header += '\n';
  std::string file("\x93NUMPY", 6);
  file += static_cast<char>(version);
  file += '\0';
  const std::uint32_t length = static_cast<std::uint32_t>(header.size());
  file.append(reinterpret_cast<const char*>(&length), version == 1 ? 2 : 4);
  file += header;
  file.append(reinterpret_cast<const char*>(data.data()), data.size() * sizeof(T));
  return file;
}

}  // namespace

TEST_CASE("arrays of both format versions and several types are read") {
  const Folder folder;
  const NpyArray floats = read_npy(folder.write("a.npy", npy<float>("<f4", "(2, 3)", {1, 2, 3, 4, 5, 6.5f})));
  REQUIRE(floats.shape == std::vector<std::int64_t>{2, 3});
  REQUIRE(floats.dtype == Dtype::f32);
  REQUIRE(floats.at(5) == 6.5);
  REQUIRE(read_npy(folder.write("b.npy", npy<std::int64_t>("<i8", "(2,)", {-1, 9}, 2))).at(0) == -1);
  REQUIRE(read_npy(folder.write("c.npy", npy<std::uint16_t>("<f2", "()", {0x3c00}))).at(0) == 1);
  REQUIRE(read_npy(folder.write("d.npy", npy<std::uint8_t>("|b1", "(2,)", {0, 1}))).dtype == Dtype::b8);
}

TEST_CASE("files that are no such array are refused with their path") {
  const Folder folder;
  const auto refused = [&](const std::string& content) {
    const std::string path = folder.write("x.npy", content);
    REQUIRE_THROWS_WITH(read_npy(path), Contains(path));
  };
  const std::string good = npy<float>("<f4", "(2,)", {1, 2});
  refused("");
  refused("PK\x03\x04 something else");
  refused(good.substr(0, 40));
  refused(good.substr(0, good.size() - 1));
  refused(good + "x");
  refused(npy<float>(">f4", "(2,)", {1, 2}));
  refused(npy<float>("<c8", "(1,)", {1, 2}));
  refused(npy<float>("<f4", "(1, 2)", {1, 2}, 1, "True"));
  refused(npy<float>("<f4", "(2,)", {1, 2}, 3));
  refused(npy<float>("<f4", "(99999999999, 99999999999)", {1, 2}));
  REQUIRE_THROWS_AS(read_npy(folder.path + "/none.npy"), Error);
}

TEST_CASE("golden inputs are placed and the reference's values compared with golden outputs") {
  const Folder folder;
  Problem problem;
  problem.arguments = {tensor(ArgumentKind::input, "x", Dtype::bf16, {2, 2}, {5, 1}),
                       tensor(ArgumentKind::inout, "n", Dtype::s32, {2}),
                       tensor(ArgumentKind::output, "o", Dtype::f16, {2})};
  Launched l(problem);
  folder.write("x.npy", npy<std::uint16_t>("<u2", "(2, 2)", {0x3f80, 0x4000, 0xbf80, 0}));
  folder.write("n.npy", npy<std::int64_t>("<i8", "(2,)", {7, -8}));
  place_golden_inputs(l.problem, l.layout, folder.path, l.before);
  REQUIRE(l.drawn_value("x", 1) == 2);
  REQUIRE(l.drawn_value("x", 2) == -1);
  REQUIRE(l.drawn_value("n", 1) == -8);

  l.compute("o", [](std::int64_t i) { return 1.0 + 0.1 * static_cast<double>(i); });
  l.compute("n", [](std::int64_t i) { return 5.0 + static_cast<double>(i); });
  folder.write("o.npy", npy<double>("<f8", "(2,)", {1, 1.1}));
  folder.write("n.out.npy", npy<std::int32_t>("<i4", "(2,)", {5, 6}));
  REQUIRE_FALSE(compare_golden(l.problem, l.reference, folder.path).has_value());
  folder.write("n.out.npy", npy<std::int32_t>("<i4", "(2,)", {5, 7}));
  REQUIRE_THAT(*compare_golden(l.problem, l.reference, folder.path), Contains("n[1] = 6") && Contains("has 7"));
  folder.write("n.out.npy", npy<std::int32_t>("<i4", "(2,)", {5, 6}));
  folder.write("o.npy", npy<double>("<f8", "(2,)", {1, 1.1001}));
  REQUIRE_THAT(*compare_golden(l.problem, l.reference, folder.path), Contains("relative L2"));
  folder.write("o.npy", npy<double>("<f8", "(1,)", {1}));
  REQUIRE_THROWS_WITH(compare_golden(l.problem, l.reference, folder.path), Contains("shape [1]"));
}
