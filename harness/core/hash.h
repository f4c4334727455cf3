#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace harness {

/// SHA-256 (FIPS 180-4), incremental: identities of sources, binaries, contracts and stored blobs.
class Sha256 {
 public:
  Sha256& update(std::string_view bytes);
  /// Adds the length, then the bytes: fields added this way cannot run into each other.
  Sha256& field(std::string_view bytes);
  /// 64 lowercase hexadecimal digits. Ends the computation: nothing may be added afterwards.
  std::string hex();

 private:
  void compress(const unsigned char* block);

  std::array<std::uint32_t, 8> state_ = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                         0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<unsigned char, 64> pending_{};
  std::size_t pending_bytes_ = 0;
  std::uint64_t total_bytes_ = 0;
};

std::string sha256_hex(std::string_view bytes);

}  // namespace harness
