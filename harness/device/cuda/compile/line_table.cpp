#include "harness/device/cuda/compile/line_table.h"

#include <algorithm>
#include <cstring>
#include <optional>

namespace harness::cuda {
namespace {

/// Reads bytes one after another; behind the end it reads zeros and says so.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}

  bool ended() const { return at_ >= bytes_.size(); }
  bool overran() const { return overran_; }
  std::string_view take(std::size_t count) {
    if (count > bytes_.size() - at_) {
      overran_ = true;
      at_ = bytes_.size();
      return {};
    }
    at_ += count;
    return bytes_.substr(at_ - count, count);
  }
  template <typename T>
  T number() {
    T value{};
    const std::string_view bytes = take(sizeof value);
    if (!bytes.empty()) std::memcpy(&value, bytes.data(), sizeof value);
    return value;
  }
  std::uint64_t uleb() { return leb(nullptr); }
  std::int64_t sleb() {
    bool negative = false;
    unsigned bits = 0;
    const std::uint64_t value = leb(&negative, &bits);
    return static_cast<std::int64_t>(negative && bits < 64 ? value | ~0ull << bits : value);
  }
  std::string text() {
    const std::size_t end = bytes_.find('\0', at_);
    if (end == std::string_view::npos) return take(bytes_.size() - at_ + 1), "";
    const std::string_view text = take(end - at_ + 1);
    return std::string(text.substr(0, text.size() - 1));
  }

 private:
  std::uint64_t leb(bool* negative, unsigned* bits = nullptr) {
    std::uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
      const auto byte = number<std::uint8_t>();
      if (shift < 64) value |= static_cast<std::uint64_t>(byte & 0x7f) << shift;
      if (byte & 0x80 && !overran_) continue;
      if (negative != nullptr) *negative = byte & 0x40, *bits = shift + 7;
      return value;
    }
  }

  std::string_view bytes_;
  std::size_t at_ = 0;
  bool overran_ = false;
};

// Operations of DWARF's line programs (DWARF 2, 6.2.5), and NVIDIA's.
constexpr unsigned kExtended = 0, kCopy = 1, kAdvanceAddress = 2, kAdvanceLine = 3, kSetFile = 4, kConstantAddress = 8,
                   kFixedAddress = 9;
constexpr unsigned kEndSequence = 1, kSetAddress = 2, kInlinedCall = 0x90;

struct Header {
  std::uint8_t least = 1;  // bytes of an instruction
  std::int8_t line_base = 0;
  std::uint8_t line_range = 1, first_special = 1;
  std::vector<std::uint8_t> operands;  // of standard operations, from 1
  std::vector<std::string> files{""};  // without folders, from 1
};

std::optional<Header> read_header(Reader& unit) {
  constexpr std::uint16_t kVersion = 2;
  if (unit.number<std::uint16_t>() != kVersion) return std::nullopt;
  Reader fields(unit.take(unit.number<std::uint32_t>()));
  Header header;
  header.least = fields.number<std::uint8_t>();
  fields.number<std::uint8_t>();  // whether rows are statements
  header.line_base = fields.number<std::int8_t>();
  header.line_range = std::max<std::uint8_t>(1, fields.number<std::uint8_t>());
  header.first_special = std::max<std::uint8_t>(1, fields.number<std::uint8_t>());
  for (unsigned i = 1; i < header.first_special; ++i) header.operands.push_back(fields.number<std::uint8_t>());
  while (!fields.text().empty()) {
  }  // folders
  for (std::string file = fields.text(); !file.empty(); file = fields.text()) {
    for (int i = 0; i < 3; ++i) fields.uleb();  // folder, time, length
    header.files.push_back(file.substr(file.rfind('/') + 1));
  }
  if (fields.overran()) return std::nullopt;
  return header;
}

/// Runs a unit's line program.
class LineProgram {
 public:
  LineProgram(const Header& header, std::vector<LineRows>& functions) : header_(header), functions_(functions) {}

  void step(Reader& unit) {
    const unsigned operation = unit.number<std::uint8_t>();
    if (operation >= header_.first_special) {
      const unsigned adjusted = operation - header_.first_special;
      now_.address += adjusted / header_.line_range * header_.least;
      now_.line += header_.line_base + static_cast<int>(adjusted % header_.line_range);
      add_row();
    } else if (operation == kExtended) {
      extended(unit.take(unit.uleb()));
    } else {
      standard(operation, unit);
    }
  }

 private:
  struct State {
    std::uint64_t address = 0, file = 1, caller = 0;
    std::int64_t line = 1;
    LineRows rows;
  };

  void standard(unsigned operation, Reader& unit) {
    switch (operation) {
      case kCopy:
        return add_row();
      case kAdvanceAddress:
        now_.address += unit.uleb() * header_.least;
        return;
      case kAdvanceLine:
        now_.line += unit.sleb();
        return;
      case kSetFile:
        now_.file = unit.uleb();
        return;
      case kConstantAddress:
        now_.address += (255u - header_.first_special) / header_.line_range * header_.least;
        return;
      case kFixedAddress:
        now_.address += unit.number<std::uint16_t>();
        return;
      default:
        for (unsigned i = 0; i < header_.operands[operation - 1]; ++i) unit.uleb();
    }
  }
  void extended(std::string_view bytes) {
    Reader operation(bytes);
    switch (operation.number<std::uint8_t>()) {
      case kEndSequence:
        functions_.push_back(std::move(now_.rows));
        now_ = {};
        return;
      case kSetAddress:
        now_.address = operation.number<std::uint64_t>();
        return;
      case kInlinedCall:  // and the function's name
        now_.caller = operation.uleb();
        return;
      default:
        return;
    }
  }
  void add_row() {
    const std::string& file = now_.file < header_.files.size() ? header_.files[now_.file] : header_.files[0];
    now_.rows.push_back({now_.address, {file, static_cast<int>(now_.line)}, static_cast<std::size_t>(now_.caller)});
  }

  const Header& header_;
  std::vector<LineRows>& functions_;
  State now_;
};

}  // namespace

std::vector<LineRows> read_line_table(std::string_view section) {
  std::vector<LineRows> functions;
  for (Reader units(section); !units.ended();) {
    Reader unit(units.take(units.number<std::uint32_t>()));
    const auto header = read_header(unit);
    if (!header) break;
    LineProgram program(*header, functions);
    while (!unit.ended()) program.step(unit);
  }
  return functions;
}

std::vector<CodePlace> places_at(const LineRows& rows, std::uint64_t address) {
  constexpr std::size_t kDeepest = 32;
  std::vector<CodePlace> places;
  const auto after = std::ranges::upper_bound(rows, address, {}, &LineRow::address);
  if (after == rows.begin()) return places;
  for (std::size_t row = static_cast<std::size_t>(after - rows.begin()); row > 0 && row <= rows.size();) {
    places.push_back(rows[row - 1].place);
    if (places.size() == kDeepest) break;
    row = rows[row - 1].caller;
  }
  return places;
}

}  // namespace harness::cuda
