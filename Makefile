# The commands of this repository; `make` alone lists them. CMake does the work, this file only remembers how it
# is called. Everything that is made lies in build/, .venv/, demo/ and results/.

JOBS   ?= $(shell nproc 2>/dev/null || echo 2)
PYTHON ?= python3
VENV   := .venv
READY  := $(VENV)/.ready
TASUKI := $(VENV)/bin/tasuki
PY     := $(wildcard apps bench docs examples lang python remote tests) scripts/test scripts/test-long scripts/slowest scripts/check-install scripts/check-gpus scripts/conformance scripts/write-tables
CPP    := $(wildcard apps bench docs examples lang remote tasuki tests tools)
# A bench on a machine with a GPU and its compiler measures that, any other the host.
BENCH  ?= $(if $(and $(shell command -v nvidia-smi 2>/dev/null),$(shell scripts/find-nvcc)),cuda,host)
DEMO   := tasuki-himeno tasuki-laplace tasuki-wilson tasuki-argon tasuki-info

.PHONY: help demo docs test test-long bench host cuda cuda-check format lint clean packages sources-apart
.DEFAULT_GOAL := help

help:
	@echo 'make demo     build, run Himeno, Laplace, wilson and argon on 2 ranks, draw pictures into demo/'
	@echo 'make test     build and run every test'
	@echo 'make test-long    what takes too long for that: an hour or so of kills, changed frames, random programs'
	@echo 'make bench    measure, and write the records to bench/results/'
	@echo 'make docs     build the site into build/site: the pages, and the reference of the public headers'
	@echo 'make host     build everything for the host, in build/host'
	@echo 'make cuda     build everything for host and CUDA, in build/cuda'
	@echo 'make cuda-check   see whether everything compiles for CUDA, quickly, in build/cuda-check'
	@echo 'make format   lay out all sources as the project does'
	@echo 'make lint     check the layout, the Python code and the links of the pages'
	@echo 'make clean    remove build/, .venv/ and demo/'
	@echo
	@echo 'Missing system packages are installed where that is allowed; PACKAGES=no leaves them alone.'

# Quick where all is there; says the one command to run where it may not install.
packages:
	@test '$(PACKAGES)' = no || scripts/install-packages

# The package runs from the clone and finds the programs in build/, so it is installed without building them again.
$(READY): pyproject.toml CMakeLists.txt python/constraints.txt | packages
	$(PYTHON) -m venv $(VENV)
	SKBUILD_WHEEL_CMAKE=false $(VENV)/bin/pip install -q --disable-pip-version-check \
	  -c python/constraints.txt -e '.[argon,dev]'
	@touch $@

# What the site is made with, beside it in the same environment.
$(VENV)/.docs: $(READY)
	SKBUILD_WHEEL_CMAKE=false $(VENV)/bin/pip install -q --disable-pip-version-check \
	  -c python/constraints.txt -e '.[argon,dev,docs]'
	@touch $@

# ccache, where it is or where `packages` has just brought it. It is asked for when a build is configured first.
build/%/build.ninja: CMakePresets.json | packages
	if ccache=$$(command -v ccache); then \
	  export CMAKE_CXX_COMPILER_LAUNCHER="$${CMAKE_CXX_COMPILER_LAUNCHER-$$ccache}"; \
	  export CMAKE_CUDA_COMPILER_LAUNCHER="$${CMAKE_CUDA_COMPILER_LAUNCHER-$$ccache}"; \
	fi; \
	cmake --preset $* $(UNITY)

host: build/host/build.ninja
	cmake --build build/host -j $(JOBS)

cuda: build/cuda/build.ninja
	cmake --build build/cuda -j $(JOBS)

cuda-check: build/cuda-check/build.ninja
	cmake --build build/cuda-check -j $(JOBS)

# Who wants the programs alone has the library in units. Tests are for who changes sources: there each is compiled by itself,
# which shows that it includes what it uses.
demo: UNITY := -DTASUKI_UNITY=ON
demo: build/host/build.ninja $(READY)
	cmake --build build/host -j $(JOBS) --target $(DEMO)
	TASUKI_BIN=build/host/bin scripts/demo $(TASUKI)

docs: $(VENV)/.docs
	@test '$(PACKAGES)' = no || scripts/install-packages docs
	rm -rf build/api build/site && mkdir -p build/api
	doxygen docs/site/Doxyfile
	$(PYTHON) tests/docs/public_names.py
	NO_MKDOCS_2_WARNING=1 $(VENV)/bin/mkdocs build
	@echo 'The site is in build/site: open build/site/index.html'

sources-apart: build/host/build.ninja
	@! grep -qs '^TASUKI_UNITY:BOOL=ON' build/host/CMakeCache.txt || cmake --preset host -DTASUKI_UNITY=OFF

test: sources-apart host $(READY)
	$(VENV)/bin/python scripts/test --build build/host --jobs $(JOBS)

test-long: host $(READY)
	$(VENV)/bin/python scripts/test-long --build build/host $(ARGS)

bench: $(BENCH) $(READY)
	TASUKI_BIN=build/$(BENCH)/bin PYTHONPATH=bench $(VENV)/bin/python -m tasuki_bench $(ARGS)

format: $(READY)
	find $(CPP) -regex '.*\.\(hpp\|cpp\|cuh\|cu\|h\|c\)' -print0 | xargs -0 -r $(VENV)/bin/clang-format -i
	$(VENV)/bin/ruff check -q --fix $(PY)
	$(VENV)/bin/ruff format -q $(PY)

lint: $(READY)
	find $(CPP) -regex '.*\.\(hpp\|cpp\|cuh\|cu\|h\|c\)' -print0 | xargs -0 -r $(VENV)/bin/clang-format --dry-run -Werror
	$(VENV)/bin/ruff check $(PY)
	$(VENV)/bin/ruff format --check $(PY)
	$(PYTHON) tests/docs/links.py
	$(PYTHON) tests/docs/version.py
	$(PYTHON) scripts/write-tables --check

clean:
	rm -rf build $(VENV) demo
