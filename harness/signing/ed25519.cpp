#include "harness/signing/ed25519.h"

#include <fmt/format.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <sys/stat.h>

#include <array>

#include "harness/core/error.h"
#include "harness/core/hash.h"
#include "harness/system/files.h"

namespace harness::signing {

struct OpenSslKey {
  EVP_PKEY* key = nullptr;
  explicit OpenSslKey(EVP_PKEY* owned) : key(owned) {}
  ~OpenSslKey() { EVP_PKEY_free(key); }
  OpenSslKey(const OpenSslKey&) = delete;
  OpenSslKey& operator=(const OpenSslKey&) = delete;
};

namespace {

using DigestContext = std::unique_ptr<EVP_MD_CTX, decltype(&EVP_MD_CTX_free)>;
using Bio = std::unique_ptr<BIO, decltype(&BIO_free)>;

void check(bool done, const char* call) {
  if (!done) throw environment_error(fmt::format("OpenSSL failed in {}", call));
}

const unsigned char* bytes_of(std::string_view text) {
  return reinterpret_cast<const unsigned char*>(text.data());
}

/// Asks nobody: a key that needs a passphrase is not read.
int no_passphrase(char*, int, int, void*) {
  return -1;
}

/// The text of a file, which is overwritten at the end: it may be a private key.
class KeyText {
 public:
  explicit KeyText(const std::string& file) : text_(read_file(file, Error::Kind::bad_input)) {}
  ~KeyText() { OPENSSL_cleanse(text_.data(), text_.size()); }
  KeyText(const KeyText&) = delete;
  KeyText& operator=(const KeyText&) = delete;
  Bio open() const { return {BIO_new_mem_buf(text_.data(), static_cast<int>(text_.size())), &BIO_free}; }
  bool holds(std::string_view words) const { return text_.find(words) != std::string::npos; }

 private:
  std::string text_;
};

std::shared_ptr<OpenSslKey> only_ed25519(EVP_PKEY* read, const std::string& file, const std::string& otherwise) {
  if (read == nullptr) throw bad_input(fmt::format("{}: {}", file, otherwise));
  auto key = std::make_shared<OpenSslKey>(read);
  if (EVP_PKEY_get_base_id(key->key) != EVP_PKEY_ED25519)
    throw bad_input(fmt::format("{}: the key is none of Ed25519; openssl genpkey -algorithm ed25519 makes one", file));
  return key;
}

std::string name_of(const OpenSslKey& key) {
  std::array<unsigned char, 32> raw{};
  std::size_t size = raw.size();
  check(EVP_PKEY_get_raw_public_key(key.key, raw.data(), &size) == 1, "EVP_PKEY_get_raw_public_key");
  return "ed25519:" + sha256_hex({reinterpret_cast<const char*>(raw.data()), size}).substr(0, 32);
}

}  // namespace

PublicKey::PublicKey(const std::string& file) {
  const KeyText text(file);
  if (text.holds("PRIVATE KEY"))
    throw bad_input(
        fmt::format("{}: this is a private key, and a signature is looked at with the public one; "
                    "openssl pkey -in {} -pubout makes it",
                    file, file));
  key_ = only_ed25519(PEM_read_bio_PUBKEY(text.open().get(), nullptr, no_passphrase, nullptr), file,
                      "this is no public key in PEM; openssl pkey -in KEY -pubout makes one");
}

std::string PublicKey::name() const {
  return name_of(*key_);
}

bool PublicKey::signed_this(std::string_view bytes, std::string_view signature) const {
  const DigestContext context(EVP_MD_CTX_new(), &EVP_MD_CTX_free);
  check(context && EVP_DigestVerifyInit(context.get(), nullptr, nullptr, nullptr, key_->key) == 1,
        "EVP_DigestVerifyInit");
  return EVP_DigestVerify(context.get(), bytes_of(signature), signature.size(), bytes_of(bytes), bytes.size()) == 1;
}

PrivateKey::PrivateKey(const std::string& file) {
  const KeyText text(file);
  key_ =
      only_ed25519(PEM_read_bio_PrivateKey(text.open().get(), nullptr, no_passphrase, nullptr), file,
                   "this is no private key in PEM without a passphrase; openssl genpkey -algorithm ed25519 makes one");
}

std::string PrivateKey::name() const {
  return name_of(*key_);
}

std::string PrivateKey::sign(std::string_view bytes) const {
  const DigestContext context(EVP_MD_CTX_new(), &EVP_MD_CTX_free);
  check(context && EVP_DigestSignInit(context.get(), nullptr, nullptr, nullptr, key_->key) == 1, "EVP_DigestSignInit");
  std::array<unsigned char, 64> signature{};
  std::size_t size = signature.size();
  check(EVP_DigestSign(context.get(), signature.data(), &size, bytes_of(bytes), bytes.size()) == 1, "EVP_DigestSign");
  return {reinterpret_cast<const char*>(signature.data()), size};
}

bool is_read_by_others(const std::string& file) {
  struct stat found {};
  return stat(file.c_str(), &found) == 0 && (found.st_mode & (S_IRGRP | S_IROTH)) != 0;
}

}  // namespace harness::signing
