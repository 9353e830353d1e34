VENV := .venv
PYTHON := $(VENV)/bin/python
PYTEST := $(PYTHON) -m pytest
.PHONY: up test test-services test-ecosystems check bench soak lock

up: $(VENV)/run.stamp  ## Start everything; Ctrl-C ends everything
	@exec $(PYTHON) manage.py up

test: $(VENV)/dev.stamp  ## The whole suite on the embedded parts
	@sh config/browser.sh
	env -u DATABASE_URL -u REDIS_URL $(PYTEST) -m "not ecosystem"

test-services: $(VENV)/dev.stamp  ## The suite on the PostgreSQL and Redis that the environment names
	@: $${DATABASE_URL:?name a PostgreSQL} $${REDIS_URL:?name a Redis or Valkey}
	@sh config/browser.sh
	PEGBOARD_TEST_SERVICES=1 $(PYTEST) -m "not ecosystem and not up"

test-ecosystems: $(VENV)/dev.stamp  ## Acceptance against the real packages of each ecosystem
	$(PYTHON) -m tests.ecosystems.build
	$(PYTEST) -m ecosystem

check: $(VENV)/dev.stamp  ## Format, lint, templates, types, import contracts, migrations, settings
	$(VENV)/bin/pre-commit run --all-files
	$(VENV)/bin/mypy .
	$(VENV)/bin/mypy $$(git ls-files "catalog/host/*.py")
	$(VENV)/bin/lint-imports
	$(PYTHON) manage.py makemigrations --check --dry-run

bench: $(VENV)/dev.stamp  ## The benchmarks, each against a baseline of the same run
	$(PYTHON) -m tests.bench

soak: $(VENV)/dev.stamp  ## The fault test, for longer: ROUNDS=20
	PEGBOARD_SOAK_ROUNDS=$${ROUNDS:-20} $(PYTEST) -s tests/acceptance/test_soak.py

lock:  ## Write the lock files anew from the .in files
	$(VENV)/bin/uv pip compile --quiet --universal --python-version 3.12 --generate-hashes \
	  --no-emit-index-url --no-annotate --no-header requirements.in -o requirements.txt
	$(VENV)/bin/uv pip compile --quiet --universal --python-version 3.12 --generate-hashes \
	  --no-emit-index-url --no-annotate --no-header requirements-dev.in -c requirements.txt -o requirements-dev.txt

$(VENV)/run.stamp: requirements.txt config/bootstrap.sh
	@sh config/bootstrap.sh $(VENV) requirements.txt
	@touch $@

$(VENV)/dev.stamp: requirements-dev.txt config/bootstrap.sh
	@sh config/bootstrap.sh $(VENV) requirements-dev.txt
	@touch $@ $(VENV)/run.stamp
