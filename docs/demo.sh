#!/usr/bin/env bash
# Shows the main job on a store of trips, each command as it runs; leaves only the folder demo/
# where it is run. The programs are those in PROGRAMS, or those that “swift build” made.
set -euo pipefail
repository=$(cd "$(dirname "$0")/.." && pwd)
PATH="${PROGRAMS:-$(swift build --show-bin-path)}:$PATH"
rm -rf demo
mkdir demo
cd demo

say() { printf '\n# %s\n' "$*"; }
run() {
  printf '$'
  for word; do case $word in *' '*) printf " '%s'" "$word" ;; *) printf ' %s' "$word" ;; esac; done
  printf '\n'
  "$@"
}

say 'A store of trips, with a believable history of two thousand changes'
run trips seed trips.store --changes 2000 --seed 7

say 'Its whole history, as compressed logs; the token remembers how far that is'
run travelog export trips.store --to logs --json

say 'The app plans a trip, and its widget, another process, confirms the hotel'
run trips add trips.store --name 'Northern lights' --destination Tromsø \
  --start 2027-02-01 --end 2027-02-08
run trips book trips.store 'Northern lights' --place 'Hotel Nordlys'
run trips widget confirm trips.store 'Northern lights'
run trips edit trips.store 'Northern lights' --destination Alta

say 'What is new, and only that, goes into the next log'
run travelog export trips.store --to logs --json

say 'Any reader of gzip and JSON sees who changed what, from what to what'
printf '$ %s\n' "zcat … | grep '\"op\":\"update\"' | tail -n 1"
find logs -name '*.ndjson.gz' | sort | xargs zcat | grep '"op":"update"' | tail -n 1

say 'The logs, replayed into a fresh store'
run travelog import logs --into replica.store --json

say 'Nothing was altered, and the logs are the whole of it'
run travelog verify logs --against trips.store

say 'Both stores have the same history, up to the same digest'
printf '$ %s\n' 'travelog status STORE --logs logs --json   # of both stores'
for store in trips.store replica.store; do
  travelog status "$store" --logs logs --json | sed 's/.*"head":\({[^}]*}\).*/\1/'
done
test "$(travelog status trips.store --logs logs --json | sed 's/.*"head":\({[^}]*}\).*/\1/')" \
  = "$(travelog status replica.store --logs logs --json | sed 's/.*"head":\({[^}]*}\).*/\1/')"
run travelog diff trips.store replica.store

say 'What is different between the beginning of this day and now'
today=$(date -u +%F)
run travelog diff "trips.store@$today" trips.store || test $? = 1

say 'A page for auditors: who changed what, when, from what to what, and what deserves a look'
run travelog report logs --output report.html
run ls -s report.html

say 'A store that SwiftData wrote on a phone has its history inside, and is only read'
cp "$repository/sample-data/phone/Trips.sqlite" .
run travelog log Trips.sqlite --patch
run travelog blame Trips.sqlite Item 1
mkdir phone-logs
run travelog export Trips.sqlite --to phone-logs
run travelog import phone-logs --into phone.store
run travelog diff Trips.sqlite phone.store

if command -v sqlite3 python3 > /dev/null; then
  say 'Any SQLite file gets a history: a shop that the sqlite3 shell made, and that Python writes'
  run sqlite3 shop.db "PRAGMA journal_mode = WAL;
    CREATE TABLE product(sku TEXT PRIMARY KEY NOT NULL, price INT);
    INSERT INTO product VALUES ('tea', 3), ('cup', 7)"
  run travelog adopt shop.db
  run python3 -c 'import sqlite3
shop = sqlite3.connect("shop.db")
shop.execute("UPDATE travelog_context SET author = ?, reason = ?", ("billing", "ticket 7"))
shop.execute("UPDATE product SET price = 4 WHERE sku = ?", ("tea",))
shop.execute("UPDATE travelog_context SET author = NULL")
shop.commit()
shop.execute("DELETE FROM product WHERE sku = ?", ("cup",))
shop.commit()'
  run travelog log shop.db --patch
  mkdir shop-logs
  run travelog export shop.db --to shop-logs
  run travelog import shop-logs --into restored.db
  run travelog diff shop.db restored.db
  run travelog blame shop-logs product '["text:tea"]'
fi

printf '\nAll of it is in the folder demo/.\n'
