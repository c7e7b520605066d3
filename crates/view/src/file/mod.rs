//! The view file, `presight-view/1`: everything a report may read, pinned. It is also the witness of a report.

mod check;
mod history;
mod node_execution;
mod read;
mod write;

pub use check::Proofs;
pub use write::to_json;

use crate::problem::Problem;
use crate::snapshot::Snapshot;
use presight_wire::error::Refusal;
use presight_wire::json::{self, Numbers};
use std::borrow::Cow;
use std::io::Read;

/// The file's `format`.
pub const FORMAT: &str = "presight-view/1";
/// Bytes of one view file, after decompression.
pub const MAX_VIEW_BYTES: usize = 512 * 1024 * 1024;
/// Nesting depth of a view file.
pub const MAX_VIEW_DEPTH: usize = 64;
/// Commas in a view file. A value in memory is many times its shortest text, and there are about as many values as
/// commas.
pub const MAX_VIEW_COMMAS: usize = 16 * 1024 * 1024;

/// The first bytes of a zstd frame (RFC 8878 §3.1.1).
const ZSTD_MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];
/// The largest window a decoder allocates: 2^29 bytes, as large as a view file.
const ZSTD_WINDOW_LOG: u32 = 29;

/// A view file as read: a closed snapshot, and what is wrong with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ViewFile {
    /// What the file holds. Closed: what it does not hold is not read, `unavailable`.
    pub snapshot: Snapshot,
    /// What the file's proofs show.
    pub proofs: Proofs,
    /// Proofs that do not verify, headers that do not hash to their hash. The accounts concerned are not read.
    pub problems: Vec<Problem>,
}

/// Reads a view file, plain or compressed with zstd, and checks its proofs.
///
/// # Errors
/// What is not a view file is refused with a code and the pointer of the place: `view-too-large` beyond
/// [`MAX_VIEW_BYTES`] or [`MAX_VIEW_COMMAS`], `bad-zstd`, the codes of the strict JSON reader, and `bad-view` where a
/// member says something a view file cannot say.
pub fn parse(bytes: &[u8]) -> Result<ViewFile, Refusal> {
    let text = decompress(bytes)?;
    if text.iter().filter(|byte| **byte == b',').count() > MAX_VIEW_COMMAS {
        let message = format!("a view file has at most MAX_VIEW_COMMAS = {MAX_VIEW_COMMAS} commas");
        return Err(Refusal::new("view-too-large", "", message));
    }
    let value = json::parse_bounded(&text, Numbers::Exact, MAX_VIEW_BYTES, MAX_VIEW_DEPTH)?;
    let mut snapshot = read::snapshot(&value)?;
    let (proofs, problems) = check::check(&mut snapshot);
    Ok(ViewFile {
        snapshot,
        proofs,
        problems,
    })
}

/// The snapshot as a zstd-compressed view file.
pub fn to_zstd(snapshot: &Snapshot) -> std::io::Result<Vec<u8>> {
    zstd::encode_all(to_json(snapshot).as_bytes(), zstd::DEFAULT_COMPRESSION_LEVEL)
}

fn decompress(bytes: &[u8]) -> Result<Cow<'_, [u8]>, Refusal> {
    let too_large = || {
        Refusal::new(
            "view-too-large",
            "",
            format!("a view file has at most MAX_VIEW_BYTES = {MAX_VIEW_BYTES} bytes, uncompressed"),
        )
    };
    let bad_zstd = |e: std::io::Error| Refusal::new("bad-zstd", "", e.to_string());
    if !bytes.starts_with(&ZSTD_MAGIC) {
        return if bytes.len() > MAX_VIEW_BYTES {
            Err(too_large())
        } else {
            Ok(bytes.into())
        };
    }
    let mut decoder = zstd::Decoder::new(bytes).map_err(bad_zstd)?;
    decoder.window_log_max(ZSTD_WINDOW_LOG).map_err(bad_zstd)?;
    let mut plain = Vec::new();
    decoder
        .take(MAX_VIEW_BYTES as u64 + 1)
        .read_to_end(&mut plain)
        .map_err(bad_zstd)?;
    if plain.len() > MAX_VIEW_BYTES {
        Err(too_large())
    } else {
        Ok(plain.into())
    }
}
