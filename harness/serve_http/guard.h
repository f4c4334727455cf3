#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// Who may ask the live page, and what its answers allow a browser to do.
namespace harness::http {

using Headers = std::vector<std::pair<std::string, std::string>>;

/// 127.0.0.0/8, ::1 or localhost.
bool is_loopback(const std::string& host);

/// "[::1]:8080" -> "::1", "localhost:8080" -> "localhost".
std::string host_of(const std::string& host_header);

/// On a loopback address only loopback names are answered: a stranger's name that resolves to it (rebinding) is not.
bool host_allowed(const std::string& host_header, const std::string& served_host);

struct Asker {
  std::string host, origin, fetch_site, fetch_mode;  // headers of a request; "": absent
};
/// Whether a page of another origin asks. Following a link from elsewhere is allowed, reading by a script is not.
bool asked_from_elsewhere(const Asker& asker);

/// In a time that does not depend on where they differ.
bool same_secret(std::string_view a, std::string_view b);

/// Of the file's first line. Throws Error(bad_input): not readable, shorter than 16 bytes, or readable by others.
std::string read_token(const std::string& file);

/// 32 hexadecimal digits of the system's random numbers.
std::string random_secret();

/// "session=..." of a Cookie header.
std::string cookie(const std::string& header, const std::string& name);

/// "sha256-...": how a policy names a script that stands in the page itself.
std::string script_digest(std::string_view script);

/// For every answer.
Headers confining_headers();

}  // namespace harness::http
