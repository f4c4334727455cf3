---@meta
-- Annotations of everything a strategy, rule or search can see, for editors with the Lua language server. Never run.

---@class Prior                      What a manifest expects of an arm.
---@field speedup_lo number          over the kernel's baseline
---@field speedup_hi number
---@field probability number         that a configuration passes the gates
---@field evaluations integer        to find its good configurations

---@class LaunchShape                How much of a device a plan fills.
---@field kernels integer            launches of the plan
---@field ctas integer               of the launch with the most
---@field threads_per_cta integer    of that launch
---@field shared_bytes integer       dynamic shared memory of that launch, per CTA

---@class GainRecord                 An evaluation that was the arm's best so far.
---@field evaluation integer         its number within the arm, from 1
---@field speedup number             over the baseline
---@field speedup_lo number?         95 %
---@field speedup_hi number?
---@field credible boolean           its interval lies above that of the record before, or it is the first
---@field spent_s number             of the arm, up to and with it

---@class WrongAnswerCount
---@field fingerprint string         the same mistake has the same one
---@field count integer

---@class GainElsewhere              What a technique brought on another workload, or on another device of the family, in earlier campaigns.
---@field workload string
---@field distance number            sum of |ln(size / size)| over the workloads' sizes, ln 4 for each flag or type that differs
---@field best_speedup number        over the baseline there: it orders arms and says nothing of times here
---@field passed integer             evaluations that it is the best of

---@class Cumulative                 A kernel's technique over all its workloads, this campaign and all earlier ones on the device's family.
---@field kernel string
---@field technique string
---@field workloads integer          arms of this campaign
---@field campaigns integer
---@field evaluations integer
---@field passed integer             nothing was wrong: passed, screened, or in this campaign abandoned as slower
---@field spent_s number
---@field predicted_s number?        sum of predicted_s over its arms of this campaign
---@field spent_usd number?          nil where the price of a part is unknown
---@field agent_s number?
---@field agent_usd number?
---@field earlier_evaluations integer   the part of earlier campaigns
---@field earlier_passed integer
---@field earlier_spent_s number
---@field best_speedup number?

---@class Arm                        kernel x workload x technique; read-only. What is unknown is nil, never 0.
---@field name string                "attention/seed_b1h1s128_f16/split-kv"
---@field place integer              in campaign.arms
---@field kernel string
---@field workload string
---@field technique string
---@field variants string[]
---@field prior Prior
---@field risk string                "low", "medium", "high"
---@field multi_kernel boolean       several launches
---@field baseline boolean           holds the kernel's 00 variant
---@field weight number              of the workload in the score
---@field space_points integer       valid configurations
---@field evaluations integer        that ended in this campaign, all outcomes
---@field passed integer             of these: passed, or screened as slower than the best
---@field outcomes table<string, integer>   "passed", "compile_error", "wrong_answer", "crashed", "timed_out", ...
---@field since_improvement integer  evaluations since the arm's best improved
---@field sittings integer           times it was taken up
---@field spent_s number             wall seconds
---@field predicted_s number?        prior.evaluations x the measured cost of one evaluation
---@field build_s number             of its evaluations, summed over processes
---@field gates_s number
---@field timing_s number
---@field spent_usd number?          of the device
---@field predicted_usd number?
---@field agent_s number?            of proposals
---@field agent_usd number?
---@field records GainRecord[]       each better than the one before; the newest 32
---@field timed integer              that passed or were screened, or were abandoned as clearly slower, with the time they had shown
---@field gains number[]             speedups of the newest 16 that were timed, in order
---@field log_gain_mean number?      of ln(speedup) of all that were timed
---@field log_gain_sd number?        from two on
---@field log_evaluation_mean number?   of ln(seconds of an evaluation)
---@field log_evaluation_sd number?
---@field best_ns number?
---@field best_speedup number?
---@field rival_ns number?           the fastest rival on its workload: a library's work, measured beside ours, never an arm
---@field launch LaunchShape?        of its best configuration; nil before one has passed
---@field counters table<string, number>   of the profile of its best configuration; empty: it was not profiled
---@field diagnosis Diagnosis?       what limits that, by a rule of strategies/diagnoses
---@field last_fingerprint string    of the last wrong answer
---@field same_fingerprint integer   how many in a row had it
---@field same_code integer          how many evaluations in a row repeated machine code that was measured already ("no_effect")
---@field fingerprints WrongAnswerCount[]   the most frequent first, at most 8
---@field exhausted boolean          its search has nothing left to ask
---@field closed boolean             a decision closed it
---@field earlier_campaigns integer         on the same contract and device name, frozen when this one started
---@field earlier_evaluations integer
---@field earlier_passed integer
---@field earlier_spent_s number
---@field earlier_best_speedup number?
---@field elsewhere GainElsewhere[]  what its technique brought on other workloads, the most alike first, at most 4
---@field predicted_ns number?       the fastest of its configurations that were counted for this workload before it was tried
---@field predicted_points integer   how many those were
---@field proposal integer?          the number of the proposal that it consists of; nil for what stands in the folders
---@field running integer            its evaluations that are under way on other devices
---@field busy boolean               cannot be tried now: it waits for one of these, or for the baseline
---@field cumulative Cumulative      of its kernel and technique
---@field cost_factor number         product of what the strategy's rules adjust; 1 while rules are asked

---@class Diagnosis
---@field rule string                of strategies/diagnoses: "bank-conflicts"
---@field text string                one sentence that names its numbers
---@field page string                of the playbook, which answers it; may be empty

---@class WorkloadState
---@field kernel string
---@field workload string
---@field sizes table<string, any>   the workload's values by name: sizes, flags, types
---@field bytes number               that its work model says must be moved: what is drawn and judged grows with it
---@field weight number
---@field baseline_ns number?
---@field best_ns number?
---@field speedup number?            baseline_ns / best_ns
---@field speedup_lo number?         95 %
---@field speedup_hi number?
---@field floor_ns number?           speed of light; nil on the cpu device
---@field of_floor number?           floor_ns / best_ns, 0 to 1
---@field limit_ns number?           what a call can reach: an empty launch, trips to memory, floor; nil where not measured
---@field of_limit number?           limit_ns / best_ns
---@field floor_binds string?        what makes the floor: "bytes", "flops" or "exps"; nil on the cpu device
---@field best_variant string
---@field best_technique string
---@field confirmed boolean
---@field launch LaunchShape?        of the best
---@field registers integer?         of its entry with the most registers
---@field spill_bytes integer?
---@field shared_bytes integer?      static shared memory
---@field counters table<string, number>   of the profile of the best; empty: it was not profiled
---@field diagnosis Diagnosis?       what limits it
---@field rival_ns number?           the fastest rival (cuDNN...) that passed here
---@field rival_variant string?      and which it is
---@field rival_s number?            what its evaluation took: about what another fast candidate's will
---@field earlier_best_ns number?    the fastest that an earlier campaign confirmed, same contract and device name
---@field earlier_best_technique string?
---@field earlier_baseline_ns number?   the baseline beside which that was confirmed

---@class Sitting                    The evaluations of campaign.current since it was last taken up.
---@field arm { kernel: string, workload: string, technique: string }
---@field evaluations integer
---@field passed integer
---@field spent_s number
---@field predicted_s number?        by the decision that took it up
---@field improvements integer       credible records of the arm in it
---@field best_speedup_before number?

---@class Moment                     In the zone that the campaign was started in; recorded, so that a replay sees the same.
---@field unix integer
---@field hour integer               0 to 23
---@field minute integer
---@field weekday integer            1 Monday to 7 Sunday
---@field zone string                "CET"
---@field utc_offset_s integer

---@class Calibration                How this strategy's predictions held on this device name, earlier campaigns included.
---@field speedup_n integer          ranges that were put to the test
---@field speedup_held integer       of these: 90 % should
---@field speedup_below integer
---@field speedup_above integer
---@field speedup_widen number       factor for the half width of the next ranges of ln(speedup)
---@field minutes_n integer
---@field minutes_held integer
---@field minutes_widen number
---@field minutes_scale number       factor for the next minutes
---@field passed_n integer
---@field passed_predicted number?   mean probability
---@field passed_seen number?        share that passed

---@class Proposer                   Whoever proposes variants (--proposer), and its record in this campaign.
---@field name string                NAME of its SPEC, else the SPEC
---@field spec string                as the user named it
---@field asked integer              requests, second questions apart
---@field accepted integer           that became a variant
---@field passed integer             of those, a configuration passed
---@field improved integer           of those, one became a workload's best
---@field since_improvement integer  that were accepted or not since then; those not yet evaluated apart
---@field failed_in_a_row integer    requests without any reply
---@field in_flight boolean          a request is under way
---@field under_way integer          requests under way
---@field most_under_way integer     as many as are allowed
---@field silenced string?          why it is not to be asked now (a rule with the effect silence): another request is an error
---@field ready boolean              false: it answers nothing more, or cannot be paid
---@field latency_s number?          mean of a request
---@field usd number?                spent on all; nil: unknown
---@field next_usd number?           what another request may cost; nil: unknown
---@field log_gain number?           mean ln(new best / old best) of those that improved
---@field usd_each number?           mean of a request; nil: unknown
---@field likely_usd number?         what another request is likely to cost; nil: unknown
---@field earlier_asked integer      in earlier campaigns of this proposer on this device,
---@field earlier_improved integer   of those, one became a best
---@field earlier_log_gain number?   mean ln(old best / new best) of those

---@class Campaign                   The snapshot; read-only, and all that decide may depend on. What is unknown is nil, never 0.
---@field campaign integer           its number
---@field device string              "cuda:0", "cpu"
---@field device_name string
---@field architecture string        "sm_90a": one family of devices
---@field multiprocessors integer?   nil on an emulated device
---@field emulation boolean          times mean nothing on a GPU
---@field seed integer
---@field now Moment
---@field now_unix integer           the same as now.unix
---@field objective "each"|"single"  a configuration for each workload, or one for all of a kernel
---@field budget_s number?           nil: none
---@field spent_s number
---@field max_cost_usd number?
---@field spent_usd number?
---@field usd_per_hour number?       price of the device
---@field reserve_s number           kept for confirming the winners
---@field evaluation_s number        mean wall cost of an evaluation; an assumption before the first
---@field build_s number?            of the mean evaluation
---@field gates_s number?
---@field timing_s number?
---@field idle_s number              in no evaluation and no decision
---@field since_evaluation_s number? since the last evaluation ended
---@field since_passed_s number      seconds of evaluations since one last passed
---@field wait_s number?             expected until there is work again; nil: not waiting, or unknown
---@field goal_speedup number?
---@field goal_of_floor number?
---@field iterations integer
---@field score number?              weighted geometric mean of the workloads' speedups
---@field arms Arm[]
---@field open Arm[]                 the arms that may be tried now: choose from these
---@field techniques Cumulative[]
---@field workloads WorkloadState[]
---@field current Arm?               the arm of the last iteration
---@field sitting Sitting?
---@field recent_outcomes string[]   newest last, at most 32
---@field playbook PatternEvidence[] what came of the patterns on this device name, frozen when the campaign began
---@field memory table              what an earlier decision returned as memory; at first {}
---@field proposer Proposer?          all proposers as one; nil: nobody proposes variants
---@field proposers Proposer[]         each of them
---@field calibration Calibration

---@class Predict                    Of the evaluation that the decision leads to. Ranges should hold in 90 %; they are scored when it has ended.
---@field speedup number[]?          { low, high } over the baseline, if it passes
---@field probability number?        that it passes
---@field minutes number[]?          { low, high }
---@field evaluations number?        that the arm needs from here: times the minutes, what its sitting may take

---@class Decision
---@field action "try"|"confirm"|"close"|"stop"|"propose"
---@field ask string?                propose: what is wanted, in words
---@field parents string[]?          propose: variants to begin with; edits apply to the first
---@field arm Arm?                   of try and close; or kernel, workload and technique
---@field kernel string?
---@field workload string?
---@field technique string?
---@field why string                 in words: it is stored and shown
---@field reason "goal"|"exhausted"|"strategy"|nil   of a stop; "strategy" when absent
---@field predict Predict?           speedup and evaluations of the arm's prior when absent
---@field patterns integer[]?        pages of the playbook that it rests on
---@field table table?               the numbers the decision was made from; stored with it
---@field memory table?              kept for the decisions that follow, as campaign.memory; nil: it stays what it is

---@class Rule
---@field name string
---@field summary string?
---@field source string?             where the rule and its numbers come from
---@field pattern integer?           the page of the playbook that it implements
---@field effect "stop"|"close"|"pivot"|nil   needed with `when`
---@field scope "current"|"open"|nil   of close and pivot: asked about campaign.current (default) or about each open arm
---@field reason "goal"|"exhausted"|"strategy"|nil   of a stop
---@field defaults table<string, any>?
---`when` returns nil, or a reason in words, then the numbers behind it, then another effect than the rule's, then of a pivot the arm to go to.
---@field when (fun(campaign: Campaign, options: table, arm: Arm): string?, table?, ("close"|"pivot"|"stop")?, Arm?)?
---@field adjust (fun(campaign: Campaign, arm: Arm, options: table): number?)?   factor on the arm's expected cost

---@class StrategyDeclaration
---@field name string?               the file's name when absent
---@field summary string?
---@field rules (string|Rule|table)[]?   "rules/NAME", rule { ... }, or { either, options = { ... } }
---@field decide fun(campaign: Campaign): Decision

---@param declared StrategyDeclaration
function strategy(declared) end

---@param declared Rule
---@return Rule
function rule(declared) end

---@param name string  "rules/plateau", "lib/draws": a file below a strategies folder, without .lua
---@return any         what it returns; call it at the top of a file only
function use(name) end

---@class Expect
---@field speedup number[]           { low, high }: a factor on the best so far
---@field probability number?        that it is reached

---@class PatternEvidence            What the store said of a pattern when the campaign began.
---@field id integer
---@field applied integer            decisions that named it, a stay on one arm counting once
---@field measured integer           of these: with a time before and after
---@field improved integer           of these: with a gain
---@field met integer                of these: with the gain that the page promises
---@field mean_gain number?          geometric
---@field seconds number
---@field usd number?
---@field against string             a sentence when the record speaks against the page; else ""

---@class Applied                    A pattern that applies to a workload now.
---@field id integer
---@field name string
---@field reason string
---@field kernel string
---@field workload string
---@field techniques string[]
---@field expect Expect?
---@field evidence PatternEvidence?

---@class Profile: WorkloadState     What is known of one workload; nil is unknown.
---@field arms Arm[]                 on this workload
---@field techniques table<string, Arm>   by technique
---@field works table<string, boolean>    techniques that have passed, here or earlier
---@field sizes table<string, any>   of the workload: sizes.Sk, sizes.causal
---@field ctas integer?              of the best plan's largest launch
---@field threads integer?           of a CTA
---@field launches integer?
---@field multiprocessors integer?
---@field ctas_per_sm number?
---@field sm integer?                90 for sm_90a
---@field registers integer?         a thread, of the best
---@field spill_bytes integer?
---@field shared_bytes integer?
---@field occupancy number?          resident warps over the most possible, estimated from registers, threads and shared memory

---@class Example                    What a page's when is tried on; the rest is filled in.
---@field campaign table?
---@field workload table?
---@field workloads integer?
---@field arms table[]?
---@field current string?            a technique

---@class PatternDeclaration         playbook/README.md
---@field id integer
---@field name string
---@field techniques string[]?
---@field expect Expect?
---@field when fun(campaign: Campaign, profile: Profile): string?   a reason in words, or nil
---@field applies_in Example
---@field silent_in Example

---@param declared PatternDeclaration
function pattern(declared) end

---@alias Config table<string, boolean|integer|number|string>   a value for each parameter, and `variant`

---@class Parameter
---@field name string
---@field values (boolean|integer|number|string)[]

---@class Variant
---@field name string
---@field size integer?              nil: too large to list
---@field first Config              where to begin: what its author says, else the middle of its values
---@field starts Config[]           all that its author would begin with and that are valid here: `first`, then the others
---@field parameters Parameter[]

---@class Earlier                    What an earlier campaign recorded, or this one on another workload; compare times within a workload and device only.
---@field workload string
---@field device_name string
---@field config Config
---@field outcome string
---@field passed boolean
---@field time_ns number?
---@field distance number?           of its workload from this one, see GainElsewhere; nil: unknown. The nearest come first

---@class ModelOptions
---@field trees integer?             40
---@field leaf integer?              fewest results in a leaf: 1
---@field features number?           share of the features tried at a node: 0.5
---@field candidates integer?        points of a larger space that a proposal looks at: 4096
---@field cost_weight number?        exponent of the predicted cost; 0: cost does not matter; 1
---@field explore number?            factor on the uncertainty: 1
---@field squash number?             of what ln(time) lies above the median of the first ones, what stays: 1
---@field early integer?             how many are the first ones: 8
---@field trend number?              where times tie, of what follows smoothly from the parameters, what is believed: 0
---@field novelty number?            where times tie, how uncertain what is unlike all that passed is: 0

---@class Prediction
---@field log_time number            natural logarithm of nanoseconds
---@field deviation number           of log_time
---@field passes number              probability
---@field cost_s number

---@class Model                      Learns from results and says where to look next.
local Model = {}

---@param config Config
---@param result Result              of evaluate; failures too
function Model:observe(config, result) end

---@param count integer?             1 to 64; 1
---@return Config[]                  not observed yet, most promising first; fewer near the end of the space
function Model:propose(count) end

---@param configs Config[]
---@return Config[]                  those not observed yet, most promising first
function Model:rank(configs) end

---@param config Config
---@return Prediction?               nil until something has passed
function Model:predict(config) end

---@return table<string, number>     by parameter, the share of the variation of the time that it explains
function Model:importance() end

---@class Space                      The valid configurations of an arm; read-only.
---@field size integer?              nil: too large to list; use random, neighbours and contains
---@field earlier Earlier[]          of this kernel on other workloads and devices, frozen when the campaign began
---@field variants Variant[]         those with at least one configuration
---@field parameters Parameter[]     "variant" first, then those of all variants
local Space = {}

---@param i integer                  1 to size; of a space without size, an index that was met before
---@return Config
function Space:point(i) end

---@param config Config
---@return integer                   the i of point(i); an error when it is not in the space
function Space:index(config) end

---@return Config                    uniform over a listed space, from the campaign's seed
function Space:random() end

---@param config Config
---@return Config[]                  valid, differing in one parameter; then one of each other variant
function Space:neighbours(config) end

---@param config Config
---@return boolean
function Space:contains(config) end

---@param options ModelOptions?
---@return Model
function Space:model(options) end

---@class Result
---@field outcome string             "passed", "screened", "wrong_answer", "abandoned", ...
---@field passed boolean
---@field time_ns number?            of a passed or screened one; of an abandoned one its time so far
---@field cost_s number
---@field left_s number?             of the budget, in seconds, when this was found; nil: there is none
---@field elsewhere Earlier[]?       its technique's best on the nearest other workloads, where it changed since; once, what is predicted fastest here
---@field pending boolean?           under way on another device; only of a search that says `several`
---@field late LateResult[]?         results that have come since the last call

---@class LateResult: Result
---@field config Config

---@alias Evaluate fun(config: Config, next: Config[]?): Result      `next`: worth compiling ahead
---@alias EvaluateAll fun(list: Config[]): Result[]

---@class SearchDeclaration
---@field name string?
---@field summary string?
---@field several boolean?           goes on while evaluations are under way on several devices
---@field exact_times boolean?       the times of slow configurations matter: none is abandoned or screened
---@field run fun(space: Space, evaluate: Evaluate, evaluate_all: EvaluateAll)

---@param declared SearchDeclaration
function search(declared) end
