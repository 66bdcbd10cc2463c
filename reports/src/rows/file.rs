//! The file behind the rows: its whole lines, and the schema of each.

use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom};
use std::path::Path;

use crate::error::ReportError;
use crate::records::SCHEMA;

/// Opens `records.csv` up to its last whole line.
///
/// # Errors
/// A file that cannot be read.
pub(crate) fn open_whole(path: &Path) -> Result<impl Read + use<>, ReportError> {
    let mut file = File::open(path).map_err(|error| ReportError::io(path, error))?;
    let whole = whole_lines(&mut file).map_err(|error| ReportError::io(path, error))?;
    Ok(BufReader::new(file.take(whole)))
}

/// Refuses a row's schema that this program does not know.
///
/// # Errors
/// What was found and what was expected.
pub(crate) fn schema_of(field: Option<&[u8]>) -> Result<u32, String> {
    let field = field.and_then(|field| std::str::from_utf8(field).ok());
    match field.and_then(|field| field.parse::<u32>().ok()) {
        Some(schema) if schema <= SCHEMA => Ok(schema),
        Some(schema) => Err(format!(
            "schema {schema} is newer than this program's {SCHEMA}"
        )),
        None => Err(format!("no schema; expected a whole number up to {SCHEMA}")),
    }
}

/// The length of the file up to its last newline; what follows is torn. Leaves the file at its start.
fn whole_lines(file: &mut File) -> std::io::Result<u64> {
    let mut end = file.seek(SeekFrom::End(0))?;
    let mut block = vec![0; 1 << 16];
    while end > 0 {
        let length = end.min(block.len() as u64);
        file.seek(SeekFrom::Start(end - length))?;
        let block = &mut block[..length as usize];
        file.read_exact(block)?;
        if let Some(last) = block.iter().rposition(|byte| *byte == b'\n') {
            end = end - length + last as u64 + 1;
            break;
        }
        end -= length;
    }
    file.seek(SeekFrom::Start(0))?;
    Ok(end)
}
