//! Runs the built binary.
#![allow(
    dead_code,
    unreachable_pub,
    missing_docs,
    reason = "each test file uses its part"
)]

use serde_json::Value;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What a run gave.
#[derive(Debug)]
pub struct Run {
    pub code: i32,
    pub stdout: Vec<u8>,
    pub stderr: String,
}

impl Run {
    /// Standard output as text.
    pub fn text(&self) -> &str {
        std::str::from_utf8(&self.stdout).expect("UTF-8 on stdout")
    }

    /// Standard output as one JSON document.
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.stdout)
            .unwrap_or_else(|e| panic!("no JSON on stdout ({e}): {} / {}", self.text(), self.stderr))
    }
}

/// Runs `presight` with these arguments, without any of its environment variables.
pub fn presight<S: AsRef<std::ffi::OsStr>>(arguments: impl IntoIterator<Item = S>) -> Run {
    presight_with_input(arguments, b"")
}

/// The same, with bytes on standard input.
pub fn presight_with_input<S: AsRef<std::ffi::OsStr>>(
    arguments: impl IntoIterator<Item = S>,
    input: &[u8],
) -> Run {
    let mut child = Command::new(env!("CARGO_BIN_EXE_presight"))
        .args(arguments)
        .env_clear()
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary starts");
    let mut stdin = child.stdin.take().expect("stdin is piped");
    let input = input.to_vec();
    // A binary that answers before it has read everything closes the pipe: no fault of the test.
    let writer = std::thread::spawn(move || drop(stdin.write_all(&input)));
    let output = child.wait_with_output().expect("the binary ends");
    writer.join().expect("the writer ends");
    let code = output
        .status
        .code()
        .expect("the binary was not killed by a signal");
    Run {
        code,
        stdout: output.stdout,
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

/// A folder of its own for one test, with files written into it.
pub struct Folder(tempfile::TempDir);

impl Folder {
    pub fn new() -> Self {
        Self(tempfile::tempdir().expect("a temporary folder"))
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub fn write(&self, name: &str, contents: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        std::fs::write(&path, contents).expect("a file in the temporary folder");
        path
    }
}

/// A path as an argument.
pub fn arg(path: &Path) -> String {
    path.to_str().expect("a UTF-8 path").to_owned()
}

/// The workspace's folder.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}
