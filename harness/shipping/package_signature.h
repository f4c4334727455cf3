#pragma once
#include <string>

#include "harness/core/enum_text.h"
#include "harness/package/folder/reading.h"
#include "harness/package/folder/seal.h"

namespace harness {

/// What the signature of a package is. `not_checked`: no public key was named to hold it against.
enum class Signature { none, not_checked, good, other_key, wrong };

struct PackageSignature {
  Signature state = Signature::none;
  std::string signer;     // the key's name, as kernel.json says: "ed25519:01ab..."; "" where none signed
  std::string text;       // a sentence
  bool required = false;  // a public key was named
  /// What was asked for holds: with a key, that this key signed.
  bool holds() const { return !required || state == Signature::good; }
};
HARNESS_ENUM_TEXT(Signature);

/// Where the signature of kernel.json lies in a package: 64 bytes.
inline constexpr const char* kSignatureFile = "kernel.json.sig";

/// Ends the files of a package: digests into kernel.json, and with a private key (a PEM file; "": none) its signature.
/// Returns the digest of kernel.json. Throws Error(bad_input) for a file that is no such key.
std::string end_package(package::PackageFiles& files, const std::string& private_key);

/// A sentence where other users can read a private key; "".
std::string warning_of(const std::string& private_key);

/// `public_key`: a PEM file; "": none. Throws Error(bad_input) for a file that is no such key.
PackageSignature signature_of(const package::PackageFolder& package, const std::string& public_key);

}  // namespace harness
