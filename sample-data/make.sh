#!/usr/bin/env bash
# Makes what is in this folder, in another one, with travelog and trips from the PATH:
#     sample-data/make.sh FOLDER
# The same programs make the same each time: times, identities and salts follow from the seeds, and quotes from the
# locale.
set -euo pipefail
export LC_ALL=C.UTF-8
here=$(cd "$(dirname "$0")" && pwd)
cd "${1:?Which folder shall it be made in?}"

# A store of six hundred changes in a month, and its logs, as four runs of a cron job left them.
trips seed trips.store --changes 600 --seed 7 --small-photos
for point in 20 45 70; do travelog export trips.store --to logs --until "$point"; done
travelog export trips.store --to logs

# A replica, the difference between two days, and a report.
travelog import logs --into replica.store
travelog diff trips.store@2024-02-04 trips.store@2024-02-05 > diff.txt || test $? = 1
travelog diff trips.store@2024-02-04 trips.store@2024-02-05 --json > diff.json || test $? = 1
# The time in the report is that of the last change.
SOURCE_DATE_EPOCH=1707148800 travelog report logs --office-hours 8-18 --output report.html

# A proof of one change, signed with a key that is not a secret: its 32 bytes are zeros in ASCII.
mkdir proof
cp -r logs signed
printf -- '-----BEGIN %s KEY-----\n%s\n-----END %s KEY-----\n' \
  PRIVATE MC4CAQAwBQYDK2VwBCIEIDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAw PRIVATE > key.pem
printf -- '-----BEGIN %s KEY-----\n%s\n-----END %s KEY-----\n' PUBLIC MCowBQYDK2VwAyEAG6QHW3fJ4/s+zeFc2vUiHzwQNz5iP3sOHvdjZrCvcTc= PUBLIC > proof/public.pem
travelog checkpoint signed --key key.pem --quiet
travelog prove signed 34.0 > proof/change.proof
rm -r signed key.pem

# Stores as the first two releases of the app wrote them.
mkdir releases
trips seed releases/1.store --release 1 --changes 60 --seed 1
trips seed releases/2.store --release 2 --changes 60 --seed 2

# A store of Apple's SwiftData; a test makes it.
cp -r "$here/phone" .

# A log in which somebody put another place where it will not be noticed, and what verify says.
cp -r logs damaged
log=$(find damaged -path '*date=2024-01-19*' -name '*.gz')
zcat "$log" | sed 's/"destination":"Oslo, Norway"/"destination":"Marbella, Spain"/' > altered
gzip -n < altered > "$log"
rm altered
travelog verify damaged > damaged.txt 2>&1 && exit 1

# What only says who worked here, and when.
find . -name .lock -delete
