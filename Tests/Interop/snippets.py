"""Runs the code blocks of docs/READING.md, and converts their answers to one form."""
import contextlib, datetime, io, json, math, re, subprocess
from pathlib import Path

QUESTIONS = ("changes", "edits", "total")


def snippets(document):
    """The code blocks that name a reader, as (reader, language, code)."""
    pattern = re.compile(r"^```(python|sh) (\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
    for language, reader, code in pattern.findall(Path(document).read_text()):
        yield reader, language, code


def plain(value):
    """A cell in the common form: text, a number, or None."""
    if value is None or isinstance(value, float) and math.isnan(value):
        return None
    if isinstance(value, datetime.datetime):
        value = value.astimezone(datetime.timezone.utc)
        return value.strftime("%Y-%m-%dT%H:%M:%S.%fZ")
    if hasattr(value, "as_py"):
        return plain(value.as_py())
    return value.item() if hasattr(value, "item") else value


def rows(table):
    """The rows of any reader's kind of table."""
    kind = type(table).__module__.split(".")[0]
    if kind in ("duckdb", "_duckdb"):
        found = table.fetchall()
    elif kind == "polars":
        found = table.rows()
    elif kind == "pandas":
        found = list(table.itertuples(index=False))
    elif kind == "pyspark":
        found = table.collect()
    elif type(table).__name__ == "Table":
        found = [row.values() for row in table.to_pylist()]
    else:  # A single number.
        found = [[table]]
    return [tuple(plain(cell) for cell in row) for row in found]


def answers(language, code, folder):
    """The answers of a code block that runs in a folder: each question with its rows."""
    if language == "python":
        # Spark's virtual machine keeps the folder that it was started in.
        code, space = code.replace("logs/store=", f"{folder}/logs/store="), {}
        with contextlib.redirect_stdout(io.StringIO()):
            exec(compile(code, "docs/READING.md", "exec"), space)
        found = {question: rows(space[question]) for question in QUESTIONS}
    else:
        found = answers_of_shell(code, folder)
    if "changes" in found:
        found["changes"] = sorted(found["changes"])
    return found


def answers_of_shell(code, folder):
    """A script answers one question after each comment with its name; without one, it counts."""
    parts = re.split(r"^# (\w+)\n", code, flags=re.MULTILINE)
    if len(parts) == 1:
        return {"count": int(shell(code, folder))}
    found = {}
    for question, part in zip(parts[1::2], parts[2::2]):
        lines = shell(parts[0] + part, folder).splitlines()
        if question == "changes":
            cells = [re.split(r"[ |]", line.strip()) for line in lines]
            found[question] = [(entity, op, int(count)) for count, entity, op in cells]
        elif question == "edits":
            found[question] = [tuple(json.loads(line)) for line in lines]
        else:
            found[question] = [(json.loads(lines[0] or "null"),)]
    return found


def shell(script, folder):
    done = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", script], cwd=folder, check=True, stdout=subprocess.PIPE
    )
    return done.stdout.decode()


def agree(found, expected):
    """Whether two answers are equal; a sum may be rounded, and an empty sum is 0 or null."""
    if isinstance(found, list) and len(found) == 1 and len(found[0]) == 1:
        return math.isclose(found[0][0] or 0, expected[0][0] or 0, rel_tol=1e-12)
    return found == expected
