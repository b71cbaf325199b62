from __future__ import annotations

from notewell.extract import LOG, MATCHES, kind_of

WHOLE = """
cat build.log
git diff
git show HEAD
git log -p
git log
git status --porcelain
git ls-files
python script.py
python -c 'print(1)'
npm test | jq .
npm test && cat report.txt
npm run print-config
npm run start
npm run lint
npm ls
npm config list
yarn why rye
find . -exec cat {} ;
find . -printf '%p'
echo `npm test`
grep -c x -r .
grep -rnA3 x .
grep -rno x .
rg -n name src | sort -r
rg --type-list
kubectl get pods -o yaml
kubectl logs pod
docker inspect web
docker exec web make
docker logs web
docker build -h
cargo run
cargo metadata
cargo test --message-format=json
cargo test --help
cargo test --list
make help
make -n
make run
make release-notes
make --version
ruff check --output-format=json
eslint .
prettier a.js
go list ./...
go test -json
terraform show
helm template .
pip freeze
uv pip list
ls -laR
tree
curl https://example.org
wget -qO- https://example.org
jq . a.json
journalctl -u web
pytest --json
pytest | tail -100
pytest 2>&1 | grep -i error
pytest --collect-only
pytest --fixtures
pytest --markers
pytest --co
pytest --setup-plan
tox -l
tox -av
tox list
nox -l
nox --list
rake -T
rake -P
ninja -n
ninja -t targets
mvn dependency:tree
gradle dependencies
tsc --explainFiles
tsc --traceResolution
tsc -p . --showConfig
gcc -E a.c
gcc -M a.c
gcc -S -o - a.c
gcc -dumpspecs
gcc -dM -E - < /dev/null
clang -Xclang -ast-dump a.c
cc -print-search-dirs
g++ --help=optimizers
rustc --explain E0308
rustc --print cfg
cmake -LAH
cmake --version
coverage run x.py
"""
NOISY = """
npm test
npm run build:prod
yarn
pnpm build
cargo build --release
cargo +nightly test
go test ./...
docker build -t web .
make -j8 test
make
make release
gradle :app:testDebug
mvn -q verify
cmake -DCMAKE_BUILD_TYPE=Release ..
gcc -MMD -DFEATURE -c a.c
tox -e py311
tox
uv pip install rye
pip install rye
cd web && FOO=1 timeout 60 python -m pytest -q 2>&1 | tee log
"""


def commands(lines: str) -> list[str]:
    return lines.strip().split("\n")


def test_output_that_was_asked_for_stays_whole() -> None:
    assert [command for command in ("", *commands(WHOLE)) if kind_of(command) is not None] == []


def test_the_output_of_noisy_commands_is_a_log() -> None:
    assert [command for command in commands(NOISY) if kind_of(command) != LOG] == []


def test_git_grep_is_a_grep() -> None:
    assert kind_of("git grep -n rye") == kind_of("grep -rn rye .") == MATCHES
    assert kind_of("git grep -c rye") is None
