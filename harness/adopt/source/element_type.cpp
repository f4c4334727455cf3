#include "harness/adopt/source/element_type.h"

#include <map>

#include "harness/adopt/source/tokens.h"

namespace harness::adopt {

std::string with_doubles(const std::string& text) {
  std::string result = text;
  for (const std::string name_of_torch : {"c10::Half", "at::Half", "c10::BFloat16", "at::BFloat16"})
    for (std::size_t at = 0; (at = result.find(name_of_torch, at)) != std::string::npos;)
      result.replace(at, name_of_torch.size(), "double");
  for (const char* word : {"float", "half", "__half", "__nv_bfloat16", "nv_bfloat16"})
    result = with_word(result, word, "double");
  for (const char* pair : {"cuFloatComplex", "cuComplex"}) result = with_word(result, pair, "cuDoubleComplex");
  for (const char* name : {"make_cuFloatComplex", "make_cuComplex"})
    result = with_word(result, name, "make_cuDoubleComplex");
  for (const std::string name : {"cuCadd", "cuCsub", "cuCmul", "cuCdiv", "cuCabs", "cuCreal", "cuCimag", "cuConj"})
    result = with_word(result, name + "f", name);
  for (const char* pair : {"float2", "half2", "__half2", "__nv_bfloat162", "nv_bfloat162"})
    result = with_word(result, pair, "double2");
  return result;
}

std::optional<Dtype> dtype_of_type(const std::string& type, int* lanes) {
  static const std::map<std::string, Dtype> types{{"float", Dtype::f32},
                                                  {"double", Dtype::f64},
                                                  {"__half", Dtype::f16},
                                                  {"half", Dtype::f16},
                                                  {"c10::Half", Dtype::f16},
                                                  {"at::Half", Dtype::f16},
                                                  {"__nv_bfloat16", Dtype::bf16},
                                                  {"nv_bfloat16", Dtype::bf16},
                                                  {"c10::BFloat16", Dtype::bf16},
                                                  {"at::BFloat16", Dtype::bf16},
                                                  {"__nv_fp8_e4m3", Dtype::e4m3},
                                                  {"__nv_fp8_e5m2", Dtype::e5m2},
                                                  {"char", Dtype::s8},
                                                  {"signed char", Dtype::s8},
                                                  {"unsigned char", Dtype::u8},
                                                  {"short", Dtype::s16},
                                                  {"unsigned short", Dtype::u16},
                                                  {"int", Dtype::s32},
                                                  {"unsigned int", Dtype::u32},
                                                  {"unsigned", Dtype::u32},
                                                  {"long", Dtype::s64},
                                                  {"long long", Dtype::s64},
                                                  {"int64_t", Dtype::s64},
                                                  {"unsigned long", Dtype::u64},
                                                  {"unsigned long long", Dtype::u64},
                                                  {"int8_t", Dtype::s8},
                                                  {"uint8_t", Dtype::u8},
                                                  {"int16_t", Dtype::s16},
                                                  {"uint16_t", Dtype::u16},
                                                  {"int32_t", Dtype::s32},
                                                  {"uint32_t", Dtype::u32},
                                                  {"uint64_t", Dtype::u64},
                                                  {"size_t", Dtype::u64},
                                                  {"uchar", Dtype::u8},
                                                  {"ushort", Dtype::u16},
                                                  {"uint", Dtype::u32},
                                                  {"bool", Dtype::b8}};
  if (lanes != nullptr) *lanes = 1;
  if (type.starts_with("std::")) return dtype_of_type(type.substr(5), lanes);
  if (const auto entry = types.find(type); entry != types.end()) return entry->second;
  static const std::map<std::string, Dtype> vectors{
      {"float", Dtype::f32}, {"double", Dtype::f64}, {"int", Dtype::s32},      {"uint", Dtype::u32},
      {"uchar", Dtype::u8},  {"char", Dtype::s8},    {"short", Dtype::s16},    {"ushort", Dtype::u16},
      {"long", Dtype::s64},  {"ulong", Dtype::u64},  {"longlong", Dtype::s64}, {"ulonglong", Dtype::u64},
  };
  if (const bool bf16 = type.ends_with("nv_bfloat162"); bf16 || type == "__half2" || type == "half2") {
    if (lanes != nullptr) *lanes = 2;
    return bf16 ? Dtype::bf16 : Dtype::f16;
  }
  if (type.empty() || type.back() < '2' || type.back() > '4') return std::nullopt;
  const auto entry = vectors.find(type.substr(0, type.size() - 1));
  if (entry == vectors.end()) return std::nullopt;
  if (lanes != nullptr) *lanes = type.back() - '0';
  return entry->second;
}

}  // namespace harness::adopt
