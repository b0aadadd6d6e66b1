# Every entry point. `make help` lists them; CI runs these targets, and a few tests and lints by name.

INTERLOCK := cargo run --quiet --package interlock-ci --
# The same without the machines, which judge no model: built sooner.
CHECKER := cargo run --quiet --package interlock-ci --no-default-features --
# Options for `check` and `nightly`: make check CHECK="--verbose --shard 1/3"
CHECK :=
# Options for `bench`: make bench BENCH=--keep
BENCH :=
# Options for `mutants`: make mutants MUTANTS="--group word --keep"
MUTANTS :=
# Seconds a target, and targets, for `fuzz`: make fuzz FUZZ="300 log"
FUZZ :=
.DEFAULT_GOAL := help

.PHONY: help
help: ## This list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: check
check: cargo ## The main job: lint the claims, run the models of the ci lane, judge each (about 10 minutes on 2 cores)
	@ci/fetch & $(CHECKER) lint
	@$(CHECKER) check --lane ci --require tla-checker $(CHECK)

.PHONY: report
report: cargo ## One page for a browser of what the last check found: target/interlock/report.html
	@$(CHECKER) report

.PHONY: smoke
smoke: cargo ## Lint the claims, run a few models of each kind (seconds)
	@ci/fetch & $(CHECKER) lint
	@$(CHECKER) check --lane smoke

.PHONY: apalache
apalache: cargo ## The symbolic models alone, on Apalache, which must be here: types, inductive invariants, any size
	@$(CHECKER) check --lane ci --engine apalache --require apalache

.PHONY: nightly
nightly: cargo ## Every model, the largest sizes included, on every engine: all must be here; and the tests that take long
	@$(CHECKER) lint
	@$(CHECKER) check --lane nightly $(CHECK)
	@cargo test --package conformance -- --ignored

.PHONY: test
test: cargo ## Every test of the workspace but the nightly ones, and at the end all that failed
	@ci/test

.PHONY: bench
bench: cargo ## The locks against others, whole files and ranges, direct writes, the journal: costs, waits, goals (BENCH=--keep writes docs/bench.md; 9 minutes)
	@cargo run --quiet --release --package interlock-bench -- $(BENCH)

.PHONY: scenario
scenario: cargo ## The report that the journal's models come from, simulated beside what was measured (half a minute)
	@$(INTERLOCK) scenario jbd2

.PHONY: kernel-trace
kernel-trace: cargo ## Traces of this machine's kernel, recorded on file systems of their own and judged (root, tracefs, xfsprogs)
	@$(INTERLOCK) capture

# What `edits` is asked: make edits EDITS=iii_xfs_demote
EDITS :=
.PHONY: edits
edits: cargo ## Each small change of the kept kernel traces is refused, or of a listed class (EDITS=--keep writes docs/edits.md; half an hour)
	@$(INTERLOCK) edits $(EDITS)

.PHONY: kernels
kernels: cargo ## What the models say, asked of kernels from 4.19 to 7.3 in guests; writes docs/kernels.md (QEMU, a Debian mirror; half an hour)
	@$(INTERLOCK) kernels

# What `cures` is asked: make cures CURES="ext4 --source 6.12"
CURES :=
.PHONY: cures
cures: cargo ## Kernels as shipped and with the patches of docs/findings, built and asked in guests; writes docs/cures.md (QEMU, a Debian mirror, what builds a kernel; hours)
	@$(INTERLOCK) cures $(CURES)

# What `mutate` is asked: make mutate MUTATE="rwsem --budget 3600"
MUTATE :=
.PHONY: mutate
mutate: cargo ## Mutants of the specifications: each is noticed by a row, or listed with its reason (hours; goes on where it was ended)
	@$(CHECKER) mutate $(MUTATE)

.PHONY: mutants
mutants: cargo ## Mutate the reference: each mutant is caught, or listed with its reason (MUTANTS="--group word"; --shard, --changed)
	@ci/mutants $(MUTANTS)

.PHONY: fuzz
fuzz: cargo ## Everything that reads a stranger's bytes, under libFuzzer: FUZZ="300 log" is 5 minutes of one target (nightly, cargo-fuzz)
	@ci/fuzz/run $(FUZZ)

.PHONY: tsan
tsan: cargo ## ThreadSanitizer on the threads of each lock, the file, the journal and the flusher, with a nightly toolchain and its source
	@ci/tsan

.PHONY: targets
targets: cargo ## The lock's crate compiles for Windows, macOS, 64-bit ARM, and without std (targets of rustup's)
	@ci/targets

.PHONY: style
style: cargo ## Formatting, clippy and rustdoc, warnings are errors
	cargo fmt --check
	cargo fmt --check --manifest-path ci/book/Cargo.toml
	cargo clippy --workspace --all-targets --quiet -- --deny warnings
	RUSTDOCFLAGS="--deny warnings" cargo doc --workspace --no-deps --quiet

.PHONY: docs
docs: cargo ## Bring what is generated in the documentation up to date (tables, pictures, cfgs), then the book into target/book
	@$(INTERLOCK) docs
	@$(MAKE) --no-print-directory book

.PHONY: book
book: cargo ## The book alone, into target/book, with the specifications in full; each of its links is followed (mdBook is built with it, once)
	@cargo run --quiet --locked --manifest-path ci/book/Cargo.toml --target-dir target/book-build

.PHONY: browser
browser: book ## The book's pages and a report's in a headless Chromium: widths, light and dark, contrast, keyboard, no network (minutes)
	@cargo test --quiet --package interlock-browser --package interlock-checker --test seeded --test browser
	@cargo test --quiet --locked --manifest-path ci/book/Cargo.toml --target-dir target/book-build

.PHONY: doctor
doctor: cargo ## The tools, their versions, and what needs them
	@$(INTERLOCK) doctor

# One clear line when cargo is missing or too old; cargo checks nothing before it has read the whole workspace.
.PHONY: cargo
cargo:
	@ci/need-cargo
