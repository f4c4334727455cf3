#pragma once
#include <string>

#include "harness/core/display.h"
#include "harness/report/table.h"

namespace harness::report {

/// What a dry run found, for people: the limits, the arms, what each rule says, the first decisions and the table that
/// the first one chose from.
std::string plan_text(const DryRun& plan);
/// The same as one object: {"event":"dry_run","action",...of the first decision,"decisions":[...],"rules":[...],
/// "arms":[...],"reserve_s","evaluation_s","budget_s"}.
json plan_json(const DryRun& plan);

/// "1.2x to 3x (90 %), passing with 0.80, 2 s to 9 s": what a decision predicted of its evaluation.
std::string prediction_text(const Prediction& predict);
/// The numbers that a decision chose from: a table where they are rows of named values, else as JSON.
std::string numbers_text(const json& numbers);
/// "speedups: 27 of 30 ranges held (90 %); minutes: 28 of 30 (93 %)"; "" where nothing was predicted.
std::string calibration_text(const Calibration& calibration);
json calibration_json(const Calibration& calibration);

}  // namespace harness::report
