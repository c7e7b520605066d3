//! Reading files and standard input.

use crate::args::SourcesFile;
use crate::exit::Failure;
use anyhow::Context as _;
use presight_source::Config;
use presight_wire::Refusal;
use presight_wire::limits::MAX_DOCUMENT_BYTES;
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// The bytes of a file of at most `max` bytes, or of standard input for `-`.
pub(crate) fn read(path: &Path, max: usize) -> Result<Vec<u8>, Failure> {
    let shown = path.display();
    let reader: Box<dyn Read> = if path.as_os_str() == "-" {
        Box::new(std::io::stdin().lock())
    } else {
        let file = File::open(path)
            .map_err(|e| Refusal::new("unreadable-file", "", format!("`{shown}` cannot be opened: {e}")))?;
        Box::new(file)
    };
    let mut bytes = Vec::new();
    let limit = u64::try_from(max).context("the limit fits 64 bits")? + 1;
    reader
        .take(limit)
        .read_to_end(&mut bytes)
        .map_err(|e| Refusal::new("unreadable-file", "", format!("`{shown}` cannot be read: {e}")))?;
    if bytes.len() > max {
        return Err(Refusal::new("too-large", "", format!("`{shown}` is larger than {max} bytes")).into());
    }
    Ok(bytes)
}

/// A request or report document.
pub(crate) fn document(path: &Path) -> Result<Vec<u8>, Failure> {
    read(path, MAX_DOCUMENT_BYTES)
}

/// What the source is configured to read from; nothing without a file.
pub(crate) fn sources(args: &SourcesFile) -> Result<Config, Failure> {
    let Some(path) = &args.file else {
        return Ok(Config::default());
    };
    let refusal = |message| Refusal::new("bad-sources", "", format!("`{}`: {message}", path.display()));
    let text = String::from_utf8(document(path)?).map_err(|_| refusal("not UTF-8".to_owned()))?;
    Ok(Config::parse(&text).map_err(|error| refusal(error.to_string()))?)
}
