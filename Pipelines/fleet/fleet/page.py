"""A page about a fleet in one file that needs no network, in the style of `travelog report`."""
import html, os

STYLE = """
:root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif }
body { max-width: 72rem; margin: 2rem auto; padding: 0 1rem }
h1 { font-size: 1.5rem } h2 { font-size: 1.1rem; margin-top: 2rem }
table { border-collapse: collapse; width: 100% }
th, td { text-align: left; padding: .2rem .8rem .2rem 0; border-bottom: 1px solid #8884; vertical-align: top }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums }
td { overflow-wrap: anywhere } p.note { opacity: .7 }
.bar { background: #3b82f680; height: .7rem }
"""

# Each section: title, what it says, and its query. Columns with counts are numbers.
SECTIONS = [
    ("Quarantine", "Stores whose new logs were not loaded, and stores without new transactions.",
     "SELECT verdict, store, partial AS filter, since, message FROM quarantine"
     " ORDER BY verdict, store"),
    ("Findings", "Findings that an auditor should examine, as “travelog report” defines them.",
     "SELECT finding, count(DISTINCT store) AS stores, count(*) AS transactions FROM findings"
     " GROUP BY finding ORDER BY finding"),
    ("Findings by store, author and day", "The latest findings first.",
     "SELECT day, store, author, finding, transactions FROM findings_by_day"
     " ORDER BY day DESC, store, author, finding"),
    ("Days", "Transactions and changed objects of each day, in UTC; snapshots are not changes.",
     "SELECT day, count(DISTINCT store) AS stores, count(*) AS transactions,"
     " sum(inserted) AS inserted, sum(updated) AS updated, sum(deleted) AS deleted"
     " FROM activity WHERE op <> 'snapshot' GROUP BY day ORDER BY day DESC"),
    ("Authors", "Sorted by the number of transactions.",
     "SELECT author, count(DISTINCT store) AS stores, count(*) AS transactions,"
     " sum(inserted) AS inserted, sum(updated) AS updated, sum(deleted) AS deleted"
     " FROM activity WHERE op <> 'snapshot' GROUP BY author ORDER BY 3 DESC, 1"),
    ("Stores", "Sorted by the number of transactions.",
     "SELECT store, count(DISTINCT lineage) AS lineages, count(*) AS transactions,"
     " sum(inserted) AS inserted, sum(updated) AS updated, sum(deleted) AS deleted,"
     " min(ts) AS first, max(ts) AS last"
     " FROM activity WHERE op <> 'snapshot' GROUP BY store ORDER BY 3 DESC, 1"),
]
LIMIT = 1000


def write_page(engine, path, source):
    """Writes the page; a reader never sees a part of it."""
    new = f"{path}.new"
    with open(new, "w", encoding="utf-8") as file:
        file.write("<!doctype html>\n<html lang=en><meta charset=utf-8>"
                   '<meta name=viewport content="width=device-width">'
                   f"<title>Fleet</title><style>{STYLE}</style>\n<h1>{html.escape(str(source))}</h1>\n")
        for title, about, query in SECTIONS:
            columns, rows = engine.query(f"{query} LIMIT {LIMIT + 1}")
            file.write(section(title, about, columns, rows))
        file.write("</html>\n")
    os.replace(new, path)


def section(title, about, columns, rows):
    note = f"{about} The first {LIMIT} rows." if len(rows) > LIMIT else about
    parts = [f"<h2>{html.escape(title)}</h2>\n<p class=note>{html.escape(note)}</p>\n"]
    if not rows:
        return parts[0] + "<p>None.</p>\n"
    numbers = [isinstance(value, int) for value in rows[0]]
    heads = (cell("th", name, number) for name, number in zip(columns, numbers))
    parts.append(f"<table><tr>{''.join(heads)}</tr>\n")
    for row in rows[:LIMIT]:
        cells = (cell("td", value, number) for value, number in zip(row, numbers))
        parts.append(f"<tr>{''.join(cells)}</tr>\n")
    return "".join(parts) + "</table>\n"


def cell(kind, value, is_number):
    style = " class=number" if is_number else ""
    return f"<{kind}{style}>{html.escape('' if value is None else str(value))}"
