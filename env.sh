export TMPDIR=$B/tmp
