#include "harness/cpp_text/closure.h"

#include <fstream>
#include <iterator>
#include <optional>
#include <utility>

#include "harness/cpp_text/include_folders.h"

namespace harness::cpp_text {
namespace {

namespace fs = std::filesystem;

std::optional<std::string> content(const fs::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) return std::nullopt;
  return std::string(std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>());
}

class Reader {
 public:
  Reader(const std::vector<fs::path>& folders, const std::set<std::string>& outside)
      : folders_(folders), macros_(outside) {}

  void read(std::string_view text, const std::string& shown, const fs::path& folder) {
    NamedFiles named = named_files(text);
    macros_.add(named.macros);
    for (const Include& include : named.includes) {
      if (include.name.empty()) computed_.push_back({include, shown, folder});
      else follow(include, shown, folder);
    }
  }

  /// A definition may stand in a file that a computed include brings: again, until nothing new is read.
  IncludeClosure take() {
    for (std::size_t before = 0; before != closure_.files.size() + computed_.size();) {
      before = closure_.files.size() + computed_.size();
      for (std::size_t i = 0; i < computed_.size(); ++i) {
        const Computed computed = computed_[i];  // following it may add others
        if (const auto names = macros_.names_of(computed.include))
          for (const Include& include : *names) follow(include, computed.shown, computed.folder);
      }
    }
    for (const Computed& computed : computed_)
      (macros_.names_of(computed.include) ? closure_.computed : closure_.refused).push_back(refusal(computed));
    return std::move(closure_);
  }

 private:
  struct Computed {
    Include include;
    std::string shown;
    fs::path folder;
  };

  static std::string refusal(const Computed& computed) {
    const auto& [directive, name, quoted, macro, argument, line] = computed.include;
    return computed.shown + ":" + std::to_string(line) + ": an " + (directive.starts_with("__") ? "" : "#") +
           directive +
           " must name its file in <> or \"\", or by a macro that is defined as such a name and nothing else; what " +
           (macro.empty() ? "this one names" : "'" + macro + "' stands for") +
           " cannot be read from the text, and the source's hash has to cover it";
  }

  void follow(const Include& include, const std::string& shown, const fs::path& beside) {
    const std::vector<HeaderFile> headers = folders_.find(include, beside);
    if (headers.empty() && absent_.insert(include.name).second) closure_.absent.push_back({include.name, {}, ""});
    for (const HeaderFile& header : headers) {
      if (!seen_.insert(header.path.string()).second) continue;
      std::error_code failed;
      if (!fs::is_regular_file(header.file, failed)) {  // a pipe: a compiler would wait for its writer
        closure_.refused.push_back(header.file.string() + ": is included and is no plain file; replace it");
        continue;
      }
      auto text = content(header.file);
      if (!text) {
        closure_.refused.push_back(shown + ":" + std::to_string(include.line) + ": " + include.name +
                                   " cannot be read");
        continue;
      }
      const std::size_t index = closure_.files.size();
      closure_.files.push_back({include.name, header.file, std::move(*text)});
      const std::string own = closure_.files[index].text;  // the list grows meanwhile
      read(own, include.name, header.path.parent_path());
    }
  }

  IncludeFolders folders_;
  HeaderMacros macros_;
  std::vector<Computed> computed_;
  std::set<std::string> seen_, absent_;
  IncludeClosure closure_;
};

}  // namespace

IncludeClosure include_closure(std::string_view text, const std::string& shown, const fs::path& folder,
                               const std::vector<fs::path>& folders, const std::set<std::string>& outside) {
  Reader reader(folders, outside);
  reader.read(text, shown, folder);
  return std::move(reader).take();
}

}  // namespace harness::cpp_text
