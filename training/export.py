"""Write a trained table as a model folder, in the layout that distill.py writes."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np
from distill import Json, Table, layout, write
from tokenizers import Tokenizer

NAME = "notewell-static-2"
VERSION = "2.0.0"
TEACHERS = {
    "minilm": "sentence-transformers/all-MiniLM-L6-v2",
    "mpnet": "sentence-transformers/all-mpnet-base-v2",
}


def describe(table: Table, result: Json) -> Json:
    """What config.json says, but for the hashes of what is written."""
    recipe = result["recipe"]
    chosen = list(TEACHERS) if recipe["teachers"] == "both" else [recipe["teachers"]]
    return {
        **layout(NAME, VERSION, table),
        "teacher": " + ".join(TEACHERS[name] for name in chosen),
        "recipe": recipe,
        "seed": recipe["seed"],
    }


def main() -> None:
    """Write the folder and print its size."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("table", type=Path, help="<name>.npz that train.py wrote; results.json lies beside it")
    parser.add_argument("--tokenizer", type=Path, required=True, help="tokenizer.json of that vocabulary")
    parser.add_argument("--out", type=Path, required=True, help="folder for the model")
    given = parser.parse_args()
    table = np.load(given.table)["table"]
    results = json.loads((given.table.parent / "results.json").read_text(encoding="utf-8"))
    result = next(entry for entry in results if entry["recipe"]["name"] == given.table.stem)
    write(given.out, table, Tokenizer.from_file(str(given.tokenizer)), describe(table, result))
    print(f"{given.out}: {sum(path.stat().st_size for path in given.out.iterdir()) / 1e6:.1f} MB")


if __name__ == "__main__":
    main()
