# Every target sets up what it needs in .venv from PyPI; a machine with Python 3.11+, make and g++ is enough.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
PIP    := $(BIN)/python -m pip -qq --disable-pip-version-check
TORCH  ?= torch

# The benchmark of dace.autodiff calls cmake and ninja by name: the wheels' programs lie in .venv/bin.
export PATH := $(CURDIR)/$(BIN):$(PATH)
export DACE_default_build_folder := $(CURDIR)/build/dacecache

.PHONY: demo test test-long docs links docs-serve pictures tutorials package compiler interop gpu gpu-check fuzz conformance failing reference oldest reliability reality install lint format bench limits clean help

help:
	@echo "make demo     the gradient of an erosion model over a real terrain, with a picture"
	@echo "make test     the whole test suite"
	@echo "make test-long  what takes longer than the suite may: hours"
	@echo "make interop  the programs as functions of JAX and torch, which it installs; libraries for C, C++ and Fortran"
	@echo "make gpu-check  what is generated for GPUs, compiled by nvcc for sm_80 and sm_90; no GPU is needed"
	@echo "make gpu      on a machine with a GPU: is all of it right there, and how fast beside JAX; docs/gpu-PRESET.json"
	@echo "make fuzz     ten thousand random programs, all compiled; totals in docs/fuzz.json, failures in build/fuzz/"
	@echo "make conformance  the calls of NumPy's own tests as gradients; totals and refusals in docs/conformance.md"
	@echo "make failing  the calls that NumPy's own tests expect to fail: daad refuses them, too"
	@echo "make reference  the gradient of every function of scipy.special in each argument, in docs/scipy.md"
	@echo "make oldest   the same with NumPy 2.0 and SciPy 1.14, in build/oldest.md"
	@echo "make reliability  all faults, refusals and defects that are tried, in docs/reliability.md"
	@echo "make reality  whole programs of other people, checked out and differentiated; docs/reality.md"
	@echo "make docs     the pages of docs/ as a site, in build/site; make docs-serve shows it"
	@echo "make pictures the pages and reports in a browser, light and dark, and what axe-core finds in them; docs/images"
	@echo "make tutorials  runs the notebooks of docs/tutorials again"
	@echo "make package  the archive and the wheel, tried in an empty environment"
	@echo "make compiler a gradient by the compiler that pip install 'daad[compiler]' brings"
	@echo "make install  the development environment in .venv"
	@echo "make lint     ruff, mypy, that imports point down, and pyright on the examples"
	@echo "make bench    forty kernels against JAX, dace.autodiff and NumPy"
	@echo "make limits   sixteen kernels against adjoints written by hand in C"
	@echo "make clean    remove build/ (not .venv)"

demo: $(VENV)/.examples
	@mkdir -p build/demo
	$(BIN)/daad grad examples/terrain.py -f misfit --wrt k,z --check --save build/demo/terrain.npz
	$(BIN)/python examples/plot_gradient.py build/demo/terrain.npz --name k --out build/demo/terrain.png

test: $(VENV)/.test
	$(BIN)/python -m pytest -q -n auto --dist worksteal

# What takes longer: slow tests, and the rows of tables in tests/long_rows.txt.
test-long: $(VENV)/.test
	$(BIN)/python -m pytest -q -n auto --dist worksteal -m slow

interop: $(VENV)/.test $(VENV)/.interop
	$(BIN)/python -m pytest -q -n auto --dist worksteal -m "slow or not slow" tests/api/interop tests/api/export tests/examples/test_torch_example.py \
		tests/frontend/python/test_source.py
	$(BIN)/python benchmarks/doors.py

gpu-check: $(VENV)/.test $(VENV)/.gpu
	$(BIN)/python -m pytest -q -n auto --dist worksteal -m "slow or not slow" tests/codegen/gpu tests/gpu tests/runtime/gpu

# Goes on where it was interrupted, after each kernel. JAX gets the sum as loss, as daad does: weights would have to be
# copied to the GPU at each call.
gpu: $(VENV)/.test $(VENV)/.gpu
	$(PIP) install 'jax[cuda13]==0.10.2'
	$(BIN)/python -m pytest -q -m "slow or not slow" tests/gpu/test_on_a_gpu.py
	for preset in M L paper; do \
		$(BIN)/daad bench --device gpu --loss sum --preset $$preset --json docs/gpu-$$preset.json || exit 1; \
	done

fuzz: $(VENV)/.test
	$(BIN)/python -m tests.fuzz --programs 10000 --large 2000 --passes 3000 --seed 0 --workers 2 --report docs/fuzz.json

conformance: $(VENV)/.test
	$(BIN)/python -m tests.conformance --workers 2

failing: NUMPY = $(shell $(BIN)/python -c "import numpy; print(*numpy.__path__)")
failing: $(VENV)/.test
	mkdir -p build/failing
	PYTHONPATH=. OPENBLAS_NUM_THREADS=1 PYTHONHASHSEED=0 $(BIN)/python -m pytest -q -p tests.conformance.failing \
	  --record-to $(CURDIR)/build/failing/calls.pickle -p no:cacheprovider --rootdir build/failing -c /dev/null -m "not slow" \
	  --tb=no -W ignore --continue-on-collection-errors $(addprefix $(NUMPY)/,lib _core linalg fft polynomial) || true
	$(BIN)/python -m tests.conformance.failing build/failing/calls.pickle

reference: $(VENV)/.test
	$(BIN)/python -m benchmarks.reference

oldest: $(VENV)/.test
	$(PIP) install --quiet --upgrade --no-deps --target build/oldest 'numpy==2.0.*' 'scipy==1.14.*'
	PYTHONPATH=build/oldest $(BIN)/python -m benchmarks.reference --to build/oldest.md

reliability: $(VENV)/.test
	$(BIN)/python -m tests.reliability

reality: $(VENV)/.test
	$(BIN)/python benchmarks/reality.py --page docs/reality.md

docs: $(VENV)/.docs
	$(BIN)/python -m sphinx -W --keep-going -q -b html docs build/site

# Pages of others that the site links to; those within it are checked by the tests.
links: $(VENV)/.docs
	$(BIN)/python -m sphinx --keep-going -q -b linkcheck docs build/links

# In chromium, which the system must have; npm brings what drives it. Some minutes.
pictures: docs
	rm -rf build/pictures && mkdir -p build/pictures/taken
	npm install --silent --no-audit --no-fund --prefix build/pictures playwright-core axe-core
	$(BIN)/daad explain examples/tsunami.py -f misfit --wrt surface --memory-limit 2MiB \
		--html build/pictures/report.html -- --points 60 --steps 40 > build/pictures/report.txt
	NODE_PATH=build/pictures/node_modules node docs/pictures.js build/pictures/taken build/pictures/report.html \
		$$(find build/site -name '*.html' ! -name genindex.html ! -path '*/_static/*') | tee build/pictures/found.txt
	$(BIN)/python docs/keep_pictures.py build/pictures/taken

# Runs the notebooks, and keeps what they print and draw.
tutorials: $(VENV)/.docs
	$(BIN)/python docs/tutorials/execute.py

# What pip would get: the archive, the wheel made of it, and that in an environment with nothing else.
package: $(VENV)/.release
	rm -rf build/dist build/empty && mkdir -p build
	$(BIN)/python -m build --outdir build/dist > build/package.log || { cat build/package.log; exit 1; }
	$(PYTHON) -m venv build/empty
	build/empty/bin/python -m pip -qq --disable-pip-version-check install build/dist/*.whl
	cd build/empty && bin/daad --version && env -u PYTHONPATH DAAD_CACHE=off bin/daad grad ../../examples/tsunami.py \
		-f misfit --wrt surface --check -- --points 20 --steps 10

# A machine without a compiler of its own: pip brings one.
compiler:
	rm -rf build/clang && mkdir -p build/clang/empty
	$(PYTHON) -m venv build/clang
	build/clang/bin/python -m pip -qq --disable-pip-version-check install '.[compiler]'
	env -u CXX PATH=build/clang/empty DAAD_CACHE=off build/clang/bin/daad doctor
	env -u CXX PATH=build/clang/empty DAAD_CACHE=off build/clang/bin/daad grad examples/tsunami.py -f misfit \
		--wrt surface --check -- --points 20 --steps 10

docs-serve: docs
	$(BIN)/python -m http.server --directory build/site 8000

lint: $(VENV)/.lint
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache
	$(BIN)/basedpyright --pythonpath $(BIN)/python

format: $(VENV)/.lint
	$(BIN)/ruff check --fix
	$(BIN)/ruff format

bench: $(VENV)/.test
	$(BIN)/daad bench

limits: $(VENV)/.test
	$(BIN)/python benchmarks/limits.py

install: $(VENV)/.dev

clean:
	rm -rf build

# One stamp per set of extras: pip runs again only when pyproject.toml changes.
$(VENV)/.examples: EXTRAS := examples
$(VENV)/.test: EXTRAS := test,bench,examples
$(VENV)/.interop: EXTRAS := jax,torch,bytecode
$(VENV)/.interop: ALSO = '$(TORCH)' scikit-learn statsmodels
$(VENV)/.gpu: EXTRAS := gpu
$(VENV)/.lint: EXTRAS := lint,examples
$(VENV)/.release: EXTRAS := release
$(VENV)/.docs: EXTRAS := docs,examples
$(VENV)/.dev: EXTRAS := dev
$(VENV)/.examples $(VENV)/.test $(VENV)/.interop $(VENV)/.gpu $(VENV)/.lint $(VENV)/.docs $(VENV)/.release $(VENV)/.dev: pyproject.toml | $(BIN)/python
	@echo "Installing daad[$(EXTRAS)] in .venv ..."
	@$(PIP) install --editable '.[$(EXTRAS)]' $(ALSO)
	@touch $@

$(BIN)/python:
	@$(PYTHON) -c 'import sys; assert sys.version_info >= (3, 11), "daad needs Python 3.11 or newer: make PYTHON=python3.12"'
	$(PYTHON) -m venv $(VENV)
