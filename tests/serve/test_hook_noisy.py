from __future__ import annotations

import pytest

from notewell.extract.command_table import MATCHES, Kind, kind_of


@pytest.mark.parametrize(
    "command",
    [
        "cat build.log",
        "git diff",
        "git show HEAD",
        "git log -p",
        "python script.py",
        "npm test | jq .",
        "find . -exec cat {} ;",
        "npm test && cat report.txt",
        "echo `npm test`",
        "grep -c x -r .",
        "pytest --json",
        "kubectl get pods -o yaml",
        "kubectl logs pod",
        "docker inspect web",
        "docker exec web make",
        "docker logs web",
        "cargo run",
        "cargo metadata",
        "cargo test --message-format=json",
        "npm run print-config",
        "npm run start",
        "npm run lint",
        "npm ls",
        "npm config list",
        "yarn why rye",
        "make help",
        "make -n",
        "make run",
        "ruff check --output-format=json",
        "eslint .",
        "go list ./...",
        "terraform show",
        "helm template .",
        "pip freeze",
        "git log",
        "ls -laR",
        "tree",
        "git status --porcelain",
        "git ls-files",
        "curl https://example.org",
        "wget -qO- https://example.org",
        "jq . a.json",
        "python -c 'print(1)'",
        "journalctl -u web",
        "pytest | tail -100",
        "pytest 2>&1 | grep -i error",
        "pytest --collect-only",
        "rg -n name src | sort -r",
        "grep -rnA3 x .",
        "grep -rno x .",
        "find . -printf '%p'",
        "gcc -E a.c",
        "prettier a.js",
        "mvn dependency:tree",
        "gradle dependencies",
        "uv pip list",
        *(
            "pytest --fixtures",
            "pytest --markers",
            "pytest --co",
            "pytest --setup-plan",
            "tox -l",
            "tox -av",
            "tox list",
        ),
        *("nox -l", "nox --list", "rake -T", "rake -P", "ninja -n", "ninja -t targets", "tsc --explainFiles"),
        *("tsc --traceResolution", "tsc -p . --showConfig", "gcc -M a.c", "gcc -S -o - a.c", "gcc -dumpspecs"),
        *("gcc -dM -E - < /dev/null", "clang -Xclang -ast-dump a.c", "cc -print-search-dirs", "g++ --help=optimizers"),
        *(
            "rustc --explain E0308",
            "rustc --print cfg",
            "rg --type-list",
            "go test -json",
            "coverage run x.py",
            "make release-notes",
        ),
        *(
            "cmake -LAH",
            "cmake --version",
            "docker build -h",
            "make --version",
            "cargo test --help",
            "cargo test --list",
        ),
        "",
    ],
)
def test_output_that_was_asked_for_is_left_alone(command: str) -> None:
    assert kind_of(command) is None


@pytest.mark.parametrize(
    "command",
    [
        *("npm test", "npm run build:prod", "yarn", "pnpm build", "cargo build --release", "cargo +nightly test"),
        *("go test ./...", "docker build -t web .", "make -j8 test", "make", "gradle :app:testDebug", "mvn -q verify"),
        *("cmake -DCMAKE_BUILD_TYPE=Release ..", "gcc -MMD -DFEATURE -c a.c", "make release", "tox -e py311", "tox"),
        *("uv pip install rye", "pip install rye", "cd web && FOO=1 timeout 60 python -m pytest -q 2>&1 | tee log"),
    ],
)
def test_what_is_noisy_is_known(command: str) -> None:
    assert kind_of(command) == Kind()


def test_a_grep_of_git_is_one_like_any_other() -> None:
    assert kind_of("git grep -n rye") == kind_of("grep -rn rye .") == MATCHES
    assert kind_of("git grep -c rye") is None
