#!/usr/bin/env python3
"""usage: HARNESS_KERNEL=softmax examples/shinka/run_evo.py

Evolves the source of a variant with ShinkaEvolve, beginning with its own.
"""
import os

import evaluate
import harness
from shinka.core import EvolutionConfig, ShinkaEvolveRunner
from shinka.database import DatabaseConfig
from shinka.launch import LocalJobConfig

TASK = """You optimize a CUDA kernel. Keep the entry's name and its arguments, and write what the original writes, within
rounding, for every size. The launch stays as it is. The feedback says what the judge found."""

here = os.path.dirname(os.path.abspath(__file__))


def main():
    with harness.Session(device=evaluate.setting("DEVICE", "auto"), db=evaluate.setting("DB")) as session:
        source = evaluate.objective(session).source()
    with open("initial.cu", "w", encoding="utf-8") as file:
        file.write(f"// EVOLVE-BLOCK-START\n{source}// EVOLVE-BLOCK-END\n")
    ShinkaEvolveRunner(
        evo_config=EvolutionConfig(task_sys_msg=TASK, num_generations=24, job_type="local", language="cuda",
                                   llm_models=["gpt-5-mini"], init_program_path="initial.cu", results_dir="results",
                                   use_text_feedback=True),
        job_config=LocalJobConfig(eval_program_path=os.path.join(here, "evaluate.py"), time="00:10:00"),
        db_config=DatabaseConfig(db_path="evolution.sqlite", num_islands=1),
        max_evaluation_jobs=1).run()


if __name__ == "__main__":
    main()
