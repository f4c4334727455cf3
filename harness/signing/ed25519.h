#pragma once
#include <memory>
#include <string>
#include <string_view>

// Ed25519 (RFC 8032). Keys are PEM files: PKCS #8 for private ones, SubjectPublicKeyInfo for public ones.
namespace harness::signing {

struct OpenSslKey;

class PublicKey {
 public:
  /// Throws Error(bad_input), one sentence, for a file that is none or that holds another kind of key.
  explicit PublicKey(const std::string& file);
  /// "ed25519:" and 32 digits of the SHA-256 of the key: what people compare.
  std::string name() const;
  /// Whether `signature` is of these bytes, by the private half of this key.
  bool signed_this(std::string_view bytes, std::string_view signature) const;

 private:
  std::shared_ptr<OpenSslKey> key_;
};

class PrivateKey {
 public:
  /// Throws as PublicKey does. A key with a passphrase is refused: nobody is there to ask.
  explicit PrivateKey(const std::string& file);
  std::string name() const;  // of its public half
  /// 64 bytes.
  std::string sign(std::string_view bytes) const;

 private:
  std::shared_ptr<OpenSslKey> key_;
};

/// Whether other users of this machine may read a file.
bool is_read_by_others(const std::string& file);

}  // namespace harness::signing
