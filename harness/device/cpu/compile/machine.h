#pragma once
#include <elf.h>

namespace harness::cpu {

/// What candidates on this machine's processor are compiled to, and how their files look.
#ifdef __aarch64__
inline constexpr const char* kArchitecture = "aarch64";
inline constexpr int kElfMachine = EM_AARCH64;
inline constexpr const char* kLoader = "ld-linux-aarch64.so.1";
/// Relocations that write an address and call nothing.
inline constexpr int kPlainRelocations[] = {R_AARCH64_ABS64,    R_AARCH64_GLOB_DAT,   R_AARCH64_JUMP_SLOT,
                                            R_AARCH64_RELATIVE, R_AARCH64_TLS_DTPMOD, R_AARCH64_TLS_DTPREL,
                                            R_AARCH64_TLS_TPREL};
inline constexpr int kRelocationByCode = R_AARCH64_IRELATIVE;
inline constexpr int kEmptyRelocation = R_AARCH64_NONE;  // linkers leave room for some that they then need not
/// char has a sign in CUDA. Helpers of atomics would be set up by code when the object is loaded, and descriptors of
/// thread-local variables are resolved by code.
inline constexpr const char* kFlagsHere[] = {"-fsigned-char", "-mno-outline-atomics", "-mtls-dialect=trad"};
#else
inline constexpr const char* kArchitecture = "x86-64";
inline constexpr int kElfMachine = EM_X86_64;
inline constexpr const char* kLoader = "ld-linux-x86-64.so.2";
inline constexpr int kPlainRelocations[] = {R_X86_64_64,       R_X86_64_GLOB_DAT, R_X86_64_JUMP_SLOT, R_X86_64_RELATIVE,
                                            R_X86_64_DTPMOD64, R_X86_64_DTPOFF64, R_X86_64_TPOFF64};
inline constexpr int kRelocationByCode = R_X86_64_IRELATIVE;
inline constexpr int kEmptyRelocation = -1;  // none is made
inline constexpr const char* kFlagsHere[] = {"-fcf-protection=none"};
#endif

}  // namespace harness::cpu
