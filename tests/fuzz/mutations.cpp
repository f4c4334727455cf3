#include "tests/fuzz/mutations.h"

#include <algorithm>
#include <catch2/catch.hpp>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <vector>

#include "tests/support/turns.h"

namespace harness::fuzz {
namespace {

using Bytes = std::vector<std::uint8_t>;

std::vector<Bytes> corpus(const std::string& name) {
  const std::filesystem::path root(HARNESS_SOURCE_DIR);
  std::vector<std::filesystem::path> files;
  if (name == "manifest") {  // the shipped ones
    for (const auto& kernel : std::filesystem::directory_iterator(root / "kernels"))
      if (exists(kernel.path() / "kernel.lua")) files.push_back(kernel.path() / "kernel.lua");
  } else {
    for (const auto& entry : std::filesystem::directory_iterator(root / "tests/fuzz/corpus" / name))
      files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  std::vector<Bytes> texts;
  for (const auto& file : files) {
    std::ifstream in(file, std::ios::binary);
    texts.emplace_back(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
  }
  return texts;
}

class Mutator {
 public:
  Mutator(std::vector<Bytes> corpus, unsigned seed) : corpus_(std::move(corpus)), random_(seed) {}

  Bytes next() {
    Bytes bytes = corpus_[below(corpus_.size())];
    for (std::size_t left = 1 + below(4); left > 0; --left) change(bytes);
    return bytes;
  }

 private:
  std::size_t below(std::size_t limit) { return limit == 0 ? 0 : random_() % limit; }

  /// A range of at most 64 bytes, or now and then of any length.
  std::pair<std::size_t, std::size_t> range(const Bytes& bytes) {
    const std::size_t begin = below(bytes.size());
    const std::size_t longest = below(8) == 0 ? bytes.size() : 64;
    return {begin, begin + below(std::min(longest, bytes.size() - begin) + 1)};
  }

  static Bytes::iterator at(Bytes& bytes, std::size_t index) {
    return bytes.begin() + static_cast<std::ptrdiff_t>(index);
  }

  void change(Bytes& bytes) {
    if (bytes.empty()) return bytes.push_back(static_cast<std::uint8_t>(random_()));
    const auto [begin, end] = range(bytes);
    switch (below(8)) {
      case 0:
        bytes[begin] = static_cast<std::uint8_t>(random_());
        break;
      case 1:
        bytes[begin] ^= static_cast<std::uint8_t>(1u << below(8));
        break;
      case 2:
        bytes.erase(at(bytes, begin), at(bytes, end));
        break;
      case 3: {
        const Bytes copy(at(bytes, begin), at(bytes, end));
        for (std::size_t times = below(8) == 0 ? 200 : 1; times > 0; --times)
          bytes.insert(at(bytes, begin), copy.begin(), copy.end());
        break;
      }
      case 4: {
        const Bytes& other = corpus_[below(corpus_.size())];
        if (other.empty()) break;
        const auto [from, to] = range(other);
        const Bytes copy(other.begin() + static_cast<std::ptrdiff_t>(from),
                         other.begin() + static_cast<std::ptrdiff_t>(to));
        bytes.insert(at(bytes, begin), copy.begin(), copy.end());
        break;
      }
      case 5:
        bytes.resize(begin);
        break;
      case 6:
        change_number(bytes, begin);
        break;
      default:
        change_digits(bytes, begin);
    }
  }

  /// The values at which sizes and offsets overflow.
  void change_number(Bytes& bytes, std::size_t at) {
    static constexpr std::uint64_t kValues[] = {0,
                                                1,
                                                0x7f,
                                                0x80,
                                                0xff,
                                                0x7fff,
                                                0xffff,
                                                0x7fffffff,
                                                0x80000000,
                                                0xffffffff,
                                                0x7fffffffffffffff,
                                                0x8000000000000000,
                                                0xffffffffffffffff};
    const std::uint64_t value = kValues[below(std::size(kValues))];
    const std::size_t width = std::size_t{1} << below(4);
    for (std::size_t i = 0; i < width && at + i < bytes.size(); ++i)
      bytes[at + i] = static_cast<std::uint8_t>(value >> (8 * i));
  }

  void change_digits(Bytes& bytes, std::size_t from) {
    static constexpr const char* kNumbers[] = {
        "0", "-1", "1e400", "9223372036854775807", "-9223372036854775809", "1e-9", "4294967296", "null", "[]", "\"\""};
    const auto digit = [](std::uint8_t c) { return c >= '0' && c <= '9'; };
    const auto first = std::find_if(at(bytes, from), bytes.end(), digit);
    const auto last = std::find_if_not(first, bytes.end(), digit);
    const std::string number = kNumbers[below(std::size(kNumbers))];
    const auto place = bytes.erase(first, last);
    bytes.insert(place, number.begin(), number.end());
  }

  std::vector<Bytes> corpus_;
  std::mt19937 random_;
};

}  // namespace

void run_mutations(const std::string& name, void (*entry)(const std::uint8_t*, std::size_t), int count) {
  using Clock = std::chrono::steady_clock;
  const char* factor = std::getenv("HARNESS_FUZZ_FACTOR");  // a longer run without libFuzzer
  if (factor != nullptr) count *= std::max(1, std::atoi(factor));
  else if (!tests::takes_all()) count /= 4;
  const char* seed = std::getenv("HARNESS_FUZZ_SEED");
  const std::vector<Bytes> texts = corpus(name);
  REQUIRE_FALSE(texts.empty());
  Mutator mutator(texts, seed != nullptr ? static_cast<unsigned>(std::atoi(seed)) : 1);
  const std::string last = std::filesystem::temp_directory_path() / ("harness_fuzz_" + name);
  double longest = 0;
  for (int i = -static_cast<int>(texts.size()); i < count; ++i) {
    const Bytes bytes = i < 0 ? texts[static_cast<std::size_t>(-1 - i)] : mutator.next();
    if (factor != nullptr)  // what crashed can be tried again
      std::ofstream(last, std::ios::binary)
          .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    const auto begun = Clock::now();
    entry(bytes.data(), bytes.size());
    longest = std::max(longest, std::chrono::duration<double>(Clock::now() - begun).count());
  }
  CHECK(longest < 5);
}

}  // namespace harness::fuzz
