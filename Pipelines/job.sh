# shellcheck shell=sh
# What all jobs share: settings, one report of each run, and metrics for the textfile collector of
# Prometheus. Each job begins by reading this file. The settings are variables of the environment:
#
#   TRAVELOG_NAME       the name of the store, in the names of files and in the metrics
#   TRAVELOG_REPORTS    the folder for the reports
#   TRAVELOG_METRICS    the folder for the metrics; by default, the folder for the reports
#   TRAVELOG_LOCK_WAIT  how long to wait for another command in the log folder; by default, 10m
set -eu

job=$(basename "$0" .sh)
begin=$(date +%s)
child=

# fail CODE MESSAGE: ends the job.
fail() {
  printf '%s: %s\n' "$job" "$2" >&2
  exit "$1"
}

# need SETTING...: ends the job if a setting is missing.
need() {
  for setting; do
    eval "[ -n \"\${$setting-}\" ]" || fail 64 "$setting is not set; docs/OPERATE.md explains it."
  done
}

# start: begins the report, which is the standard output of the job from now on.
start() {
  [ -d "$TRAVELOG_REPORTS" ] || fail 10 "There is no folder $TRAVELOG_REPORTS. Is its disk mounted?"
  true >"$report" || fail 2 "Can't write to $TRAVELOG_REPORTS."
  exec >"$report"
}

# run ARGUMENT...: runs a command, and ends the job if the command fails. The command runs in the
# background, because a shell handles signals only while it waits.
run() {
  travelog "$@" &
  child=$!
  wait "$child" || fail $? "travelog $1 failed with exit status $?. The report is $report"
  child=
}

# Runs at the end of the job, also after a failure; a job may replace it before it calls start.
at_end() { :; }

stop() {
  trap '' HUP INT TERM
  [ -z "$child" ] || kill "$child" 2>/dev/null || :
  wait
  exit "$1"
}

# Replaces the metrics in one step, so the collector never reads a part of them. A failure keeps the
# time of the last success.
write_metrics() {
  end=$(date +%s)
  success=$end
  if [ "$code" -ne 0 ]; then
    success=$(sed -n 's/^travelog_job_last_success_.*} //p' "$metrics" 2>/dev/null)
  fi
  labels="{pipeline=\"$job\",store=\"$TRAVELOG_NAME\"}"
  cat >"$work/metrics" <<METRICS && chmod 644 "$work/metrics" && mv "$work/metrics" "$metrics"
# HELP travelog_job_last_run_timestamp_seconds The time at which the job last ended.
# TYPE travelog_job_last_run_timestamp_seconds gauge
travelog_job_last_run_timestamp_seconds$labels $end
# HELP travelog_job_last_success_timestamp_seconds The time at which the job last succeeded.
# TYPE travelog_job_last_success_timestamp_seconds gauge
travelog_job_last_success_timestamp_seconds$labels ${success:-0}
# HELP travelog_job_last_exit_code The exit code of the job's last run; 0 is success.
# TYPE travelog_job_last_exit_code gauge
travelog_job_last_exit_code$labels $code
# HELP travelog_job_duration_seconds The duration of the job's last run.
# TYPE travelog_job_duration_seconds gauge
travelog_job_duration_seconds$labels $((end - begin))
$([ ! -e "$work/status.prom" ] || sed "s/{.*}/{store=\"$TRAVELOG_NAME\"}/" "$work/status.prom")
METRICS
}

finish() {
  code=$?
  set +e
  trap '' HUP INT TERM
  [ -d "$work" ] || mkdir "$work"
  at_end
  ended=$?
  [ "$code" -ne 0 ] || code=$ended
  printf '{"type":"job","job":"%s","store":"%s","seconds":%d,"code":%d}\n' \
    "$job" "$TRAVELOG_NAME" $(($(date +%s) - begin)) "$code" || [ "$code" -ne 0 ] || code=2
  write_metrics || [ "$code" -ne 0 ] || code=2
  rm -rf "$work"
  exit "$code"
}

# The PATH of cron may lack the folder of the program; “make install” changes this path.
PATH=$PATH:$(dirname /usr/bin/travelog)
need TRAVELOG_NAME TRAVELOG_REPORTS
: "${TRAVELOG_METRICS:=$TRAVELOG_REPORTS}" "${TRAVELOG_LOCK_WAIT:=10m}"
case $TRAVELOG_NAME in
*[!A-Za-z0-9._-]*) fail 64 "TRAVELOG_NAME may contain only letters, digits and any of . _ -" ;;
esac
metrics=$TRAVELOG_METRICS/$job-$TRAVELOG_NAME.prom
work=$TRAVELOG_METRICS/.$job-$TRAVELOG_NAME.$$
report=$TRAVELOG_REPORTS/$job-$TRAVELOG_NAME-$(date -u +%Y%m%dT%H%M%SZ)-$$.json
exec >/dev/null
trap finish EXIT
trap 'stop 129' HUP
trap 'stop 130' INT
trap 'stop 143' TERM
