#pragma once
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "harness/adopt/host/expression.h"

namespace harness::adopt {

/// A launch in terms of the kernel's parameters. Symbols: names of whole-numbered parameters; "p.NAME" of tuned ones;
/// "sizeof T"; any other is a size of the launch alone, which the host knows and the kernel is not told.
struct LaunchShape {
  std::vector<FormulaPtr> grid, block;  // one to three
  FormulaPtr shared = number(0);
  FormulaPtr when = number(1);                   // the host launches where it is not 0; nullptr: nobody can say
  std::string from;                              // where it was found: "softmax.cu:41: softmax<<<rows, 256>>>"
  std::map<std::string, std::string> templates;  // template parameter -> argument: its value, or its text with the
                                                 // names of the host's function written out
  std::map<std::string, double> constants;       // parameter -> the host's constant for it
  /// Whole-numbered parameter -> what a function that is given its sizes passes: a number, or what it computes from
  /// other parameters.
  std::map<std::string, FormulaPtr> follows;
  std::map<std::string, std::string> written;                // written_by_host
  std::vector<std::pair<FormulaPtr, std::string>> asserted;  // conditions of parameters, and where they stand
  std::map<std::string, FormulaPtr> allocated;               // pointer -> bytes that the host allocates for it
  std::map<std::string, std::vector<FormulaPtr>> tensors;    // pointer -> extents of the tensor that the host makes
  std::set<std::string> zeroed;                              // pointers that the host sets to zero before
  std::string dispatch;             // "AT_DISPATCH_FLOATING_TYPES(x.scalar_type()," around it; "" where there is none
  std::vector<std::string> dtypes;  // that it goes over, "f32"; empty where there is none, or none that is known
  std::vector<std::string> order;   // sizes as the host's function takes them: arrays mostly have them in this order
};

}  // namespace harness::adopt
