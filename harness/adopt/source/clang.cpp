#include "harness/adopt/source/clang.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

#include "harness/adopt/source/element_type.h"
#include "harness/adopt/source/tokens.h"
#include "harness/core/error.h"
#include "harness/system/run_in_child.h"
#include "harness/system/walls.h"

namespace harness::adopt {
namespace {

constexpr const char* kPrelude =
#include "embedded/harness/adopt/source/prelude.cuh"
    ;

// libclang's C ABI, as far as it is used: stable since LLVM 3.
struct CXString {
  const void* data;
  unsigned flags;
};
struct CXCursor {
  int kind, xdata;
  const void* data[3];
};
struct CXType {
  int kind;
  void* data[2];
};
struct CXSourceLocation {
  const void* data[2];
  unsigned offset;
};
struct CXUnsavedFile {
  const char *name, *contents;
  unsigned long length;
};
using Visitor = int (*)(CXCursor, CXCursor, void*);

enum Cursor {
  kUnexposedDecl = 1,
  kStruct = 2,
  kUnion = 3,
  kClass = 4,
  kEnum = 5,
  kField = 6,
  kEnumerator = 7,
  kFunction = 8,
  kVariable = 9,
  kParameter = 10,
  kTypedef = 20,
  kNamespace = 22,
  kLinkage = 23,
  kTemplateType = 27,
  kTemplateValue = 28,
  kFunctionTemplate = 30,
  kClassTemplate = 31,
  kPartial = 32,
  kNamespaceAlias = 33,
  kUsingDeclaration = 35,
  kAlias = 36,
  kConstantAttribute = 412,
  kDeviceAttribute = 413,
  kGlobalAttribute = 414,
  kHostAttribute = 415,
  kMacro = 501,
  kAliasTemplate = 601
};
constexpr int kPointerType = 101, kRecordType = 105, kEnumType = 106;
constexpr int kContinue = 1, kRecurse = 2;
// DetailedPreprocessingRecord, Incomplete, KeepGoing
constexpr unsigned kParseOptions = 0x01 | 0x02 | 0x200;

struct Library {
  void* handle = nullptr;
  std::string name;

  void* (*createIndex)(int, int);
  int (*parse)(void*, const char*, const char* const*, int, CXUnsavedFile*, unsigned, unsigned, void**);
  CXCursor (*root)(void*);
  unsigned (*visitChildren)(CXCursor, Visitor, void*);
  CXString (*spelling)(CXCursor);
  const char* (*text)(CXString);
  void (*dispose)(CXString);
  CXSourceLocation (*location)(CXCursor);
  void (*expansion)(CXSourceLocation, void**, unsigned*, unsigned*, unsigned*);
  CXString (*fileName)(void*);
  CXType (*type)(CXCursor);
  CXType (*canonical)(CXType);
  CXType (*pointee)(CXType);
  CXString (*typeSpelling)(CXType);
  CXCursor (*typeDeclaration)(CXType);
  CXType (*enumInteger)(CXCursor);
  long long (*enumValue)(CXCursor);
  unsigned (*isConst)(CXType);
  unsigned (*isDefinition)(CXCursor);
  unsigned (*diagnostics)(void*);
  void* (*diagnostic)(void*, unsigned);
  int (*severity)(void*);
  CXString (*diagnosticText)(void*);
  CXSourceLocation (*diagnosticLocation)(void*);

  std::string take(CXString string) const {
    const char* const content = text(string);
    std::string copy = content == nullptr ? "" : content;
    dispose(string);
    return copy;
  }
};

template <typename Function>
bool load_symbol(void* handle, Function& function, const char* name) {
  function = reinterpret_cast<Function>(dlsym(handle, name));
  return function != nullptr;
}

bool load(Library& lib) {
  void* const h = lib.handle;
  return load_symbol(h, lib.createIndex, "clang_createIndex") &&
         load_symbol(h, lib.parse, "clang_parseTranslationUnit2") &&
         load_symbol(h, lib.root, "clang_getTranslationUnitCursor") &&
         load_symbol(h, lib.visitChildren, "clang_visitChildren") &&
         load_symbol(h, lib.spelling, "clang_getCursorSpelling") && load_symbol(h, lib.text, "clang_getCString") &&
         load_symbol(h, lib.dispose, "clang_disposeString") &&
         load_symbol(h, lib.location, "clang_getCursorLocation") &&
         load_symbol(h, lib.expansion, "clang_getExpansionLocation") &&
         load_symbol(h, lib.fileName, "clang_getFileName") && load_symbol(h, lib.type, "clang_getCursorType") &&
         load_symbol(h, lib.canonical, "clang_getCanonicalType") &&
         load_symbol(h, lib.pointee, "clang_getPointeeType") &&
         load_symbol(h, lib.typeSpelling, "clang_getTypeSpelling") &&
         load_symbol(h, lib.typeDeclaration, "clang_getTypeDeclaration") &&
         load_symbol(h, lib.enumInteger, "clang_getEnumDeclIntegerType") &&
         load_symbol(h, lib.enumValue, "clang_getEnumConstantDeclValue") &&
         load_symbol(h, lib.isConst, "clang_isConstQualifiedType") &&
         load_symbol(h, lib.isDefinition, "clang_isCursorDefinition") &&
         load_symbol(h, lib.diagnostics, "clang_getNumDiagnostics") &&
         load_symbol(h, lib.diagnostic, "clang_getDiagnostic") &&
         load_symbol(h, lib.severity, "clang_getDiagnosticSeverity") &&
         load_symbol(h, lib.diagnosticText, "clang_getDiagnosticSpelling") &&
         load_symbol(h, lib.diagnosticLocation, "clang_getDiagnosticLocation");
}

/// The newest that is found. It stays open: its threads and tables do not like to be unloaded.
const Library& library() {
  static const Library newest = [] {
    setenv("LIBCLANG_NOTHREADS", "1", 1);
    std::vector<std::string> names;
    for (int version = 21; version >= 14; --version) {
      names.push_back(fmt::format("libclang-{}.so.1", version));
      names.push_back(fmt::format("/usr/lib/llvm-{0}/lib/libclang-{0}.so.1", version));
    }
    names.emplace_back("libclang.so.1");
    names.emplace_back("libclang.so");
    if (const char* const only = std::getenv("HARNESS_LIBCLANG")) names = {only};
    for (const std::string& name : names) {
      Library lib;
      lib.handle = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
      if (lib.handle == nullptr || !load(lib)) continue;
      const std::size_t slash = name.rfind('/');
      lib.name = name.substr(slash == std::string::npos ? 0 : slash + 1);
      lib.name = lib.name.substr(0, lib.name.find(".so"));
      return lib;
    }
    throw environment_error(
        "adopt reads CUDA sources with libclang, which is not installed here; install Debian's package libclang1-14 "
        "(or "
        "any newer libclang1), or name the library in HARNESS_LIBCLANG");
  }();
  return newest;
}

/// "float" of "const float ".
std::string bare_type(std::string text) {
  const auto cut = [&](std::string_view word) {
    if (text.starts_with(word)) text.erase(0, word.size());
  };
  cut("const ");
  cut("volatile ");
  cut("struct ");
  cut("class ");
  return std::string(trimmed(text));
}

/// Walks the top of a translation unit: declarations of the source and of the headers beside it.
class Walk {
 public:
  Walk(const Library& lib, std::size_t prelude, std::string path)
      : lib_(lib), prelude_(prelude), path_(std::move(path)) {}

  Parsed parsed;

  void read(void* unit) {
    parsed.parser = lib_.name;
    visit(lib_.root(unit), [this](CXCursor cursor) { return top(cursor); });
    for (unsigned i = 0; i < lib_.diagnostics(unit); ++i) {
      void* const diagnostic = lib_.diagnostic(unit, i);
      if (lib_.severity(diagnostic) < 3) continue;
      Complaint complaint;
      complaint.text = lib_.take(lib_.diagnosticText(diagnostic));
      if (place(lib_.diagnosticLocation(diagnostic), complaint.file, complaint.place))
        parsed.complaints.push_back(std::move(complaint));
    }
  }

 private:
  template <typename Body>
  void visit(CXCursor cursor, Body body) const {
    lib_.visitChildren(
        cursor, [](CXCursor child, CXCursor, void* data) { return (*static_cast<Body*>(data))(child); }, &body);
  }

  /// False: in the prelude, or nowhere.
  bool place(CXSourceLocation location, std::string& file, std::size_t& offset) const {
    void* in = nullptr;
    unsigned line = 0, column = 0, at = 0;
    lib_.expansion(location, &in, &line, &column, &at);
    if (in == nullptr) return false;
    file = lib_.take(lib_.fileName(in));
    if (file != path_) {
      offset = at;
      return true;
    }
    if (at < prelude_) return false;
    offset = at - prelude_;
    return true;
  }

  static Declaration::Kind kind_of(int cursor) {
    switch (cursor) {
      case kFunction:
      case kFunctionTemplate:
        return Declaration::Kind::function;
      case kVariable:
        return Declaration::Kind::variable;
      case kStruct:
      case kUnion:
      case kClass:
      case kClassTemplate:
      case kPartial:
      case kTypedef:
      case kAlias:
      case kAliasTemplate:
      case kNamespaceAlias:
      case kUsingDeclaration:
      case kEnum:
        return Declaration::Kind::type;
      case kMacro:
        return Declaration::Kind::macro;
      default:
        return Declaration::Kind::other;
    }
  }

  int top(CXCursor cursor) {
    if (cursor.kind == kNamespace || cursor.kind == kLinkage || cursor.kind == kUnexposedDecl) return kRecurse;
    Declaration declaration;
    declaration.kind = kind_of(cursor.kind);
    const bool placed = place(lib_.location(cursor), declaration.file, declaration.place);
    if (!placed || declaration.kind == Declaration::Kind::other) return kContinue;
    declaration.name = lib_.take(lib_.spelling(cursor));
    declaration.defined = lib_.isDefinition(cursor) != 0;
    if (declaration.kind == Declaration::Kind::type) read_type(cursor, declaration);
    else if (declaration.kind != Declaration::Kind::macro) read_function(cursor, declaration);
    if (declaration.kind == Declaration::Kind::variable && declaration.constant)
      declaration.parameters = {parameter(cursor)};
    parsed.declarations.push_back(std::move(declaration));
    return kContinue;
  }

  /// Fields of a structure, enumerators of an enumeration.
  void read_type(CXCursor cursor, Declaration& declaration) {
    visit(cursor, [&](CXCursor child) {
      if (child.kind == kField) declaration.parameters.push_back(parameter(child));
      if (child.kind == kEnumerator) declaration.members.push_back(lib_.take(lib_.spelling(child)));
      return kContinue;
    });
  }

  void read_function(CXCursor cursor, Declaration& declaration) {
    visit(cursor, [&](CXCursor child) {
      switch (child.kind) {
        case kGlobalAttribute:
          declaration.kernel = true;
          break;
        case kDeviceAttribute:
          declaration.device = true;
          break;
        case kHostAttribute:
          declaration.host = true;
          break;
        case kConstantAttribute:
          declaration.constant = true;
          break;
        case kParameter:
          declaration.parameters.push_back(parameter(child));
          break;
        case kTemplateType:
          declaration.templates.push_back({lib_.take(lib_.spelling(child)), true, ""});
          break;
        case kTemplateValue:
          declaration.templates.push_back(
              {lib_.take(lib_.spelling(child)), false, lib_.take(lib_.typeSpelling(lib_.type(child)))});
          break;
        default:
          break;
      }
      return kContinue;
    });
  }

  Parameter parameter(CXCursor cursor) const {
    Parameter read;
    read.name = lib_.take(lib_.spelling(cursor));
    const CXType type = lib_.type(cursor), canonical = lib_.canonical(type);
    read.type = lib_.take(lib_.typeSpelling(type));
    if (canonical.kind == kPointerType) {
      const CXType target = lib_.pointee(canonical);
      const CXType target_type = lib_.pointee(type).kind != 0 ? lib_.pointee(type) : target;
      read.pointee = bare_type(lib_.take(lib_.typeSpelling(target_type)));
      read.resolved = bare_type(lib_.take(lib_.typeSpelling(target)));
      read.read_only = lib_.isConst(target) != 0;
      if (target.kind == kEnumType) enumeration(lib_.typeDeclaration(target), read);
    } else {
      read.resolved = bare_type(lib_.take(lib_.typeSpelling(canonical)));
      int lanes = 1;  // a half is a number, whatever it is made of
      read.record = canonical.kind == kRecordType && !(dtype_of_type(read.resolved, &lanes) && lanes == 1);
      if (canonical.kind == kEnumType) enumeration(lib_.typeDeclaration(canonical), read);
    }
    return read;
  }

  void enumeration(CXCursor declared, Parameter& read) const {
    read.resolved = bare_type(lib_.take(lib_.typeSpelling(lib_.canonical(lib_.enumInteger(declared)))));
    visit(declared, [&](CXCursor child) {
      if (child.kind == kEnumerator)
        read.enumerators.push_back({lib_.take(lib_.spelling(child)), lib_.enumValue(child)});
      return kContinue;
    });
  }

  const Library& lib_;
  std::size_t prelude_;
  std::string path_;
};

std::string parse_here(const Library& lib, const std::string& path, const std::string& text,
                       const std::vector<std::string>& include_folders, const std::string& defines) {
  const std::string whole = kPrelude + defines + text;
  CXUnsavedFile unsaved{path.c_str(), whole.data(), whole.size()};
  std::vector<const char*> arguments{"-x",
                                     "cuda",
                                     "--cuda-device-only",
                                     "--cuda-gpu-arch=sm_80",
                                     "-nocudainc",
                                     "-nocudalib",
                                     "-nostdinc",
                                     "-std=c++17",
                                     "-ferror-limit=0",
                                     "-D__CUDACC__=1",
                                     "-Wno-everything",
                                     "-fno-spell-checking"};
  for (const std::string& name : include_folders) arguments.insert(arguments.end(), {"-I", name.c_str()});
  void* unit = nullptr;
  const int failed = lib.parse(lib.createIndex(0, 0), path.c_str(), arguments.data(),
                               static_cast<int>(arguments.size()), &unsaved, 1, kParseOptions, &unit);
  if (failed != 0 || unit == nullptr) throw std::runtime_error(fmt::format("libclang gave up with code {}", failed));
  Walk walk(lib, std::char_traits<char>::length(kPrelude) + defines.size(), path);
  walk.read(unit);
  return json_text(json(walk.parsed));
}

}  // namespace

Parsed parse_cuda(const std::string& path, const std::string& text, const std::vector<std::string>& folders,
                  const std::vector<std::string>& include_folders, const std::string& defines) {
  const Library& lib = library();
  Reach reach;
  reach.readable = folders;
  CompileLimits limits;
  limits.deadline_s = 20;
  const Walls walls = walls_here();
  const ChildAnswer answer = run_in_child([&] { return parse_here(lib, path, text, include_folders, defines); }, limits,
                                          Confinement(walls, reach));
  if (answer.answered) return parse_json(answer.text).get<Parsed>();
  throw bad_input(fmt::format(
      "{}: {} {}; leave out what it does not need and try again", path, lib.name,
      answer.timed_out ? "did not end within 20 s" : fmt::format("crashed on it (signal {})", answer.signal)));
}

}  // namespace harness::adopt
