#include "harness/adopt/source/declarations.h"

#include "harness/core/json_fields.h"

namespace harness::adopt {

HARNESS_JSON_DEFAULTS(Enumerator, name, value)
HARNESS_JSON_DEFAULTS(Parameter, name, type, pointee, resolved, read_only, record, enumerators)
HARNESS_JSON_DEFAULTS(TemplateParameter, name, type, written)
HARNESS_JSON_DEFAULTS(Declaration, kind, name, file, place, kernel, device, host, constant, constexpr_, defined,
                      parameters, templates, members)
HARNESS_JSON_DEFAULTS(Complaint, file, text, place)
HARNESS_JSON_DEFAULTS(Parsed, parser, declarations, complaints)

}  // namespace harness::adopt
