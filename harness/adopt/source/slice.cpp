#include "harness/adopt/source/slice.h"

#include <fmt/format.h>

#include <algorithm>

#include "harness/adopt/source/filled_symbols.h"
#include "harness/adopt/source/option_text.h"
#include "harness/core/error.h"

namespace harness::adopt {
namespace {

/// Headers of the toolkit that stay; what an ordinary file includes besides is for its host code.
bool stays(const std::string& header) {
  static const std::set<std::string> headers{
      "cuda_fp16.h",     "cuda_bf16.h",      "cuda_fp8.h",           "mma.h",
      "cuda_pipeline.h", "math_constants.h", "cooperative_groups.h", "cuComplex.h"};
  return headers.contains(header) || of_library(header);
}

/// Macros that compilers of the host have, and NVRTC has not.
const std::map<std::string, std::string>& predefined() {
  static const std::map<std::string, std::string> macros{{"__FLT_MAX__", "3.402823466e+38F"},
                                                         {"__FLT_MIN__", "1.175494351e-38F"},
                                                         {"__FLT_EPSILON__", "1.192092896e-07F"},
                                                         {"__DBL_MAX__", "1.7976931348623157e+308"},
                                                         {"__DBL_MIN__", "2.2250738585072014e-308"},
                                                         {"__DBL_EPSILON__", "2.2204460492503131e-16"},
                                                         {"__INT_MAX__", "2147483647"}};
  return macros;
}

/// Headers of C that some programs include in quotes.
bool is_standard(const std::string& header) {
  static const std::set<std::string> headers{"assert.h",
                                             "errno.h",
                                             "float.h",
                                             "limits.h",
                                             "math.h",
                                             "stdbool.h",
                                             "stddef.h",
                                             "stdint.h",
                                             "stdio.h",
                                             "stdlib.h",
                                             "string.h",
                                             "time.h",
                                             "unistd.h",
                                             "omp.h",
                                             "cuda.h",
                                             "cuda_runtime.h",
                                             "cuda_runtime_api.h",
                                             "device_launch_parameters.h"};
  return headers.contains(header);
}

/// Does the device part use what a header that stays declares? Files include more than they need, and some of it is
/// not on every device.
bool is_used(const std::string& header, const std::set<std::string>& words) {
  const auto any = [&](std::initializer_list<const char*> names) {
    return std::any_of(names.begin(), names.end(), [&](const char* name) { return words.contains(name); });
  };
  if (header == "cuda_pipeline.h")
    return std::any_of(words.begin(), words.end(),
                       [](const std::string& word) { return word.starts_with("__pipeline_"); }) ||
           any({"nvcuda"});
  if (header == "mma.h") return any({"nvcuda", "wmma"});
  if (header.starts_with("cooperative_groups"))  // by the namespace, or by its own names where that is opened
    return any({"cooperative_groups", "this_thread_block", "this_thread", "this_grid", "tiled_partition",
                "coalesced_threads", "thread_block", "thread_group", "thread_block_tile", "coalesced_group",
                "grid_group"});
  if (header == "cuda/barrier") return any({"barrier", "memcpy_async"}) && any({"cuda"});
  if (header == "cuda/pipeline") return any({"pipeline", "make_pipeline", "pipeline_shared_state"}) && any({"cuda"});
  if (header == "cuda/atomic") return any({"atomic", "atomic_ref"}) && any({"cuda"});
  if (header.starts_with("cuda/")) return any({"cuda"});
  if (header.starts_with("thrust/")) return any({"thrust"});
  if (header == "cuComplex.h") return any({"cuFloatComplex", "cuDoubleComplex", "cuComplex"});
  return true;
}

/// Which header a word needs, for sources that got it by another one (torch, "common.h").
const std::map<std::string, std::string>& header_of_word() {
  static const std::map<std::string, std::string> headers{{"__half", "cuda_fp16.h"},
                                                          {"__half2", "cuda_fp16.h"},
                                                          {"__half2float", "cuda_fp16.h"},
                                                          {"__nv_bfloat16", "cuda_bf16.h"},
                                                          {"nv_bfloat16", "cuda_bf16.h"},
                                                          {"__nv_bfloat162", "cuda_bf16.h"},
                                                          {"__float2bfloat16", "cuda_bf16.h"},
                                                          {"__nv_fp8_e4m3", "cuda_fp8.h"},
                                                          {"__nv_fp8_e5m2", "cuda_fp8.h"},
                                                          {"nvcuda", "mma.h"},
                                                          {"cuFloatComplex", "cuComplex.h"},
                                                          {"cuDoubleComplex", "cuComplex.h"},
                                                          {"cuComplex", "cuComplex.h"},
                                                          {"numeric_limits", "harness/numeric_limits.cuh"},
                                                          {"cooperative_groups", "cooperative_groups.h"}};
  return headers;
}

const std::set<std::string>& torch_words() {
  static const std::set<std::string> words{"at", "c10", "torch"};
  return words;
}

/// What a kernel needs, found by names from its own text on.
class Slice {
 public:
  Slice(const Source& source, std::size_t kernel, const std::set<std::string>& tuned, bool host,
        const std::set<std::string>& further)
      : source_(source),
        tuned_(tuned),
        further_(further),
        name_(source.parsed.declarations[kernel].name),
        kernel_(source.places[kernel]),
        host_(host),
        filled_(source.filled) {
    for (std::size_t i = 0; i < source.parsed.declarations.size(); ++i) {
      const Declaration& declaration = source.parsed.declarations[i];
      by_name_[declaration.name].push_back(i);
      for (const std::string& member : declaration.members) by_name_[member].push_back(i);
    }
  }

  DeviceSource take(const std::string& besides) {
    need(kernel_);
    need_words(besides);
    for (const std::string& name : further_) need_words(name);
    follow_words();
    // A word that several namespaces declare is of those whose names are used by then.
    for (bool again = true; again;) {
      const std::size_t before = chunks_.size();
      for (const std::string& word : std::set<std::string>(several_.begin(), several_.end())) need_word(word);
      follow_words();
      again = chunks_.size() > before;
    }
    return written();
  }

 private:
  void follow_words() {
    while (!open_.empty()) {
      const std::string word = open_.back();
      open_.pop_back();
      need_word(word);
    }
  }

  /// The namespaces that a declaration lies in, each by its name.
  std::vector<std::string> namespaces_of(std::size_t index) const {
    std::vector<std::string> names;
    const Source::Place place = source_.places[index];
    if (place.chunk == nullptr) return names;
    for (const std::string& scope : place.chunk->scopes) {
      const std::size_t at = scope.find("namespace ");
      if (at != std::string::npos) names.push_back(scope.substr(at + 10));
    }
    return names;
  }

  /// Can a name in this declaration's namespaces be meant? Those of the kernel's own are open, others must be named.
  bool in_reach(std::size_t index) const {
    const std::vector<std::string> own = kernel_.chunk == nullptr ? std::vector<std::string>() : kernel_.chunk->scopes;
    const std::vector<std::string> names = namespaces_of(index);
    const std::string& word = source_.parsed.declarations[index].name;
    if (const auto scoped = scoped_.find(word); scoped != scoped_.end() && !bare_.contains(word))
      return !names.empty() && scoped->second.contains(names.back());
    return std::all_of(names.begin(), names.end(), [&](const std::string& name) {
      return words_.contains(name) || std::any_of(own.begin(), own.end(), [&](const std::string& scope) {
               return scope.ends_with("namespace " + name);
             });
    });
  }

  void need(const Source::Place& piece) {
    if (piece.chunk == nullptr || !chunks_.insert(piece.chunk).second) return;
    refuse_state(piece);
    std::set<std::size_t> own;
    for (const std::size_t index : piece.chunk->declares)
      own.insert(source_.parsed.declarations[index].place - piece.chunk->begin);
    need_words(piece.file->text_of(*piece.chunk), own);
  }

  /// What outlives a launch has no place in a contract; what the host fills is noted.
  void refuse_state(const Source::Place& place) {
    const std::string_view text = place.file->text_of(*place.chunk);
    const std::string where = fmt::format("{}:{}", place.file->name, line_of(place.file->text, place.chunk->begin));
    for (const std::size_t index : place.chunk->declares) {
      const Declaration& declaration = source_.parsed.declarations[index];
      if (declaration.kind != Declaration::Kind::variable || !(declaration.device || declaration.constant)) continue;
      if (declaration.constant && !host_) {
        if (filled_.contains(declaration.name) || !has_initializer(*place.file, declaration.place))
          constants_.push_back(index);
        continue;
      }
      const std::vector<std::string> words = words_of(text);
      const bool is_const = declaration.constant || std::find(words.begin(), words.end(), "const") != words.end() ||
                            std::find(words.begin(), words.end(), "constexpr") != words.end();
      if (is_const && text.find_first_of("={") != std::string_view::npos) continue;
      throw bad_input(fmt::format(
          "{}: the kernel needs '{}', which {}; pass it as a parameter", where, declaration.name,
          declaration.constant ? "the host fills (cudaMemcpyToSymbol)" : "is memory that outlives a launch"));
    }
    if (text.find("<<<") != std::string_view::npos && place.chunk == kernel_.chunk)
      throw bad_input(fmt::format("{}: the kernel launches kernels itself, which no device here can do", where));
  }

  /// `own`: where names are declared in the text. A name that always stands behind `scope::` is looked for there only.
  void need_words(std::string_view text, const std::set<std::size_t>& own = {}) {
    for (std::string& word : words_of(text))
      if (words_.insert(word).second) open_.push_back(std::move(word));
    const std::vector<Token> tokens = tokens_of(text);
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      if (tokens[i].kind == Token::Kind::directive)
        for (std::string& word : words_of(tokens[i].text)) used_.insert(std::move(word));
      if (!tokens[i].is_word() || own.contains(tokens[i].begin)) continue;
      used_.insert(std::string(tokens[i].text));
      const bool scoped = i > 1 && tokens[i - 1].is("::") && tokens[i - 2].is_word();
      if (scoped) scoped_[std::string(tokens[i].text)].insert(std::string(tokens[i - 2].text));
      else bare_.insert(std::string(tokens[i].text));
    }
  }

  void need_word(const std::string& word) {
    const auto declared = by_name_.find(word);
    if (declared == by_name_.end()) return;
    const bool several = std::any_of(declared->second.begin(), declared->second.end(), [&](std::size_t index) {
      return namespaces_of(index) != namespaces_of(declared->second.front());
    });
    if (several) several_.insert(word);
    for (const std::size_t index : declared->second) {
      if (several && !in_reach(index)) continue;
      const Declaration& declaration = source_.parsed.declarations[index];
      if (declaration.kind == Declaration::Kind::macro) need_macro(declaration);
      else if (is_of_device(index)) need(source_.places[index]);
    }
  }

  void need_macro(const Declaration& declaration) {
    for (const auto& file : source_.files)
      for (const Macro& macro : file->macros)
        if (macro.name == declaration.name && macro.begin <= declaration.place && declaration.place < macro.end &&
            file->name == shown_file(declaration.file) && macros_.insert(&macro).second)
          need_words(std::string_view(file->text).substr(macro.begin, macro.end - macro.begin));
  }

  /// Functions without __device__ are the host's, but for constexpr ones; variables of the host are, unless constant.
  bool is_of_device(std::size_t index) const {
    const Declaration& declaration = source_.parsed.declarations[index];
    if (declaration.kind == Declaration::Kind::type) return true;
    const Source::Place place = source_.places[index];
    if (place.chunk == nullptr) return false;
    const std::vector<std::string> words = words_of(place.file->head_of(*place.chunk));
    const auto has = [&](const char* word) { return std::find(words.begin(), words.end(), word) != words.end(); };
    if (declaration.kind == Declaration::Kind::function)
      return host_ ? !declaration.kernel : declaration.device || declaration.kernel || has("constexpr");
    return declaration.device || declaration.constant || has("const") || has("constexpr") || has("__shared__");
  }

  /// Types of PyTorch that stand without their namespace, which the file opens.
  bool names_of_torch() const {
    return std::ranges::any_of(words_, [](const std::string& word) {
      return word.find("PackedTensorAccessor") != std::string::npos || word == "RestrictPtrTraits" ||
             word == "DefaultPtrTraits" || word == "Half" || word == "BFloat16" || word == "acc_type" ||
             word == "opmath_type";
    });
  }

  bool opens_torch() const {
    return std::ranges::any_of(source_.files, [&](const auto& file) {
      return std::ranges::any_of(file->chunks, [&](const Chunk& chunk) {
        return is_using(*file, chunk) && torch_words().contains(opened_by(*file, chunk));
      });
    });
  }

  /// "torch" of `using namespace torch;`; "" of anything else.
  static std::string opened_by(const SourceText& file, const Chunk& chunk) {
    const std::string_view text = file.text_of(chunk);
    const std::vector<std::string> words =
        text.starts_with("using namespace") ? words_of(text.substr(15)) : std::vector<std::string>();
    return words.empty() ? "" : words[0];
  }

  bool is_using(const SourceText& file, const Chunk& chunk) const {
    const std::string opened = opened_by(file, chunk);
    if (opened.empty() || opened == "std") return false;
    if (torch_words().contains(opened)) return names_of_torch();
    if (opened == "cooperative_groups") return is_used("cooperative_groups.h", words_);
    return by_name_.contains(opened) || opened == "nvcuda" || opened == "cub" || opened == "cute";
  }

  /// A `__constant__` table that nobody fills never changes. Said so, it is no state that outlives a launch.
  static std::string as_unchanging(const std::string& text) {
    const std::vector<std::string> words = words_of(text);
    const bool is_const =
        std::ranges::find(words, "const") != words.end() || std::ranges::find(words, "constexpr") != words.end();
    return is_const ? text : with_word(text, "__constant__", "__constant__ const");
  }

  bool declares_kernel(const Chunk& chunk) const {
    return std::any_of(chunk.declares.begin(), chunk.declares.end(), [&](std::size_t index) {
      const Declaration& declaration = source_.parsed.declarations[index];
      return declaration.kernel && declaration.name != name_ &&
             !further_.contains(declaration.name);  // the kernel may be declared before it is defined
    });
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
      if (&chunk != kernel_.chunk && declares_kernel(chunk)) text = as_device_function(text);
      for (const std::size_t index : chunk.declares) {
        const Declaration& declaration = source_.parsed.declarations[index];
        if (host_ && declaration.kind == Declaration::Kind::function && declaration.templates.empty() &&
            !declaration.device)
          text.insert(chunk.begin - chunk.comment, "__device__ ");
        if (declaration.constant && has_initializer(file, declaration.place) && !filled_.contains(declaration.name))
          text = as_unchanging(text);
        if (declaration.kind == Declaration::Kind::variable && tuned_.contains(declaration.name))
          text = fmt::format("#ifndef {}\n{}\n#endif", declaration.name, text);
      }
      pieces.push_back({chunk.begin, std::move(text), chunk.scopes});
    }
    std::stable_sort(pieces.begin(), pieces.end(), [](const Piece& a, const Piece& b) { return a.place < b.place; });
    if (!pieces.empty() && &file != &source_.main())
      pieces.front().text = fmt::format("// from {}\n{}", file.name, pieces.front().text);
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

  bool uses_torch() const {
    const bool names_it = std::ranges::any_of(
        words_, [&](const std::string& word) { return torch_words().contains(word) && !by_name_.contains(word); });
    return names_it || words_.contains("scalar_t") || opens_torch();
  }

  /// What the files include that stays, and what words need besides. `left_out` gets sentences.
  std::set<std::string> headers(std::vector<std::string>& left_out) const {
    std::set<std::string> headers;
    for (const auto& file : source_.files)
      for (const Include& include : file->includes) {
        if (!include.file.empty() || is_standard(include.name)) continue;
        const bool cub_in_part = include.name.starts_with("cub/") && !include.name.starts_with("cub/block/") &&
                                 !include.name.starts_with("cub/warp/");
        if (cub_in_part) add_collectives(headers);
        else if (stays(include.name)) {
          if (is_used(include.name, words_)) headers.insert(include.name);
        } else if (include.quoted)
          left_out.push_back(fmt::format("#include \"{}\": not beside the file", include.name));
      }
    for (const auto& [word, header] : header_of_word())
      if (words_.contains(word)) headers.insert(header);
    for (const char* word : {"Sum", "Max", "Min"})
      if (const auto scopes = scoped_.find(word); scopes != scoped_.end() && scopes->second.contains("cub"))
        headers.insert("harness/cub_operators.cuh");
    return headers;
  }

  /// The pieces, each in its scopes.
  std::string text_of_pieces() const {
    std::vector<Piece> pieces;
    for (const auto& file : source_.files) add_pieces(*file, pieces);
    std::string text;
    std::vector<std::string> scopes;
    const auto move_to = [&](const std::vector<std::string>& next) {
      if (next == scopes) return;
      for (std::size_t i = 0; i < scopes.size(); ++i) text += "\n}\n";
      for (const std::string& scope : next) text += fmt::format("\n{} {{\n", scope);
      scopes = next;
    };
    for (const Piece& piece : pieces) {
      move_to(piece.scopes);
      text += "\n" + piece.text + "\n";
    }
    move_to({});
    return text;
  }

  DeviceSource written() const {
    DeviceSource result;
    result.torch = uses_torch();
    const std::string pieces = text_of_pieces();
    std::set<std::string> included = headers(result.left_out);
    for (const std::string& word : words_of(pieces))  // `using namespace nvcuda;` stays, whoever uses it
      if (word == "nvcuda") included.insert("mma.h");
    result.headers.assign(included.begin(), included.end());
    result.text = "#include <harness/adopted.cuh>\n";
    if (result.torch) result.text += "#include <harness/torch_types.cuh>\n";
    for (const std::string& header : result.headers) result.text += fmt::format("#include <{}>\n", header);
    for (const char* check : {"CUDA_KERNEL_ASSERT", "CUDA_KERNEL_ASSERT2", "CUDA_KERNEL_ASSERT_MSG"})
      if (words_.contains(check) && !by_name_.contains(check))  // torch's: nothing in a build for release
        result.text += fmt::format("#define {}(...)\n", check);
    for (const auto& [macro, value] : predefined())
      if (words_.contains(macro)) result.text += fmt::format("#ifndef {0}\n#define {0} {1}\n#endif\n", macro, value);
    result.text += pieces;
    for (const std::size_t index : constants_)
      if (used_.contains(source_.parsed.declarations[index].name)) result.constants.push_back(index);
    std::ranges::sort(result.constants);
    return result;
  }

  const Source& source_;
  const std::set<std::string>&tuned_, &further_;
  std::string name_;
  Source::Place kernel_;
  bool host_ = false;
  std::set<std::string> filled_;        // by the host, of `__constant__` variables
  std::vector<std::size_t> constants_;  // that stand in what is taken and have no value of their own
  std::map<std::string, std::vector<std::size_t>> by_name_;
  std::set<std::string> words_;
  std::vector<std::string> open_;
  std::map<std::string, std::set<std::string>> scoped_;  // word -> the scopes that it stands behind
  std::set<std::string> bare_;                           // words that stand behind none
  std::set<std::string> several_;                        // words that more than one namespace declares
  std::set<std::string> used_;                           // words that stand elsewhere than where they are declared
  std::set<const Chunk*> chunks_;
  std::set<const Macro*> macros_;
};

}  // namespace

std::string as_device_function(const std::string& text) {
  std::string result;
  const std::vector<Token> tokens = tokens_of(text);
  std::size_t done = 0;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const bool bounds = tokens[i].is("__launch_bounds__") && i + 1 < tokens.size() && tokens[i + 1].is("(");
    if (!tokens[i].is("__global__") && !bounds) continue;
    result += text.substr(done, tokens[i].begin - done) + (bounds ? "" : "__device__");
    done = bounds ? tokens[std::min(closing(tokens, i + 1), tokens.size() - 1)].end : tokens[i].end;
  }
  return result + text.substr(done);
}

DeviceSource device_source(const Source& source, std::size_t kernel, const std::set<std::string>& tuned, bool host,
                           const std::string& besides, const std::set<std::string>& further) {
  return Slice(source, kernel, tuned, host, further).take(besides);
}

}  // namespace harness::adopt
