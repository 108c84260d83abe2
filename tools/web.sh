#!/bin/sh
# web.sh SRC OUT: builds the page of SRC/web into the folder OUT, fetching its npm packages when
# they are not there or package-lock.json has changed. Several builds may do so at once.
set -eu
web=$1/web
mkdir -p "$2"
out=$(cd "$2" && pwd)
exec 9>"$web/.lock"
flock 9
if ! cmp -s "$web/package-lock.json" "$web/node_modules/.fetched"; then
	echo "Fetching the page's npm packages" >&2
	npm ci --prefix "$web" --no-audit --no-fund --loglevel=error >&2
	cp "$web/package-lock.json" "$web/node_modules/.fetched"
fi
rm -rf "$out"/*
OUT=$out npm run --silent --prefix "$web" build
