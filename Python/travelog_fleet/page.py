"""A page about a fleet in one file that needs no network, in the style of `travelog report`."""
import html, os
from collections import Counter
from pathlib import Path

from .answers import counted

STYLE = (Path(__file__).parent / "page.css").read_text()
# The most rows of a table.
LIMIT = 1000
# A longer text has a column of some width; an identifier is no longer.
LONG_TEXT = 36

# Questions about something that transactions have or not: number of occurrences, answer if there are
# none, what stands before the number, and noun of an occurrence.
COUNTED = [
    ("Were values erased?", "SELECT count(*) FROM findings WHERE finding = 'erasure'",
     "No", "In ", "transaction"),
    ("Are changes missing?", "SELECT count(*) FROM findings WHERE finding = 'gap'", "No gaps", "", "gap"),
    ("Did other programs write?", "SELECT count(*) FROM findings WHERE finding = 'foreign'",
     "No", "In ", "transaction"),
]
FIGURES = (
    "SELECT count(DISTINCT store) AS stores, count(*) AS transactions,"
    " coalesce(sum(inserted + updated + deleted), 0) AS changes, count(DISTINCT author) AS authors"
    " FROM activity WHERE op <> 'snapshot'"
)
CHANGES = ("count(*) AS transactions, sum(inserted) AS inserted, sum(updated) AS updated,"
           " sum(deleted) AS deleted")
# What a person should do about each verdict, as docs/FLEET.md says.
REPAIRS = {
    "damaged": "Copy the logs again, or run “travelog verify” on the logs of the store.",
    "forked": "Find out whether two stores have one identifier, or whether a store was restored without"
              " “travelog recover”.",
    "missing": "If a copy of the folder is still running, wait.",
    "unfinished": "Run the same “travelog erase” again.",
    "unreadable": "Use a newer “travelog”.",
    "silent": "Look at the device.",
    "failed": "Read the message.",
}
REPAIR = "".join(f" WHEN '{verdict}' THEN '{repair}'" for verdict, repair in REPAIRS.items())
# Each section: title, what it says, and its query. Columns with counts are numbers.
SECTIONS = [
    ("Quarantine", "Stores whose new logs were not loaded, and stores without new transactions.",
     f"SELECT verdict, store, partial AS filter, since, message, CASE verdict{REPAIR} END AS repair"
     " FROM quarantine ORDER BY verdict, store"),
    ("Findings", "Findings that an auditor should examine, as “travelog report” defines them.",
     "SELECT finding, count(DISTINCT store) AS stores, count(*) AS transactions FROM findings"
     " GROUP BY finding ORDER BY finding"),
    ("Findings by store, author and day", "The latest findings first.",
     "SELECT day, store, author, finding, transactions FROM findings_by_day"
     " ORDER BY day DESC, store, author, finding"),
    ("Days", "Transactions and changed objects of each day, in UTC; snapshots are not changes.",
     f"SELECT day, count(DISTINCT store) AS stores, {CHANGES}"
     " FROM activity WHERE op <> 'snapshot' GROUP BY day ORDER BY day DESC"),
    ("Authors", "Sorted by the number of transactions.",
     f"SELECT author, count(DISTINCT store) AS stores, {CHANGES}"
     " FROM activity WHERE op <> 'snapshot' GROUP BY author ORDER BY 3 DESC, 1"),
    ("Stores", "Sorted by the number of transactions.",
     f"SELECT store, count(DISTINCT lineage) AS lineages, {CHANGES}, min(ts) AS first, max(ts) AS last"
     " FROM activity WHERE op <> 'snapshot' GROUP BY store ORDER BY 3 DESC, 1"),
]


def write_page(engine, path, source):
    """Writes the page; a reader never sees a part of it."""
    new = f"{path}.new"
    with open(new, "w", encoding="utf-8") as file:
        file.write("<!doctype html>\n<html lang=en><meta charset=utf-8>"
                   '<meta name=viewport content="width=device-width">'
                   f"<title>Fleet {html.escape(str(source))}</title><style>{STYLE}</style>\n"
                   f"<header><nav><strong>Travelog fleet</strong>{''.join(map(link, SECTIONS))}</nav></header>\n"
                   f"<main><h1>{html.escape(str(source))}</h1>\n"
                   f"<ul class=tiles>{''.join(tile(*found) for found in questions(engine))}</ul>\n"
                   f"<dl class=figures>{figures(engine)}</dl>\n")
        for title, about, query in SECTIONS:
            columns, rows = engine.query(f"{query} LIMIT {LIMIT + 1}")
            file.write(section(title, about, columns, rows))
        file.write("</main></html>\n")
    os.replace(new, path)


def anchor(title):
    return title.lower().replace(",", "").replace(" ", "-")


def link(part):
    return f"<a href=#{anchor(part[0])}>{part[0]}</a>"


def questions(engine):
    """The questions of `travelog report`, each with a state and an answer."""
    _, rows = engine.query("SELECT verdict, count(DISTINCT store) FROM quarantine GROUP BY verdict")
    stores = Counter(dict(rows))
    silent, missing = stores.pop("silent", 0), stores["missing"]
    # Nobody knows what these stores did after the last load.
    unread = stores.total()
    if altered := stores["damaged"] + stores["forked"]:
        answer = "bad", f"{counted(altered, 'store')} damaged or forked"
    elif unread:
        answer = "unknown", f"{counted(unread, 'store')} not verified"
    else:
        answer = "good", "No alteration was found"
    yield "Was anything altered?", *answer
    for question, query, none, prefix, noun in COUNTED:
        _, ((number,),) = engine.query(query)
        if number:
            yield question, "attention", prefix + counted(number, noun) + (" or more" if unread else "")
        else:
            yield question, *(("unknown", "Unknown") if unread else ("good", none))
    if missing:
        answer = "bad", f"Logs of {counted(missing, 'store')} are missing"
    elif unread:
        answer = "unknown", f"{counted(unread, 'store')} not verified"
    elif silent:
        answer = "attention", f"{counted(silent, 'silent store')}"
    else:
        answer = "good", "No later log is missing"
    yield "Are the logs complete?", *answer


def tile(question, state, answer):
    return f"<li><small>{question}</small><strong class={state}>{answer}</strong>"


def figures(engine):
    names, (numbers,) = engine.query(FIGURES)
    return "".join(f"<div><dt>{name}</dt><dd>{number:,}</dd></div>" for name, number in zip(names, numbers))


def section(title, about, columns, rows):
    note = f"{about} The first {LIMIT} rows." if len(rows) > LIMIT else about
    head = f"<h2 id={anchor(title)}>{title}</h2>\n<p class=soft>{note}</p>\n<div class=card>"
    if not rows:
        return f"{head}<p>None.</p></div>\n"
    numbers = [isinstance(value, int) for value in rows[0]]
    lines = [row_of("th", columns, numbers), *(row_of("td", row, numbers) for row in rows[:LIMIT])]
    return f"{head}<table>{''.join(lines)}</table></div>\n"


def row_of(kind, values, numbers):
    return "<tr>" + "".join(map(cell, [kind] * len(values), values, numbers)) + "\n"


def cell(kind, value, is_number):
    text = f"{value:,}" if isinstance(value, int) else "" if value is None else str(value)
    style = " class=number" if is_number else " class=text" if len(text) > LONG_TEXT else ""
    return f"<{kind}{style}>{html.escape(text)}"
