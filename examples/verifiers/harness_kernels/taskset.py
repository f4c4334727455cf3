"""harness_kernels: make a CUDA kernel faster. The reward is the judge's: 0 unless every gate passed, else the speedup.

The prompt has the contract, the reference and the source to begin with, which the program shows to any agent. Seeds,
tolerances, hidden sizes and the numbers of gates reach neither the prompt nor the trace.
"""
import json
import math

import harness
import verifiers.v1 as vf

SYSTEM = (
    "You optimize CUDA kernels. Keep the entry's name and its arguments, and write what the original writes, within "
    "rounding, for every size. The launch stays as it is. Answer with the whole source in one ```cuda block."
)


class KernelData(vf.TaskData):
    kernel: str
    variant: str
    workload: str


class KernelConfig(vf.TasksetConfig):
    kernels: list[str] = ["vector_scale", "softmax"]
    device: str = "auto"
    session: str = "verifiers"
    budget: str = "8h"
    """Of all rollouts together, on this store."""
    db: str | None = None


_sessions: dict[tuple, harness.AsyncSession] = {}


def session_of(device: str, session: str, budget: str, db: str | None) -> harness.AsyncSession:
    """One process of the program for each worker; the budget is shared by all."""
    key = (device, session, budget, db)
    if key not in _sessions:
        _sessions[key] = harness.AsyncSession(session, device=device, budget=budget, db=db)
    return _sessions[key]


class KernelTask(vf.Task[KernelData]):
    session: harness.AsyncSession

    @vf.metric
    async def judged(self, trace: vf.Trace) -> dict[str, float]:
        """Evaluates the last reply once; the reward reads what it found."""
        try:
            verdict = await self.session.evaluate(self.data.kernel, variant=self.data.variant,
                                                  workload=self.data.workload, source=harness.fenced(trace.last_reply or ""))
        except harness.BadInput:  # no source, or one without the entry
            return {"passed": 0.0, "compiled": 0.0, "speedup": 0.0}
        return {"passed": float(verdict.passed), "compiled": float(verdict.outcome != "compile_error"),
                "speedup": verdict.score}

    @vf.reward
    async def faster(self, trace: vf.Trace) -> float:
        """log2 of the speedup over the baseline: 1 for twice as fast; 0 where it is wrong, or no faster."""
        speedup = trace.metrics.get("speedup", 0.0)
        return math.log2(speedup) if speedup > 1 else 0.0


class KernelTaskset(vf.Taskset[KernelTask, KernelConfig]):
    def load(self) -> list[KernelTask]:
        config = self.config
        shared = session_of(config.device, config.session, config.budget, config.db)
        return [self.task(shared, index, kernel) for index, kernel in enumerate(config.kernels)]

    def task(self, shared: harness.AsyncSession, index: int, kernel: str) -> KernelTask:
        known = shared.session.describe(kernel)
        contract = {key: value for key, value in known.items() if key not in ("ok", "budget", "next")}
        variant = shared.session.variants(kernel)[0]["name"]
        prompt = (f"Make the kernel `{kernel}` faster.\n\nWhat it must compute:\n```json\n"
                  f"{json.dumps(contract, indent=1)}\n```\nThe source to begin with:\n```cuda\n"
                  f"{shared.session.source(kernel, variant)}```\n")
        workload = harness.Objective(shared.session, kernel).workloads[0]
        task = KernelTask(KernelData(idx=index, name=kernel, system_prompt=SYSTEM, prompt=prompt, kernel=kernel,
                                     variant=variant, workload=workload), self.config.task)
        task.session = shared
        return task
