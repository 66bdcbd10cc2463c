//! `csv/EXPERIMENT.csv`: the samples of one experiment, without the columns that it does not fill.

use std::collections::BTreeMap;
use std::path::Path;

use crate::error::ReportError;
use crate::whole::WholeCsv;

/// Writes one file per experiment of `records.csv` into the folder `csv`. Fields are copied as they are.
///
/// # Errors
/// A file that cannot be read or written.
pub fn write(run_folder: &Path) -> Result<(), ReportError> {
    let records = run_folder.join("records.csv");
    let folder = run_folder.join("csv");
    std::fs::create_dir_all(&folder).map_err(|error| ReportError::io(&folder, error))?;
    let unreadable = |error: csv::Error| ReportError::io(&records, error);
    let open = || csv::ReaderBuilder::new().flexible(true).from_path(&records);
    let mut reader = open().map_err(unreadable)?;
    let header = reader.headers().map_err(unreadable)?.clone();
    let Some(place) = header.iter().position(|name| name == "experiment") else {
        return Ok(());
    };
    let mut filled: BTreeMap<String, Vec<bool>> = BTreeMap::new();
    let mut row = csv::StringRecord::new();
    // The last line of a run that was killed may be torn.
    while reader.read_record(&mut row).unwrap_or(false) && row.len() == header.len() {
        let own = filled
            .entry(row[place].to_owned())
            .or_insert_with(|| vec![false; header.len()]);
        for (is_filled, field) in own.iter_mut().zip(&row) {
            *is_filled |= !field.is_empty();
        }
    }
    for (experiment, columns) in &filled {
        let path = folder.join(format!("{experiment}.csv"));
        let unwritable = |error: csv::Error| ReportError::io(&path, error);
        let mut writer = WholeCsv::create(&path).map_err(unwritable)?;
        let kept = |row: &csv::StringRecord| -> csv::StringRecord {
            let fields = row.iter().zip(columns);
            fields
                .filter(|(_, is_filled)| **is_filled)
                .map(|(field, _)| field)
                .collect()
        };
        writer.write_record(&kept(&header)).map_err(unwritable)?;
        let mut reader = open().map_err(unreadable)?;
        while reader.read_record(&mut row).unwrap_or(false) && row.len() == header.len() {
            if &row[place] == experiment {
                writer.write_record(&kept(&row)).map_err(unwritable)?;
            }
        }
        writer
            .finish()
            .map_err(|error| ReportError::io(&path, error))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_experiment_has_its_samples_and_only_the_columns_that_it_fills() {
        let folder = tempfile::tempdir().expect("a folder");
        let text = "experiment,wall_ns,setting_god,detail\na,1,true,\nb,2,,\"x, y\"\na,3,,\na,4";
        std::fs::write(folder.path().join("records.csv"), text).expect("written");
        write(folder.path()).expect("extracts");
        let read = |name: &str| std::fs::read_to_string(folder.path().join("csv").join(name));
        assert_eq!(
            read("a.csv").expect("a"),
            "experiment,wall_ns,setting_god\na,1,true\na,3,\n"
        );
        assert_eq!(
            read("b.csv").expect("b"),
            "experiment,wall_ns,detail\nb,2,\"x, y\"\n"
        );
    }
}
