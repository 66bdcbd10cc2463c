//! A disk that is full, a folder that takes nothing, a folder that is gone.

use std::path::PathBuf;
use std::process::Command;

use crate::kills::mixed;
use crate::{AS_IKERU, Place, results, start, stopped, wait_for_rows};

/// A mixed campaign and the folder of a run of it that nothing disturbed.
fn undisturbed() -> (Place, Vec<PathBuf>, PathBuf) {
    let place = Place::new();
    let experiments = mixed(&place);
    let whole = place.path("whole");
    place.whole(&experiments, &whole, &[]);
    (place, experiments, whole)
}

pub fn a_full_disk_stops_the_run_and_loses_nothing() {
    let (place, experiments, whole) = undisturbed();
    let full = std::fs::metadata(whole.join("records.csv"))
        .expect("rows")
        .len();
    let out = place.path("full");
    // No file may be larger than half of what the rows need, in blocks of 512 bytes; a limit of file sizes
    // writes what still fits and then refuses, as a full disk does.
    let run = place.run(&experiments, &out, &[]);
    let mut limited = Command::new("sh");
    let limit = format!(
        "trap '' XFSZ; ulimit -f {}; exec \"$0\" \"$@\"",
        full / 2 / 512
    );
    limited
        .arg("-c")
        .arg(limit)
        .arg(run.get_program())
        .args(run.get_args());
    limited.env(AS_IKERU, place.0.path());
    let error = stopped(&limited.output().expect("it starts"));
    assert!(error.contains("records.csv: cannot be written"), "{error}");
    place.nobody_is_left();
    let kept = results(&out).len();
    assert!(kept > 5, "only {kept} rows were kept");
    let again = place.whole(&experiments, &out, &["--resume"]);
    assert_eq!(again, results(&whole));
}

pub fn a_removed_folder_is_written_again() {
    let (place, experiments, whole) = undisturbed();
    let out = place.path("removed");
    let run = start(place.run(&experiments, &out, &[]));
    wait_for_rows(&out, 4);
    std::fs::remove_dir_all(&out).expect("removed");
    let error = stopped(&run.wait_with_output().expect("a child"));
    assert!(
        error.contains("was removed while the run went on"),
        "{error}"
    );
    place.nobody_is_left();
    assert!(results(&out).len() >= 5, "what was finished is there again");
    let again = place.whole(&experiments, &out, &["--resume"]);
    assert_eq!(again, results(&whole));
}

pub fn a_folder_that_takes_nothing_is_refused() {
    let place = Place::new();
    let experiments = mixed(&place);
    // Folders that refuse even the superuser: one cannot be made, into the other nothing can be written.
    for (out, why) in [
        ("/proc/ikeru-run", "cannot be created"),
        ("/proc/self", "holds other files"),
    ] {
        let output = place.run(&experiments, out.as_ref(), &[]).output();
        let error = stopped(&output.expect("it starts"));
        assert!(error.contains(why), "{error}");
    }
}
