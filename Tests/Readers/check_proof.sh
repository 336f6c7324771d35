#!/bin/sh
# check_proof.sh PROOF PUBLIC.pem    checks a proof of "travelog prove": signature, path, lines
set -eu
fail() { echo "check_proof: $*" >&2; exit 1; }
sha() { openssl dgst -sha256 -r | cut -c1-64; }
hash() { printf %s "$@" | xxd -r -p | sha; }                   # of bytes in hexadecimal
hex() { printf %s "$1" | openssl base64 -d -A | xxd -p -c 99; }  # of base64
root() {  # LEAF INDEX COUNT HASH…: the root of RFC 6962 that follows from a leaf
  r=$1 f=$2 s=$(($3 - 1)); shift 3; [ "$f" -le "$s" ] || fail "there is no such leaf"
  for p; do
    if [ $((f % 2)) = 1 ] || [ "$f" = "$s" ]; then
      r=$(hash 01 "$p" "$r")
      while [ $((f % 2)) = 0 ] && [ "$f" != 0 ]; do f=$((f / 2)) s=$((s / 2)); done
    else r=$(hash 01 "$r" "$p"); fi
    [ "$s" != 0 ] || fail "the path is too long"
    f=$((f / 2)) s=$((s / 2))
  done
  [ "$s" = 0 ] || fail "the path is too short"
}
t=$(mktemp -d); trap 'rm -r "$t"' EXIT
awk -v t="$t" 'BEGIN { part = 1 } /^$/ && part < 4 { part++; next } { print > (t "/" part) }' "$1"
closing=$(sed -n 's/^{"kind":"transaction",/&/p' "$t/1") line=$(sed -n 2p "$t/1")
path=$(sed '1d;/^{/d;/ /d' "$t/1") n=$(printf %s "$closing" | jq .n) txn=$(printf %s "$closing" | jq .txn)
[ "$(head -n1 "$t/1") $(head -n1 "$t/2")" = "travelog-proof/1 c2sp.org/tlog-proof@v1" ] || fail "no proof"
if [ "$line" = "$closing" ]; then r=$(hex "$(sed -n 's/^lines //p' "$t/1")"); else
  rest=${line#*,\"op\":} prefix=${line%%,\"op\":*} seq=$(printf %s "$line" | jq .seq) values=
  rest=\"op\":${rest%\}} known=\"op\":${rest#\"op\":}
  for key in before after special large; do known=${known%%,\"$key\":*}; done
  shared=${closing#\{\"kind\":\"transaction\",\"txn\":$txn}
  if salt=$(grep '^salt ' "$t/1"); then
    v=$({ printf 03%s "$(hex "${salt#salt }")" | xxd -r -p; printf %s "${rest#"$known"}"; } | sha)
  else v=${prefix##*\"values\":\"} v=${v%\"} values=",\"values\":\"$v\""; [ "$rest" = "$known" ] || fail "values"; fi
  [ "$prefix" = "{\"kind\":\"change\",\"txn\":$txn,\"seq\":$seq${shared%%,\"op\":*}$values" ] || fail "the lines differ"
  root "$(hash 00 "$(printf %s "$known" | sha)" "$v")" "$seq" "$n" $(for p in $path; do hex "$p"; done)
fi
digest=$(printf %s "$closing" | jq -r .digest)
member=",\"digest\":\"$digest\",\"meta\":{" meta=',"meta":{'
body=$({ printf 05%s "$r" | xxd -r -p; printf '%s\n' "${closing%%"$member"*}$meta${closing#*"$member"}"; } | sha)
[ "$(hash 06 "$(hex "$(sed -n 's/^previous //p' "$t/1")")" "$body")" = "$digest" ] || fail "the lines have another digest"
root "$(hash 00 "$digest")" "$(sed -n 's/^index //p' "$t/2")" "$(sed -n 2p "$t/3")" \
  $(for p in $(sed '1,2d' "$t/2"); do hex "$p"; done)
[ "$r" = "$(hex "$(sed -n 3p "$t/3")")" ] || fail "the checkpoint has another root"
for word in $(sed -n 's/^— .* //p' "$t/4"); do
  hex "$word" | cut -c9- | xxd -r -p > "$t/signature"  # without the four bytes that name the key
  ! openssl pkeyutl -verify -pubin -inkey "$2" -rawin -in "$t/3" -sigfile "$t/signature" > "$t/log" 2>&1 || exit 0
done
fail "the key has not signed the checkpoint"
