"""Compares a lake with what `travelog` says about each store, value by value."""
import os
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import oracle
from spelling import canonical, decode, sizes


def times_of(engine, count):
    """Times spread over the transactions of a fleet, just as they are in lines."""
    _, rows = engine.query(
        "SELECT DISTINCT ts FROM transactions WHERE op <> 'snapshot' ORDER BY ts"
    )
    times = [row[0] for row in rows]
    found = {f"t{number}": times[(len(times) - 1) * number // (count - 1)]
             for number in range(count)}
    # Adopted databases have only transactions of today.
    _, rows = engine.query(
        "SELECT DISTINCT t.ts FROM transactions t"
        " JOIN (SELECT DISTINCT schema FROM properties WHERE encoding = 'any') p ON p.schema = t.schema"
        " ORDER BY 1"
    )
    if rows:
        found["adopted"] = rows[len(rows) // 2][0]
    return found


def states(engine):
    """{(store, moment): {(entity, id): {name: values or links}}} of the views."""
    found = defaultdict(lambda: defaultdict(dict))
    _, rows = engine.query(
        "SELECT store, moment, entity, id, name, value, special, large FROM state"
    )
    for store, moment, entity, identifier, name, *values in rows:
        found[store, moment][entity, identifier][name] = tuple(values)
    _, rows = engine.query("SELECT store, moment, entity, id, name, value FROM state_links")
    for store, moment, entity, identifier, name, link in rows:
        found[store, moment][entity, identifier].setdefault(name, []).append(link)
    for state in found.values():
        for properties in state.values():
            for name, values in properties.items():
                if isinstance(values, list):
                    values.sort()
    return found


def expected_states(members, logs, times, folder):
    """The same by `travelog`; None for an ambiguous time."""
    def expect(task):
        member, (moment, time) = task
        place = Path(folder) / f"{member.identifier}-{moment}"
        source = member.whole_logs or logs
        return (member.identifier, moment), oracle.state(source, member.identifier, time, place)

    tasks = [(member, item) for member in members for item in times.items()]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        return dict(pool.map(expect, tasks))


def complaints_about_state(found, expected, erased=None):
    """How two states differ, in sentences."""
    for key in found.keys() | expected.keys():
        if key not in found or key not in expected:
            yield f"{key} is only in {'the lake' if key in found else 'the store'}"
            continue
        for name in found[key].keys() | expected[key].keys():
            value, wanted = found[key].get(name), expected[key].get(name)
            if key == erased and isinstance(value, tuple) and value[0] is None:
                if value[1] == "erased" or wanted == value:
                    continue
            if value != wanted:
                yield f"{name} of {key} is {value}, and should be {wanted}"


def difference(before, after):
    """What `differences` and `link_differences` should have for two states."""
    values, links = set(), set()
    for key in before.keys() | after.keys():
        old, new = before.get(key, {}), after.get(key, {})
        op = "insert" if key not in before else "delete" if key not in after else "update"
        for name in old.keys() | new.keys():
            was, became = old.get(name), new.get(name)
            if isinstance(was, list) or isinstance(became, list):
                was, became = set(was or ()), set(became or ())
                links |= {(*key, name, link, None) for link in was - became}
                links |= {(*key, name, None, link) for link in became - was}
            elif was != became:
                was, became = was or oracle.ABSENT, became or oracle.ABSENT
                values.add((*key, name, op, *(part for pair in zip(was, became) for part in pair)))
            elif op != "update":
                values.add((*key, name, op, *(part for pair in zip(was, became) for part in pair)))
    return values, links


def differences(engine):
    """{store: (values, links)} of the views, for the moments before and after."""
    found = defaultdict(lambda: (set(), set()))
    _, rows = engine.query(
        "SELECT store, entity, id, name, op, before, after, special_before, special_after,"
        " large_before, large_after FROM differences"
    )
    for store, *row in rows:
        found[store][0].add(tuple(row))
    _, rows = engine.query("SELECT store, entity, id, name, before, after FROM link_differences")
    for store, *row in rows:
        found[store][1].add(tuple(row))
    return found


def findings(engine):
    """{store: {finding: (count, first places)}}."""
    _, rows = engine.query(
        "SELECT store, finding, lineage, txn FROM findings WHERE lineage IS NOT NULL"
    )
    found = defaultdict(lambda: defaultdict(list))
    for store, finding, *place in rows:
        found[store][finding].append(tuple(place))
    return {
        store: {finding: (len(places), sorted(places)[:oracle.FIRST])
                for finding, places in findings.items()}
        for store, findings in found.items()
    }


def counts(engine):
    """{store: (transactions, inserted, updated, deleted)}, without snapshots."""
    _, rows = engine.query(
        "SELECT store, count(*), sum(inserted), sum(updated), sum(deleted) FROM activity"
        " WHERE op <> 'snapshot' GROUP BY store"
    )
    return {store: tuple(map(int, numbers)) for store, *numbers in rows}


def has_other_names(before, after, member):
    """Whether a migration between two states gave things other names, which only the views follow."""
    names = [{(entity, name) for (entity, _), values in state.items() for name in values}
             for state in (before, after)]
    return member.kind in ("migrated", "adopted") and names[0] != names[1]


def difference_by_tool(text):
    """What `travelog diff --json` says, in the form of `difference`."""
    values, links = set(), set()
    for line in text.splitlines():
        answer = decode(line)
        if answer["type"] != "difference":
            continue
        found = answer["difference"]
        key = (found["entity"], found["id"])
        for part in found["properties"]:
            was, became = part.get("before"), part.get("after")
            if isinstance(was, list) or isinstance(became, list):
                was, became = (set(map(canonical, side or ())) for side in (was, became))
                links |= {(*key, part["name"], link, None) for link in was - became}
                links |= {(*key, part["name"], None, link) for link in became - was}
                continue
            large = (dict(sizes({side: part[f"{side}_large"]})).get(side)
                     if f"{side}_large" in part else None for side in ("before", "after"))
            values.add((*key, part["name"], found["op"], canonical(was), canonical(became),
                        part.get("before_special"), part.get("after_special"), *large))
    return values, links
