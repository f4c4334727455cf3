#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "harness/core/json.h"

// What a C++ front end says of a source, as plain values.
namespace harness::adopt {

struct Enumerator {
  std::string name;
  std::int64_t value = 0;
};

struct Parameter {
  std::string name;
  std::string type;                     // as written, without const and restrict of the pointer: "const T *", "int"
  std::string pointee;                  // of a pointer, without const: "T", "float"; "" for a value
  std::string resolved;                 // pointee or value with typedefs resolved: "float", "unsigned int"
  bool read_only = false;               // the pointee is const
  bool record = false;                  // a value that is a struct or class
  bool whole = false;                   // `resolved` is a whole number; filled in where the files are read (source.h)
  std::vector<Enumerator> enumerators;  // of an enumeration, also behind a pointer: `resolved` is its integer
};

struct TemplateParameter {
  std::string name;
  bool type = false;    // typename; else a value
  std::string written;  // "int BLOCK = 256"
};

/// One declaration at file or namespace scope. `place`: of its name, bytes from the start of its file.
struct Declaration {
  enum class Kind { function, variable, type, macro, other };
  Kind kind = Kind::other;
  std::string name, file;
  std::size_t place = 0;
  bool kernel = false, device = false, host = false, constant = false, constexpr_ = false;
  bool defined = true;
  std::vector<Parameter> parameters;  // of a structure: its fields; of a `__constant__` variable: itself, "float[9]"
  std::vector<TemplateParameter> templates;
  std::vector<std::string> members;  // enumerators: names that it declares besides its own
  std::string qualified;             // "ns::softmax"; filled in where the files are read (source.h)
};

/// An error that the front end reported.
struct Complaint {
  std::string file, text;
  std::size_t place = 0;
};

struct Parsed {
  std::string parser;  // "libclang-14"
  std::vector<Declaration> declarations;
  std::vector<Complaint> complaints;
};

void to_json(json& to, const Parsed& value);
void from_json(const json& from, Parsed& value);

}  // namespace harness::adopt
