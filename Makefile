# Two commands: `make demo` does the main job, `make test` passes all tests. Both run on a fresh Debian machine
# with Rust; what else the tests need they install into ignored folders, or say that they skip it.

.PHONY: demo serve test lint licences contracts bench fuzz tools

demo:
	@cargo build --quiet --release -p presight --locked
	@target/release/presight demo

# The service on the shipped example, at http://127.0.0.1:8481.
serve:
	@cargo build --quiet --release -p presight --locked
	@target/release/presight serve --config examples/approve/presight.toml

test: tools lint licences contracts
	cargo test --workspace --locked

lint:
	cargo fmt --all --check
	cargo clippy --workspace --all-targets --locked -- -D warnings
	RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --locked

licences:
	cargo run --quiet --locked -p presight-licences

# The compiled contracts are what their sources give, and the anchors pass their own tests.
contracts:
	@if [ -d node_modules/solc ]; then node contracts/compile.mjs --check; \
	else echo "skipped: test contracts are not compiled again (npm ci)"; fi
	@if [ -d node_modules/@foundry-rs/forge ]; then cd contracts/anchor && ../../node_modules/.bin/forge test; \
	else echo "skipped: the anchors' own tests (npm ci)"; fi

# A local node, a compiler and contract artifacts from npm. Without npm the tests that need them print `skipped`.
tools:
	@scripts/install-tools

bench:
	cargo bench --workspace --locked

# Each target for a minute; needs `cargo install cargo-fuzz`.
fuzz:
	@scripts/fuzz 60
