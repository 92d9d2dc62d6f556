// SPDX-License-Identifier: MIT OR Apache-2.0
//! As much of JSON Schema as docs/schema uses. A crate for it would bring forty others.
use std::fs;
use std::path::Path;

use serde_json::Value;

/// Panics where the value is not what `docs/schema/VERB-1.schema.json` says. Stricter than the schema: a field that it
/// doesn't describe is a fault, so that the two can't drift apart.
pub fn check(verb: &str, value: &Value) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../docs/schema/{verb}-1.schema.json"));
    let schema: Value = serde_json::from_str(&fs::read_to_string(path).unwrap()).unwrap();
    Checker { root: &schema }.check(&schema, value, verb);
}

struct Checker<'s> {
    root: &'s Value,
}

impl Checker<'_> {
    fn check(&self, schema: &Value, value: &Value, at: &str) {
        for (keyword, rule) in schema.as_object().expect("a schema is an object") {
            match keyword.as_str() {
                "$ref" => {
                    let name = rule.as_str().unwrap().strip_prefix("#").expect("within the file");
                    self.check(self.root.pointer(name).unwrap_or_else(|| panic!("no {name}")), value, at);
                }
                "type" => {
                    let types: Vec<&str> = match rule {
                        Value::Array(types) => types.iter().map(|t| t.as_str().unwrap()).collect(),
                        one => vec![one.as_str().unwrap()],
                    };
                    assert!(types.iter().any(|t| is(value, t)), "{at} is no {types:?}: {value}");
                }
                "enum" => assert!(rule.as_array().unwrap().contains(value), "{at}: {value} is none of {rule}"),
                "const" => assert_eq!(rule, value, "{at}"),
                "minimum" => assert!(value.as_f64().is_none_or(|v| v >= rule.as_f64().unwrap()), "{at}: {value}"),
                "required" => {
                    let missing =
                        |key: &&Value| value.as_object().is_some_and(|v| !v.contains_key(key.as_str().unwrap()));
                    assert_eq!(rule.as_array().unwrap().iter().find(missing), None, "{at}: missing");
                }
                "properties" => {
                    for (key, inner) in value.as_object().into_iter().flatten() {
                        let rule = rule.get(key).unwrap_or_else(|| panic!("{at}.{key} is not in the schema"));
                        self.check(rule, inner, &format!("{at}.{key}"));
                    }
                }
                "items" => {
                    for (n, inner) in value.as_array().into_iter().flatten().enumerate() {
                        self.check(rule, inner, &format!("{at}[{n}]"));
                    }
                }
                "$schema" | "$id" | "$defs" | "title" | "description" => {}
                other => panic!("keyword {other} is not checked"),
            }
        }
    }
}

fn is(value: &Value, type_name: &str) -> bool {
    match type_name {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "null" => value.is_null(),
        other => panic!("type {other} is not checked"),
    }
}

#[test]
#[should_panic(expected = "missing")]
fn a_missing_field_is_found() {
    check("time", &serde_json::json!({ "schema": "bootline-time/1", "tool": "x" }));
}

#[test]
#[should_panic(expected = "not in the schema")]
fn an_undescribed_field_is_found() {
    check("time", &serde_json::json!({ "schema": "bootline-time/1", "tool": "x", "boots": [], "more": 1 }));
}
