#!/bin/sh
# Deletes old history from a store, after verifying that the logs contain it. The rows and the logs
# do not change. job.sh explains the settings for all jobs. The settings of this job:
#
#   TRAVELOG_STORE, TRAVELOG_LOGS  the store and its log folder
#   TRAVELOG_KEEP                  how much history to keep in the store; by default, 30d
#
# Does an app read this history, with fetchHistory or a history token? Then keep more than the
# longest pause of the app: an app whose token is older gets historyTokenExpired and must read
# everything again.
# shellcheck source=job.sh
. "$(dirname "$0")/job.sh"
need TRAVELOG_STORE TRAVELOG_LOGS
start

# It verifies all logs first, and deletes nothing if one of them is damaged.
run prune "$TRAVELOG_STORE" --logs "$TRAVELOG_LOGS" --keep "${TRAVELOG_KEEP:-30d}" \
  --lock-wait "$TRAVELOG_LOCK_WAIT" --json
