#include "harness/serve_http/guard.h"

#include <fmt/format.h>
#include <sys/random.h>
#include <sys/stat.h>

#include <array>
#include <fstream>

#include "harness/core/error.h"
#include "harness/core/hash.h"

namespace harness::http {
namespace {

/// Of hexadecimal digits, as a policy names a digest.
std::string base64_of_hex(std::string_view hex) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t at = 0; at < hex.size(); at += 6) {
    const std::string part(hex.substr(at, 6));
    const unsigned long bits = std::stoul(part + std::string(6 - part.size(), '0'), nullptr, 16);
    for (std::size_t digit = 0; digit < 4; ++digit)
      text += digit <= part.size() * 4 / 8 ? kDigits[(bits >> (18 - 6 * digit)) & 63] : '=';
  }
  return text;
}

}  // namespace

bool is_loopback(const std::string& host) {
  return host == "localhost" || host == "::1" || host.starts_with("127.");
}

std::string host_of(const std::string& host_header) {
  if (host_header.starts_with("[")) return host_header.substr(1, host_header.find(']') - 1);
  return host_header.substr(0, host_header.find(':'));
}

bool host_allowed(const std::string& host_header, const std::string& served_host) {
  if (!is_loopback(served_host)) return true;  // its token guards it
  const std::string host = host_of(host_header);
  return host == "localhost" || host == "::1" || host == served_host || host == "127.0.0.1";
}

bool asked_from_elsewhere(const Asker& asker) {
  const bool link = asker.fetch_mode == "navigate";
  if ((asker.fetch_site == "cross-site" || asker.fetch_site == "same-site") && !link) return true;
  if (asker.origin.empty()) return false;
  return asker.origin != "http://" + asker.host && asker.origin != "https://" + asker.host;
}

bool same_secret(std::string_view a, std::string_view b) {
  unsigned char difference = a.size() == b.size() ? 0 : 1;
  for (std::size_t at = 0; at < a.size(); ++at)
    difference |= static_cast<unsigned char>(a[at] ^ (b.empty() ? '\0' : b[at % b.size()]));
  return difference == 0;
}

std::string read_token(const std::string& file) {
  struct stat status {};
  std::ifstream in(file);
  std::string token;
  if (stat(file.c_str(), &status) != 0 || !S_ISREG(status.st_mode) || !std::getline(in, token))
    throw bad_input(fmt::format("the token file {} cannot be read; write at least 16 characters into it", file));
  if ((status.st_mode & 077) != 0)
    throw bad_input(fmt::format("the token file {} can be read by other users; chmod 600 it", file));
  if (token.size() < 16)
    throw bad_input(fmt::format("the token in {} has {} characters; it needs at least 16", file, token.size()));
  return token;
}

std::string random_secret() {
  std::array<unsigned char, 16> bytes{};
  if (getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size()))
    throw environment_error("the system has no random numbers");
  std::string text;
  for (unsigned char byte : bytes) text += fmt::format("{:02x}", byte);
  return text;
}

std::string cookie(const std::string& header, const std::string& name) {
  for (std::size_t at = 0; at < header.size();) {
    while (at < header.size() && (header[at] == ' ' || header[at] == ';')) ++at;
    const std::size_t end = std::min(header.find(';', at), header.size());
    const std::string_view pair = std::string_view(header).substr(at, end - at);
    if (pair.starts_with(name + "=")) return std::string(pair.substr(name.size() + 1));
    at = end;
  }
  return "";
}

std::string script_digest(std::string_view script) {
  return "sha256-" + base64_of_hex(sha256_hex(script));
}

Headers confining_headers() {
  return {{"Content-Security-Policy",
           "default-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; object-src 'none'"},
          {"X-Content-Type-Options", "nosniff"},
          {"X-Frame-Options", "DENY"},
          {"Referrer-Policy", "no-referrer"},
          {"Cross-Origin-Resource-Policy", "same-origin"},
          {"Cross-Origin-Opener-Policy", "same-origin"},
          {"Permissions-Policy", "camera=(), microphone=(), geolocation=()"}};
}

}  // namespace harness::http
