#include "harness/core/action.h"

#include "harness/core/json_fields.h"

namespace harness {

HARNESS_ENUM_TABLE(Action, "action",
                   {{Action::try_arm, "try"},
                    {Action::confirm, "confirm"},
                    {Action::close, "close"},
                    {Action::stop, "stop"},
                    {Action::propose, "propose"}})
HARNESS_ENUM_TABLE(EndReason, "reason to end",
                   {{EndReason::budget, "budget"},
                    {EndReason::cost, "cost"},
                    {EndReason::goal, "goal"},
                    {EndReason::exhausted, "exhausted"},
                    {EndReason::strategy, "strategy"},
                    {EndReason::script_error, "script_error"},
                    {EndReason::device_lost, "device_lost"},
                    {EndReason::store_error, "store_error"},
                    {EndReason::interrupted, "interrupted"}})

}  // namespace harness
