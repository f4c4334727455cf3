#include "harness/device/cpu/compile/source.h"

#include <cxxabi.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>

#include "harness/device/cpu/guest/harness_cpu/abi.h"

namespace harness::cpu {
namespace {

std::string in_quotes(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    if (c == '\n' || c == '\r') continue;
    result += c;
  }
  return result + "\"";
}

std::string one_line(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
  return text;
}

/// "softmax" of "void ns::softmax<float, 4>(float*)::tile", of "softmax<float,4>" and of "ns::softmax".
std::string base_name(std::string_view function) {
  function = function.substr(0, function.find_first_of("<("));
  const std::size_t start = function.find_last_of(": ");
  return std::string(start == std::string_view::npos ? function : function.substr(start + 1));
}

std::string demangled(const std::string& name) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text(abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status),
                                                    std::free);
  return status == 0 ? text.get() : name;
}

/// The function that a block-scope variable belongs to, demangled; "" for one at namespace scope.
std::string owner(const TlsSymbol& symbol) {
  if (!symbol.name.starts_with("_ZZ")) return "";
  const std::string text = demangled(symbol.name);
  const std::size_t end = text.rfind("::");
  return end == std::string::npos ? "" : text.substr(0, end);
}

}  // namespace

// Bytes of dynamic shared memory of a candidate that declares none: a page with the guard behind it. Each host thread
// of each launch clears and poisons what there is, and 227 KB of it cost more than a small launch.
constexpr int kUndeclaredShared = 4096 - HARNESS_CPU_SHARED_GUARD;

std::string variable_name(const TlsSymbol& symbol) {
  const std::string text = demangled(symbol.name);
  const std::size_t start = text.rfind("::");
  return start == std::string::npos ? text : text.substr(start + 2);
}

bool is_guard(const TlsSymbol& symbol, const std::vector<TlsSymbol>& tls) {
  constexpr std::string_view kPrefix = "_ZGV";
  constexpr std::int64_t kMostBytes = 8;
  if (!symbol.name.starts_with(kPrefix) || symbol.bytes > kMostBytes) return false;
  const std::string guarded = "_Z" + symbol.name.substr(kPrefix.size());
  return std::any_of(tls.begin(), tls.end(), [&](const TlsSymbol& symbol) { return symbol.name == guarded; });
}

std::string entry_label(const std::string& entry) {
  return "entry " + one_line(entry);
}

std::string constant_label(const std::string& symbol) {
  return "constant " + one_line(symbol);
}

namespace {

/// What the plan fills. Its address is known elsewhere, so g++ takes its values for what they are when a launch begins.
std::string constant_table(const std::vector<std::string>& constants) {
  if (constants.empty()) return "";
  std::string names, rows;
  for (std::size_t i = 0; i < constants.size(); ++i) {
    names += fmt::format(
        "__attribute__((section(\".harness_names\"))) static const char harness_cpu_constant_name_{}[] = {};\n", i,
        in_quotes(one_line(constants[i])));
    rows += fmt::format("\n#line 1 {1}\n{{harness_cpu_constant_name_{0}, &{2}, sizeof({2})}},", i,
                        in_quotes(constant_label(constants[i])), one_line(constants[i]));
  }
  return fmt::format(
      "{}extern \"C\" {{\n__attribute__((visibility(\"default\"))) extern const HarnessCpuConstant "
      "harness_cpu_constants[];\nconst HarnessCpuConstant harness_cpu_constants[] = {{{}\n{{}}}};\n}}\n",
      names, rows);
}

}  // namespace

std::string candidate_source(const BuildSpec& spec) {
  std::string text = fmt::format("#line 1 {}\n{}\n", in_quotes(spec.source_name), spec.source);
  text +=
      fmt::format("#line 1 \"table of entries\"\nextern \"C\" {{ extern thread_local char {}[]; }}\n", kDynamicShared);
  std::string rows;
  // The names have a section of their own, so that they take no part in the hash of the machine code.
  for (std::size_t i = 0; i < spec.entries.size(); ++i) {
    const std::string entry = one_line(spec.entries[i]);
    text += fmt::format(
        "#line 1 {0}\nusing harness_cpu_kernel_{1} = HarnessCpuKernel<&{2}>;\n"
        "__attribute__((section(\".harness_names\"))) static const char harness_cpu_name_{1}[] = {3};\n",
        in_quotes(entry_label(entry)), i, entry, in_quotes(entry));
    rows += fmt::format(
        "{{harness_cpu_name_{0}, &harness_cpu_kernel_{0}::call, harness_cpu_kernel_{0}::parameters, "
        "harness_cpu_kernel_{0}::bytes}},\n",
        i);
  }
  text +=
      "#line 1 \"table of entries\"\n__attribute__((used, section(\".harness_facts\"))) static const "
      "HarnessCpuEntryFacts harness_cpu_entry_facts[] = {\n";
  for (std::size_t i = 0; i < spec.entries.size(); ++i)
    text += fmt::format("harness_cpu_facts<harness_cpu_kernel_{}>(),\n", i);
  text += fmt::format("{{}}}};\nstatic const HarnessCpuEntry harness_cpu_entries[] = {{\n{}{{}}}};\n", rows);
  text += fmt::format(
      "extern \"C\" __attribute__((visibility(\"default\"))) const HarnessCpuModule harness_cpu_module = "
      "{{HARNESS_CPU_ABI, {}, "
      "harness_cpu_entries, [] {{ return &{}[0]; }}}};\n",
      spec.entries.size(), kDynamicShared);
  return text + constant_table(spec.constants);
}

std::string dynamic_shared_source(const std::vector<TlsSymbol>& tls) {
  std::string text = "\t.section .tbss.harness_dynamic,\"awT\",@nobits\n\t.balign 1024\n";
  bool used = false;
  for (const TlsSymbol& symbol : tls) {
    if (symbol.defined || symbol.name.starts_with("harness_cpu_") != (symbol.name == kDynamicShared)) continue;
    used = used || symbol.name != kDynamicShared;
    text += fmt::format("\t.globl {0}\n\t.hidden {0}\n\t.type {0}, @object\n{0}:\n", symbol.name);
  }
  const int bytes = (used ? HARNESS_CPU_MAX_SHARED : kUndeclaredShared) + HARNESS_CPU_SHARED_GUARD;
  return text + fmt::format("\t.zero {0}\n\t.size {1}, {0}\n\t.section .note.GNU-stack,\"\",@progbits\n", bytes,
                            kDynamicShared);
}

std::vector<EntryResources> entry_resources(const std::vector<std::string>& entries, std::string_view facts,
                                            const std::vector<TlsSymbol>& tls) {
  struct Facts {
    std::uint32_t parameters;
    std::uint32_t bytes[HARNESS_CPU_MAX_PARAMETERS];
    std::uint32_t kinds[HARNESS_CPU_MAX_PARAMETERS];
  };
  constexpr ParameterKind kKinds[] = {ParameterKind::unknown, ParameterKind::integer, ParameterKind::floating,
                                      ParameterKind::pointer};
  std::map<std::string, std::int64_t> by_function;
  for (const TlsSymbol& symbol : tls)
    if (symbol.defined && !is_guard(symbol, tls)) by_function[owner(symbol)] += symbol.bytes;
  std::vector<EntryResources> resources;
  for (std::size_t i = 0; i < entries.size() && (i + 1) * sizeof(Facts) <= facts.size(); ++i) {
    Facts row;
    std::memcpy(&row, facts.data() + i * sizeof row, sizeof row);
    EntryResources entry;
    entry.entry = entries[i];
    entry.parameter_bytes.assign(row.bytes,
                                 row.bytes + std::min<std::uint32_t>(row.parameters, HARNESS_CPU_MAX_PARAMETERS));
    for (std::size_t p = 0; p < entry.parameter_bytes.size(); ++p)
      entry.parameter_kinds.push_back(kKinds[std::min<std::uint32_t>(row.kinds[p], 3)]);
    std::int64_t own = 0, others = 0;
    for (const auto& [function, bytes] : by_function) {
      const std::string base = base_name(function);
      const bool is_entry =
          std::any_of(entries.begin(), entries.end(), [&](const std::string& e) { return base_name(e) == base; });
      if (base == base_name(entries[i])) own = std::max(own, bytes);
      else if (!is_entry) others += bytes;
    }
    entry.static_shared_bytes = own + others;
    resources.push_back(std::move(entry));
  }
  return resources;
}

}  // namespace harness::cpu
