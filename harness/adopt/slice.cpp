#include "harness/adopt/slice.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "harness/core/error.h"

namespace harness::adopt {
namespace {

/// Headers of the toolkit that stay; what an ordinary file includes besides is for its host code.
bool stays(const std::string& header) {
  static const std::set<std::string> known{"cuda_fp16.h",     "cuda_bf16.h",      "cuda_fp8.h",          "mma.h",
                                           "cuda_pipeline.h", "math_constants.h", "cooperative_groups.h"};
  return known.contains(header) || header.starts_with("cooperative_groups/") || header.starts_with("cub/") ||
         header.starts_with("cuda/") || header.starts_with("cute/") || header.starts_with("cutlass/");
}

/// Which header a word needs, for sources that got it by another one (torch, "common.h").
const std::map<std::string, std::string>& header_of_word() {
  static const std::map<std::string, std::string> known{{"__half", "cuda_fp16.h"},
                                                        {"__half2", "cuda_fp16.h"},
                                                        {"__half2float", "cuda_fp16.h"},
                                                        {"__nv_bfloat16", "cuda_bf16.h"},
                                                        {"nv_bfloat16", "cuda_bf16.h"},
                                                        {"__nv_bfloat162", "cuda_bf16.h"},
                                                        {"__float2bfloat16", "cuda_bf16.h"},
                                                        {"__nv_fp8_e4m3", "cuda_fp8.h"},
                                                        {"__nv_fp8_e5m2", "cuda_fp8.h"},
                                                        {"nvcuda", "mma.h"},
                                                        {"cooperative_groups", "cooperative_groups.h"}};
  return known;
}

const std::set<std::string>& torch_words() {
  static const std::set<std::string> known{"at", "c10", "torch"};
  return known;
}

/// What a kernel needs, found by names from its own text on.
class Slice {
 public:
  Slice(const Source& source, std::size_t kernel, const std::set<std::string>& tuned, bool host)
      : source_(source), tuned_(tuned), kernel_(source.find(kernel)), host_(host) {
    for (std::size_t i = 0; i < source.parsed.declarations.size(); ++i) {
      const Declaration& declaration = source.parsed.declarations[i];
      by_name_[declaration.name].push_back(i);
      for (const std::string& member : declaration.members) by_name_[member].push_back(i);
    }
  }

  DeviceSource take() {
    need(kernel_);
    while (!open_.empty()) {
      const std::string word = open_.back();
      open_.pop_back();
      need_word(word);
    }
    return written();
  }

 private:
  void need(const Source::Found& found) {
    if (found.chunk == nullptr || !chunks_.insert(found.chunk).second) return;
    refuse_state(found);
    need_words(std::string_view(found.file->text).substr(found.chunk->begin, found.chunk->end - found.chunk->begin));
  }

  /// What the host fills, or what outlives a launch, has no place in a contract.
  void refuse_state(const Source::Found& found) const {
    const std::string_view text =
        std::string_view(found.file->text).substr(found.chunk->begin, found.chunk->end - found.chunk->begin);
    const std::string where = fmt::format("{}:{}", std::filesystem::path(found.file->path).filename().string(),
                                          line_of(found.file->text, found.chunk->begin));
    for (const std::size_t index : found.chunk->declares) {
      const Declaration& declaration = source_.parsed.declarations[index];
      if (declaration.kind != Declaration::Kind::variable || !(declaration.device || declaration.constant)) continue;
      const std::vector<std::string> words = words_of(text);
      const bool is_const = declaration.constant || std::find(words.begin(), words.end(), "const") != words.end() ||
                            std::find(words.begin(), words.end(), "constexpr") != words.end();
      if (is_const && text.find_first_of("={") != std::string_view::npos) continue;
      throw bad_input(fmt::format(
          "{}: the kernel needs '{}', which {}; pass it as a parameter", where, declaration.name,
          declaration.constant ? "the host fills (cudaMemcpyToSymbol)" : "is memory that outlives a launch"));
    }
    if (text.find("<<<") != std::string_view::npos && found.chunk == kernel_.chunk)
      throw bad_input(fmt::format("{}: the kernel launches kernels itself, which no device here can do", where));
  }

  void need_words(std::string_view text) {
    for (std::string& word : words_of(text))
      if (words_.insert(word).second) open_.push_back(std::move(word));
  }

  void need_word(const std::string& word) {
    const auto found = by_name_.find(word);
    if (found == by_name_.end()) return;
    for (const std::size_t index : found->second) {
      const Declaration& declaration = source_.parsed.declarations[index];
      if (declaration.kind == Declaration::Kind::macro) need_macro(declaration);
      else if (is_of_device(index)) need(source_.find(index));
    }
  }

  void need_macro(const Declaration& declaration) {
    for (const auto& file : source_.files)
      for (const Macro& macro : file->macros)
        if (macro.name == declaration.name && macro.begin <= declaration.place && declaration.place < macro.end &&
            std::filesystem::path(file->path).filename() == std::filesystem::path(declaration.file).filename() &&
            macros_.insert(&macro).second)
          need_words(std::string_view(file->text).substr(macro.begin, macro.end - macro.begin));
  }

  /// Functions without __device__ are the host's, but for constexpr ones; variables of the host are, unless constant.
  bool is_of_device(std::size_t index) const {
    const Declaration& declaration = source_.parsed.declarations[index];
    if (declaration.kind == Declaration::Kind::type) return true;
    const Source::Found found = source_.find(index);
    if (found.chunk == nullptr) return false;
    const std::vector<std::string> words =
        words_of(std::string_view(found.file->text).substr(found.chunk->begin, found.chunk->body - found.chunk->begin));
    const auto has = [&](const char* word) { return std::find(words.begin(), words.end(), word) != words.end(); };
    if (declaration.kind == Declaration::Kind::function)
      return host_ ? !declaration.kernel : declaration.device || declaration.kernel || has("constexpr");
    return declaration.device || declaration.constant || has("const") || has("constexpr") || has("__shared__");
  }

  bool is_using(const SourceText& file, const Chunk& chunk) const {
    const std::string_view text = std::string_view(file.text).substr(chunk.begin, chunk.end - chunk.begin);
    if (!text.starts_with("using namespace")) return false;
    for (const std::string& word : words_of(text.substr(15)))
      if (word == "std" || word == "at" || word == "torch" || word == "c10") return false;
    const std::vector<std::string> words = words_of(text.substr(15));
    return !words.empty() && (by_name_.contains(words[0]) || words[0] == "nvcuda" || words[0] == "cooperative_groups" ||
                              words[0] == "cub" || words[0] == "cute");
  }

  struct Piece {
    std::size_t place = 0;
    std::string text;
    std::vector<std::string> scopes;
  };

  void add_pieces(const SourceText& file, std::vector<Piece>& all) const {
    std::vector<Piece> pieces;
    for (const Macro& macro : file.macros)
      if (macros_.contains(&macro)) {
        const std::string text = file.text.substr(macro.begin, macro.end - macro.begin);
        pieces.push_back({macro.begin,
                          tuned_.contains(macro.name) ? fmt::format("#ifndef {}\n{}\n#endif", macro.name, text) : text,
                          {}});
      }
    for (const Chunk& chunk : file.chunks) {
      if (!chunks_.contains(&chunk) && !is_using(file, chunk)) continue;
      std::string text = file.text.substr(chunk.comment, chunk.end - chunk.comment);
      for (const std::size_t index : chunk.declares) {
        const Declaration& declaration = source_.parsed.declarations[index];
        if (host_ && declaration.kind == Declaration::Kind::function && declaration.templates.empty() &&
            !declaration.device)
          text.insert(chunk.begin - chunk.comment, "__device__ ");
        if (declaration.kind == Declaration::Kind::variable && tuned_.contains(declaration.name))
          text = fmt::format("#ifndef {}\n{}\n#endif", declaration.name, text);
      }
      pieces.push_back({chunk.begin, std::move(text), chunk.scopes});
    }
    std::stable_sort(pieces.begin(), pieces.end(), [](const Piece& a, const Piece& b) { return a.place < b.place; });
    if (!pieces.empty() && &file != &source_.main())
      pieces.front().text =
          fmt::format("// from {}\n{}", std::filesystem::path(file.path).filename().string(), pieces.front().text);
    all.insert(all.end(), pieces.begin(), pieces.end());
  }

  /// <cub/cub.cuh> holds calls of the host too, which compilers of device code refuse.
  void add_collectives(std::set<std::string>& headers) const {
    for (const auto& [word, header] :
         {std::pair{"BlockReduce", "cub/block/block_reduce.cuh"}, std::pair{"BlockScan", "cub/block/block_scan.cuh"},
          std::pair{"BlockLoad", "cub/block/block_load.cuh"}, std::pair{"BlockStore", "cub/block/block_store.cuh"},
          std::pair{"BlockRadixSort", "cub/block/block_radix_sort.cuh"},
          std::pair{"WarpReduce", "cub/warp/warp_reduce.cuh"}, std::pair{"WarpScan", "cub/warp/warp_scan.cuh"}})
      if (words_.contains(word)) headers.insert(header);
  }

  DeviceSource written() const {
    DeviceSource result;
    result.torch =
        std::any_of(words_.begin(), words_.end(), [](const auto& word) { return torch_words().contains(word); }) ||
        words_.contains("scalar_t");
    std::set<std::string> headers;
    for (const auto& file : source_.files)
      for (const Include& include : file->includes) {
        if (!include.file.empty()) continue;
        if (include.name == "cub/cub.cuh") add_collectives(headers);
        else if (stays(include.name)) headers.insert(include.name);
        else if (include.quoted)
          result.left_out.push_back(fmt::format("#include \"{}\": not beside the file", include.name));
      }
    for (const auto& [word, header] : header_of_word())
      if (words_.contains(word)) headers.insert(header);
    result.headers.assign(headers.begin(), headers.end());
    result.text = "#include <harness/adopted.cuh>\n";
    if (result.torch) result.text += "#include <harness/torch_types.cuh>\n";
    for (const std::string& header : result.headers) result.text += fmt::format("#include <{}>\n", header);
    std::vector<Piece> pieces;
    for (const auto& file : source_.files) add_pieces(*file, pieces);
    std::vector<std::string> scopes;
    const auto move_to = [&](const std::vector<std::string>& next) {
      if (next == scopes) return;
      for (std::size_t i = 0; i < scopes.size(); ++i) result.text += "\n}\n";
      for (const std::string& scope : next) result.text += fmt::format("\n{} {{\n", scope);
      scopes = next;
    };
    for (const Piece& piece : pieces) {
      move_to(piece.scopes);
      result.text += "\n" + piece.text + "\n";
    }
    move_to({});
    return result;
  }

  const Source& source_;
  const std::set<std::string>& tuned_;
  Source::Found kernel_;
  bool host_ = false;
  std::map<std::string, std::vector<std::size_t>> by_name_;
  std::set<std::string> words_;
  std::vector<std::string> open_;
  std::set<const Chunk*> chunks_;
  std::set<const Macro*> macros_;
};

}  // namespace

DeviceSource device_source(const Source& source, std::size_t kernel, const std::set<std::string>& tuned, bool host) {
  return Slice(source, kernel, tuned, host).take();
}

}  // namespace harness::adopt
