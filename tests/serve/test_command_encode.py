from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.cases import cases
from tests.serve.conftest import write_numbered
from tests.serve.encoding import NONE, Notewell, encoding

from notewell import Vault
from notewell.files.lock import held
from notewell.files.user import private_folder
from notewell.serve.cli.progress import QUIET

# The lowest there is, or as low as that from where the tests run.
LOWEST = min(19, os.nice(0) + 19)
# Runs a command and says at its end at which priority it did.
PRIORITY = """
import atexit, os
from notewell.serve.cli import main
atexit.register(lambda: print(f"priority {os.nice(0)}"))
main()
"""


# `notewell encode`


@pytest.mark.usefixtures("encoded")
def test_a_person_reads_how_many_chunks_were_read_and_by_what(notewell: Notewell) -> None:
    notewell("index")
    assert notewell("encode") == (0, "words: 100% of 4 chunks done\n", "")
    assert notewell("encode") == (0, "words: 100% of 4 chunks done\n", "")


@pytest.mark.usefixtures("encoded")
def test_json_is_as_other_programs_know_it(notewell: Notewell) -> None:
    notewell("index")
    code, out, err = notewell("fill", "--json")
    assert (code, err) == (0, "")
    assert json.loads(out) == {**NONE, "encoder": "words/27", "filled": 4}


def test_the_vault_can_be_named(notewell: Notewell, encoded: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    notewell("index")
    monkeypatch.chdir(encoded.parent)
    assert json.loads(notewell("encode", "--vault", str(encoded), "--json")[1])["filled"] == 4


def test_without_an_encoder_it_is_an_error_that_says_how_to_get_one(notewell: Notewell) -> None:
    notewell("index")
    code, out, err = notewell("encode")
    assert (code, out) == (1, "")
    assert err == ("error: There is no encoder\nhint: Set embed.encoder, or run `pip install 'notewell[minilm]'`\n")


def test_an_encoder_that_is_not_there_is_an_error_with_a_hint(notewell: Notewell, encoded: Path) -> None:
    notewell("index")
    (encoded / "notewell.toml").write_text('[embed]\nmodel = "words"\nencoder = "nowhere"\n', encoding="utf-8")
    code, out, err = notewell("encode")
    assert (code, out) == (1, "")
    assert err.startswith("error: embed.encoder names no known encoder\nhint: Set embed.encoder to ")


def test_a_second_encoding_run_leaves_it_to_the_first(notewell: Notewell, encoded: Path) -> None:
    notewell("index")
    with Vault.open(encoded) as vault, vault.store.locked("encode"):
        assert notewell("encode") == (
            0,
            "words: 0% of 4 chunks done\n",
            "another process is already encoding this vault in the background\n",
        )
        told = encoding(notewell)
        assert told == {**NONE, "encoder": "words/27", "left": 4, "under_way": True}
        assert "encoder   words: 0% of 4 chunks done; running now\n" in notewell("status")[1]
    assert not encoding(notewell)["under_way"]


def test_a_vault_that_was_never_indexed_is_left_as_it_is(notewell: Notewell, encoded: Path) -> None:
    notewell("encode")
    assert not (encoded / ".notewell").exists()


def test_a_long_encoding_run_reports_its_progress_on_stderr(notewell: Notewell, encoded: Path) -> None:
    write_numbered(encoded, QUIET.notes - 4)
    notewell("index")
    _, out, err = notewell("encode")
    told = [int(number) for number in re.findall(r"encoded (\d+) of 500 chunks", err)]
    # A line for each tenth, with the first group of 32 that reaches it.
    assert told == [64, 128, 160, 224, 256, 320, 352, 416, 480, 500]
    assert out == "words: 100% of 500 chunks done\n"


def test_ctrl_c_keeps_what_is_done(notewell: Notewell, encoded: Path) -> None:
    write_numbered(encoded, 96)
    notewell("index")
    # The second group of chunks is the last that it makes.
    program = """
import os, signal
from notewell.embed.words import WordsEmbedder
from notewell.serve.cli import main
quick, calls = WordsEmbedder.embed, []
def embed(self, texts):
    calls.append(texts)
    if len(calls) == 2:
        os.kill(os.getpid(), signal.SIGINT)
    return quick(self, texts)
WordsEmbedder.embed = embed
main()
"""
    ended = subprocess.run([sys.executable, "-c", program, "fill"], cwd=encoded, capture_output=True, text=True)
    filling = encoding(notewell)
    assert filling["filled"] >= 32 and filling["filled"] + filling["left"] == 100
    assert (ended.returncode, ended.stdout) == (130, f"words: {filling['filled']}% of 100 chunks done\n")
    assert "Traceback" not in ended.stderr


# Gently


def run_gently(folder: Path) -> tuple[int, str, str]:
    """Run background encoding in another process, since this one would keep its low priority for all later tests."""
    ended = subprocess.run(
        [sys.executable, "-c", PRIORITY, "fill", "--gently"], cwd=folder, capture_output=True, text=True, timeout=60
    )
    return ended.returncode, ended.stdout, ended.stderr


def test_background_encoding_has_the_lowest_priority(notewell: Notewell, encoded: Path) -> None:
    notewell("index")
    assert run_gently(encoded) == (0, f"words: 100% of 4 chunks done\npriority {LOWEST}\n", "")
    assert encoding(notewell)["left"] == 0


def test_background_encoding_leaves_another_alone(notewell: Notewell, encoded: Path) -> None:
    notewell("index")
    with Vault.open(encoded) as vault, vault.store.locked("encode"):
        code, out, _ = run_gently(encoded)
    assert (code, out) == (0, f"words: 0% of 4 chunks done\npriority {LOWEST}\n")
    assert encoding(notewell)["filled"] == 0


# Behind `notewell index`


def ended(process: subprocess.Popen[bytes], seconds: float) -> bool:
    """Tell whether a process ends in time."""
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        return False
    return True


# An encoder that cannot be used


@pytest.fixture(params=["garbage", "half", "ollama:x"])
def unusable(request: pytest.FixtureRequest, notewell: Notewell, encoded: Path) -> str:
    """An indexed vault whose encoder is damaged, incomplete or a server; what is said about it."""
    notewell("index")
    for path in ("garbage/model.onnx", "garbage/tokenizer.json", "half/model.onnx"):
        (encoded / path).parent.mkdir(exist_ok=True)
        (encoded / path).write_bytes(b"\x08\xff garbage")
    (encoded / "notewell.toml").write_text(f'[embed]\nmodel = "words"\nencoder = "{request.param}"\n')
    return "embed.encoder names a server" if request.param == "ollama:x" else f"The model in {encoded}"


def test_search_answers_without_an_encoder_that_cannot_be_used_and_says_so(
    notewell: Notewell, unusable: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Otherwise it is not asked, as nothing was encoded.
    monkeypatch.setenv("NOTEWELL_SEARCH_ON_DEMAND", "14400")
    code, out, err = notewell("search", "hive", "--all", "--json")
    (notice,) = json.loads(out)["notices"]
    assert (code, json.loads(out)["hits"][0]["path"]) == (0, "Garden/Bees.md")
    assert notice.startswith(unusable) and notice.endswith(". Searching without it")
    assert err == f"note: {notice}\n"


def test_encode_and_eval_with_an_encoder_that_cannot_be_used_are_errors(
    notewell: Notewell, unusable: str, collection: Path
) -> None:
    for command in (("fill",), ("eval", str(collection))):
        code, out, err = notewell(*command)
        assert (code, out) == (1, "")
        assert f"error: {unusable}" in err and "\nhint: " in err


@pytest.mark.parametrize("unusable", ["half", "ollama:x"], indirect=True)
def test_status_says_that_an_encoder_cannot_be_used(notewell: Notewell, unusable: str) -> None:
    assert f"encoder   not usable: {unusable}" in notewell("status")[1]
    assert encoding(notewell)["problem"].startswith(unusable)


# `notewell status` and `notewell eval`


def test_status_shows_the_share_that_is_encoded(notewell: Notewell, encoded: Path) -> None:
    notewell("index")
    assert encoding(notewell) == {**NONE, "encoder": "words/27", "left": 4}
    assert "encoder   words: 0% of 4 chunks done\n" in notewell("status")[1]
    notewell("encode")
    assert encoding(notewell) == {**NONE, "encoder": "words/27", "filled": 4}
    assert "encoder   words: 100% of 4 chunks done\n" in notewell("status")[1]
    (encoded / "new.md").write_text("# New\n\nA note that was not there before at all.\n")
    notewell("index")
    assert encoding(notewell) == {**NONE, "encoder": "words/27", "filled": 4, "left": 1}
    assert "encoder   words: 80% of 5 chunks done\n" in notewell("status")[1]


def test_status_counts_no_vectors_of_another_encoder(
    notewell: Notewell, encoded: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    notewell("index")
    notewell("encode")
    monkeypatch.setenv("NOTEWELL_EMBED_ENCODER", "minilm")
    told = encoding(notewell)
    assert (told["encoder"].split("/")[0], told["filled"], told["left"]) == ("all-MiniLM-L6-v2", 0, 4)


def test_status_says_that_there_is_no_encoder(notewell: Notewell) -> None:
    notewell("index")
    assert "encoder   none\n" in notewell("status")[1]
    assert encoding(notewell) == NONE


def test_of_two_vaults_one_is_read_at_a_time_and_nobody_begins_with_the_other(
    notewell: Notewell, encoded: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = tmp_path / "state"
    monkeypatch.setenv("XDG_STATE_HOME", str(state))
    notewell("index")
    command = [sys.executable, "-m", "notewell", "fill", "--gently", "--vault", str(encoded)]
    with held(private_folder(state / "notewell") / "reader.lock", 0):
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        while "; waiting for another vault to be encoded\n" not in notewell("status")[1]:
            assert process.poll() is None
            time.sleep(0.05)
        assert not encoding(notewell)["under_way"]
        # Nothing is started beside the process that waits; by hand, the vault is encoded at once.
        monkeypatch.setenv("NOTEWELL_EMBED_BACKGROUND", "yes")
        assert notewell("index")[2] == ""
        assert notewell("encode")[1] == "words: 100% of 4 chunks done\n"
    assert process.communicate(timeout=300)[0] == "words: 100% of 4 chunks done\n"


@pytest.fixture
def collection(tmp_path: Path) -> Path:
    """Documents of which the one that is wanted is the worst by words, and the nearest by the encoder."""
    folder = tmp_path / "tiny"
    (folder / "qrels").mkdir(parents=True)
    texts = {f"d{number}": f"rye bread {number}" + " oat" * (3 + number % 5) for number in range(69)}
    rows = [{"_id": name, "title": "", "text": text} for name, text in texts.items()]
    rows.append({"_id": "wanted", "title": "", "text": "rye bread" + " red bear" * 10})
    (folder / "corpus.jsonl").write_text("\n".join(json.dumps(row) for row in rows) + "\n")
    (folder / "queries.jsonl").write_text(json.dumps({"_id": "q1", "text": "rye bread"}) + "\n")
    (folder / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\nq1\twanted\t1\n")
    return folder


@pytest.mark.usefixtures("encoded")
def test_eval_measures_with_the_share_that_is_asked_for(
    notewell: Notewell, collection: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NOTEWELL_SEARCH_ON_DEMAND", "0")
    told = []
    for share in ("0", "0.5", "1"):
        _, out, err = notewell("eval", str(collection), "--vector-weight", "0", "--filled", share, "--json")
        told.append((re.findall(r"encoding (.*) chunks", err), json.loads(out)["mrr@10"]))
    assert (told[0], told[2]) == (([], 0.0), (["100% of 70"], 1.0))
    assert told[1][0] == ["50% of 70"]


@pytest.mark.usefixtures("encoded")
def test_eval_encodes_everything_by_default(notewell: Notewell, collection: Path) -> None:
    assert "encoding 100% of 70 chunks" in notewell("eval", str(collection))[2]


@pytest.mark.usefixtures("encoded")
@cases("share", ["-0.1", "1.5", "half"])
def test_a_share_that_is_none_is_a_wrong_call(notewell: Notewell, collection: Path, share: str) -> None:
    code, out, err = notewell("eval", str(collection), "--filled", share)
    assert (code, out) == (2, "")
    assert "--filled" in err
