# Everything that a developer or a CI machine does with this package.

REQUIRED := libsqlite3-dev zlib1g-dev
OPTIONAL := libdeflate-dev libssl3 sqlite3 sqlite3-tools
SUDO := $(if $(filter 0,$(shell id -u)),,sudo)
LINTED := $(wildcard Package.swift Sources Tests Benchmarks Tools)
missing = $(shell for name in $(1); do dpkg-query -W -f '$${Status}' $$name 2>/dev/null \
	| grep -q 'ok installed' || echo $$name; done)

# SwiftPM caches the result of Package.swift by its text and its environment. This variable makes it
# evaluate the file again when a library was installed or removed.
export TRAVELOG_LIBRARIES = $(shell ls /usr/include/libdeflate.h 2>&1)

# Without an index and debug information, which take a sixth of a first build. To get them, build
# without make; SwiftPM then builds everything again.
BUILD := swift build --disable-index-store -debug-info-format none \
	--explicit-target-dependency-import-check error -Xswiftc -warnings-as-errors

# The prefix of "make install"; DESTDIR is inserted before it.
PREFIX ?= /usr/local
DESTDIR ?=
VERSION = $(shell sed -n 's/.*version: "travelog \(.*\)".*/\1/p' Sources/travelog/Travelog.swift)
# With a static Swift runtime, a program is one file that starts in a few milliseconds.
RELEASE := swift build -c release --static-swift-stdlib
FUZZER := swift build -c release --scratch-path .build/fuzz --sanitize=address \
	-Xswiftc -sanitize=fuzzer

.PHONY: release install uninstall packages packages-test help setup build demo faults adoption old-sqlite new-sqlite fuzz soak mutants lines test test-threads clients plain doc reference lint format browser-test interop python-test fleet-setup fleet-check fleet-test fleet-demo fleet-bench sample-data bench clean
.DEFAULT_GOAL := help

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/make \1\t\2/p' Makefile | expand -t 20

setup: ## install what the build needs, if it is not there
	@set -e; needed="$(call missing,$(REQUIRED))"; wanted="$(call missing,$(OPTIONAL))"; \
	if [ -n "$$needed$$wanted" ]; then \
	  command -v apt-get >/dev/null || { \
	    echo "setup: no apt-get here; the build needs what Debian calls $(REQUIRED)" >&2; exit 0; }; \
	  $(SUDO) apt-get update -qq || [ -z "$$needed" ]; \
	  if [ -n "$$needed" ]; then \
	    DEBIAN_FRONTEND=noninteractive $(SUDO) apt-get install -qq -y --no-install-recommends $$needed; \
	  fi; \
	  if [ -n "$$wanted" ]; then \
	    DEBIAN_FRONTEND=noninteractive $(SUDO) apt-get install -qq -y --no-install-recommends $$wanted \
	      || echo "setup: going on without the optional $$wanted" >&2; \
	  fi; \
	fi

build: setup ## build the package and its tests
	$(BUILD) --build-tests

demo: setup ## build, and show the main job on a store of trips
	$(BUILD) --product trips
	$(BUILD) --product travelog
	docs/demo.sh

faults: build ## let calls and allocations fail, kill the program, and try 200 random worlds
	TRAVELOG_LONG_TESTS=1 Tools/run-tests \
	  'FaultTests|KillTests|AllocationTests|HistoryProcessTests|DamagedLogTests|MembersTests|RandomWorldTests'
	@grep -hE '(fired|failed|at work)$$|failed, and' .build/tests/chosen.log

adoption: build ## run 10,000 random statements with each of two programs on each of 61 schemas (STATEMENTS, SCHEMA)
	TRAVELOG_LONG_TESTS=1 TRAVELOG_STATEMENTS=$${STATEMENTS:-10000} TRAVELOG_SCHEMA="$$SCHEMA" \
	  Tools/run-tests \
	  'AdoptionTests\.(CollectionTests|CommittedValueTests|Followed|(Silent|Mixed|Replica|LeftOut)ProgramTests)'

# The wheel of this version of pyproj contains SQLite 3.31. Its own code is not used.
old-sqlite: build ## let SQLite 3.31, from a Python package, write to adopted files
	test -d .build/old-sqlite/pyproj.libs || { mkdir -p .build/old-sqlite && \
	  python3 -m pip download --quiet --no-deps --only-binary=:all: --python-version 3.8 \
	    --platform manylinux2010_x86_64 --dest .build/old-sqlite pyproj==2.6.1.post1 && \
	  python3 -m zipfile -e .build/old-sqlite/*.whl .build/old-sqlite; }
	Tools/run-tests OldSQLiteTests

new-sqlite: build ## let a newer SQLite, from a Python package, write to adopted files
	test -x .build/new-sqlite/bin/python3 || python3 -m venv .build/new-sqlite
	.build/new-sqlite/bin/pip install --quiet pysqlite3-binary
	Tools/run-tests OldSQLiteTests

# LeakSanitizer can't see the pointers that Swift hides in the bits of its values, so it would report
# used memory. Real leaks exceed the limit of memory.
fuzz: setup ## let libFuzzer look for bytes that crash what reads logs and databases; FUZZ=600 seconds for each
	TRAVELOG_FUZZ=1 $(FUZZER) --product Fuzzer
	@for target in log folder gzip token pages wal plist bitmap \
	    deflate leaf tag; do \
	  mkdir -p .build/fuzz/found/$$target; \
	  echo "fuzz: $$target for $${FUZZ:-60} seconds"; \
	  FUZZ_TARGET=$$target ASAN_OPTIONS=symbolize=0:detect_leaks=0 SWIFT_BACKTRACE=enable=no \
	    .build/fuzz/release/Fuzzer .build/fuzz/found/$$target \
	    Tests/Fuzz/Corpora/$$target -max_total_time=$${FUZZ:-60} -timeout=20 -rss_limit_mb=1024 \
	    -artifact_prefix=.build/fuzz/$$target- -print_final_stats=1 -verbosity=1 \
	    2> .build/fuzz/$$target.log || { tail -40 .build/fuzz/$$target.log; exit 1; }; \
	  grep -E 'stat::|DONE' .build/fuzz/$$target.log | tail -6; \
	done

test: build ## build, and run every test
	Tools/run-tests

soak: build ## try the properties with new seeds for some minutes; SOAK=60 for an hour
	@end=$$(( $$(date +%s) + $${SOAK:-10} * 60 )); while [ $$(date +%s) -lt $$end ]; do \
	  TRAVELOG_TEST_SEED=random Tools/run-tests || { grep -h SEED .build/tests/*.log; exit 1; }; \
	done

mutants: setup ## change the code in small ways, and look whether a test fails (MUTANTS, SEED)
	$(BUILD) --product mutants
	Tools/run-mutants

lines: ## count the lines of source, tests, documents and Python, and of each module
	@for module in Sources/*; do \
	  echo "$$(find $$module -name '*.swift' -o -name '*.[ch]' | xargs cat /dev/null | wc -l)" \
	    "$${module#Sources/}"; \
	done | awk '{ sum += $$1; printf "%7d  %s\n", $$1, $$2 } END { printf "%7d  source in total\n", sum }'
	@count() { printf '%7d  %s\n' "$$(git ls-files "$$@" | xargs cat | wc -l)" "$$what"; }; \
	what=tests count 'Tests/*.swift' 'Tests/*.[ch]'; \
	what=documents count '*.md' ':!CHANGELOG.md' ':!Sources'; \
	what=Python count '*.py'

test-threads: setup ## run the tests of concurrency under the thread sanitizer
	swift build --build-tests --sanitize=thread --scratch-path .build/threads
	TSAN_OPTIONS="suppressions=$$PWD/Tools/threads.suppressions" Tools/run-tests \
	  'ConcurrencyTests|NotificationTests|NotificationsTests|ModelActor|ImportTests|NoteStoreTests|LockTests' \
	  --sanitize=thread --scratch-path .build/threads

clients: build ## build and run programs that depend on this package, in three ways
	TRAVELOG_LONG_TESTS=1 Tools/run-tests ClientTests

# Only ChangeLog has code for an optional library.
plain: setup ## build what uses an optional library without this library
	TRAVELOG_PLAIN=1 $(BUILD) --scratch-path .build/plain --target ChangeLog

reference: setup ## write the page that is made from the table of commands
	$(BUILD) --product travelog
	.build/debug/travelog generate reference > docs/CLI.md

doc: setup ## make the documentation of the modules, by DocC, in .build/documentation
	$(BUILD)
	Tools/document .build/debug .build/documentation

lint: ## check the style of every Swift file, and warn about idioms; silent when all is well
	@swift format lint --strict --parallel --recursive $(LINTED)
	@Tools/lint-idioms

format: ## put every Swift file in style
	@swift format format --in-place --parallel --recursive $(LINTED)

browser-test: setup ## use reports in headless Chromium, and take pictures of them
	@for name in chromium pdftotext; do command -v $$name >/dev/null || needed=yes; done; \
	if [ -n "$$needed" ]; then $(SUDO) apt-get update -qq && \
	  DEBIAN_FRONTEND=noninteractive $(SUDO) apt-get install -qq -y --no-install-recommends \
	    chromium fonts-noto-core poppler-utils python3-venv; fi
	$(BUILD) --product travelog
	$(BUILD) --product trips
	test -f .build/axe/axe.whl || { mkdir -p .build/axe && \
	  python3 -m pip download --quiet --no-deps --dest .build/axe axe-playwright-python==0.1.8 && \
	  mv .build/axe/*.whl .build/axe/axe.whl; }
	python3 -m zipfile -e .build/axe/axe.whl .build/axe
	rm -rf .build/browser-test && mkdir -p .build/browser-test
	PYTHONDONTWRITEBYTECODE=1 python3 Tests/Browser/browser_test.py .build/debug/travelog \
	  .build/debug/trips .build/axe/axe_playwright_python/axe.min.js .build/browser-test $(BROWSER)

sample-data: setup ## create the content of sample-data again
	$(BUILD) --product trips
	$(BUILD) --product travelog
	rm -rf .build/sample-data && mkdir -p .build/sample-data
	PATH="$$PWD/.build/debug:$$PATH" sample-data/make.sh "$$PWD/.build/sample-data"
	cp sample-data/make.sh sample-data/README.md .build/sample-data
	rm -rf sample-data && mv .build/sample-data sample-data

# aics-tlog and aics-witness say that they need Python 3.12, which Debian 12 does not have; the used
# parts run on 3.11.
# The programs that write to adopted files; watched follows the files of browsers that run. APPLICATIONS="django" runs only a part of them.
APPLICATIONS ?= room django alembic firefox chromium watched

interop: setup ## let DuckDB, pandas, polars, PyArrow, Spark and jq read logs, others check proofs, and applications write to adopted files
	@for name in java jq sqlite3 python3 firefox-esr chromium chromedriver; do \
	  command -v $$name >/dev/null || needed=yes; done; \
	if [ -n "$$needed" ]; then $(SUDO) apt-get update -qq && \
	  DEBIAN_FRONTEND=noninteractive $(SUDO) apt-get install -qq -y --no-install-recommends \
	    default-jre-headless jq sqlite3 python3-venv firefox-esr chromium chromium-driver; fi
	$(BUILD) --product travelog
	$(BUILD) --product trips
	test -x .build/interop/bin/pip || python3 -m venv .build/interop
	.build/interop/bin/pip install --quiet -r Tests/Interop/requirements.txt
	.build/interop/bin/pip install --quiet --ignore-requires-python \
	  'aics-tlog>=0.2.1' 'aics-witness>=0.1.0' 'pymerkle>=7'
	PYTHONDONTWRITEBYTECODE=1 .build/interop/bin/python Tests/Interop/proofs.py \
	  .build/debug/travelog .build/debug/trips .build/interop/proofs
	PYTHONDONTWRITEBYTECODE=1 .build/interop/bin/python Tests/Interop/interop.py \
	  .build/debug/travelog .build/debug/trips .build/interop/work
	for name in $(APPLICATIONS); do \
	  PYTHONDONTWRITEBYTECODE=1 .build/interop/bin/python Tests/Interop/with_$$name.py \
	    .build/debug/travelog .build/interop/$$name || exit; done

python-test: setup ## test the Python package with Django, SQLAlchemy, Alembic and frames (LONG=1 for longer loads)
	python3 -m venv -h >/dev/null || { $(SUDO) apt-get update -qq && \
	  DEBIAN_FRONTEND=noninteractive $(SUDO) apt-get install -qq -y --no-install-recommends python3-venv; }
	$(BUILD) --product travelog
	$(BUILD) --product trips
	test -x .build/python/bin/pip || python3 -m venv .build/python
	.build/python/bin/pip install --quiet -r Tests/Python/requirements.txt
	MYPYPATH=Python .build/python/bin/mypy --config-file Tests/Python/mypy.ini \
	  --cache-dir .build/python/mypy
	.build/python/bin/python -B -m unittest discover -s Tests/Python

# The fleet program has an environment of its own. Its tests, demo and benchmark run these programs.
FLEET = .build/fleet/bin/python -B
FLEET_TESTS := Tests/Fleet

fleet-setup: setup ## install what the fleet program needs: packages of Python, Java, PostgreSQL and Chromium
	@command -v java >/dev/null && command -v chromium >/dev/null && python3 -m venv -h >/dev/null && \
	  ls /usr/lib/postgresql/*/bin/initdb >/dev/null 2>&1 || { $(SUDO) apt-get update -qq && \
	  DEBIAN_FRONTEND=noninteractive $(SUDO) apt-get install -qq -y --no-install-recommends \
	    chromium default-jre-headless postgresql python3-venv; }
	test -x .build/fleet/bin/pip || python3 -m venv .build/fleet
	.build/fleet/bin/pip install --quiet -r $(FLEET_TESTS)/requirements.txt
	$(BUILD) --product travelog
	$(BUILD) --product trips

# What .ci/run runs if the environment is installed: without Spark and PostgreSQL, few stores and kills.
fleet-check:
	export TRAVELOG="$$PWD/.build/debug/travelog" TRIPS="$$PWD/.build/debug/trips"; \
	FLEET_WITHOUT_SPARK=1 FLEET_WITHOUT_POSTGRES=1 FLEET_STORES=15 FLEET_KILLS=4 \
	  $(FLEET) -W ignore -m unittest discover -s $(FLEET_TESTS)

fleet-test: fleet-setup ## test the fleet program with 300 stores and 100 kills (FLEET_STORES, FLEET_KILLS, SEED)
	export TRAVELOG="$$PWD/.build/debug/travelog" TRIPS="$$PWD/.build/debug/trips"; \
	FLEET_STORES=$${FLEET_STORES:-300} FLEET_KILLS=$${FLEET_KILLS:-100} \
	  $(FLEET) -W ignore -m unittest discover -s $(FLEET_TESTS)

fleet-demo: fleet-setup ## make a small fleet in .build/fleet-demo, load it and query it
	export TRAVELOG="$$PWD/.build/debug/travelog" TRIPS="$$PWD/.build/debug/trips"; \
	$(FLEET) $(FLEET_TESTS)/demo.py .build/fleet-demo

fleet-bench: fleet-setup ## measure loads and queries of 10 million changes (SIZE="1000 100 local spark" for others)
	swift build -c release --product travelog
	swift build -c release --product trips
	export TRAVELOG="$$PWD/.build/release/travelog" TRIPS="$$PWD/.build/release/trips"; \
	for size in $(if $(SIZE),'$(SIZE)','1000 1000 local spark' '10000 1000 local'); do \
	  $(FLEET) $(FLEET_TESTS)/bench.py .build/fleet-bench/$${size%% *} $$size || exit 1; \
	done

bench: setup ## print the ratios to peers (BENCH="logs 100000 3", GRDB=folder of a checkout of GRDB)
	swift build -c release --product travelog
	[ -z "$(GRDB)" ] || \
	  GRDB="$(GRDB)" swift build -c release --package-path Benchmarks/PeerGRDB --scratch-path .build/grdb
	swift run -c release Benchmarks $(BENCH)

release: setup ## build the program as it is installed
	$(RELEASE) --product travelog

install: release ## install the program, its documentation and jobs (PREFIX, DESTDIR)
	Tools/install "$$($(RELEASE) --show-bin-path)" "$(PREFIX)" "$(DESTDIR)"

uninstall: ## remove what was installed (PREFIX, DESTDIR)
	Tools/install --remove "$(PREFIX)" "$(DESTDIR)"

# SwiftPM takes files for pkg-config from this folder first. It does not notice that libraries change.
STATIC := --pkg-config-path "$(CURDIR)/.build/static"

packages: setup ## make a wheel, a Debian package and an archive in .build/packages (SQLITE: a folder with sqlite3.c)
	Tools/static-libraries .build/static $(SQLITE)
	rm -f "$$($(RELEASE) --show-bin-path)/travelog"
	$(RELEASE) $(STATIC) --product travelog
	@needed=$$(readelf -d "$$($(RELEASE) --show-bin-path)/travelog" \
	  | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | grep -vE '^(lib[cm]|ld-linux-.*)\.so\.'); \
	[ -z "$$needed" ] || { echo "packages: the program needs more than glibc:" $$needed >&2; exit 1; }
	SOURCE_DATE_EPOCH=$${SOURCE_DATE_EPOCH:-$$(git log -1 --format=%ct)} Tools/make-packages \
	  "$$($(RELEASE) --show-bin-path)" "$(VERSION)" .build/packages .build/static/libraries.txt

packages-test: packages ## install each package where nothing else is installed, and use it
	PYTHONDONTWRITEBYTECODE=1 python3 Tests/Packages/packages_test.py

clean: ## remove what was built
	rm -rf .build
