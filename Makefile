# Everything that a developer runs. Only python3 (3.11 or later) and make are needed: each target makes .venv by itself.
PYTHON ?= python3
BIN := .venv/bin
WORKERS ?= 2
BOUND ?=
MINUTES ?= 60
SEED ?=

.PHONY: demo test check format bench sweep clients editors conformance corpus docs wheels aarch64 clean

demo: .venv/.ready                ## check and run a first kernel
	@$(BIN)/openptx demo

test: .venv/.ready-dev            ## all tests but the long ones
	@$(BIN)/python -m pytest -n $(WORKERS) --dist worksteal

sweep: .venv/.ready-dev           ## an hour of the long tests: exhaustive, fuzzing, whole corpora (MINUTES=5, SEED=7 chooses the same again; MINUTES= runs them all, many hours)
	@$(BIN)/python -m pytest -n $(WORKERS) -m sweep $(if $(MINUTES),--maxschedchunk 1 --ignore tests/clients --sweep-minutes $(MINUTES) $(if $(SEED),--sweep-seed $(SEED)))

check: .venv/.ready-dev           ## format, lint, types, drift of generated documents, tests
	@$(BIN)/ruff format --check .
	@$(BIN)/ruff check .
	@PYRIGHT_PYTHON_IGNORE_WARNINGS=1 $(BIN)/pyright --threads $(WORKERS) --pythonpath $(BIN)/python
	@$(BIN)/python tools/generate_docs.py --check
	@$(MAKE) --no-print-directory test

format: .venv/.ready-dev          ## lay the code out, fix what can be fixed
	@$(BIN)/ruff check --fix-only --quiet .
	@$(BIN)/ruff format --quiet .

docs: .venv/.ready-dev            ## write the generated documents again
	@$(BIN)/python tools/generate_docs.py

bench: .venv/.ready-dev           ## speed, as ratios to something measured in the same run
	@for file in bench/*.py; do $(BIN)/python $$file || exit; done

clients: .venv/.ready-clients .venv/.ready-compilers   ## install programs that use a GPU, run them and the tests of other projects (hours: BOUND=600 limits each test function to so many seconds)
	@$(BIN)/python tools/fetch_clients.py build/clients
	@OPENPTX_CLIENTS_SUMMARY=build/clients/summary.txt OPENPTX_CLIENTS_BOUND=$(BOUND) $(BIN)/python -m pytest tests/clients -m "" -n 0 -vv --tb=short

editors: .venv/.ready-dev         ## install VS Code's test client and its grammar engine, and run the tests with them
	@cd editors/vscode && npm install --silent --no-package-lock
	@$(BIN)/python -m pytest tests/clients/test_vscode_extension.py -rs

conformance: .venv/.ready-dev     ## suites of other projects: make conformance ZLUDA=... PTX_TESTS=... GPUOCELOT=... TRITON=... CUDA_PYTHON=...
	@$(BIN)/python tools/run_conformance.py zluda=$(ZLUDA) ptx_tests=$(PTX_TESTS) gpuocelot=$(GPUOCELOT) triton=$(TRITON) cuda_python=$(CUDA_PYTHON)

corpus: .venv/.ready-compilers     ## compile our kernels with every compiler that is there, check the PTX
	@$(BIN)/python tools/make_corpus.py

wheels: .venv/.ready-wheels       ## wheels with the compiled libraries, for Linux on x86-64 and aarch64, and one without
	@$(BIN)/python tools/build_wheels.py dist

aarch64: .venv/.ready-wheels      ## the driver's test programs with the wheel for aarch64, emulated (Debian or Ubuntu with qemu-user-static, binfmt-support, mmdebstrap)
	@$(BIN)/python tools/run_on_aarch64.py build/aarch64

clean:                            ## forget the environment and what tools left
	rm -rf .venv .pytest_cache .ruff_cache .hypothesis build dist

# An environment is made again when pyproject.toml changes, or its Python is gone. A half-made one has no stamp.
$(shell test -x .venv/bin/python || rm -f .venv/.ready*)

.venv/bin/python:
	@$(PYTHON) -c "$$REQUIRED"
	@test -d .venv || test ! -e .venv -a ! -L .venv || { echo "cannot make .venv, which is a $$(test -L .venv && echo link to nothing || echo file): remove it with make clean" >&2; exit 2; }
	@echo "making .venv (once)" >&2
	@$(PYTHON) -m venv --clear .venv >&2 || { rm -f $@; echo "cannot make .venv, for the reason above" >&2; exit 2; }

define REQUIRED
import importlib.util, sys
version, lacking = sys.version_info[:2], [name for name in ("venv", "ensurepip") if not importlib.util.find_spec(name)]
if version < (3, 11):
    sys.exit(f"OpenPTX needs Python 3.11 or later, this is {version[0]}.{version[1]}: make PYTHON=python3.12")
if lacking:
    sys.exit(f"{sys.executable} lacks the module {lacking[0]}: install it (python3-venv on Debian), or choose another Python: make PYTHON=python3.12")
endef
export REQUIRED

.venv/.ready: pyproject.toml | .venv/bin/python
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	@touch $@

.venv/.ready-dev: pyproject.toml | .venv/bin/python
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch .venv/.ready $@

.venv/.ready-clients: .venv/.ready-dev
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev,clients]'
	@touch $@

.venv/.ready-wheels: .venv/.ready-dev
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev,wheels]'
	@touch $@

.venv/.ready-compilers: .venv/.ready-oracles
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev,oracles,compilers]'
	@touch $@

.venv/.ready-oracles: .venv/.ready-dev
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev,oracles]'
	@touch $@
