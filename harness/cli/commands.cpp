#include "harness/cli/command.h"

namespace harness {

void define_run(CLI::App&, Shell&, std::function<int()>&);
void define_eval(CLI::App&, Shell&, std::function<int()>&);
void define_cache(CLI::App&, Shell&, std::function<int()>&);
void define_check(CLI::App&, Shell&, std::function<int()>&);
void define_devices(CLI::App&, Shell&, std::function<int()>&);
void define_kernels(CLI::App&, Shell&, std::function<int()>&);
void define_variants(CLI::App&, Shell&, std::function<int()>&);
void define_models(CLI::App&, Shell&, std::function<int()>&);
void define_strategies(CLI::App&, Shell&, std::function<int()>&);
void define_playbook(CLI::App&, Shell&, std::function<int()>&);
void define_simulate(CLI::App&, Shell&, std::function<int()>&);
void define_history(CLI::App&, Shell&, std::function<int()>&);
void define_show(CLI::App&, Shell&, std::function<int()>&);
void define_best(CLI::App&, Shell&, std::function<int()>&);
void define_diff(CLI::App&, Shell&, std::function<int()>&);
void define_cost(CLI::App&, Shell&, std::function<int()>&);
void define_campaigns(CLI::App&, Shell&, std::function<int()>&);
void define_compare(CLI::App&, Shell&, std::function<int()>&);
void define_recommend(CLI::App&, Shell&, std::function<int()>&);
void define_sweep(CLI::App&, Shell&, std::function<int()>&);
void define_tune(CLI::App&, Shell&, std::function<int()>&);
void define_profile(CLI::App&, Shell&, std::function<int()>&);
void define_report(CLI::App&, Shell&, std::function<int()>&);
void define_doctor(CLI::App&, Shell&, std::function<int()>&);
void define_help(CLI::App&, Shell&, std::function<int()>&);
void define_serve(CLI::App&, Shell&, std::function<int()>&);
void define_query(CLI::App&, Shell&, std::function<int()>&);
void define_export(CLI::App&, Shell&, std::function<int()>&);
void define_import(CLI::App&, Shell&, std::function<int()>&);
void define_replay(CLI::App&, Shell&, std::function<int()>&);
void define_proposer(CLI::App&, Shell&, std::function<int()>&);
void define_mcp(CLI::App&, Shell&, std::function<int()>&);
void define_new(CLI::App&, Shell&, std::function<int()>&);
void define_adopt(CLI::App&, Shell&, std::function<int()>&);
void define_capture(CLI::App&, Shell&, std::function<int()>&);
void define_package(CLI::App&, Shell&, std::function<int()>&);
void define_verify(CLI::App&, Shell&, std::function<int()>&);
void define_guard(CLI::App&, Shell&, std::function<int()>&);
void define_callable(CLI::App&, Shell&, std::function<int()>&);
void define_node(CLI::App&, Shell&, std::function<int()>&);
void define_fleet(CLI::App&, Shell&, std::function<int()>&);
void define_demo(CLI::App&, Shell&, std::function<int()>&);
void define_init(CLI::App&, Shell&, std::function<int()>&);

const std::vector<Command>& commands() {
  static const std::vector<Command> table{
      {"Try and optimize",
       "run",
       "Optimize kernels within a budget",
       define_run,
       {"harness run softmax --device cpu --budget 40s",
        "harness run attention --usd-per-hour 3.5 --budget 8m --name nightly",
        "harness run attention --model llama-3.1-70b --phase decode --batch 16 --budget 2m",
        "harness run --resume --budget 10m"}},
      {"Try and optimize",
       "eval",
       "Evaluate one variant: build, gates, timing",
       define_eval,
       {"harness eval softmax 00_naive --device cpu",
        "harness eval attention 20_split_kv -p SPLITS=4 --workload seeds"}},
      {"Try and optimize",
       "check",
       "Check kernel plugins: manifests, references, gates, builds",
       define_check,
       {"harness check softmax --device cpu"}},
      {"What there is", "devices", "The devices here, and what is missing", define_devices},
      {"What there is", "kernels", "The kernel plugins", define_kernels},
      {"What there is", "variants", "A kernel's variants and their parameters", define_variants},
      {"What there is",
       "models",
       "The published models whose shapes kernels can be asked for",
       define_models,
       {"harness models", "harness models llama-3.1-70b --phase decode --batch 16"}},
      {"What there is", "strategies", "The strategies, rules, searches and diagnoses", define_strategies},
      {"What there is", "playbook", "The patterns of the playbook, and what came of them", define_playbook},
      {"Judge strategies and searches", "simulate", "Try a search on a recorded space, with no device",
       define_simulate},
      {"Ask the record",
       "history",
       "Recorded iterations, newest first",
       define_history,
       {"harness history --limit 50 --kernel attention --outcome wrong_answer",
        "harness history --since 2d --sort -speedup --columns iteration,variant,time,speedup",
        "harness history --campaign 2 --format csv > campaign.csv"}},
      {"Ask the record",
       "show",
       "One iteration: decision, gates, times, resources, log",
       define_show,
       {"harness show 42", "harness show 42 --resolved > kernel.cu", "harness show --decision 17"}},
      {"Ask the record",
       "best",
       "The fastest candidate of every workload",
       define_best,
       {"harness best attention", "harness best --campaign 2 --wide",
        "harness best --variant 20_split_kv --format markdown"}},
      {"Ask the record", "diff", "Two iterations side by side", define_diff, {"harness diff 42 57"}},
      {"Ask the record",
       "cost",
       "Where time and money went",
       define_cost,
       {"harness cost --by stage --campaign 2", "harness cost --by technique --kernel attention --since 7d"}},
      {"Ask the record",
       "campaigns",
       "The campaigns, newest first: score, cost, device, driver",
       define_campaigns,
       {"harness campaigns", "harness campaigns --kernel attention --sort -cost_usd"}},
      {"Ask the record",
       "compare",
       "Two campaigns, or two devices: changed bests, environment, cost",
       define_compare,
       {"harness compare 1 2", "harness compare \"NVIDIA H200\" \"NVIDIA H100\""}},
      {"Ask the record",
       "recommend",
       "One candidate for all workloads of a kernel, or a table of few",
       define_recommend,
       {"harness recommend attention", "harness recommend attention --campaign 2"}},
      {"Try and optimize",
       "sweep",
       "How a variant's cost grows with a size: a scaling study, never a speedup",
       define_sweep,
       {"harness sweep vector_scale 10_vector --over N=1024,2048,...,1048576 --device cpu"}},
      {"Try and optimize",
       "tune",
       "Which configuration runs where over a grid of shapes, and what that loses",
       define_tune,
       {"harness tune vector_scale --grid \"N=1024..1048576\" --device cpu --budget 2m",
        "harness tune attention --grid \"Sk=512..32768,B=1..256\" --model llama-3.1-8b --phase decode --budget 2h",
        "harness tune attention.tune.json --refresh"}},
      {"Try and optimize",
       "profile",
       "What a variant does on a GPU, line by line: counted without one",
       define_profile,
       {"harness profile softmax 00_naive --device cpu",
        "harness profile softmax 10_warp_row --device cpu --for A100"}},
      {"Ask the record",
       "report",
       "One campaign as a page: verdict, charts, tables, what to do next",
       define_report,
       {"harness report 2 --html report.html", "harness report 2 --markdown report.md"}},
      {"Ask the record",
       "serve",
       "A live page of what campaigns do, found and cost, for a browser",
       define_serve,
       {"harness serve", "harness serve --host 0.0.0.0 --port 80 --token-file ~/.harness-token"}},
      {"Ask the record",
       "query",
       "Ask the store in SQL, read-only",
       define_query,
       {"harness query \"SELECT technique, iterations, pass_rate, best_speedup FROM v_techniques\""}},
      {"Move the record",
       "export",
       "Write a store, or one campaign of it, as text",
       define_export,
       {"harness export campaign.jsonl --campaign 2"}},
      {"Move the record", "import", "Read such a text, or what other tuners recorded, into a store", define_import},
      {"Judge strategies and searches",
       "replay",
       "What another strategy would have decided on a recorded campaign",
       define_replay,
       {"harness replay 2 --strategy exhaustive"}},
      {"Agents and machines",
       "proposer",
       "Try whoever is to propose variants, and see what it costs",
       define_proposer,
       {"harness proposer --check \"command:python3 my_proposer.py\""}},
      {"Agents and machines",
       "mcp",
       "Serve agents: the harness as tools of the Model Context Protocol",
       define_mcp,
       {"harness mcp --session night --budget 30m --device cpu", "harness mcp --listen /run/harness.sock --allow agent",
        "harness mcp --connect /run/harness.sock"}},
      {"Bring kernels in, take winners out", "adopt", "Make a kernel plugin out of an ordinary CUDA source",
       define_adopt},
      {"Bring kernels in, take winners out",
       "capture",
       "What a running program launches on a GPU, ranked; one launch as data",
       define_capture,
       {"harness capture -- python3 train.py", "harness capture --launch layernorm -- ./app"}},
      {"Bring kernels in, take winners out", "package", "The winners of a kernel as a folder that stands alone",
       define_package},
      {"Bring kernels in, take winners out", "verify",
       "Whether a package still holds: digests, gates, winners beside the original", define_verify},
      {"Bring kernels in, take winners out", "guard",
       "In CI: whether kernels are right and as fast as a package of them", define_guard},
      {"Agents and machines", "callable",
       "The other end of Python's harness.tune: searches a function's configurations", define_callable},
      {"Agents and machines", "node", "The other end of a fleet: evaluates what it is asked on its standard input",
       define_node},
      {"Agents and machines",
       "fleet",
       "Write a fleet file: the nodes of a Slurm partition, or machines over ssh",
       define_fleet,
       {"harness fleet slurm --partition gpu --nodes 2 --gpus 4 > fleet.lua",
        "harness fleet ssh gpu1 gpu2 > fleet.lua"}},
      {"What there is",
       "doctor",
       "What is here, what is missing, what goes unchecked, and how to mend it",
       define_doctor,
       {"harness doctor", "harness doctor --verify --db experiments.db"}},
      {"Begin",
       "help",
       "Help on a command, with examples; completions and the man page",
       define_help,
       {"harness help history", "harness help --completion bash > /etc/bash_completion.d/harness"}},
      {"What there is",
       "cache",
       "How large the build cache is; --prune makes it smaller",
       define_cache,
       {"harness cache", "harness cache --prune --size 1G"}},
      {"Begin",
       "demo",
       "About a minute that shows what the harness does, on whatever is here",
       define_demo,
       {"harness demo"}},
      {"Begin", "init", "Make a project folder for kernels and strategies of your own", define_init},
      {"Begin", "new", "Start a kernel, variant, strategy, rule, search or pattern from a template", define_new},
  };
  return table;
}

}  // namespace harness
