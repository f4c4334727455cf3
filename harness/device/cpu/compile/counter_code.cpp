#include "harness/device/cpu/compile/counter_code.h"

#include <Zydis/Zydis.h>
#include <fmt/format.h>

#include <cstdint>
#include <cstring>
#include <optional>
#include <vector>

namespace harness::cpu {
namespace {

struct CounterInstruction {
  std::string_view bytes, name;
};
// Source: Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2; AMD64 Architecture Programmer's
// Manual, volume 3 (rdpru).
constexpr CounterInstruction kCounters[] = {
    {"\x0f\x31", "rdtsc"}, {"\x0f\x33", "rdpmc"}, {"\x0f\x01\xf9", "rdtscp"}, {"\x0f\x01\xfd", "rdpru"}};

struct CounterPattern {
  std::uint32_t mask, bits;
  std::string_view name;
};
// Source: Arm Architecture Reference Manual for A-profile (DDI 0487): C5.2 (the encoding of system registers), C6.2
// (MRS, WFET, WFIT), D24 (CRn 14: generic timers; CRn 9: performance monitors).
constexpr CounterPattern kCountersOfArm[] = {
    {0xfffff000, 0xd53be000, "a read of a timer (mrs cntvct_el0 and its like)"},
    {0xfffff000, 0xd53b9000, "a read of a performance counter (mrs pmccntr_el0)"},
    {0xffffffe0, 0xd5031000, "wfet"},
    {0xffffffe0, 0xd5031020, "wfit"}};

struct Occurrence {
  std::size_t at = 0, end = 0;
  std::string_view name;
};

std::vector<Occurrence> occurrences(std::string_view code) {
  std::vector<Occurrence> places;
  for (std::size_t at = code.find('\x0f'); at != std::string_view::npos; at = code.find('\x0f', at + 1))
    for (const CounterInstruction& counter : kCounters)
      if (code.substr(at).starts_with(counter.bytes)) places.push_back({at, at + counter.bytes.size(), counter.name});
  return places;
}

struct Instruction {
  std::size_t at = 0, end = 0;
  std::size_t distance_at = 0, distance_end = 0;  // the bytes that say how far away its target lies; none: equal
  std::int64_t distance = 0;
};

class Decoder {
 public:
  explicit Decoder(std::string_view code) : code_(code) {
    ZydisDecoderInit(&decoder_, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
  }

  std::optional<Instruction> at(std::size_t at) const {
    ZydisDecodedInstruction decoded;
    if (ZYAN_FAILED(ZydisDecoderDecodeInstruction(&decoder_, nullptr, code_.data() + at, code_.size() - at, &decoded)))
      return std::nullopt;
    Instruction instruction{at, at + decoded.length};
    const auto reaches = [&](std::size_t offset, unsigned bits, std::int64_t distance) {
      instruction.distance_at = at + offset;
      instruction.distance_end = instruction.distance_at + bits / 8;
      instruction.distance = distance;
    };
    const auto& raw = decoded.raw;
    if (raw.imm[0].size > 0 && raw.imm[0].is_relative) reaches(raw.imm[0].offset, raw.imm[0].size, raw.imm[0].value.s);
    else if (raw.disp.size == 32 && raw.modrm.mod == 0 && raw.modrm.rm == 5)  // relative to the instruction's end
      reaches(raw.disp.offset, raw.disp.size, raw.disp.value);
    return instruction;
  }

 private:
  ZydisDecoder decoder_;
  std::string_view code_;
};

/// Whoever jumps to such bytes within a short distance of four bytes dies of the other two: 00 to 03 and 00 are an
/// addition at the address that the counter's low word is, fe or ff and ff no instruction.
bool is_short(std::int64_t distance) {
  return distance >= -0x20000 && distance < 0x40000;
}

bool is_innocent(const Occurrence& occurrence, const Instruction& instruction) {
  if (occurrence.end > instruction.end) return true;  // its last bytes are the next instruction's
  return occurrence.at >= instruction.distance_at && occurrence.end <= instruction.distance_end &&
         is_short(instruction.distance);
}

}  // namespace

std::string counter_problem_x86_64(std::string_view code) {
  const std::vector<Occurrence> counters = occurrences(code);
  const Decoder decoder(code);
  std::size_t at = 0;
  for (const Occurrence& counter : counters) {
    std::optional<Instruction> around;
    while (at <= counter.at) {  // in order, so that what is decoded begins where the compiler began it
      around = decoder.at(at);
      if (around && around->end > counter.at) break;
      at = around ? around->end : at + 1;
    }
    if (!around || !is_innocent(counter, *around))
      return fmt::format("its machine code has the bytes of {} at {:#x}, which reads the processor's time counter",
                         counter.name, counter.at);
  }
  return "";
}

std::string counter_problem_aarch64(std::string_view code) {
  for (std::size_t at = 0; at + sizeof(std::uint32_t) <= code.size(); at += sizeof(std::uint32_t)) {
    std::uint32_t instruction;
    std::memcpy(&instruction, code.data() + at, sizeof instruction);
    for (const CounterPattern& counter : kCountersOfArm)
      if ((instruction & counter.mask) == counter.bits)
        return fmt::format("its machine code has {} at {:#x}, which tells the time", counter.name, at);
  }
  return "";
}

std::string counter_problem(std::string_view code) {
#ifdef __aarch64__
  return counter_problem_aarch64(code);
#else
  return counter_problem_x86_64(code);
#endif
}

}  // namespace harness::cpu
