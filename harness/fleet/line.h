#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "harness/core/json.h"

// How a fleet and its nodes talk: a message is one line of ASCII, "@harness-node 17 {...}". Lines survive what lies
// between two machines: banners of remote shells before the first message, a pseudo-terminal that turns \n into \r\n or
// echoes what was sent, output of other programs. The number is the length of the JSON: a line that was cut short, or
// that two writers mixed, is not a message.
namespace harness::fleet {

/// Who writes a line: whatever else is read, one's own echo included, is passed over.
enum class Side { lead, node };

std::string framed(Side from, const json& message);

/// Splits what is read into messages.
class Lines {
 public:
  explicit Lines(Side from) : from_(from) {}
  void add(std::string_view bytes) { pending_ += bytes; }
  /// The next whole message; nothing: more bytes are needed. What is no message is counted and passed over. Throws
  /// Error(environment) if no line ends within 64 MiB: that is no node.
  std::optional<json> next();
  /// Lines that were none of its messages, the last of them for people: the banner, or an error of ssh.
  std::size_t others() const { return others_; }
  const std::string& last_other() const { return last_other_; }

 private:
  std::optional<json> read(std::string_view line);

  Side from_;
  std::string pending_, last_other_;
  std::size_t others_ = 0;
};

}  // namespace harness::fleet
