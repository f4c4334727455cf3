#pragma once
#include <string>
#include <string_view>

// The one table of gates. A gate's name in the record, whom it concerns and what its failure means stand here and
// nowhere else: rooms ask this table, and docs/gates.md is written from it (tests/core/gates_test.cpp). A new gate is
// an object and an entry of kAllGates in this file, its code, and its test.
namespace harness {

/// Changes when the gates judge differently. Each iteration holds the version that judged it. What was recorded under
/// an earlier one stays comparable, as a time, and says so.
inline constexpr int kGatesVersion = 13;

/// The last version that changed a gate which mutants meet. A trial of a kernel's mutants ends before the finalist's
/// gates, and holds while this stays.
inline constexpr int kTrialsVersion = 7;

/// When in an evaluation a gate stands. `note`: a row of evidence, which decides nothing.
enum class GateStage { source, build, module, launch, other_points, timing, finalist, emulation, note };

/// On which devices there is such a gate.
enum class GateDevice { any, gpu, emulation };

/// What a failure says of other configurations of the same source, for the rest of a campaign. The gates behind
/// screening draw lots (which sizes, which timed calls), and a search must not retry its luck.
enum class SpoilsSource {
  no,           // a configuration may decide it
  at_once,      // whether timed calls do the work: no configuration is tried any more
  second_time,  // the same after the second failure: a time is a measurement, and the first may have been a bad one
  elsewhere  // from now on it meets as many sizes as a finalist: one tile's tails are wrong where another's are right
};

struct Gate {
  std::string_view name;  // in the record, where a qualifier may follow: "form" is recorded as "form:few spikes"
  GateStage stage;
  std::string_view checks;  // for docs/gates.md: what holds where it passes
  GateDevice device = GateDevice::any;
  SpoilsSource spoils = SpoilsSource::no;
  bool screened_out = false;      // a candidate that ends as `screened` need not meet it
  bool secret = false;            // of launches whose inputs a candidate must not know: agents are told no details
  std::string_view written = {};  // for docs/gates.md: the name with its qualifier; empty: the name
};

namespace gate {

inline constexpr Gate confinement{"confinement", GateStage::note,
                                  "with `--trust-source`: what this machine lacks to hold native code. Of a callable: "
                                  "that it ran in its caller's own process"};
inline constexpr Gate manifest{"manifest", GateStage::source,
                               "the manifest gives a plan for this configuration and device"};
inline constexpr Gate source_policy{"source-policy", GateStage::source,
                                    "no clock, L2 pinning, state kept between launches or foreign include"};
inline constexpr Gate compile{"compile", GateStage::build, "the source compiles"};
inline constexpr Gate compiler_notes{"compiler-notes", GateStage::note,
                                     "what the compiler says of spills and serialised instructions"};
inline constexpr Gate source_policy_ptx{"source-policy:ptx", GateStage::module,
                                        "the compiled PTX holds nothing of what `source-policy` forbids",
                                        GateDevice::gpu};
inline constexpr Gate source_policy_sass{
    "source-policy:sass", GateStage::module,
    "only finalists, and only where nvdisasm is found: the machine code holds nothing "
    "of it. The scan runs beside their launches and ends before they are timed",
    GateDevice::gpu};
inline constexpr Gate entries{"entries", GateStage::module, "the entries that the manifest names exist"};
inline constexpr Gate arguments{"arguments", GateStage::module,
                                "each argument has the bytes of its compiled parameter, and is a number of its kind"};
inline constexpr Gate resources{"resources", GateStage::module,
                                "registers, launch bounds and shared memory fit the device"};
inline constexpr Gate state{"state", GateStage::module,
                            "no writable memory of the module outlives a launch, whatever it is called"};
inline constexpr Gate preflight{
    "preflight",     GateStage::emulation, "a launch at a small shape passes on the cpu device",
    GateDevice::gpu, SpoilsSource::no,     true};
inline constexpr Gate guard_zones{"guard-zones", GateStage::launch, "nothing was written outside the buffers"};
inline constexpr Gate inputs_unchanged{"inputs-unchanged", GateStage::launch, "the inputs are as they were drawn"};
inline constexpr Gate finite{"finite", GateStage::launch, "each output element is finite where the reference is"};
inline constexpr Gate written{"written", GateStage::launch, "each output element is written"};
// One of these an output: another process compares it with a reference in double precision.
inline constexpr Gate relative_l2{"relative-l2",
                                  GateStage::launch,
                                  "the output's error is within its tolerance, as a whole, by rows and by elements",
                                  GateDevice::any,
                                  SpoilsSource::no,
                                  false,
                                  false,
                                  "relative-l2:OUTPUT"};
inline constexpr Gate ulp{"ulp",
                          GateStage::launch,
                          "each element is as near to the reference as the contract asks, in units of the last place",
                          GateDevice::any,
                          SpoilsSource::no,
                          false,
                          false,
                          "ulp:OUTPUT"};
inline constexpr Gate exact{"exact",         GateStage::launch, "each element is the reference's",
                            GateDevice::any, SpoilsSource::no,  false,
                            false,           "exact:OUTPUT"};
inline constexpr Gate quantized{
    "quantized",     GateStage::launch, "few elements differ, and by few steps of quantization",
    GateDevice::any, SpoilsSource::no,  false,
    false,           "quantized:OUTPUT"};
inline constexpr Gate set{"set",           GateStage::launch, "each row has the reference's elements, in any order",
                          GateDevice::any, SpoilsSource::no,  false,
                          false,           "set:OUTPUT"};
inline constexpr Gate custom{"custom",        GateStage::launch, "the contract's own comparison finds no wrong element",
                             GateDevice::any, SpoilsSource::no,  false,
                             false,           "custom:OUTPUT"};
inline constexpr Gate determinism{"determinism", GateStage::launch,
                                  "a second launch on the same inputs gives the same bits"};
inline constexpr Gate screened{"screened", GateStage::note,
                               "which gates were left out, because the candidate is no new best"};
inline constexpr Gate forms{"forms", GateStage::note, "which hostile forms the contract leaves out, and why"};
inline constexpr Gate domain{"domain", GateStage::note, "on which share of the domain's points the variant is valid"};
inline constexpr Gate one_way{"one-way", GateStage::note,
                              "which of its comparisons went one way only in all launches on the cpu device"};
inline constexpr Gate reference{"reference", GateStage::note, "what the contract says of its reference"};
inline constexpr Gate form{"form",
                           GateStage::other_points,
                           "hostile inputs give right answers at other points of the domain",
                           GateDevice::any,
                           SpoilsSource::elsewhere,
                           true,
                           true,
                           "form:FORM"};
inline constexpr Gate shape{"shape",
                            GateStage::other_points,
                            "plain inputs give right answers at other points of the domain",
                            GateDevice::any,
                            SpoilsSource::elsewhere,
                            true,
                            true};
inline constexpr Gate sizes{
    "sizes", GateStage::note, "the largest size that was judged", GateDevice::any, SpoilsSource::no, true, true};
inline constexpr Gate timed_twice{"timed-twice",
                                  GateStage::timing,
                                  "each timed call, launched again at other addresses, leaves the same output",
                                  GateDevice::gpu,
                                  SpoilsSource::at_once,
                                  true,
                                  true};
// It spoils no source: it compares times, which another program on the machine may disturb.
inline constexpr Gate times_agree{
    "times-agree",   GateStage::timing, "cold, warm and rotating times do not contradict each other",
    GateDevice::gpu, SpoilsSource::no,  true};
inline constexpr Gate timed_launch{"timed-launch",
                                   GateStage::timing,
                                   "timed calls of each kind, chosen in secret, gave the right answer",
                                   GateDevice::any,
                                   SpoilsSource::at_once,
                                   true,
                                   true};
inline constexpr Gate predicted_twice{
    "predicted-twice",
    GateStage::timing,
    "only finalists whose time is predicted: two counts predict exactly the same time",
    GateDevice::emulation,
    SpoilsSource::no,
    true,
    true};
inline constexpr Gate counted_launch{
    "counted-launch",
    GateStage::timing,
    "only finalists whose time is predicted: a second launch is counted, on other inputs and other blocks. Its answer "
    "is right. The slower of the two predictions is recorded",
    GateDevice::emulation,
    SpoilsSource::at_once,
    true,
    true};
/// The gates of a launch again: its name is a suffix (after_timing()).
inline constexpr Gate after_timing{" after timing",
                                   GateStage::timing,
                                   "a launch after the timing is right too",
                                   GateDevice::any,
                                   SpoilsSource::at_once,
                                   true,
                                   true,
                                   "... after timing"};
inline constexpr Gate plausibility{"plausibility",
                                   GateStage::timing,
                                   "the time is not below the floor: the least that the device's limits allow. "
                                   "Outputs that fit into the L2 may still be there when the clock stops. A cold time "
                                   "may be 1 us below the floor",
                                   GateDevice::any,
                                   SpoilsSource::second_time,
                                   true};
inline constexpr Gate memory{
    "memory", GateStage::finalist, "no memory error and no race", GateDevice::any, SpoilsSource::no, true,
    true,     "memory:TOOL"};
inline constexpr Gate batch_invariance{
    "batch-invariance",
    GateStage::other_points,
    "where the contract has it as a property: a row has the same bits in batches of other sizes, at other places, and "
    "where its batch is split into several launches",
    GateDevice::any,
    SpoilsSource::no,
    true,
    true,
    "batch-invariance:SIZE"};
inline constexpr Gate comparisons{
    "comparisons",
    GateStage::finalist,
    "the answers stay right for inputs and sizes that are searched to make the comparisons in its code go the other "
    "way. The evidence lists comparisons that went only one way",
    GateDevice::any,
    SpoilsSource::no,
    true};
inline constexpr Gate unreached{
    "unreached",
    GateStage::finalist,
    "some comparisons depend on the inputs and still went only one way. Each of them stands in a function of the "
    "baseline, or the contract accepts it with a reason",
    GateDevice::any,
    SpoilsSource::no,
    true};
inline constexpr Gate batch{"batch", GateStage::note,
                            "of a finalist: whether a row's bits depend on its batch, where no gate asks it"};
inline constexpr Gate configurations{"configurations", GateStage::note,
                                     "of a finalist: whether another configuration of its variant gives its bits"};
inline constexpr Gate stage{
    "stage",         GateStage::note,  "whether a stage of the plan is right alone, where the whole is wrong",
    GateDevice::any, SpoilsSource::no, false,
    false,           "stage:NAME"};
inline constexpr Gate explained{"explained", GateStage::note, "what a memory checker found of a failure"};
inline constexpr Gate repeated{"repeated", GateStage::note,
                               "how an earlier try ended, where it was repeated and ended differently"};

}  // namespace gate

/// In the order in which an evaluation meets them.
inline constexpr const Gate* kAllGates[] = {&gate::confinement,
                                            &gate::manifest,
                                            &gate::source_policy,
                                            &gate::compile,
                                            &gate::compiler_notes,
                                            &gate::source_policy_ptx,
                                            &gate::source_policy_sass,
                                            &gate::entries,
                                            &gate::arguments,
                                            &gate::resources,
                                            &gate::state,
                                            &gate::guard_zones,
                                            &gate::inputs_unchanged,
                                            &gate::finite,
                                            &gate::written,
                                            &gate::relative_l2,
                                            &gate::ulp,
                                            &gate::exact,
                                            &gate::quantized,
                                            &gate::set,
                                            &gate::custom,
                                            &gate::determinism,
                                            &gate::screened,
                                            &gate::forms,
                                            &gate::domain,
                                            &gate::one_way,
                                            &gate::reference,
                                            &gate::form,
                                            &gate::shape,
                                            &gate::sizes,
                                            &gate::batch_invariance,
                                            &gate::batch,
                                            &gate::configurations,
                                            &gate::timed_twice,
                                            &gate::times_agree,
                                            &gate::timed_launch,
                                            &gate::predicted_twice,
                                            &gate::counted_launch,
                                            &gate::after_timing,
                                            &gate::plausibility,
                                            &gate::memory,
                                            &gate::comparisons,
                                            &gate::unreached,
                                            &gate::preflight,
                                            &gate::stage,
                                            &gate::explained,
                                            &gate::repeated};

/// The notes that limit what a time says: they are shown wherever it is.
inline constexpr const Gate* kReservations[] = {&gate::domain, &gate::forms, &gate::one_way, &gate::confinement};

/// How the detail of a gate begins where launches on the same values left other bits and that was no reason to reject.
inline constexpr std::string_view kNotDeterministic = "not deterministic";
/// As it is recorded: "entries", "form:few spikes".
std::string name_of(const Gate& gate, std::string_view qualifier = {});
/// The name of a launch's gate where the launch came after the timing: "finite after timing".
std::string after_timing(const std::string& recorded);
/// The gate of a recorded name; nullptr for a name that no gate has, as in the records of later versions.
const Gate* find_gate(std::string_view recorded);
/// What a person should know beside the time of what left a row of this name; "" of most rows.
std::string reservation(std::string_view recorded, const std::string& detail);

}  // namespace harness
