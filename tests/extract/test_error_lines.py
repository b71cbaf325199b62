from __future__ import annotations

from notewell.extract.error_lines import is_error
from notewell.extract.noise import plain_text

ERRORS = """
cp: Operation not permitted
No space left on device
curl: (6) Could not resolve host
HTTP 403
listen: address already in use
Read-only file system
not ok 3 - opens
✖ builds
stack overflow
npm ELIFECYCLE Command exited with code 1
exited with code 137
checksum mismatch
Fehler: kaputt
....F....                        [ 12%]
expected 3 but got 4
pod CrashLoopBackOff
make[2]: *** [all] Stop.
No module named rye
name 'rye' is not defined
it has no attribute 'oat'
the table does not exist
Type 'a' is not assignable to type 'b'
multiple definition of `main'
checksum does not match
deadlock!
WARNING: DATA RACE
Segfault
command terminated by signal 9
open: ENOENT
ENOSPC
EACCES: /etc
read ECONNRESET
502 Bad Gateway
certificate has expired
can’t open file
return code 1
E: Package 'rye' is gone
"""
SUCCESSES = ("exited with code 0", "return code 0", "0 errors", ".........    [ 12%]", "Compiling rye v1.2")


def test_errors_of_many_kinds_are_known() -> None:
    assert [line for line in ERRORS.strip().split("\n") if not is_error(line)] == []


def test_a_success_is_not_an_error() -> None:
    assert [line for line in SUCCESSES if is_error(line)] == []


def test_an_error_that_was_overwritten_stays_and_a_window_title_hides_nothing() -> None:
    shown = plain_text("ERROR: disk failure\rretrying 50 %\n\x1b]0;title\nerror: rye\n")
    assert "ERROR: disk failure" in shown and "error: rye" in shown
