// SPDX-License-Identifier: MIT OR Apache-2.0
//! docs/store.md and the tables say the same, and the files have what they say.
use bootline_store::tables::{BootRow, BuildRow, FileRow, FindingRow, MeasureRow, RollupRow, SpanRow};
use bootline_store::{CONTRACT, Table, write_part};
use parquet::basic::{LogicalType, Repetition};
use parquet::file::reader::{FileReader, SerializedFileReader};

/// Name, type and nullability of a column.
type Said = (String, String, String);

const DOCUMENT: &str = include_str!("../../../docs/store.md");

/// The columns that the document has for a table, checked for what each needs.
fn documented(table: &str) -> Vec<Said> {
    let (_, section) = DOCUMENT.split_once(&format!("\n## {table}\n")).unwrap_or_else(|| panic!("no section {table}"));
    let section = section.split("\n## ").next().unwrap_or_default();
    let rows = section.lines().filter(|line| line.starts_with("| `"));
    rows.map(|row| {
        let cells: Vec<&str> = row.trim_matches('|').split('|').map(str::trim).collect();
        let [name, kind, unit, null, meaning, _] = cells[..] else { panic!("{row}") };
        let name = name.trim_matches('`');
        assert!(!meaning.is_empty(), "{name} has no meaning");
        assert_eq!(name.ends_with("_us"), unit == "µs", "{name} has the unit {unit}");
        (name.to_owned(), kind.to_owned(), null.to_owned())
    })
    .collect()
}

fn check<T: Table>() {
    let ours: Vec<Said> = T::COLUMNS
        .iter()
        .map(|c| (c.name.to_owned(), c.sql_type().to_owned(), if c.nullable { "yes" } else { "no" }.to_owned()))
        .collect();
    assert_eq!(documented(T::NAME), ours, "{}", T::NAME);
    let file = write_part::<T, _>(&mut [], Vec::new()).unwrap();
    let reader = SerializedFileReader::new(bytes::Bytes::from(file)).unwrap();
    let metadata = reader.metadata().file_metadata();
    let pairs = metadata.key_value_metadata().unwrap();
    assert!(pairs.iter().any(|p| (p.key.as_str(), p.value.as_deref()) == (CONTRACT.0, Some(CONTRACT.1))));
    let stored: Vec<Said> = metadata
        .schema()
        .get_fields()
        .iter()
        .map(|field| {
            let info = field.get_basic_info();
            let kind = match (field.get_physical_type().to_string().as_str(), info.logical_type_ref()) {
                ("INT64", Some(LogicalType::Timestamp { is_adjusted_to_u_t_c: true, .. })) => "TIMESTAMP",
                ("INT64", None) => "BIGINT",
                ("INT32", None) => "INTEGER",
                ("BOOLEAN", None) => "BOOLEAN",
                ("DOUBLE", None) => "DOUBLE",
                ("BYTE_ARRAY", Some(LogicalType::String)) => "VARCHAR",
                other => panic!("{}: {other:?}", field.name()),
            };
            let null = if info.repetition() == Repetition::OPTIONAL { "yes" } else { "no" };
            (field.name().to_owned(), kind.to_owned(), null.to_owned())
        })
        .collect();
    assert_eq!(stored, ours, "{}", T::NAME);
}

#[test]
fn the_document_is_the_schema() {
    check::<BootRow>();
    check::<SpanRow>();
    check::<FindingRow>();
    check::<MeasureRow>();
    check::<BuildRow>();
    check::<RollupRow>();
    check::<FileRow>();
    assert_eq!(DOCUMENT.matches("\n| column | type |").count(), 7, "a table that no code has");
}
