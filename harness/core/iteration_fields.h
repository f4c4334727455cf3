#pragma once
#include <span>
#include <type_traits>
#include <variant>

#include "harness/core/iteration_row.h"

// The one table of an iteration's plain fields. The store's table and its views, what is inserted and read back,
// exports, the iteration object of --json, what agents see, and a fleet's wire are made from it. What is no plain value
// (gates, errors, samples, texts) has code of its own beside each.
namespace harness {

/// Where a field lies, which says of what type it is too: one of NULL is optional.
using FieldPlace =
    std::variant<bool EvaluationFacts::*, std::string EvaluationFacts::*, std::optional<double> EvaluationFacts::*,
                 std::optional<std::int64_t> EvaluationFacts::*, std::optional<std::string> EvaluationFacts::*,
                 double IterationFacts::*, std::string IterationFacts::*, std::optional<double> IterationFacts::*,
                 std::optional<std::int64_t> IterationFacts::*, bool IterationRow::*, std::string IterationRow::*,
                 std::optional<std::string> IterationRow::*, std::optional<std::int64_t> IterationRow::*,
                 json IterationRow::*, std::vector<std::uint64_t> IterationRow::*, double StageCosts::*,
                 std::optional<double> StageCosts::*>;

/// Where else a field stands, beside the store's own table.
enum FieldUse : unsigned {
  kColumn = 1u << 0,       // of the store's table; else it is kept in a table of its own
  kExport = 1u << 1,       // a key of an export's lines of type "iteration"
  kView = 1u << 2,         // of v_iterations
  kLine = 1u << 3,         // of the iteration object
  kDetail = 1u << 4,       // of the iteration object in full
  kAgentView = 1u << 5,    // of agent_iterations
  kAgentAnswer = 1u << 6,  // of what agents are answered about an evaluation
  kWire = 1u << 7,         // a node of a fleet says it
  kDeviceTime = 1u << 8,   // agents are not shown one that was emulated under this name
};

struct IterationField {
  const char* name;  // in exports; also of the column where that has no name of its own
  FieldPlace place;
  unsigned uses;                 // FieldUse
  const char* what;              // it is, with its unit; for people who read the schema
  const char* people = nullptr;  // its name in v_iterations and in JSON, where it is another
  const char* column = nullptr;  // its name in the store, where it is another
  const char* constraint = "";   // of the column, as SQL
  int lines = 0;                 // the first version of an export's lines that has it; 0: all have

  bool is(FieldUse use) const { return (uses & use) != 0; }
  const char* shown_name() const { return people != nullptr ? people : name; }
  const char* column_name() const { return column != nullptr ? column : name; }
};

/// In the order of the columns.
std::span<const IterationField> iteration_fields();

/// Gives the member of `row` to `use`; does nothing where a row of this kind has no such member. `row` may be an
/// IterationRow or any of what that is made of.
template <typename Row, typename Use>
void with_field(const IterationField& field, Row& row, Use use) {
  std::visit(
      [&]<typename T, typename Owner>(T Owner::*member) {
        if constexpr (std::is_same_v<Owner, StageCosts>) {
          if constexpr (requires { row.cost; }) use(row.cost.*member);
        } else if constexpr (std::is_base_of_v<Owner, std::remove_const_t<Row>>) {
          use(row.*member);
        }
      },
      field.place);
}

/// The plain facts as a node sends them, and back. Throws json::exception where one is missing or of the wrong type.
void add_facts(json& wire, const EvaluationFacts& facts);
void take_facts(const json& wire, EvaluationFacts& facts);

/// An iteration as one JSON object of an export, without `same_as`, which names an id of one store, and without the
/// texts.
json exported(const IterationRow& row);
/// Back again. Throws json::exception where a key is missing or of the wrong type, Error(bad_input) where a value is
/// impossible.
IterationRow imported(json j);

}  // namespace harness
