#include "harness/shipping/package_signature.h"

#include <fmt/format.h>

#include "harness/core/json_fields.h"
#include "harness/signing/ed25519.h"
#include "harness/system/files.h"

namespace harness {
namespace {

/// What a named key says of it.
void hold_against(PackageSignature& signature, const std::string& public_key, const std::string& text,
                  const std::optional<std::string>& bytes) {
  const signing::PublicKey key(public_key);
  const std::string name = key.name();
  if (bytes && key.signed_this(text, *bytes)) {
    signature.state = Signature::good;
    signature.signer = name;
    signature.text = fmt::format("signed by {} ({})", name, public_key);
  } else if (signature.signer.empty() && !bytes) {
    signature.text = fmt::format("the package is not signed, and {} ({}) was to have signed it", name, public_key);
  } else if (signature.signer == name || signature.signer.empty()) {
    signature.state = Signature::wrong;
    signature.text =
        bytes ? fmt::format("the signature is wrong: {} ({}) did not sign this kernel.json", name, public_key)
              : fmt::format("kernel.json says that {} signed it, and {} is missing", name, kSignatureFile);
  } else {
    signature.state = Signature::other_key;
    signature.text =
        fmt::format("kernel.json says that {} signed it, and not {} ({})", signature.signer, name, public_key);
  }
}

}  // namespace

HARNESS_ENUM_TABLE(Signature, "the state of a signature",
                   {{Signature::none, "none"},
                    {Signature::not_checked, "not_checked"},
                    {Signature::good, "good"},
                    {Signature::other_key, "other_key"},
                    {Signature::wrong, "wrong"}})

std::string warning_of(const std::string& private_key) {
  if (private_key.empty() || !signing::is_read_by_others(private_key)) return "";
  return fmt::format("other users can read the private key {}; chmod 600 keeps it yours", private_key);
}

std::string end_package(package::PackageFiles& files, const std::string& private_key) {
  if (private_key.empty()) return package::seal(files);
  const signing::PrivateKey key(private_key);
  json described = parse_json(files.at("kernel.json"));
  described["signed_by"] = key.name();
  files["kernel.json"] = described.dump(1);
  const std::string digest = package::seal(files);
  files[kSignatureFile] = key.sign(files.at("kernel.json"));
  return digest;
}

PackageSignature signature_of(const package::PackageFolder& package, const std::string& public_key) {
  PackageSignature signature;
  signature.required = !public_key.empty();
  signature.signer = package.description.value("signed_by", "");
  const auto bytes = read_file_if_any(package.folder + "/" + kSignatureFile);
  if (signature.required) {
    hold_against(signature, public_key, package.text, bytes);
  } else if (!signature.signer.empty() || bytes) {
    signature.state = Signature::not_checked;
    signature.text = fmt::format("kernel.json says that {} signed it: not checked, --key FILE names the public key",
                                 signature.signer.empty() ? "nobody" : signature.signer);
  } else {
    signature.text = "not signed";
  }
  return signature;
}

}  // namespace harness
