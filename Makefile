# make app       the dashboard, in an environment of its own
# make test      style, types and the tests that take under half a second, with one of each kind of the others: five minutes on two cores
# make test-all  the same with every test (an hour)
# make deps      what pip does not bring: Chromium, nginx and PostgreSQL, and the libraries that only `make test-all` needs
# make bench     speed and memory beside their targets, one table (a few minutes)
# make coverage  what no test reaches, by line and by branch: in mechanisms, noise, ledger and privacy nothing
# make mutants   changes to lines that privacy hangs on, one at a time: each must fail its tests (minutes; ten: SAMPLE=10)
# make mutants-all  changes that a tool makes, wherever something is calibrated, drawn or charged (hours; some: ARGS="dpq_core.groups*")
# make docs      guide, proofs and reference as a site, into site/: strict about links
# make format    tidies what `make test` would complain about
# make hooks     style and types before every commit, imports and words before every push: seconds
# make clean     back to a fresh checkout
#
# Needed beforehand: make and Python 3.11 or newer.  Another interpreter: make app PYTHON=python3.13

PYTHON  ?= python3
WORKERS ?= 3

# What one process has compiled the next one reads.
export PYTHONDONTWRITEBYTECODE =

APP  := .venv/bin/python
TEST := .venv-test/bin/python
DOCS := .venv-docs/bin/python
PIP  := -m pip install --quiet --disable-pip-version-check

.DEFAULT_GOAL := help
.PHONY: help app test test-all deps bench coverage mutants mutants-all docs format hooks clean

help:
	@sed -n 's/^# \(make \)/\1/p' Makefile

app: .venv/.ready
	$(APP) -m streamlit run app.py $(ARGS)

# Style reports first, types while the tests run, pytest speaks last; all of them run even if one complains.
test: .venv-test/.ready
	@$(call check,)

test-all: .venv-test/.ready-all
	@$(call check,--slow with)

# A worker takes a file at a time: what its tests share is made once.  In the order of folders, the browser early.
PYTEST := $(TEST) -m pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder

define check
failed=; \
$(TEST) -m ruff check --output-format concise --quiet . || failed="$$failed ruff-check"; \
$(TEST) -m ruff format --check --output-format concise --quiet . || failed="$$failed ruff-format"; \
if [ -n "$$failed" ]; then echo "Failed before the tests:$$failed"; fi; \
$(TEST) -m compileall -q -j 0 app.py dpq_core pages; \
$(TEST) -m mypy & types=$$!; \
$(PYTEST) $(1) $(ARGS) || failed="$$failed pytest"; \
wait $$types || failed="$$failed mypy"; \
if [ -n "$$failed" ]; then echo "Failed:$$failed" >&2; exit 1; fi
endef

deps: .venv-test/.ready-all
	@$(TEST) -m tests.programs

bench: .venv-test/.ready-all
	$(TEST) -m pytest tests/benchmarks --benchmark-only --benchmark-quiet $(ARGS)

# Line by line and branch by branch; one branch of the ledger needs a PostgreSQL server.
coverage: .venv-test/.ready-all
	$(PYTEST) --slow with --cov --cov-report=term-missing $(ARGS)
	$(TEST) -m coverage report --include='dpq_core/mechanisms/*,dpq_core/noise/*,dpq_core/ledger/*,dpq_core/privacy/*' --fail-under=100

mutants: .venv-test/.ready-all
	@$(TEST) -m tests.mutants $(if $(SAMPLE),--sample $(SAMPLE)) $(if $(DAY),--day $(DAY)) $(ARGS)

mutants-all: .venv-test/.ready-all
	CI=true $(TEST:python=mutmut) run $(ARGS)
	@$(TEST:python=mutmut) results

docs: .venv-docs/.ready
	@$(DOCS) -m sphinx --fail-on-warning --keep-going --quiet -d .venv-docs/doctrees docs site
	@echo "site/index.html"

format: .venv-test/.ready
	$(TEST) -m ruff check --fix .
	$(TEST) -m ruff format .

hooks: .venv-test/.ready-all
	$(TEST) -m pre_commit install

clean:
	rm -rf .venv .venv-test .venv-docs mutants site build dist *.egg-info .coverage .coverage.* .benchmarks .hypothesis .mypy_cache .pytest_cache .ruff_cache
	find app.py pages dpq_core tests -name __pycache__ -type d -prune -exec rm -rf {} +

# A second run is instant: the stamps are older than nothing but the lists they were made from.
.venv/.ready: requirements.txt
	$(call new_environment,.venv)
	@echo "Installing the dashboard into .venv (about a minute, once) ..."
	@$(APP) $(PIP) -r requirements.txt
	@touch $@

.venv-test/.ready: requirements.txt pyproject.toml
	$(call new_environment,.venv-test)
	@echo "Installing the dashboard and what tests it into .venv-test (under a minute, once) ..."
	@$(call install_for_tests,dev)
	@touch $@

.venv-test/.ready-all: .venv-test/.ready
	@echo "Installing what else \`make test-all\` needs into .venv-test (under a minute, once) ..."
	@$(call install_for_tests,dev-all)
	@touch $@

# Compiled on all cores at the end, not by pip on one; without what nothing here imports.
define install_for_tests
$(TEST) -c 'import tomllib; print(*tomllib.load(open("pyproject.toml", "rb"))["project"]["optional-dependencies"]["$(1)"], sep="\n")' > .venv-test/$(1).txt && \
$(TEST) $(PIP) --no-compile -r requirements.txt -r .venv-test/$(1).txt && \
{ $(TEST) -m compileall -q -j 0 -x '/tests/|/graph_objs/' .venv-test/lib > .venv-test/compiled.txt || true; }
endef

.venv-docs/.ready: requirements.txt pyproject.toml
	$(call new_environment,.venv-docs)
	@echo "Installing what makes the site into .venv-docs (about a minute, once) ..."
	@$(DOCS) -c 'import tomllib; found = tomllib.load(open("pyproject.toml", "rb"))["project"]; print(*found["dependencies"], *found["optional-dependencies"]["docs"], sep="\n")' > .venv-docs/docs.txt
	@$(DOCS) $(PIP) -r .venv-docs/docs.txt
	@touch $@

define new_environment
@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	{ echo "Python 3.11 or newer is needed; $(PYTHON) is `$(PYTHON) --version 2>&1`. Try: make PYTHON=python3.13 ..." >&2; exit 1; }
@$(PYTHON) -m venv $(1) || \
	{ echo "$(PYTHON) cannot make an environment. On Debian and Ubuntu: apt-get install python3-venv" >&2; exit 1; }
endef
