#include "harness/adopt/kernel.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace harness::adopt {

namespace {

std::string with_dtype(const std::string& text, bool wide, const std::string& dtype) {
  std::string result = wide ? with_doubles(text) : text;
  for (std::size_t at = 0; (at = result.find("$dtype", at)) != std::string::npos; at += dtype.size())
    result.replace(at, 6, dtype);
  return result;
}

}  // namespace

const AdoptedSize* AdoptedKernel::size(const std::string& symbol) const {
  for (const AdoptedSize& each : sizes)
    if (each.symbol == symbol) return &each;
  return nullptr;
}

std::string name_of_size(const std::string& symbol) {
  std::string name;
  for (const char c : symbol)
    if (std::isalnum(static_cast<unsigned char>(c)) || c == '_') name += c;
    else if (!name.empty() && name.back() != '_') name += '_';
  while (!name.empty() && name.back() == '_') name.pop_back();
  return name_in_workloads(name);
}

std::string name_in_workloads(const std::string& name) {
  static const std::set<std::string> kTaken{"and",   "break",    "do",     "else",    "elseif", "end",   "false",
                                            "for",   "function", "goto",   "if",      "in",     "local", "nil",
                                            "not",   "or",       "repeat", "return",  "then",   "true",  "until",
                                            "while", "name",     "sets",   "devices", "weight", "dtype", "where"};
  return kTaken.contains(name) ? name + "_size" : name;
}

std::map<std::string, FormulaPtr> derived_of(const AdoptedKernel& kernel) {
  std::map<std::string, FormulaPtr> all;
  for (const AdoptedParameter& each : kernel.parameters)
    if (each.kind == Param::derived) all[each.name] = each.follows;
  return all;
}

void set_parameter(AdoptedKernel& kernel, AdoptedParameter& parameter, const FormulaPtr& follows,
                   const std::string& evidence) {
  const std::map<std::string, FormulaPtr> replaced{{parameter.name, follows}};
  const auto set = [](AdoptedParameter& each, const FormulaPtr& value) {
    each.kind = value->kind == Op::number ? Param::fixed : Param::derived;
    each.value = value->kind == Op::number ? value->number : 0;
    each.follows = value->kind == Op::number ? nullptr : value;
  };
  set(parameter, follows);
  parameter.evidence = evidence;
  for (AdoptedParameter& each : kernel.parameters)  // what followed from it follows from what it follows from
    if (each.kind == Param::derived && each.name != parameter.name) set(each, with(each.follows, replaced));
  for (Condition& each : kernel.conditions) each.formula = with(each.formula, replaced);
  std::erase_if(kernel.sizes, [&](const AdoptedSize& each) { return each.symbol == parameter.name; });
  kernel.replace_in_launches(replaced);
}

bool conditions_hold(const AdoptedKernel& kernel, const Values& sizes) {
  return std::all_of(kernel.conditions.begin(), kernel.conditions.end(),
                     [&](const Condition& each) { return evaluate(*each.formula, sizes) != 0; });
}

bool is_array(const AdoptedParameter& parameter) {
  return parameter.kind == Param::pointer || parameter.kind == Param::scratch;
}

bool is_passed(const AdoptedParameter& parameter) {
  return parameter.symbol.empty();
}

std::vector<ConstantTable> constants_of(const AdoptedKernel& kernel) {
  std::vector<ConstantTable> constants;
  for (const AdoptedParameter& each : kernel.parameters)
    if (!is_passed(each)) constants.push_back({each.symbol, each.name});
  return constants;
}

std::vector<const LaunchShape*> AdoptedKernel::launches() const {
  std::vector<const LaunchShape*> all{&launch};
  for (const FurtherLaunch& each : further) all.push_back(&each.launch);
  return all;
}

void AdoptedKernel::replace_in_launches(const std::map<std::string, FormulaPtr>& replaced) {
  const auto replace = [&](LaunchShape& shape) {
    for (auto* list : {&shape.grid, &shape.block})
      for (FormulaPtr& each : *list) each = with(each, replaced);
    shape.shared = with(shape.shared, replaced);
  };
  replace(launch);
  for (FurtherLaunch& each : further) replace(each.launch);
}

std::string AdoptedKernel::entry_of_launch(std::size_t i, const std::string& first) const {
  if (i == 0 || !first.starts_with(qualified)) return first;
  return further.at(i - 1).qualified + first.substr(qualified.size());
}

std::string with_doubles(const std::string& text) {
  std::string result = text;
  for (const std::string named : {"c10::Half", "at::Half", "c10::BFloat16", "at::BFloat16"})
    for (std::size_t at = 0; (at = result.find(named, at)) != std::string::npos;)
      result.replace(at, named.size(), "double");
  for (const char* word : {"float", "half", "__half", "__nv_bfloat16", "nv_bfloat16"})
    result = with_word(result, word, "double");
  for (const char* pair : {"float2", "half2", "__half2", "__nv_bfloat162", "nv_bfloat162"})
    result = with_word(result, pair, "double2");
  return result;
}

std::string AdoptedKernel::entry_for(const std::string& dtype, const std::map<std::string, std::string>& values,
                                     bool wide) const {
  if (declaration.templates.empty()) return qualified;
  std::string list;
  for (const TemplateParameter& parameter : declaration.templates) {
    std::string argument;
    if (const auto given = values.find(parameter.name); given != values.end() && bound.contains(parameter.name))
      argument = given->second;
    else if (parameter.name == dtype_parameter) argument = dtype;
    else if (const auto type = types.find(parameter.name); type != types.end())
      argument = with_dtype(type->second, wide, dtype);
    else if (const auto known = launch.templates.find(parameter.name); known != launch.templates.end())
      argument = with_dtype(known->second, wide, dtype);
    if (argument.empty()) break;  // the source has a default
    list += (list.empty() ? "" : ",") + argument;
  }
  return fmt::format("{}<{}>", qualified, list);
}

Values AdoptedKernel::settings(Dtype dtype, const std::map<std::string, std::int64_t>& values) const {
  Values all;
  for (const auto& [name, list] : tuned) {
    const auto given = values.find(name);
    all["p." + name] = given == values.end() ? list.front() : given->second;
  }
  for (const char* name : {"scalar_t", "T"}) all[std::string("sizeof ") + name] = storage_bytes(dtype);
  if (!dtype_parameter.empty()) all["sizeof " + dtype_parameter] = storage_bytes(dtype);
  return all;
}

std::optional<Dtype> dtype_of_type(const std::string& type, int* lanes) {
  static const std::map<std::string, Dtype> known{{"float", Dtype::f32},
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
                                                  {"bool", Dtype::b8}};
  if (lanes != nullptr) *lanes = 1;
  if (const auto found = known.find(type); found != known.end()) return found->second;
  static const std::map<std::string, Dtype> vectors{{"float", Dtype::f32}, {"double", Dtype::f64}, {"int", Dtype::s32},
                                                    {"uint", Dtype::u32},  {"uchar", Dtype::u8},   {"char", Dtype::s8},
                                                    {"short", Dtype::s16}, {"ushort", Dtype::u16}};
  if (const bool bf16 = type.ends_with("nv_bfloat162"); bf16 || type == "__half2" || type == "half2") {
    if (lanes != nullptr) *lanes = 2;
    return bf16 ? Dtype::bf16 : Dtype::f16;
  }
  if (type.empty() || type.back() < '2' || type.back() > '4') return std::nullopt;
  const auto found = vectors.find(type.substr(0, type.size() - 1));
  if (found == vectors.end()) return std::nullopt;
  if (lanes != nullptr) *lanes = type.back() - '0';
  return found->second;
}

}  // namespace harness::adopt
