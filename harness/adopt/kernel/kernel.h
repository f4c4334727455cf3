#pragma once
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "harness/adopt/host/launch_shape.h"
#include "harness/adopt/source/declarations.h"
#include "harness/core/dtype.h"
#include "harness/core/plan.h"

namespace harness::adopt {

/// What is known of a parameter of an adopted kernel, and from what.
struct AdoptedParameter {
  enum class Kind {
    pointer,
    size,
    flag,
    real,
    fixed,
    derived,  // a whole number that follows from the sizes
    scratch   // memory from one launch to the next: no argument of the contract
  };
  std::string name;
  Kind kind = Kind::pointer;
  Dtype dtype = Dtype::f32;  // of the elements; of a value its own
  std::string type;          // of a kernel's template: the name of the parameter that is its type; else ""
  int lanes = 1;             // elements of one unit of the signature: 4 of a float4*
  double value = 0;          // real, fixed
  bool unsaid = false;       // nobody says it: `value` is any
  bool usual = false;        // then: it is what authors mostly give such a name
  FormulaPtr follows;        // derived
  std::string evidence;      // why it is what it is

  // Of a pointer.
  std::string role;  // input, output, inout
  std::vector<FormulaPtr> shape;
  std::vector<FormulaPtr> strides;   // empty: contiguous
  FormulaPtr below;                  // whole-numbered inputs: every element is less than this
  std::int64_t from = 0;             // and not less than this
  bool greatest = false;             // while it is observed: every element is the greatest below `below`
  std::optional<std::int64_t> held;  // while it is observed: every element is this
  bool zeroed = false;               // it holds zeros before every launch
  bool atomic = false, answered = false;
  bool declared_read_only = false;  // const in the signature
  /// "ns::c" of a `__constant__` variable that the host fills (adopt/constants.h): an input, no parameter. These stand
  /// behind all others.
  std::string symbol;
  bool positive = false;   // drawn from 0 up
  double scale = 1;        // what is drawn is multiplied by it
  bool whole = false;      // every element of it was read, or written, wherever any was
  bool bordered = false;   // as much is left out at its end as at its beginning
  bool bound = false;      // its shape is what no size goes beyond; less of it may be touched
  bool allocated = false;  // its shape is what the host allocates; less of it may be touched
};

using Param = AdoptedParameter::Kind;

/// A number that is different from call to call: a whole-numbered parameter, or what the host alone knows.
struct AdoptedSize {
  std::string name;    // as the workloads call it
  std::string symbol;  // in formulas
  std::int64_t low = 1, high = 65536, step = 1;
  bool limited = false;    // more than `high` is none of the kernel's; else its domain goes further
  std::int64_t reach = 0;  // it is observed up to there at least, where it may be
  std::int64_t least = 1, multiple = 1, beyond = 0;  // of low, step and reach, what the host's conditions say
  std::vector<std::int64_t> values;                  // that --size gives
  std::optional<std::int64_t> host;                  // that the file's own host code uses
  std::string evidence;
};

/// A step, and the lowest size with it that the host allows.
void set_step(AdoptedSize& size, std::int64_t step);

/// What must hold of the sizes, as the host's function asserts it: 1 where it does.
struct Condition {
  FormulaPtr formula;
  std::string evidence;
};

/// A launch behind the first one: of another kernel with the same parameters.
struct FurtherLaunch {
  std::size_t index = 0;  // of its kernel's declaration
  std::string name, qualified;
  LaunchShape launch;
};

/// A kernel of a source with what was found out about it, or several that a function of the host launches in turn
/// (adopt/sequence.h): then `declaration` and `launch` are the first one's.
struct AdoptedKernel {
  static constexpr double kMostThreads = 1 << 14;
  std::size_t index = 0;  // of its declaration
  Declaration declaration;
  std::string qualified;               // "ns::softmax"
  std::string entry;                   // "softmax<float,256>"
  std::vector<std::string> libraries;  // whose headers the plugin keeps in folders of these names: "cute"
  std::string path;                    // of its file, as the manifest notes it; "": not at all
  std::vector<std::string> options;    // that its file is read with again (kernel/read_again.h)
  LaunchShape launch;
  std::vector<FurtherLaunch> further;
  std::string function;     // of the host, where there are several launches
  std::string in_front_of;  // the file's own kernel, where this one takes its parts (adopt/unpack.h)
  std::vector<AdoptedParameter> parameters;
  std::vector<AdoptedSize> sizes;
  std::vector<Condition> conditions;
  std::map<std::string, std::vector<std::int64_t>> tuned;  // --tune NAME=...
  std::set<std::string> guessed_blocks;                    // of `tuned`, those that only the launch's block suggests
  std::map<std::string, std::string> bound;                // how each binds: "define", "template", "launch"
  std::string dtype_parameter;  // the template parameter that is the workloads' type; "" where there is none
  std::map<std::string, std::string> types;  // what a template parameter is, with "$dtype" for that type
  std::vector<Dtype> dtypes;                 // that it is instantiated for; the first one is observed
  std::vector<FormulaPtr> written_grid;      // where elements for each block follow its tuned threads: as it was
  std::map<std::string, bool> looped;        // sizes that loops of a thread go over; true: in steps of a block
  std::set<std::string> unread;              // whole numbers of the signature that its text never uses
  double most_threads = kMostThreads;        // of an observed launch; fewer where threads take long

  const AdoptedSize* size(const std::string& symbol) const;
  /// "softmax", also where the one in front of it is adopted; or the function that launches several.
  const std::string& shown_name() const {
    return !function.empty() ? function : !in_front_of.empty() ? in_front_of : declaration.name;
  }
  /// In their order.
  std::vector<const LaunchShape*> launches() const;
  /// Of every launch, with symbols replaced.
  void replace_in_launches(const std::map<std::string, FormulaPtr>& replaced);
  /// The name expression of launch `i`, where `first` is that of the first one.
  std::string entry_of_launch(std::size_t i, const std::string& first) const;
  /// The name expression for a type and values of what is tuned: as a manifest writes it, or with all filled in.
  /// `wide`: each floating type in it is double.
  std::string entry_for(const std::string& dtype, const std::map<std::string, std::string>& tuned,
                        bool wide = false) const;
  /// The first value of each template argument that is tuned.
  std::map<std::string, std::string> first_templates() const;
  /// Values of tuned symbols and sizeof for one type: what formulas need besides sizes.
  Values settings(Dtype dtype, const std::map<std::string, std::int64_t>& tuned = {}) const;
};

/// A whole number of the kernel is no size: it has the value of `follows`, a number or what the sizes say.
void set_parameter(AdoptedKernel& kernel, AdoptedParameter& parameter, const FormulaPtr& follows,
                   const std::string& evidence);

/// A size that the host alone knows is none: wherever it stood, `follows` does.
void set_size(AdoptedKernel& kernel, const std::string& symbol, const FormulaPtr& follows);

/// What a size is called that the host alone knows: x_size_0 of "x.size(0)".
std::string name_of_size(const std::string& symbol);
/// in_size of "in": what is a word of Lua, or a field that every workload has, cannot be a size's name in a manifest.
std::string name_in_workloads(const std::string& name);

/// Is a launch made at these values? A condition that they do not settle holds.
bool is_made(const LaunchShape& launch, const Values& values);

/// A condition that only counts where the launch is made.
FormulaPtr where_made(const LaunchShape& launch, const FormulaPtr& condition);

/// Of grids, blocks, shared memory and conditions.
std::set<std::string> symbols_of_launches(const AdoptedKernel& kernel);

/// What each derived parameter follows from.
std::map<std::string, FormulaPtr> derived_of(const AdoptedKernel& kernel);

/// Do the sizes of a point suit the host's function?
bool conditions_hold(const AdoptedKernel& kernel, const Values& sizes);

/// A pointer of the kernel: an argument or scratch.
bool is_array(const AdoptedParameter& parameter);
/// What a launch passes: all but `__constant__` variables.
bool is_passed(const AdoptedParameter& parameter);
/// The `__constant__` variables, each filled from the argument of its name.
std::vector<ConstantTable> constants_of(const AdoptedKernel& kernel);

}  // namespace harness::adopt
