//! Tables in the documentation that are generated from the code and compared with it.

use std::{path::Path, sync::Mutex};

/// Tests run side by side, and a page has several blocks.
static PAGES: Mutex<()> = Mutex::new(());

/// Compares a marked block of a page with what it should be, or writes it there.
pub fn check(page: &str, block: &str, content: &str) {
    let _one_at_a_time = PAGES.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(page);
    let text = std::fs::read_to_string(&path).unwrap();
    let (begin, end) = (format!("<!-- begin {block} -->\n"), format!("<!-- end {block} -->"));
    let (before, rest) = text.split_once(&begin).expect("the block begins");
    let (found, after) = rest.split_once(&end).expect("the block ends");
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(&path, format!("{before}{begin}{content}{end}{after}")).unwrap();
    } else {
        assert_eq!(
            found,
            content,
            "{page}: block {block} is out of date; run: UPDATE_DOCS=1 cargo test --test {}",
            env!("CARGO_CRATE_NAME")
        );
    }
}
