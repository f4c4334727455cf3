"""The evaluators and the environment of examples/ inside the projects that they are for, led by a scripted model.

$HARNESS_OTHERS is a folder with checkouts: openevolve (github.com/codelion/openevolve), ShinkaEvolve
(github.com/SakanaAI/ShinkaEvolve), verifiers (github.com/PrimeIntellect-ai/verifiers). They are never part of this
repository; without the folder these tests are skipped. $HARNESS_OTHERS_PYTHON is a Python with numpy, PyYAML, pandas,
psutil, rich, aiofiles, backoff, unidiff, pydantic, httpx, dacite and tqdm for the first two. The Python that runs this needs
pydantic 2 for the third, and aiohttp and httpx for its rollouts. What else they import and nobody installed is stood in for
(standins.py).
"""
import json, os, shutil, subprocess, sys, tempfile, unittest

import harness

HERE = os.path.dirname(os.path.abspath(__file__))
EXAMPLES = os.path.join(os.path.dirname(os.path.dirname(HERE)), "examples")
OTHERS = os.environ.get("HARNESS_OTHERS", "")
KERNEL, VARIANT, WORKLOAD = "vector_scale", "10_vector", "n1m_f32"
# Faster than the variant that a rollout begins with, under the same launch: a quarter of the threads moves all elements.
QUARTER = r"""#include <harness/convert.cuh>
#include <harness/vec.cuh>

template <class T>
__global__ void scale(const T* x, T* y, float a, int n) {
  const int first = blockIdx.x * blockDim.x, i = first + 4 * threadIdx.x;
  if (4 * threadIdx.x >= blockDim.x) return;
  if (i + 4 <= n) {
    auto v = harness::load<4>(x + i);
    for (int j = 0; j < 4; ++j) v.at[j] = harness::from_float<T>(a * harness::to_float(v.at[j]));
    harness::store(y + i, v);
  } else {
    for (int j = i; j < n; ++j) y[j] = harness::from_float<T>(a * harness::to_float(x[j]));
  }
}
"""
ONE_BY_ONE = ("    harness::store(y + i, v);\n", "    for (int j = 0; j < VEC; ++j) y[i + j] = v.at[j];\n")


class Others(unittest.TestCase):
    def setUp(self):
        if not OTHERS:
            self.skipTest("HARNESS_OTHERS names no folder with checkouts")
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)
        self.db = os.path.join(self.folder, "x.db")
        with harness.Session("t", device="cpu", db=self.db) as h:
            self.fast = h.source(KERNEL, VARIANT)
        self.slow = self.fast.replace(*ONE_BY_ONE)
        self.wrong = self.fast.replace("a * ", "2.f * ")
        self.assertTrue(self.slow != self.fast != self.wrong)

    def checkout(self, name):
        folder = os.path.join(OTHERS, name)
        if not os.path.isdir(folder):
            self.skipTest(f"there is no checkout of {name} in HARNESS_OTHERS")
        return folder

    def within(self, project, example, code, python=None, **environment):
        """Runs `code` with the project and our example on the path; what it printed last, as JSON."""
        path = [project, os.path.join(EXAMPLES, example), HERE, os.environ["PYTHONPATH"]]
        settings = {"HARNESS_KERNEL": KERNEL, "HARNESS_VARIANT": VARIANT, "HARNESS_WORKLOADS": WORKLOAD,
                    "HARNESS_DEVICE": "cpu", "HARNESS_DB": self.db, "HARNESS_SESSION": example, "HARNESS_BUDGET": "10m",
                    "PYTHONPATH": os.pathsep.join(path)}
        program = python or os.environ.get("HARNESS_OTHERS_PYTHON") or sys.executable
        done = subprocess.run([program, "-c", code], env={**os.environ, **settings, **environment}, text=True, timeout=900,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.assertEqual(done.returncode, 0, done.stderr[-3000:])
        return json.loads(done.stdout.strip().splitlines()[-1])

    def outcomes(self, session):
        with harness.Session("t", device="cpu", db=self.db) as h:
            rows = h.query("SELECT i.outcome AS outcome, i.label AS label FROM v_iterations i ORDER BY iteration")
        return [each["outcome"] for each in rows if each["label"] == session]

    def test_openevolve_finds_the_fast_source_with_the_shipped_evaluator(self):
        project = self.checkout("openevolve")
        replies = os.path.join(self.folder, "replies.json")
        fenced = [f"```cuda\n{each}\n```" for each in (self.wrong, self.slow, self.fast + "// another\n")]
        with open(replies, "w") as file:
            json.dump(fenced, file)
        with open(os.path.join(EXAMPLES, "openevolve", "config.yaml")) as file:
            config = file.read()
        config = config.replace("diff_based_evolution: true", "diff_based_evolution: false\nrandom_seed: 1")
        own = os.path.join(self.folder, "config.yaml")
        with open(own, "w") as file:
            file.write(config.replace("parallel_evaluations: 4", "parallel_evaluations: 1"))
        found = self.within(project, "openevolve", f"""
import json, standins; standins.install(["openai", "dacite", "flask", "tqdm"])
import evaluator, evolve
evaluator.objective().source = lambda: open({self.write("slow.cu", self.slow)!r}).read()
result = evolve.main({own!r}, 3, {os.path.join(self.folder, "evolved")!r})
print(json.dumps([result.best_code, result.best_score]))""", SCRIPTED_REPLIES=replies)
        self.assertIn("wrong_answer", self.outcomes("openevolve"))
        self.assertIn("harness::store(y + i, v)", found[0])
        self.assertGreater(found[1], 1)

    def test_shinkas_scheduler_reads_what_the_shipped_evaluator_writes(self):
        project = self.checkout("ShinkaEvolve")
        sources = [self.write(name, text) for name, text in (("fast.cu", self.fast), ("wrong.cu", self.wrong))]
        results = self.within(project, "shinka", f"""
import json, standins; standins.install(["hydra", "omegaconf", "pandas", "dotenv"])
from shinka.launch import JobScheduler, LocalJobConfig
job = LocalJobConfig(eval_program_path={os.path.join(EXAMPLES, "shinka", "evaluate.py")!r}, time="00:05:00")
scheduler = JobScheduler("local", job)
print(json.dumps([scheduler.run(each, each + ".results")[0] for each in {sources!r}]))""")
        fast, wrong = results
        self.assertTrue(fast["correct"]["correct"], fast)
        self.assertGreaterEqual(fast["metrics"]["combined_score"], 1)
        self.assertFalse(wrong["correct"]["correct"])
        self.assertEqual(wrong["metrics"]["combined_score"], 0)
        self.assertIn("relative-l2:y", wrong["metrics"]["text_feedback"])

    def test_shinkas_own_loop_finds_the_fast_source(self):
        project = self.checkout("ShinkaEvolve")
        marked = ["// EVOLVE-BLOCK-START\n" + each + "// EVOLVE-BLOCK-END\n"
                  for each in (self.wrong, self.fast, self.fast + "// another\n")]
        replies = self.write("replies.json", json.dumps(
            [f"<NAME>\nn\n</NAME>\n<DESCRIPTION>\nd\n</DESCRIPTION>\n<CODE>\n```cuda\n{each}```\n</CODE>\n" for each in marked]))
        best = self.within(project, "shinka", f"""
import functools, glob, json, sqlite3, standins; standins.install({STOOD_IN!r})
import evaluate, run_evo
run_evo.EvolutionConfig = functools.partial(run_evo.EvolutionConfig, patch_types=["full"], patch_type_probs=[1.0])
evaluate.harness.Objective.source = lambda self: open({self.write("slow.cu", self.slow)!r}).read()
run_evo.main("local/scripted@http://localhost:1/v1", 3, {os.path.join(self.folder, "shinka")!r})
record, = glob.glob({os.path.join(self.folder, "shinka")!r} + "/**/programs.sqlite", recursive=True)
rows = sqlite3.connect(record).execute("SELECT code, combined_score, correct FROM programs ORDER BY combined_score DESC")
print(json.dumps(list(rows)))""", SCRIPTED_REPLIES=replies)
        self.assertIn("wrong_answer", self.outcomes("shinka"))
        code, score, correct = best[0]
        self.assertIn("harness::store(y + i, v)", code)
        self.assertGreater(score, 1)
        self.assertTrue(correct)

    def test_verifiers_rewards_the_verdict_and_tells_the_policy_no_secret(self):
        project = self.checkout("verifiers")
        told = self.within(project, "verifiers", f"""
import json, standins
standins.install({STOOD_IN!r})
import asyncio, verifiers.v1 as vf, harness_kernels
from verifiers.v1.graph import MessageNode
from verifiers.v1.trace import TraceTask
from verifiers.v1.types import AssistantMessage
config = harness_kernels.KernelConfig(id="harness_kernels", kernels=[{KERNEL!r}], device="cpu", db={self.db!r})
taskset = harness_kernels.KernelTaskset(config)
task = next(iter(taskset))
async def scored(reply):
    said = MessageNode.model_construct(message=AssistantMessage(content=reply), sampled=True)
    trace = vf.Trace.model_construct(task=TraceTask.model_construct(type="KernelTask", data=task.data), nodes=[said])
    await task.score(trace)
    return dict(metrics=trace.metrics, reward=trace.reward)
start = task.data.prompt.split("The source to begin with:")[1]
replies = [start, start.replace("a * ", "2.f * "), "I would rather not."]
print(json.dumps([task.data.prompt, [asyncio.run(scored(each)) for each in replies]]))""", python=sys.executable)
        prompt, (same, wrong, none) = told
        self.assertIn("harness::to_float", prompt)
        for secret in ("tolerance", "seed"):
            self.assertNotIn(secret, prompt)
        self.assertEqual((same["metrics"]["passed"], same["reward"]), (1, 0))
        self.assertEqual((wrong["metrics"]["passed"], wrong["reward"]), (0, 0))
        self.assertEqual(none["reward"], 0)

    def test_verifiers_plays_rollouts_through_its_own_environment(self):
        """Its environment, its agent, its interception server and its client of providers; the program between them is
        one that asks once."""
        project = self.checkout("verifiers")
        program = self.write("ask.py", """
import json, sys, urllib.request
url, secret, model, system, prompt = sys.argv[1:]
body = {"model": model, "messages": [{"role": "system", "content": system}, {"role": "user", "content": prompt}]}
asked = urllib.request.Request(url + "/chat/completions", json.dumps(body).encode(),
                               {"Authorization": "Bearer " + secret, "Content-Type": "application/json"})
print(json.load(urllib.request.urlopen(asked))["choices"][0]["message"]["content"])
""")
        replies = self.write("replies.json", json.dumps(
            [f"```cuda\n{each}\n```" for each in (QUARTER, QUARTER.replace("a * ", "2.f * "))] + ["I would rather not."]))
        told = self.within(project, "verifiers", f"""
import importlib.util, json, sys, standins
if importlib.util.find_spec("aiohttp") is None or importlib.util.find_spec("httpx") is None:
    print(json.dumps("missing")), sys.exit()
standins.install({STOOD_IN!r})
import asyncio, verifiers.v1 as vf, harness_kernels
from verifiers.v1.clients import EvalClientConfig
from verifiers.v1.configs.harness import HarnessConfig
from verifiers.v1.envs.single_agent import SingleAgentEnv, SingleAgentEnvConfig
from verifiers.v1.harness import Harness
from verifiers.v1.runtimes import SubprocessConfig
from verifiers.v1.utils import loaders
class AskOnce(Harness[HarnessConfig]):
    APPENDS_SYSTEM_PROMPT, EXECUTES_CODE, NEEDS_CONTAINER = True, False, False
    async def launch(self, ctx, trace, runtime, endpoint, secret, mcp_urls, data):
        return await runtime.run_program([sys.executable, {program!r}, endpoint, secret, ctx.model, *self.resolve_prompt(data)], {{}})
loaders.load_harness = lambda config: AskOnce(config)
loaders.default_harness_id = lambda taskset: "null"
config = harness_kernels.KernelConfig(id="harness_kernels", kernels=[{KERNEL!r}], device="cpu", db={self.db!r})
env = SingleAgentEnv(SingleAgentEnvConfig(taskset=config, agent=vf.AgentConfig(runtime=SubprocessConfig())))
client = EvalClientConfig(base_url=standins.scripted_provider(), api_key_var="PRIME_API_KEY")
context = vf.ModelContext(model="scripted", client=client)
async def play():
    async with env.serving():
        return [await env.run_slot(slot, context) for slot in env.slots(next(iter(env.taskset)), 3)]
print(json.dumps([dict(ok=each.ok, errors=[str(e) for e in each.errors + each.traces[0].errors], reply=each.traces[0].last_reply[:40],
                       reward=each.traces[0].reward, metrics=each.traces[0].metrics, text=each.model_dump_json()) for each in asyncio.run(play())]))""",
                           python=sys.executable, SCRIPTED_REPLIES=replies, PRIME_API_KEY="x")
        if told == "missing":
            self.skipTest("aiohttp and httpx are not installed for this Python")
        fast, wrong, none = told
        self.assertEqual([each["errors"] for each in told], [[], [], []])
        self.assertTrue(all(each["ok"] for each in told))
        self.assertEqual([each["metrics"]["passed"] for each in told], [1, 0, 0])
        self.assertGreater(fast["reward"], 0)
        self.assertEqual((wrong["reward"], none["reward"]), (0, 0))
        for secret in ("tolerance", "seed"):
            self.assertNotIn(secret, fast["text"])

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w") as file:
            file.write(text)
        return path


STOOD_IN = ["hydra", "omegaconf", "instructor", "google", "radon", "boto3", "dotenv", "Levenshtein", "scipy", "pydantic_config",
            "openai", "anthropic", "renderers", "zmq", "msgpack", "mcp", "math_verify", "datasets", "tenacity", "rich",
            "loguru", "prime_sandboxes", "prime_tunnel", "aiolimiter", "aiohttp", "uvloop", "tomli_w", "setproctitle", "httpx",
            "h11", "numpy", "gepa"]

if __name__ == "__main__":
    unittest.main()
