#include "harness/adopt/source/source.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <set>

#include "harness/adopt/source/clang.h"
#include "harness/adopt/source/filled_symbols.h"
#include "harness/adopt/source/project.h"
#include "harness/adopt/source/python_text.h"
#include "harness/core/error.h"
#include "harness/core/hash.h"
#include "harness/system/files.h"

namespace fs = std::filesystem;

namespace harness::adopt {
namespace {

constexpr std::uintmax_t kMostBytes = 4 << 20;

constexpr const char* kLibraries[] = {"cute/", "cutlass/", "cub/", "thrust/", "cuda/", "cooperative_groups/"};

bool holds_library(const fs::path& folder) {
  std::error_code failed;
  return std::ranges::any_of(kLibraries, [&](const std::string& library) {
    const fs::path own = folder / (library == "cuda/" ? "cuda/std" : library);  // programs call a folder "cuda", too
    return fs::is_directory(own, failed);
  });
}

/// Reads a file and the headers that it includes, which a compiler would be told of by folders.
class ProjectReader {
 public:
  ProjectReader(Source& source, std::vector<std::string> folders) : source_(source), folders_(std::move(folders)) {}

  void read(const fs::path& path, const std::optional<std::string>& instead) {
    if (!read_.insert(path.string()).second) return;
    auto file = source_text(path.string(), instead ? *instead : text_of(path));
    for (Include& include : file->includes) {
      include.file = own_header(include, path);
      if (!include.file.empty()) read(include.file, std::nullopt);
    }
    source_.files.push_back(std::move(file));
  }

  /// Those that were named, and those of the project in which a header was found.
  const std::vector<std::string>& folders() const { return folders_; }

 private:
  static std::string text_of(const fs::path& path) {
    std::string text = read_file(path.string(), Error::Kind::bad_input);
    if (!is_python(path.string())) return text;
    std::string cuda = cuda_in_python(text);
    if (cuda.empty())
      throw bad_input(fmt::format("{} has no string in triple quotes with a __global__ function; name a CUDA source",
                                  path.filename().string()));
    return cuda;
  }

  /// Beside the file that includes it, in a folder that was named, or in the one place of the project that has it; "":
  /// it is no header of the program's own.
  std::string own_header(const Include& include, const fs::path& path) {
    const bool own_folder =
        include.quoted && include.name.starts_with("cuda/") && include.name.find('.') != std::string::npos;
    if (of_library(include.name) && !own_folder) return "";
    std::vector<fs::path> places;
    if (include.quoted) places.push_back(path.parent_path());
    places.insert(places.end(), folders_.begin(), folders_.end());
    for (const fs::path& folder : places) {
      std::error_code failed;
      const fs::path header = fs::weakly_canonical(folder / include.name, failed);
      if (!failed && fs::is_regular_file(header, failed) && fs::file_size(header, failed) <= kMostBytes)
        return header.string();
    }
    const bool in_folder = include.name.find('/') != std::string::npos;  // <vector> is no project's
    return include.quoted || in_folder ? header_of_project(include.name, path) : "";
  }

  std::string header_of_project(const std::string& name, const fs::path& path) {
    if (name.starts_with(".") || name.starts_with("/")) return "";
    for (const fs::path& folder : folders_of_project(path)) {
      auto entry = below_.find(folder.string());
      if (entry == below_.end()) entry = below_.emplace(folder.string(), sources_below(folder)).first;
      std::vector<std::string> headers;
      for (const fs::path& source : entry->second)
        if (source.string().ends_with("/" + name)) headers.push_back(source.string());
      if (headers.size() > 1) return "";  // nobody may choose for a person
      if (headers.empty()) continue;
      folders_.push_back(headers[0].substr(0, headers[0].size() - name.size() - 1));
      return headers[0];
    }
    return "";
  }

  Source& source_;
  std::vector<std::string> folders_;
  std::set<std::string> read_;
  std::map<std::string, std::vector<fs::path>> below_;
};

/// "WIDTH=64" as a header in front of all others.
std::unique_ptr<SourceText> command_line_of(const std::vector<std::string>& defines) {
  std::string text;
  for (const std::string& define : defines) {
    const std::size_t equals = std::min(define.find('='), define.size());
    const std::string name = define.substr(0, equals), value = equals < define.size() ? define.substr(equals + 1) : "1";
    const std::vector<Token> words = tokens_of(name);
    if (words.size() != 1 || !words[0].is_word() || value.find('\n') != std::string::npos)
      throw bad_input(fmt::format("-D {} is not of the form NAME=VALUE", define));
    text += fmt::format("#define {} {}\n", name, value);
  }
  return source_text("command line", std::move(text));
}

/// `template <typename T> constexpr bool is_small = sizeof(T) < 4;`: libclang says nothing of it.
void add_variable_templates(Source& source) {
  for (const auto& file : source.files)
    for (const Chunk& chunk : file->chunks) {
      const auto first = std::ranges::lower_bound(file->tokens, chunk.begin, {}, &Token::begin);
      auto at = static_cast<std::size_t>(first - file->tokens.begin());
      if (!chunk.declares.empty() || chunk.body != chunk.end || at + 1 >= file->tokens.size()) continue;
      if (!file->tokens[at].is("template") || !file->tokens[at + 1].is("<")) continue;
      at = end_of_template(file->tokens, at + 1);
      while (at < file->tokens.size() && file->tokens[at].end <= chunk.end && !file->tokens[at].is("=")) ++at;
      if (at >= file->tokens.size() || !file->tokens[at].is("=") || !file->tokens[at - 1].is_word()) continue;
      source.parsed.declarations.push_back({.kind = Declaration::Kind::variable,
                                            .name = std::string(file->tokens[at - 1].text),
                                            .file = file->path,
                                            .place = file->tokens[at - 1].begin});
    }
}

/// "ns::softmax": with the namespaces that it stands in.
std::string qualified(const Declaration& declaration, const Chunk& chunk) {
  std::string name;
  for (const std::string& scope : chunk.scopes) {
    const std::size_t at = scope.find("namespace ");
    if (at != std::string::npos) name += scope.substr(at + 10) + "::";
  }
  return name + declaration.name;
}

/// Says of each declaration that has no place yet in which piece it stands.
void place_declarations(Source& source) {
  std::map<std::string, SourceText*> files;  // by the names that declarations have
  for (std::size_t i = source.places.size(); i < source.parsed.declarations.size(); ++i) {
    Declaration& declaration = source.parsed.declarations[i];
    const auto [entry, fresh] = files.emplace(declaration.file, nullptr);
    if (fresh) {
      std::error_code failed;
      const std::string path = fs::weakly_canonical(declaration.file, failed).string();
      const auto named = std::ranges::find(source.files, path, [](const auto& file) { return file->path; });
      if (named != source.files.end()) entry->second = named->get();
    }
    Source::Place& place = source.places.emplace_back();
    if (entry->second == nullptr) continue;
    for (Chunk& chunk : entry->second->chunks)
      if (chunk.begin <= declaration.place && declaration.place < chunk.end) {
        chunk.declares.push_back(i);
        place = {entry->second, &chunk};
        declaration.qualified = qualified(declaration, chunk);
      }
  }
}

/// What tokens say besides what a front end knows.
void read_tokens(Source& source) {
  for (Declaration& declaration : source.parsed.declarations)
    for (Parameter& parameter : declaration.parameters) parameter.whole = is_whole_number(parameter.resolved);
  for (const Declaration& declaration : source.parsed.declarations)
    if (declaration.kernel && declaration.kind == Declaration::Kind::function &&
        std::ranges::find(source.kernels, declaration.name) == source.kernels.end())
      source.kernels.push_back(declaration.name);
  for (const auto& file : source.files) {
    for (HostLaunch& launch : launches_of(*file)) source.launches.push_back(std::move(launch));
    source.filled.merge(filled_symbols(*file));
    source.addressed.merge(addressed_symbols(*file));
  }
  std::map<const HostFunction*, std::shared_ptr<const TemplateCalls>> calls;
  for (HostLaunch& launch : source.launches) {
    if (launch.function == nullptr) continue;
    std::shared_ptr<const TemplateCalls>& own = calls[launch.function.get()];
    if (own == nullptr) own = std::make_shared<const TemplateCalls>(template_calls(source.files, *launch.function));
    launch.calls = own;
  }
}

}  // namespace

bool of_library(const std::string& header) {
  return std::ranges::any_of(kLibraries, [&](const char* folder) { return header.starts_with(folder); });
}

namespace {

fs::path file_named(const std::string& name) {
  std::error_code failed;
  const fs::path path = fs::canonical(name, failed);
  if (failed || !fs::is_regular_file(path, failed))
    throw bad_input(fmt::format("{} is no file that can be read; name a CUDA source, kernel.cu", name));
  if (fs::file_size(path, failed) > kMostBytes)
    throw bad_input(fmt::format("{} has more than 4 MiB; cut out the kernel and what it needs", name));
  return path;
}

std::vector<std::string> folders_named(const std::vector<std::string>& names) {
  std::vector<std::string> folders;
  for (const std::string& name : names) {
    std::error_code failed;
    const fs::path folder = fs::canonical(name, failed);
    if (failed || !fs::is_directory(folder, failed))
      throw bad_input(fmt::format("--include {}: there is no such folder", name));
    folders.push_back(folder.string());
  }
  return folders;
}

/// The file's text with its hosts behind it. A host may include the file itself, which then is read once.
struct WithHosts {
  std::string before, text;
};
WithHosts with_hosts(const std::string& text, const std::vector<fs::path>& hosts) {
  if (hosts.empty()) return {"", text};
  WithHosts whole{"#ifndef HARNESS_ADOPTED_FILE\n#define HARNESS_ADOPTED_FILE\n", text + "\n"};
  for (const fs::path& host : hosts) whole.text += fmt::format("#include \"{}\"\n", host.string());
  whole.text += "#endif\n";
  return whole;
}

Source read_source_as(const std::string& given, const std::optional<std::string>& instead, const Beside& beside) {
  const fs::path path = file_named(given);
  Source source;
  source.digest = sha256_hex(read_file(path.string(), Error::Kind::bad_input));
  ProjectReader reader(source, folders_named(beside.folders));
  reader.read(path, instead);
  const std::size_t main = source.files.size() - 1;
  std::vector<fs::path> hosts;
  for (const std::string& host : beside.hosts) {
    hosts.push_back(file_named(host));
    reader.read(hosts.back(), std::nullopt);
  }
  std::rotate(source.files.begin() + static_cast<std::ptrdiff_t>(main),
              source.files.begin() + static_cast<std::ptrdiff_t>(main) + 1, source.files.end());
  auto command_line = command_line_of(beside.defines);
  std::set<std::string> folders(reader.folders().begin(), reader.folders().end());
  for (const auto& file : source.files) folders.insert(fs::path(file->path).parent_path().string());
  // A library says nothing of the signatures here, and without the standard headers its parts are errors by thousands.
  std::vector<std::string> own_folders = reader.folders();
  std::erase_if(own_folders, holds_library);
  const WithHosts whole = with_hosts(source.main().text, hosts);
  source.parsed = parse_cuda(path.string(), whole.text, {folders.begin(), folders.end()}, own_folders,
                             whole.before + command_line->text);
  for (const Macro& macro : command_line->macros)
    source.parsed.declarations.push_back(
        {.kind = Declaration::Kind::macro, .name = macro.name, .file = command_line->path, .place = macro.begin});
  if (!beside.defines.empty()) source.files.insert(source.files.begin(), std::move(command_line));
  place_declarations(source);
  add_variable_templates(source);
  place_declarations(source);
  read_tokens(source);
  return source;
}

}  // namespace

Source read_cuda_source(const std::string& given, const Beside& beside) {
  return read_source_as(given, std::nullopt, beside);
}

Source read_cuda_text(const std::string& path, const std::string& text, const Beside& beside) {
  return read_source_as(path, text, beside);
}

}  // namespace harness::adopt
