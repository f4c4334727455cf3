#!/usr/bin/env bash
# Prints what the harness itself costs, from a store that a campaign wrote, and of the program here:
#   bench/numbers.sh STORE [HARNESS]
set -euo pipefail
store=${1:?usage: bench/numbers.sh STORE [HARNESS]}
harness=${2:-build/release/harness}
ask() { "$harness" query "$1" --db "$store" --format csv | tail -n 1 | tr -d '\r'; }

# Between the ends of two iterations lies one evaluation; what is left of it beside build, gates and timing is the
# harness's own: deciding, asking, realizing, recording, talking to workers.
own="with steps as (select (ended_unix - lag(ended_unix) over (partition by campaign order by id)) * 1e3 as step_ms,
       (build_s + gates_s + timing_s) * 1e3 as stages_ms, outcome from iteration),
     costs as (select step_ms - stages_ms as own_ms, row_number() over (order by step_ms - stages_ms) as place, count(*) over () as n
       from steps where step_ms is not null and outcome = 'passed')"
printf 'own cost of an evaluation, median (ms):      %s\n' "$(ask "$own select round(own_ms, 2) from costs where place = (n + 1) / 2")"
printf 'own cost of an evaluation, 90th percentile:  %s\n' "$(ask "$own select round(own_ms, 2) from costs where place = (9 * n + 9) / 10")"
printf 'evaluations a minute, whole campaign:        %s\n' \
  "$(ask "select round(60.0 * count(*) / (max(ended_unix) - min(ended_unix)), 1) from iteration")"
# A candidate whose module was built before (or ahead) is answered from the cache or the pool of builders.
printf 'build of a repeated candidate, median (ms):  %s\n' \
  "$(ask "with b as (select build_s * 1e3 as ms, row_number() over (order by build_s) as place, count(*) over () as n from iteration where build_s < 0.005)
          select round(ms, 3) from b where place = (n + 1) / 2")"
printf 'share of builds that were waited for:        %s\n' \
  "$(ask "select round(1.0 * sum(build_s > 0.005) / count(*), 2) from iteration")"
python3 - "$harness" <<'PY'
import subprocess, sys, time
times = []
for _ in range(20):
    begin = time.perf_counter()
    subprocess.run([sys.argv[1], "--help"], stdout=subprocess.DEVNULL, check=True)
    times.append(time.perf_counter() - begin)
print(f"harness --help, median of 20 (ms):           {sorted(times)[10] * 1e3:.1f}")
PY
