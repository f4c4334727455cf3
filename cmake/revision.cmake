# Writes OUT, a source that says which program this is: VERSION and the git revision of SOURCE, "-dirty" after edits.
# Outside git it is what `git archive` wrote into a source archive, else "unknown". It runs at every build and writes only
# what has changed, so nothing is linked anew without need.
set(revision unknown)
file(READ ${SOURCE}/cmake/exported_revision.txt exported)
if(exported MATCHES "^([0-9a-f]+)")
  string(SUBSTRING ${CMAKE_MATCH_1} 0 12 revision)
endif()
if(EXISTS ${SOURCE}/.git)
  execute_process(COMMAND git --no-optional-locks -C ${SOURCE} describe --always --dirty --abbrev=12 --exclude=*
                  OUTPUT_VARIABLE found OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
  if(NOT failed)
    set(revision ${found})
  endif()
endif()
file(CONFIGURE OUTPUT ${OUT} @ONLY CONTENT [[
namespace harness {
extern const char* const kVersion;
extern const char* const kRevision;
const char* const kVersion = "@VERSION@";
const char* const kRevision = "@revision@";
}  // namespace harness
]])
