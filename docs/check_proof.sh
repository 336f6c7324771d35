#!/bin/sh
# check_proof.sh PROOF PUBLIC.pem    checks a proof of "travelog prove": signature, path, lines
set -eu
fail() { echo "check_proof: $*" >&2; exit 1; }
sha() { openssl dgst -sha256 -r | cut -c1-64; }
bytes() { printf %s "$@" | xxd -r -p; }  # from hexadecimal
hash() { bytes "$@" | sha; }
hex() { for p; do printf %s "$p" | openssl base64 -d -A | xxd -p -c 99; done; }  # of base64
field() { sed -n "s/^$2 //p" "$t/$1"; }
root() {  # LEAF INDEX COUNT HASH…: the root of RFC 6962 that follows from a leaf
  r=$1 i=$2 last=$(($3 - 1)); shift 3; [ "$i" -ge 0 ] && [ "$i" -le $last ] || fail "there is no such leaf"
  while [ $last -gt 0 ]; do  # the node i of a level; if the last node has no sibling, it is also in the next level
    if [ $((i % 2)) = 1 ]; then r=$(hash 01 "${1?the path is too short}" "$r"); shift
    elif [ "$i" -lt $last ]; then r=$(hash 01 "$r" "${1?the path is too short}"); shift; fi
    i=$((i / 2)) last=$((last / 2))
  done; [ $# = 0 ] || fail "the path is too long"
}
t=$(mktemp -d); trap 'rm -r "$t"' EXIT  # 1: statement, 2: proof, 3: checkpoint, 4: signatures
awk -v t="$t" 'BEGIN { part = 1 } /^$/ && part < 4 { part++; next } { print > (t "/" part) }' "$1"
[ "$(head -qn1 "$t/1" "$t/2" | tr '\n' ' ')" = "travelog-proof/1 c2sp.org/tlog-proof@v1 " ] || fail "no proof"
closing=$(grep '^{"kind":"transaction",' "$t/1") line=$(sed -n 2p "$t/1") digest=$(printf %s "$closing" | jq -r .digest)
[ "$line" = "$closing" ] || closing=$(sed -n 3p "$t/1")  # a reader would take any other line for proven
[ "$(grep '^{' "$t/1")" = "$(printf '%s\n' "$line" "$closing" | uniq)" ] || fail "there are other lines"
if [ "$line" = "$closing" ]; then r=$(hex "$(field 1 lines)"); else
  rest=${line#*,\"op\":} prefix=${line%%,\"op\":*} seq=$(printf %s "$line" | jq .seq) rest=\"op\":${rest%\}} known=$rest values=
  for key in before after special large; do known=${known%%,\"$key\":*}; done
  if grep -q '^salt ' "$t/1"; then v=$({ bytes 03 "$(hex "$(field 1 salt)")"; printf %s "${rest#"$known"}"; } | sha)
  else v=$(printf %s "$line" | jq -r .values) values=",\"values\":\"$v\""; [ "$rest" = "$known" ] || fail "values"; fi
  shared=${closing#\{\"kind\":\"transaction\",} txn=${shared%%,*} shared=${shared#*,}
  [ "$prefix" = "{\"kind\":\"change\",$txn,\"seq\":$seq,${shared%%,\"op\":*}$values" ] || fail "the lines differ"
  root "$(hash 00 "$(printf %s "$known" | sha)" "$v")" "$seq" "$(printf %s "$closing" | jq .n)" $(hex $(sed '1d;/^{/d;/ /d' "$t/1"))
fi
member=,\"digest\":\"$digest\",\"meta\":  # the body does not contain the digest
body=$({ bytes 05 "$r"; printf '%s,"meta":%s\n' "${closing%%"$member"*}" "${closing#*"$member"}"; } | sha)
[ "$(hash 06 "$(hex "$(field 1 previous)")" "$body")" = "$digest" ] || fail "the lines have another digest"
root "$(hash 00 "$digest")" "$(field 2 index)" "$(sed -n 2p "$t/3")" $(hex $(sed '1,2d' "$t/2"))
[ "$r" = "$(hex "$(sed -n 3p "$t/3")")" ] || fail "the checkpoint has another root"
for word in $(sed -n 's/^— .* //p' "$t/4"); do  # a signature begins with the four bytes that name the key
  hex "$word" | cut -c9- | xxd -r -p > "$t/5"
  ! openssl pkeyutl -verify -pubin -inkey "$2" -rawin -in "$t/3" -sigfile "$t/5" > "$t/6" 2>&1 || exit 0
done; fail "the key has not signed the checkpoint"
