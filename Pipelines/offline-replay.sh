#!/bin/sh
# Updates a replica from a log folder, on a machine without the store, and compares both. job.sh
# explains the settings for all jobs. The settings of this job:
#
#   TRAVELOG_LOGS     the log folder
#   TRAVELOG_REPLICA  the replica; the first run creates it
#   TRAVELOG_UNTIL    the last point of the replica, such as 2026-11-03T08:00Z; by default, head
# shellcheck source=job.sh
. "$(dirname "$0")/job.sh"
need TRAVELOG_LOGS TRAVELOG_REPLICA
until=${TRAVELOG_UNTIL:-head}
start

# Each log is verified before any of it is applied; known transactions are skipped.
run import "$TRAVELOG_LOGS" --into "$TRAVELOG_REPLICA" --until "$until" --json
# Rows, history, constraints and catalog of the replica agree.
run check "$TRAVELOG_REPLICA" --json
# A difference between the logs and the replica is a failure.
run diff "$TRAVELOG_LOGS@$until" "$TRAVELOG_REPLICA" --json
