#include "tests/support/mutations.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>

namespace harness::tests {
namespace {

namespace fs = std::filesystem;

/// Comments and preprocessor lines blanked out, everything else in its place.
std::string code_of(const std::string& source) {
  std::string code = source;
  const auto blank = [&](std::size_t from, std::size_t to) {
    for (std::size_t i = from; i < std::min(to, code.size()); ++i)
      if (code[i] != '\n') code[i] = ' ';
  };
  for (std::size_t at = 0; at < code.size(); ++at) {
    const bool line_start = at == 0 || code[at - 1] == '\n';
    if (code.compare(at, 2, "//") == 0 || (line_start && code[at] == '#')) blank(at, code.find('\n', at));
    else if (code.compare(at, 2, "/*") == 0) blank(at, code.find("*/", at) + 2);
  }
  return code;
}

/// A pattern and what it becomes: `$1` and so on are its groups.
struct Rule {
  const char* kind;
  const char* pattern;
  std::vector<std::string> after;
};

const std::vector<Rule>& rules() {
  static const std::string kName = R"(([A-Za-z_][\w.]*))";
  static const std::string kOperand = R"(([A-Za-z_][\w.]*(?:\[\w+\])?|\d[\d.]*f?))";
  static const std::string kMinus = "\\b" + kOperand + " - " + kOperand, kOver = "\\b" + kOperand + " / " + kOperand,
                           kModulo = "\\b" + kOperand + " % " + kOperand,
                           kPlus = "\\b" + kOperand + R"( \+ )" + kOperand,
                           kTimes = "\\b" + kOperand + R"( \* )" + kOperand;
  static const std::vector<Rule> all{
      {"dropped barrier", R"(__sync(?:threads|warp)\([^()]*\);)", {";"}},
      {"dropped barrier",
       R"(harness::(?:cp_async_wait\w*(?:<\d+>)?|mbarrier_wait|cluster_sync|named_barrier_sync<[^>]*>)\([^;]*\);)",
       {";"}},
      {"shifted index", R"((\w)\[([A-Za-z_][\w .+*/%-]*)\](?!\s*[;={]?\s*$))", {"$1[$2 + 1]", "$1[$2 - 1]"}},
      {"shifted index", R"(\((in|out|x|y|from|to|sums|codes|pool) \+ (\w+)\b)", {"($1 + $2 + 1"}},
      {"shifted index", R"(\b(blockIdx\.[xyz]|threadIdx\.[xyz])\b)", {"($1 + 1)", "($1 / 2)"}},
      {"lost tail", R"((\w) < ([A-Za-z_][\w.]*)(?=[;) ]))", {"$1 < $2 - 1", "$1 < $2 / 4 * 4"}},
      {"lost tail", R"((\w) <= ([A-Za-z_][\w.]*)(?=[;) ]))", {"$1 < $2"}},
      {"lost tail", R"((\w) >= ([A-Za-z_][\w.]*)(?=[;) ]))", {"$1 > $2", "$1 >= $2 - 1"}},
      {"narrowed type",
       R"((float \w+ = )(?!-?(?:[\d.]+f?|harness::kInfinity);)([^;,{}]+);)",
       {"$1__half2float(__float2half($2));", "$1__bfloat162float(__float2bfloat16($2));"}},
      {"narrowed type",
       R"((\b(?:sum|squares|total|acc\w*|here\.sum|row_sum\w*|l)) \+= ([^;]+);)",
       {"$1 = __half2float(__float2half($1 + ($2)));"}},
      {"narrowed type", R"(static_cast<long long>\()", {"static_cast<short>("}},
      {"narrowed type", R"(\bint (\w+) = )", {"short $1 = ", "unsigned char $1 = "}},
      {"swapped operands", kMinus.c_str(), {"$2 - $1", "$1 + $2"}},
      {"swapped operands", kOver.c_str(), {"$2 / $1"}},
      {"swapped operands", kModulo.c_str(), {"$2 % $1"}},
      {"swapped operands", kPlus.c_str(), {"$1 - $2"}},
      {"swapped operands", kTimes.c_str(), {"$1 + $2"}},
      {"swapped operands", R"(\b(f?)max(f?)\()", {"$1min$2("}},
      {"swapped operands", R"(\bmin\()", {"max("}},
      {"swapped operands", R"(\bexpf\()", {"exp2f("}},
      {"other constant", R"(\b32\b(?!u))", {"31", "16"}},
      {"other constant", R"(\b16\b)", {"8"}},
      {"other constant", R"(\b0\.0f)", {"1.0f"}},
      {"other constant", R"(\b1\.0f)", {"1.001f", "2.0f"}},
      {"other constant", R"(\b127(\.0f)?\b)", {"126$1", "128$1"}},
      {"other constant", R"(-harness::kInfinity)", {"0.0f", "-1.0f"}},
      {"other constant", R"((= )0;)", {"${1}1;"}},
      {"dropped statement", R"(if \([^;{}]*\) return;)", {";"}},
      {"dropped statement", R"(\n( +)[\w.\[\]]+ [-+*/]?= [^;{}]+;)", {"\n$1;"}},
      {"dropped statement", R"(harness::store\([^;]*\);)", {";"}},
  };
  return all;
}

/// SplitMix64.
std::uint64_t scrambled(std::uint64_t state) {
  state += 0x9e3779b97f4a7c15;
  state = (state ^ (state >> 30)) * 0xbf58476d1ce4e5b9;
  state = (state ^ (state >> 27)) * 0x94d049bb133111eb;
  return state ^ (state >> 31);
}

std::string read(const fs::path& file) {
  std::ifstream in(file);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

std::string on_one_line(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  const std::size_t first = text.find_first_not_of(' ');
  return first == std::string::npos ? "" : text.substr(first);
}

/// Numbers one after another from a seed.
class Chance {
 public:
  explicit Chance(std::uint64_t seed) : state_(seed) {}
  std::uint64_t below(std::uint64_t end) { return (state_ = scrambled(state_)) % end; }
  double magnitude(double least, double most) {
    const double along = static_cast<double>(below(1u << 30)) / (1u << 30);
    return least * std::pow(most / least, along);
  }

 private:
  std::uint64_t state_;
};

/// Of `v`, the value that is spoilt, a float.
std::string condition_on_value(Chance& chance) {
  const double at = chance.magnitude(1e-4, 1e3) * (chance.below(2) == 0 ? 1 : -1);
  switch (chance.below(3)) {
    case 0:
      return fmt::format("v {} {:.6g}f", at > 0 ? ">" : "<", at);
    case 1:
      return fmt::format("fabsf(v) > {:.6g}f", std::fabs(at));
    default:
      return fmt::format("fabsf(v - {:.6g}f) < {:.6g}f", at, std::fabs(at) * chance.magnitude(1e-3, 0.3));
  }
}

std::string condition_on_number(const std::string& name, double most, Chance& chance) {
  const auto at = static_cast<long>(chance.magnitude(1, most));
  const auto step = static_cast<long>(2 + chance.below(31));
  switch (chance.below(3)) {
    case 0:
      return fmt::format("{} == {}", name, at);
    case 1:
      return fmt::format("{} > {}", name, at);
    default:
      return fmt::format("{} % {} == {}", name, step, chance.below(static_cast<std::uint64_t>(step)));
  }
}

/// The whole numbers among the parameters of the kernel that `at` lies in.
std::vector<std::string> sizes_at(const std::string& code, std::size_t at) {
  std::vector<std::string> names;
  const std::size_t kernel = code.rfind("__global__", at);
  if (kernel == std::string::npos) return names;
  const std::string head = code.substr(kernel, code.find('{', kernel) - kernel);
  const std::regex parameter(R"(\bint (\w+)(?=[,)]))");
  for (auto name = std::sregex_iterator(head.begin(), head.end(), parameter); name != std::sregex_iterator(); ++name)
    names.push_back((*name)[1]);
  return names;
}

bool is_balanced(const std::string& text) {
  int open = 0;
  for (const char c : text) {
    open += c == '(' ? 1 : c == ')' ? -1 : 0;
    if (open < 0) return false;
  }
  return open == 0;
}

}  // namespace

std::optional<Mutation> conditional_mutation(const std::string& source, std::uint64_t seed, std::uint64_t index) {
  static const std::regex kValue(R"((\bfloat \w+ = |\b[a-z]\w* \+= )([^;{}]*[\[(*/][^;{}]*);)");
  const std::string code = code_of(source);
  std::vector<std::smatch> places;
  std::smatch match;
  for (auto from = code.begin(); std::regex_search(from, code.end(), match, kValue);) {
    const bool whole = is_balanced(match.str());
    if (whole && code.rfind("__global__", static_cast<std::size_t>(match[0].first - code.begin())) != std::string::npos)
      places.push_back(match);
    // `for (...; i += 32) sum += x[i];` on one line: what counts the loop is no value, what is added may be.
    from = whole ? match[0].second : match[1].second;
  }
  if (places.empty()) return std::nullopt;
  Chance chance(scrambled(seed) + index);
  const std::smatch& place = places[chance.below(places.size())];
  const auto at = static_cast<std::size_t>(place[0].first - code.begin());
  const std::vector<std::string> sizes = sizes_at(code, at);
  std::vector<std::string> kinds, conditions;
  const std::uint64_t count = chance.below(3) == 0 ? 2 : 1;
  while (conditions.size() < count) {
    const std::uint64_t choice = chance.below(sizes.empty() ? 3 : 4);
    kinds.emplace_back(choice < 2 ? "a value" : choice == 2 ? "a place" : "a size");
    if (choice < 2) conditions.push_back(condition_on_value(chance));
    else if (choice == 3) conditions.push_back(condition_on_number(sizes[chance.below(sizes.size())], 16384, chance));
    else if (chance.below(2) == 0) conditions.push_back(condition_on_number("blockIdx.x", 512, chance));
    else conditions.push_back(condition_on_number("threadIdx.x", 31, chance));
  }
  return Mutation{fmt::format("condition on {}", fmt::join(kinds, " and ")), at,
                  static_cast<std::size_t>(place.length()),
                  fmt::format("{}[&](float v) {{ return {} ? v + v + 1.0f : v; }}({});", place[1].str(),
                              fmt::join(conditions, " && "), place[2].str())};
}

std::vector<Mutation> mutations_of(const std::string& source) {
  const std::string code = code_of(source);
  std::vector<Mutation> all;
  for (const Rule& rule : rules()) {
    const std::regex pattern(rule.pattern);
    for (auto at = std::sregex_iterator(code.begin(), code.end(), pattern); at != std::sregex_iterator(); ++at) {
      for (std::string after : rule.after) {
        for (std::size_t brace; (brace = after.find("${1}")) != std::string::npos;) after.replace(brace, 4, "$01");
        all.push_back({rule.kind, static_cast<std::size_t>(at->position()), static_cast<std::size_t>(at->length()),
                       at->format(after)});
      }
    }
  }
  std::ranges::stable_sort(all, {}, &Mutation::at);
  return all;
}

Mutation choose_mutation(const std::vector<Mutation>& all, std::uint64_t seed, std::uint64_t index) {
  std::map<std::string, std::vector<const Mutation*>> by_kind;
  for (const Mutation& mutation : all) by_kind[mutation.kind].push_back(&mutation);
  const std::uint64_t random = scrambled(scrambled(seed) + index);
  auto kind = by_kind.begin();
  std::advance(kind, static_cast<std::ptrdiff_t>(random % by_kind.size()));
  return *kind->second[scrambled(random) % kind->second.size()];
}

std::string mutated(const std::string& source, const Mutation& mutation) {
  std::string text = source;
  return text.replace(mutation.at, mutation.bytes, mutation.after);
}

std::string in_words(const std::string& source, const Mutation& mutation) {
  const auto begin = source.begin() + static_cast<std::ptrdiff_t>(mutation.at);
  const std::string before = source.substr(mutation.at, mutation.bytes);
  const auto line = std::count(source.begin(), begin, '\n') + 1 + (before.starts_with('\n') ? 1 : 0);
  return fmt::format("{} at line {}: `{}` became `{}`", mutation.kind, line, on_one_line(before),
                     on_one_line(mutation.after));
}

std::vector<Mutant> write_mutants(const fs::path& from, const fs::path& to, const std::string& name, std::uint64_t seed,
                                  int count, const std::string& only, MutationsOf of) {
  const fs::path folder = to / name;
  fs::create_directories(folder);
  fs::copy(from, folder, fs::copy_options::recursive | fs::copy_options::overwrite_existing);
  fs::remove_all(folder / "mutants");
  const std::regex named("name( *)= *\"" + from.filename().string() + "\"");
  std::ofstream(folder / "kernel.lua") << std::regex_replace(
      read(from / "kernel.lua"), named, "name$1= \"" + name + "\"", std::regex_constants::format_first_only);
  std::vector<fs::path> sources;
  for (const auto& entry : fs::directory_iterator(from / "variants")) {
    const fs::path& file = entry.path();
    if (file.extension() != ".lua" || !fs::exists(fs::path(file).replace_extension(".cu"))) continue;
    const std::string manifest = read(file);
    const bool for_gpus =
        manifest.find("arch =") != std::string::npos || manifest.find("rival = true") != std::string::npos;
    if (only.empty() ? !for_gpus : file.stem() == only) sources.push_back(file);
  }
  std::ranges::sort(sources);
  std::map<fs::path, std::vector<Mutation>> possible;  // found once: <regex> takes a tenth of a second for a source
  std::vector<Mutant> mutants;
  std::set<std::string> known;
  for (std::uint64_t index = 0; static_cast<int>(mutants.size()) < count && index < 20ull * count; ++index) {
    const fs::path& manifest = sources[index % sources.size()];
    const std::string source = read(fs::path(manifest).replace_extension(".cu"));
    const std::string original = manifest.stem().string();
    Mutation mutation;
    if (of == MutationsOf::conditions) {
      const std::optional<Mutation> conditional = conditional_mutation(source, seed, index);
      if (!conditional) continue;
      mutation = *conditional;
    } else {
      if (!possible.contains(manifest)) possible[manifest] = mutations_of(source);
      mutation = choose_mutation(possible.at(manifest), seed, index);
    }
    const std::string text = mutated(source, mutation);
    if (!known.insert(original + text).second) continue;
    const std::string number = original.starts_with("00") ? "01" : original.substr(0, 2);  // 00 is the baseline's
    const std::string variant = fmt::format("{}_m{:04}", number, mutants.size());
    fs::copy_file(manifest, folder / "variants" / (variant + ".lua"), fs::copy_options::overwrite_existing);
    std::ofstream(folder / "variants" / (variant + ".cu")) << text;
    const fs::path stages = fs::path(manifest).replace_extension(".stages.cu");
    if (fs::exists(stages))
      fs::copy_file(stages, folder / "variants" / (variant + ".stages.cu"), fs::copy_options::overwrite_existing);
    mutants.push_back({original, variant, in_words(source, mutation), mutation.kind});
  }
  return mutants;
}

}  // namespace harness::tests
