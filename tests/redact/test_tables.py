from __future__ import annotations

import csv
import io
from collections.abc import Callable
from itertools import product
from random import Random

from hypothesis import given
from hypothesis import strategies as st
from tests.redact.made_up import Made
from tests.redact.made_up import password as made_up_password

from notewell.redact import LINE_IN_LINE, all_rules, redact_text

Plant = Callable[..., Made]

# In a cell, nothing has a line for itself.
KINDS = tuple(rule.name for rule in all_rules() if not rule.alone)
WORD = "correct" + "horse"


def password(seed: int) -> str:
    return made_up_password(Random(seed))


def left(text: str, secrets: list[str]) -> list[int]:
    """Return the numbers of the secrets that redaction left."""
    redacted = redact_text(text)[0]
    assert redacted.count("\n") == text.count("\n")
    return [number for number, secret in enumerate(secrets) if secret in redacted]


SECRETS = [password(seed) for seed in range(8)]


def sheet(separator: str, first: str) -> str:
    """Return a table whose first row lacks a cell, whose third has one too many, with a remark in its middle."""
    rows = [separator.join(("mail", "ilse", secret, "note")) for secret in SECRETS]
    rows[0] = separator.join(("mail", "ilse", SECRETS[0]))
    rows[2] += f"{separator}more{separator}and more"
    rows[4:4] = ["a remark", "of two lines"]
    return "\n".join((first, *rows))


def test_a_row_with_more_or_fewer_cells_ends_no_table() -> None:
    for separator in (" | ", ",", ";", "\t"):
        header = separator.join(("Name", "Login", "Password", "Notes"))
        assert left(sheet(separator, header), SECRETS) == []
        named = f"[Sheet: Accounts]\n{separator.join(('Accounts', '2024'))}\n{header}"
        assert left(sheet(separator, named), SECRETS) == []


def test_bars_around_a_row_may_be_left_out_in_the_head_or_in_the_rows() -> None:
    bare = [f"mail | ilse | {secret}" for secret in SECRETS]
    barred = [f"| {row} |" for row in bare]
    head, rule = "Name | Login | Password", "|---|---|---|"
    assert left("\n".join((f"| {head} |", rule, *bare)), SECRETS) == []
    assert left("\n".join((head, rule, *barred)), SECRETS) == []


def test_a_line_break_in_a_field_of_csv_ends_neither_table_nor_record() -> None:
    for sign, quoting in product((",", ";", "\t"), (csv.QUOTE_MINIMAL, csv.QUOTE_ALL)):
        writer = csv.writer(file := io.StringIO(), delimiter=sign, quoting=quoting)  # type: ignore[arg-type]
        writer.writerow(("name", "notes", "password", "url"))
        for number, secret in enumerate(SECRETS):
            lines = "\n".join(['a "note"', "", "of", "many", "lines", f"{sign}{sign}"][: number + 1])
            writer.writerow(("mail", lines, secret, "https://example.org"))
        assert left(file.getvalue(), SECRETS) == []
        assert left(file.getvalue().replace("\r\n", "\n"), SECRETS) == []


def test_a_quotation_mark_that_is_never_closed_hides_nothing() -> None:
    rows = "\n".join(f"mail,ilse,{secret}" for secret in SECRETS)
    assert left(f'name,login,password\n"mail,ilse,x\n{rows}', SECRETS) == []
    assert left(f'name,login,password\n"mail,ilse,x\n{rows}\n"mail",ilse,x', SECRETS) == []


def test_a_cell_of_several_lines_that_a_reader_joined_ends_no_row() -> None:
    rows = "\n".join(f"mail | a{LINE_IN_LINE}remark | {secret} | x" for secret in SECRETS)
    assert left(f"Name | Notes | Password | Url\n{rows}", SECRETS) == []


def test_a_csv_that_tells_its_separator_or_numbers_its_rows_has_a_head() -> None:
    assert left(f"sep=;\nname;password\nmail;{SECRETS[0]}", SECRETS[:1]) == []
    assert left(f",name,password\n0,mail,{SECRETS[0]}", SECRETS[:1]) == []


def test_a_table_has_no_most_of_rows_or_columns() -> None:
    rows = "\n".join("a,b,word" for _ in range(25_000))
    assert left(f"name,login,password\n{rows}\nmail,ilse,{SECRETS[0]}", SECRETS[:1]) == []
    wide = ",".join(f"field{number}" for number in range(1000))
    cells = "1," * 1000
    table = f"{wide},password,x\n{cells}{SECRETS[0]},y"
    assert left(table, SECRETS[:1]) == left(table.replace(",", "|"), SECRETS[:1]) == []


def test_any_cell_in_a_column_of_passwords_goes() -> None:
    for value, separator in product((WORD, f"{WORD} battery staple", "1987-" + "swordfish"), (" | ", ",")):
        rows = [separator.join(("Name", "Password", "x")), separator.join(("mail", value, "x"))]
        assert left("\n".join(rows), [value]) == [], (value, separator)


def test_a_cell_without_a_password_stays() -> None:
    tables = [
        "| Place | Password |\n|---|---|\n| mail | required |\n| web | see the manager |\n| tv | <password> |",
        f"| Place | Password policy |\n|---|---|\n| mail | {WORD} |",
        f"Then type your name, password\nand press return, {WORD}",
        f"| Kind | Token |\n|---|---|\n| mail | {WORD} |",
        "| Name | Kind |\n|---|---|\n| user | password |\n| mail2024 | text2024 |\n",
    ]
    assert [table for table in tables if redact_text(table) != (table, ())] == []


def test_every_row_of_a_table_is_read_and_no_line_after_it() -> None:
    rows = "".join(f"| mail | ilse{number} | Tr0ub4dor{number} |\n" for number in range(5))
    text = redact_text(f"| Site | User | Password |\n|---|---|---|\n{rows}\n| a | b | Tr0ub4dor9 |\n")[0]
    assert text.count("[REDACTED:password-column]") == 5
    assert "ilse4" in text and "Tr0ub4dor9" in text


def test_a_cell_with_an_escaped_bar_or_a_backslash_goes_whole() -> None:
    header = "| Site | Password |\n|---|---|\n"
    assert "b77" not in redact_text(header + "| mail | Tr0\\|b77 |\n")[0]
    assert "Tr0ub" not in redact_text(header + "| mail | Tr0ub4dor\\")[0]


@given(
    st.sampled_from(KINDS),
    st.integers(0, 10**6),
    st.integers(0, 60),
    st.lists(st.integers(0, 5), max_size=4),
    st.sampled_from([",", ";", "\t", "|"]),
)
def test_no_secret_survives_in_a_table_of_any_shape(
    plant: Plant, kind: str, seed: int, before: int, ragged: list[int], sign: str
) -> None:
    made = plant(kind, seed)
    if sign == "|":
        # As a sheet's rows are read, with the lines of a cell joined.
        cell = made.text.replace("\n", LINE_IN_LINE)
        rows = [" | ".join(["x"] * cells) for cells in ragged]
        text = "\n".join(("a | b | Password | c", *rows, " | ".join((*["x"] * before, cell, "y"))))
    else:
        writer = csv.writer(file := io.StringIO(), delimiter=sign, lineterminator="\n")
        writer.writerow(("a", "b", "password", "c"))
        writer.writerows(["x\ny"] * cells for cells in ragged)
        writer.writerow((*["x"] * before, made.text, "y"))
        text = file.getvalue()
    redacted = redact_text(text)[0]
    assert not any(line in redacted for line in made.secret.split("\n"))
    # The same, beneath the name of a password.
    for row in ("a|b|{}", "a|b|{}|c|d|e"):
        secret = password(seed)
        table = "\n".join(("a|b|Password|c", *("|".join(["x"] * cells) for cells in ragged if cells > 1), row))
        assert secret not in redact_text(table.format(secret).replace("|", sign))[0]
