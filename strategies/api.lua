---@meta
-- Annotations of everything a strategy, rule or search can see, for editors with the Lua language server. Never run.

---@class Prior                      What a manifest expects of an arm.
---@field speedup_lo number          over the kernel's baseline
---@field speedup_hi number
---@field probability number         that a configuration passes the gates
---@field evaluations integer        to find its good configurations

---@class Arm                        kernel x workload x technique; read-only.
---@field name string                "attention/seed_b1h1s128_f16/split-kv"
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
---@field passed integer             of these
---@field outcomes table<string, integer>   "passed", "compile_error", "wrong_answer", "crashed", "timed_out", ...
---@field since_improvement integer  evaluations since the arm's best improved
---@field spent_s number             wall seconds
---@field predicted_s number         prior.evaluations x the measured cost of one evaluation
---@field gains number[]             speedup over the baseline of each passed evaluation, in order
---@field best_ns number?
---@field best_speedup number?
---@field last_fingerprint string    of the last wrong answer
---@field same_fingerprint integer   how many in a row had it
---@field exhausted boolean          its search has nothing left to ask
---@field closed boolean             a decision closed it
---@field earlier_evaluations integer       of earlier campaigns, frozen when this one started
---@field earlier_passed integer
---@field earlier_spent_s number
---@field earlier_best_speedup number?
---@field cost_factor number         product of what the strategy's rules adjust; 1 while rules are asked

---@class WorkloadState
---@field kernel string
---@field workload string
---@field weight number
---@field baseline_ns number?
---@field best_ns number?
---@field speedup number?            baseline_ns / best_ns
---@field floor_ns number?           speed of light; nil on the cpu device
---@field of_floor number?           floor_ns / best_ns, 0 to 1
---@field best_variant string
---@field best_technique string
---@field confirmed boolean

---@class Campaign                   The snapshot; read-only, and all that decide may depend on.
---@field campaign integer           its number
---@field device string              "cuda:0", "cpu"
---@field device_name string
---@field emulation boolean          times mean nothing on a GPU
---@field seed integer
---@field now_unix integer           recorded, so that a replay sees the same hour
---@field budget_s number            0: none
---@field spent_s number
---@field max_cost_usd number?
---@field spent_usd number?
---@field reserve_s number           kept for confirming the winners
---@field evaluation_s number        mean wall cost of an evaluation
---@field goal_speedup number?
---@field goal_of_floor number?
---@field iterations integer
---@field arms Arm[]
---@field open Arm[]                 the arms that may be tried now: choose from these
---@field workloads WorkloadState[]
---@field current Arm?               the arm of the last iteration
---@field recent_outcomes string[]   newest last, at most 32

---@class Predict
---@field speedup number[]?          { low, high }
---@field evaluations number?

---@class Decision
---@field action "try"|"confirm"|"close"|"stop"
---@field arm Arm?                   of try and close; or kernel, workload and technique
---@field kernel string?
---@field workload string?
---@field technique string?
---@field why string                 in words: it is stored and shown
---@field reason "goal"|"exhausted"|"strategy"|nil   of a stop; "strategy" when absent
---@field predict Predict?           the arm's prior when absent
---@field table table?               the numbers the decision was made from; stored with it

---@class Rule
---@field name string
---@field summary string?
---@field source string?             where the rule and its numbers come from
---@field effect "stop"|"close"|"pivot"|nil   needed with `when`
---@field reason "goal"|"exhausted"|"strategy"|nil   of a stop
---@field defaults table<string, any>?
---@field when (fun(campaign: Campaign, options: table): string?)?    a reason in words, or nil
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

---@alias Config table<string, boolean|integer|number|string>   a value for each parameter, and `variant`

---@class Parameter
---@field name string
---@field values (boolean|integer|number|string)[]

---@class Variant
---@field name string
---@field size integer
---@field first Config
---@field parameters Parameter[]

---@class Space                      The valid configurations of an arm; read-only.
---@field size integer
---@field variants Variant[]         those with at least one configuration
---@field parameters Parameter[]     "variant" first, then those of all variants
local Space = {}

---@param i integer                  1 to size
---@return Config
function Space:point(i) end

---@param config Config
---@return integer                   the i of point(i); an error when it is not in the space
function Space:index(config) end

---@return Config                    uniform over the space, from the campaign's seed
function Space:random() end

---@param config Config
---@return Config[]                  valid, differing in one parameter; then one of each other variant
function Space:neighbours(config) end

---@param config Config
---@return boolean
function Space:contains(config) end

---@class Result
---@field outcome string             "passed", "wrong_answer", ...
---@field passed boolean
---@field time_ns number?            of a passed one
---@field cost_s number

---@alias Evaluate fun(config: Config, next: Config[]?): Result      `next`: worth compiling ahead
---@alias EvaluateAll fun(list: Config[]): Result[]

---@class SearchDeclaration
---@field name string?
---@field summary string?
---@field run fun(space: Space, evaluate: Evaluate, evaluate_all: EvaluateAll)

---@param declared SearchDeclaration
function search(declared) end
