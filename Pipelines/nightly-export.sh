#!/bin/sh
# Exports new transactions of a store and verifies all logs. It deletes nothing; retention.sh does.
# job.sh explains the settings for all jobs. The settings of this job:
#
#   TRAVELOG_STORE, TRAVELOG_LOGS  the store and its log folder
#   TRAVELOG_ALLOW_UNPROVEN        if set, parts of the logs may be unproven, such as an erasure
# shellcheck source=job.sh
. "$(dirname "$0")/job.sh"
need TRAVELOG_STORE TRAVELOG_LOGS

# The lag and the health of the store are metrics, also if the export failed. If status can't read
# the store or the logs, the next export can't continue.
at_end() {
  printf '%s\n' '# HELP travelog_healthy Whether the next export can continue: 1 or 0.' \
    '# TYPE travelog_healthy gauge' 'travelog_healthy{} 0' >"$work/status.prom"
  travelog status "$TRAVELOG_STORE" --logs "$TRAVELOG_LOGS" --max-lag 1h --json \
    --prometheus "$work/status.prom"
}
start

run export "$TRAVELOG_STORE" --to "$TRAVELOG_LOGS" --lock-wait "$TRAVELOG_LOCK_WAIT" --json
# Damage is a failure; a night without changes is not.
run verify "$TRAVELOG_LOGS" ${TRAVELOG_ALLOW_UNPROVEN:+--allow-unproven} --json
