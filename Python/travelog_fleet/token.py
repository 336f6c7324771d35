"""Tokens of stores, and what they say about a position of the table."""
import json

from .verification import Refusal

LARGEST = 64 << 10


def token_end(data, store, partial=""):
    """The last exported transaction: lineage, transaction and digest."""
    if len(data) > LARGEST:
        raise Refusal("unreadable", "_token.json is too large to be a token.")
    try:
        token = json.loads(data)
        version = token["version"]
        if version != 1:
            raise Refusal(
                "unreadable", f"_token.json has version {version}, which this program can't read."
            )
        end = token["stores"][store + (f"/partial={partial}" if partial else "")]
        return int(end["lineage"]), int(end["transaction"]), str(end["digest"])
    except (KeyError, TypeError, ValueError) as error:
        raise Refusal("unreadable", f"_token.json is not a token of the store: {error!r}") from error


def check_fork(position, end):
    """Refuses a token of another history than the one that the table has."""
    if position is None or end[:2] > (position.lineage, position.txn):
        return
    if end[:2] < (position.lineage, position.txn):
        raise Refusal(
            "forked",
            f"The token is at transaction {end[1]} of lineage {end[0]}, and the table has"
            f" transaction {position.txn} of lineage {position.lineage}: the store"
            " or its folder was restored from an older copy.",
        )
    if end[2] != position.digest:
        raise Refusal(
            "forked",
            f"The token has another digest for transaction {end[1]} than the table: two stores"
            " with this identifier have written different histories.",
        )
