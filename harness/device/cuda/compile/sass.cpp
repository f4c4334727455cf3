#include "harness/device/cuda/compile/sass.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace harness::cuda {
namespace {

constexpr std::size_t kBytes = 16;
constexpr unsigned kBranch = 0x947, kExit = 0x94d, kReturn = 0x950;
constexpr unsigned kHgmma = 0x1f0, kWarpgroup = 0x1c5;  // without where operands come from
constexpr unsigned kAtomFloat = 0x1a3, kRed = 0x18e, kRedFloat = 0x1a6, kCompare = 0x18b, kCompareGlobal = 0x1a9;
constexpr int kNoScoreboard = 7;

struct Word {
  std::uint64_t low = 0, high = 0;

  unsigned operation() const { return static_cast<unsigned>(low & 0xfff); }
  unsigned predicate() const { return static_cast<unsigned>(low >> 12 & 0xf); }
  unsigned second_predicate() const { return static_cast<unsigned>(high >> 23 & 0x7); }  // bits 87 to 89
  int cycles() const { return static_cast<int>(high >> 41 & 0xf); }
  int held() const { return static_cast<int>(high >> 46 & 0x7); }  // kNoScoreboard: none
  unsigned waited_for() const { return static_cast<unsigned>(high >> 52 & 0x3f); }
  // Of HGMMA, and of the wait for its groups.
  int columns() const { return 8 * (static_cast<int>(low >> 53 & 0x1f) + 1); }
  int group() const { return static_cast<int>(high >> 20 & 0x7); }  // kNoScoreboard: it ends none
  bool waits_for_groups() const { return (high >> 16 & 1) != 0; }
  int groups_left() const { return static_cast<int>(high >> 8 & 0x7); }
  /// Of a memory access: of 8, 16, 32, 64 and 128 bits, the first two with and without a sign.
  int bytes() const {
    constexpr std::array kBytesOf = {1, 1, 2, 2, 4, 8, 16, 16};
    return kBytesOf[high >> 9 & 0x7];
  }
  /// Of an atomic operation before sm_90, which has others for that: its type is one of f32, pairs of f16, and f64.
  bool adds_floats() const {
    constexpr unsigned kF32 = 3, kF16Pairs = 4, kF64 = 6;
    const auto type = static_cast<unsigned>(high >> 9 & 0x7);
    return type == kF32 || type == kF16Pairs || type == kF64;
  }
  /// In words of 4 bytes, from the end of the instruction on. From sm_90 on its eight low bits stand alone.
  std::int64_t offset(bool apart) const {
    const std::uint64_t upper = (low >> 34 | high << 30) & ((1ull << 48) - 1);
    const std::uint64_t all = apart ? upper << 8 | (low >> 16 & 0xff) : upper;
    const int bits = apart ? 56 : 48;
    return static_cast<std::int64_t>(all << (64 - bits)) >> (64 - bits);
  }
};

Word word_at(std::string_view code, std::size_t number) {
  Word word;
  std::memcpy(&word.low, code.data() + number * kBytes, sizeof word.low);
  std::memcpy(&word.high, code.data() + number * kBytes + sizeof word.low, sizeof word.high);
  return word;
}

struct Operation {
  unsigned base = 0;  // bits 0 to 8
  InstructionClass kind{};
  std::optional<SiteKind> site = {}, second = {};
};

// All others below 0x100 are integers and moves, all others above are control.
constexpr Operation kOperations[] = {
    {0x006, InstructionClass::exchange},                                    // VOTE
    {0x008, InstructionClass::floating},                                    // FSEL
    {0x009, InstructionClass::floating},                                    // FMNMX
    {0x00a, InstructionClass::floating},                                    // FSET
    {0x00b, InstructionClass::floating},                                    // FSETP
    {0x020, InstructionClass::floating},                                    // FMUL
    {0x021, InstructionClass::floating},                                    // FADD
    {0x022, InstructionClass::floating},                                    // FSWZADD
    {0x023, InstructionClass::floating},                                    // FFMA
    {0x028, InstructionClass::floating},                                    // DMUL
    {0x029, InstructionClass::floating},                                    // DADD
    {0x02a, InstructionClass::floating},                                    // DSETP
    {0x02b, InstructionClass::floating},                                    // DFMA
    {0x030, InstructionClass::floating},                                    // HADD2
    {0x031, InstructionClass::floating},                                    // HFMA2
    {0x032, InstructionClass::floating},                                    // HMUL2
    {0x033, InstructionClass::floating},                                    // HSET2
    {0x034, InstructionClass::floating},                                    // HSETP2
    {0x037, InstructionClass::tensor, SiteKind::tensor},                    // IMMA
    {0x03b, InstructionClass::shared, SiteKind::shared},                    // LDSM
    {0x03c, InstructionClass::tensor, SiteKind::tensor},                    // HMMA
    {0x03e, InstructionClass::floating},                                    // F2FP
    {0x03f, InstructionClass::tensor, SiteKind::tensor},                    // DMMA
    {0x044, InstructionClass::shared, SiteKind::shared},                    // STSM
    {0x045, InstructionClass::floating},                                    // I2FP
    {0x100, InstructionClass::special},                                     // FLO
    {0x101, InstructionClass::special},                                     // BREV
    {0x104, InstructionClass::special},                                     // F2F
    {0x105, InstructionClass::special},                                     // F2I
    {0x106, InstructionClass::special},                                     // I2F
    {0x107, InstructionClass::special},                                     // FRND
    {0x108, InstructionClass::special},                                     // MUFU
    {0x109, InstructionClass::special},                                     // POPC
    {0x11d, InstructionClass::control, SiteKind::barrier},                  // BAR
    {0x180, InstructionClass::memory, SiteKind::global},                    // LD
    {0x181, InstructionClass::memory, SiteKind::global},                    // LDG
    {0x182, InstructionClass::integer},                                     // LDC
    {0x183, InstructionClass::memory},                                      // LDL
    {0x184, InstructionClass::shared, SiteKind::shared},                    // LDS
    {0x185, InstructionClass::memory, SiteKind::global},                    // ST
    {0x186, InstructionClass::memory, SiteKind::global},                    // STG
    {0x187, InstructionClass::memory},                                      // STL
    {0x188, InstructionClass::shared, SiteKind::shared},                    // STS
    {0x189, InstructionClass::exchange},                                    // SHFL
    {0x18a, InstructionClass::memory, SiteKind::atomic},                    // ATOM
    {0x18b, InstructionClass::memory, SiteKind::atomic},                    // ATOM.CAS
    {0x18c, InstructionClass::shared, SiteKind::shared},                    // ATOMS
    {0x18d, InstructionClass::shared, SiteKind::shared},                    // ATOMS.CAS
    {0x18e, InstructionClass::memory, SiteKind::atomic},                    // RED
    {0x1a1, InstructionClass::exchange},                                    // MATCH
    {0x1a3, InstructionClass::memory, SiteKind::atomic},                    // ATOMG.FADD
    {0x1a6, InstructionClass::memory, SiteKind::atomic},                    // RED.FADD
    {0x1a8, InstructionClass::memory, SiteKind::atomic},                    // ATOMG
    {0x1a9, InstructionClass::memory, SiteKind::atomic},                    // ATOMG.CAS
    {0x1ae, InstructionClass::memory, SiteKind::global, SiteKind::shared},  // LDGSTS
    {0x1c2, InstructionClass::integer},                                     // R2UR
    {0x1c3, InstructionClass::integer},                                     // S2UR
    {0x119, InstructionClass::integer},                                     // S2R
    {0x1c4, InstructionClass::exchange},                                    // REDUX
    {0x1f0, InstructionClass::tensor, SiteKind::tensor},                    // HGMMA
};

/// Of one warp's instruction. A quarter of a multiprocessor has 4 lanes for ex2 and the like, 16 for integers and
/// conversions of pairs (CUDA C++ Programming Guide, "Throughput of Native Arithmetic Instructions"). Of HMMA.16816 an
/// H100 reaches 62 % of what HGMMA does, which takes a cycle for two columns (Luo et al., arXiv:2402.13499).
int busy_cycles(const Word& word, InstructionClass kind) {
  constexpr int kSpecial = 8, kHmma = 6;
  if ((word.operation() & 0x1ff) == kHgmma) return word.columns() / 2;
  if (kind == InstructionClass::tensor) return kHmma;
  return kind == InstructionClass::special && (word.operation() & 0x1ff) >= 0x100 ? kSpecial : 1;
}

WarpInstruction decode(const Word& word, std::int64_t number, bool apart) {
  constexpr unsigned kArithmetic = 0x100, kAlways = 7, kLoad = 0x180, kLoadGlobal = 0x181, kStore = 0x185,
                     kStoreGlobal = 0x186;
  WarpInstruction instruction;
  const unsigned base = word.operation() & 0x1ff;
  const auto* operation_row = std::ranges::find(kOperations, base, &Operation::base);
  instruction.kind = operation_row != std::end(kOperations) ? operation_row->kind
                     : base < kArithmetic                   ? InstructionClass::integer
                                                            : InstructionClass::control;
  if (operation_row != std::end(kOperations))
    instruction.site = operation_row->site, instruction.second_site = operation_row->second;
  instruction.loads = base == kLoad || base == kLoadGlobal;
  instruction.stores = base == kStore || base == kStoreGlobal;
  if (instruction.site == SiteKind::global) instruction.bytes = word.bytes();
  instruction.answered = instruction.site == SiteKind::atomic && base != kRed && base != kRedFloat;
  instruction.by_lane =
      instruction.site == SiteKind::atomic &&
      (base == kAtomFloat || base == kRedFloat || base == kCompare || base == kCompareGlobal || word.adds_floats());
  instruction.cycles = std::max(1, word.cycles());
  instruction.busy = busy_cycles(word, instruction.kind);
  instruction.waits_for = word.waited_for();
  if (word.held() != kNoScoreboard) instruction.holds = word.held();
  instruction.asynchronous = base == kHgmma;
  instruction.ends_group = instruction.asynchronous && word.group() != kNoScoreboard;
  if (base == kWarpgroup && word.waits_for_groups()) instruction.groups_left = word.groups_left();
  const unsigned operation = word.operation();
  instruction.ends = operation == kExit || operation == kReturn;
  if (operation == kBranch)
    instruction.target = number + 1 + word.offset(apart) / static_cast<std::int64_t>(kBytes / sizeof(std::uint32_t));
  instruction.conditional = word.predicate() != kAlways || (operation == kBranch && word.second_predicate() != kAlways);
  return instruction;
}

}  // namespace

std::vector<WarpInstruction> decode_sass(std::string_view code) {
  const std::size_t count = code.size() / kBytes;
  bool apart = false;  // older code has zeros there; every function ends in a branch to itself, so newer code has not
  for (std::size_t i = 0; i < count; ++i) {
    const Word word = word_at(code, i);
    apart = apart || (word.operation() == kBranch && (word.low >> 16 & 0xff) != 0);
  }
  std::vector<WarpInstruction> instructions;
  for (std::size_t i = 0; i < count; ++i)
    instructions.push_back(decode(word_at(code, i), static_cast<std::int64_t>(i), apart));
  return instructions;
}

}  // namespace harness::cuda
