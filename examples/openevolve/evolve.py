#!/usr/bin/env python3
"""usage: HARNESS_KERNEL=softmax examples/openevolve/evolve.py [CONFIG.yaml] [ITERATIONS] [FOLDER]

Evolves the source of a variant with OpenEvolve, beginning with its own, and prints the best one.
"""
import os
import sys

import evaluator
from openevolve import run_evolution
from openevolve.config import load_config

here = os.path.dirname(os.path.abspath(__file__))


def main(config=os.path.join(here, "config.yaml"), iterations=None, folder="openevolve_output"):
    os.makedirs(folder, exist_ok=True)
    first = os.path.join(folder, "first.cu")
    with open(first, "w", encoding="utf-8") as file:
        file.write(evaluator.objective().source())
    result = run_evolution(first, os.path.join(here, "evaluator.py"), load_config(config),
                           int(iterations) if iterations else None, folder, cleanup=False)
    print(f"{result.best_code}\n// {result.best_score:.3f} times as fast as the baseline")
    return result


if __name__ == "__main__":
    main(*sys.argv[1:])
