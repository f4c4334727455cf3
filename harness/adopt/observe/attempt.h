#pragma once
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "harness/adopt/observe/fit.h"
#include "harness/adopt/observe/observing.h"

namespace harness::adopt {

/// What several runs said of one array.
struct ArrayFit {
  std::optional<Fitted> fitted;
  std::string role, evidence;
  bool atomic = false, whole = true, bordered = false, allocated = false, bound = false;
};

/// What all launches of an attempt did to one array.
struct Touched {
  std::vector<FitPoint> points;       // with the first fill, one for each point
  std::vector<FitPoint> with_border;  // the same with as much at the end as is left out at the beginning, where it is
  std::vector<FitPoint> all;
  bool read = false, written = false;
  bool read_first = false;               // before it was written
  bool whole = true, read_whole = true;  // written, or read, everywhere wherever it was
  bool atomic = false;
  bool depends = false;  // on the values in memory
  bool any = false;      // at some point
};

/// One attempt to understand the kernel: sizes on multiples of their steps.
class Attempt : public Observing {
 public:
  explicit Attempt(const Observing& observing) : Observing(observing) {}

  std::string why;                  // it failed; "" where everything fits
  std::vector<Question> questions;  // of pointers whose sizes depend on their values
  std::set<std::string> of_values;  // pointers that are touched as far as the values in memory say
  bool untouched = false;           // a pointer was neither read nor written
  bool endless = false;             // a launch did not end
  bool before_begin = false;        // a launch reached before the first element of an array

  /// True: every array is understood.
  bool run();
  /// Puts what was seen into the kernel.
  void keep();
  /// No rows with a stride: arrays as the sizes alone say.
  bool is_plain() const;
  /// Each size alone far up: does the kernel run there and go further than its formula says? Then the sizes that were
  /// tried were too small to show what they decide (groups of 128). Shapes must be kept.
  bool reaches_further();
  /// Does nothing go further than the kept shapes say, whatever the values are? Less of an array may be touched.
  bool stays_inside(const std::vector<Values>& points);
  /// Is each array as long as the kept shapes say?
  bool holds_at(const std::vector<Values>& points);
  /// What is not so at one point, as a sentence; "": nothing, or its launch does not end within `deadline_s`.
  std::string otherwise_at(const Values& point, double deadline_s);
  /// As holds_at(); nothing: a launch did not end within `deadline_s`.
  std::optional<bool> holds_within(const std::vector<Values>& points, double deadline_s);

 private:
  bool run_launches();
  Observation first_look();
  bool fail(std::string sentence);
  bool ask(const AdoptedParameter& parameter, const std::string& reason);
  bool understand(const AdoptedParameter& parameter, ArrayFit& fit);
  Touched touched_by_all(const AdoptedParameter& parameter) const;
  bool is_filled_as_answered(const AdoptedParameter& parameter, const Touched& touched) const;
  void refuse_unset_scratch(const AdoptedParameter& parameter, const Touched& touched) const;
  bool fit_shape(Touched& touched, ArrayFit& fit) const;
  bool is_as_held_out(const AdoptedParameter& parameter, const Touched& touched, const Fitted& fitted);
  void count_rows(const AdoptedParameter& parameter, Touched& touched, const Fitted& fitted) const;
  std::optional<Fitted> fitted_to(const std::vector<FitPoint>& points) const;
  std::size_t fitted_points() const;
  void drop_tuned(AdoptedParameter& parameter) const;
  std::int64_t elements_of(const AdoptedParameter& parameter, const Observation& observed) const;
  /// Of each array whose length is observed, by how many elements it goes beyond its kept shape; nothing: the shape has
  /// no value there.
  std::vector<std::optional<std::int64_t>> beyond_shapes(const Observation& observed, const Values& point) const;

  std::vector<Values> points_;
  std::vector<std::pair<std::size_t, unsigned>> launches_;  // point and fill of each
  std::vector<Observation> observed_;
  std::vector<ArrayFit> fits_;
};

}  // namespace harness::adopt
