#!/usr/bin/env python3
"""usage: HARNESS_KERNEL=softmax examples/shinka/run_evo.py [MODEL] [GENERATIONS] [FOLDER]

Evolves the source of a variant with ShinkaEvolve, beginning with its own. MODEL is named as ShinkaEvolve names it
(default: gpt-5-mini); for one of your own, "local/NAME@http://HOST:PORT/v1", no embeddings are asked for.
"""
import os
import sys

import evaluate
import harness
from shinka.core import EvolutionConfig, ShinkaEvolveRunner
from shinka.database import DatabaseConfig
from shinka.launch import LocalJobConfig

TASK = """You optimize a CUDA kernel. Keep the entry's name and its arguments, and write what the original writes, within
rounding, for every size. The launch stays as it is. The feedback says what the judge found."""

here = os.path.dirname(os.path.abspath(__file__))


def main(model="gpt-5-mini", generations=24, folder="shinka_output"):
    with harness.Session(device=evaluate.setting("DEVICE", "auto"), db=evaluate.setting("DB")) as session:
        source = evaluate.objective(session).source()
    os.makedirs(folder, exist_ok=True)
    first = os.path.join(folder, "initial.cu")
    with open(first, "w", encoding="utf-8") as file:
        file.write(f"// EVOLVE-BLOCK-START\n{source}// EVOLVE-BLOCK-END\n")
    ours = {"embedding_model": None} if model.startswith("local/") else {}
    runner = ShinkaEvolveRunner(
        evo_config=EvolutionConfig(task_sys_msg=TASK, num_generations=int(generations), job_type="local", language="cuda",
                                   llm_models=[model], init_program_path=first, use_text_feedback=True,
                                   results_dir=os.path.join(folder, "results"), **ours),
        job_config=LocalJobConfig(eval_program_path=os.path.join(here, "evaluate.py"), time="00:10:00"),
        db_config=DatabaseConfig(num_islands=1),
        max_evaluation_jobs=1)
    runner.run()
    return runner


if __name__ == "__main__":
    main(*sys.argv[1:])
