#!/bin/sh
# Writes a page about the last week, and verifies that logs and store agree. It changes nothing, and
# may run before or after the other jobs. job.sh explains the settings for all jobs. The settings of
# this job:
#
#   TRAVELOG_STORE, TRAVELOG_LOGS  the store and its log folder
#   TRAVELOG_SINCE                 how much of the history the page shows; by default, 7d
#   TRAVELOG_TIME_ZONE             the time zone of the page; by default, UTC
#   TRAVELOG_OFFICE_HOURS          such as 8-18; changes at other times are findings
#   TRAVELOG_ALLOW_UNPROVEN        if set, parts of the logs may be unproven, such as an erasure
# shellcheck source=job.sh
. "$(dirname "$0")/job.sh"
need TRAVELOG_STORE TRAVELOG_LOGS
start

# The page comes first, because the findings of the next commands end the job.
run report "$TRAVELOG_LOGS" --since "${TRAVELOG_SINCE:-7d}" --output "${report%.json}.html" \
  --time-zone "${TRAVELOG_TIME_ZONE:-UTC}" \
  ${TRAVELOG_OFFICE_HOURS:+--office-hours "$TRAVELOG_OFFICE_HOURS"}
# The logs and the transactions since the last export give every row of the store.
run verify "$TRAVELOG_LOGS" --against "$TRAVELOG_STORE" \
  ${TRAVELOG_ALLOW_UNPROVEN:+--allow-unproven} --json
# Rows, history and constraints agree; the logs provide history that was pruned.
run check "$TRAVELOG_STORE" --logs "$TRAVELOG_LOGS" --json
