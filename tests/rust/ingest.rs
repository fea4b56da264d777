//! Known names in texts, statements of cause, and the links they make.

use arrow_array::builder::{ListBuilder, StringBuilder};
use arrow_array::{Int64Array, ListArray, StringArray};
use proptest::prelude::*;
use timewalk_core::Error;
use timewalk_core::ingest::{CauseOptions, Direction, Matcher, Memories, causal_links, claims};

const DAY: i64 = 86_400_000_000;

fn found(names: &[&str], text: &str) -> Vec<String> {
    let matcher = Matcher::new(&StringArray::from(names.to_vec())).unwrap();
    let hits = matcher.find(&StringArray::from(vec![text]));
    hits.iter().map(|hit| text[hit.start..hit.end].to_owned()).collect()
}

#[test]
fn names_count_as_whole_words_except_where_no_spaces_are_written() {
    assert_eq!(found(&["iran", "tigran"], "tigran, iran"), ["tigran", "iran"]);
    assert!(found(&["iran"], "tigran iranian iran_1 1iran").is_empty());
    assert_eq!(found(&["room 10", "room 101"], "room 101, room 10, room 1011"), ["room 101", "room 10"]);
    assert_eq!(found(&["北京大学", "大学"], "在北京大学上学的大学生"), ["北京大学", "大学"]);
    assert_eq!(found(&["maria"], "maria's maria\u{2019}s marias"), ["maria", "maria"]);
    assert!(found(&["brien", "o"], "o'brien").is_empty());
}

#[test]
fn an_empty_name_is_an_error_with_its_row() {
    let error = Matcher::new(&StringArray::from(vec![Some("a"), None])).unwrap_err();
    assert!(matches!(error, Error::Value { row: Some(1), .. }));
    assert!(Matcher::new(&StringArray::from(Vec::<&str>::new())).unwrap().is_empty());
}

#[test]
fn null_texts_hold_nothing_and_rows_are_kept_over_many_threads() {
    let matcher = Matcher::new(&StringArray::from(vec!["x"])).unwrap();
    let texts: StringArray =
        (0..10_000).map(|row| (row % 3 != 0).then_some(if row % 3 == 1 { "x y x" } else { "y" })).collect();
    let rows: Vec<usize> = matcher.find(&texts).iter().map(|hit| hit.row).collect();
    let expected: Vec<usize> = (0..10_000).filter(|row| row % 3 == 1).flat_map(|row| [row, row]).collect();
    assert_eq!(rows, expected);
}

#[test]
fn claims_name_the_clause_and_its_direction() {
    let text = "It failed because of the old valve, which led to a fire.";
    let stated = claims(text);
    let read: Vec<_> = stated.iter().map(|claim| (claim.direction, claim.cue, &text[claim.clause.clone()])).collect();
    assert_eq!(read, [(Direction::CausedBy, "because of", "the old valve"), (Direction::Causes, "led to", "a fire")]);
    assert_eq!(claims("Fixes the pump\nand reverts the valve").len(), 1);
    assert_eq!(claims("Avoid a crash, fix the pump")[0].direction, Direction::Repairs);
    assert_eq!(claims("Avoid a crash")[0].direction, Direction::MayRepair);
    assert!(claims("not because of it, prefix suffixes, quick-fix, fix() due").is_empty());
    assert!(claims("because").is_empty());
}

fn memories(texts: &[&str]) -> (StringArray, StringArray, Int64Array, ListArray) {
    let starts: Int64Array = (0..texts.len() as i64).map(|day| Some(day * DAY)).collect();
    let mut entities = ListBuilder::new(StringBuilder::new());
    texts.iter().for_each(|_| entities.append(false));
    (StringArray::from(texts.to_vec()), texts.iter().map(|_| Some("n")).collect(), starts, entities.finish())
}

const OPTIONS: CauseOptions = CauseOptions {
    repairs: 2,
    repair_floor: 0.0,
    clause_floor: 0.0,
    memory_span: 90.0 * DAY as f64,
    entity_weight: 4.0,
};

#[test]
fn columns_of_different_lengths_are_an_error_that_names_one() {
    let (texts, namespaces, starts, entities) = memories(&["a", "b"]);
    let short = Int64Array::from(vec![0]);
    let wrong = Memories { texts: &texts, namespaces: &namespaces, starts: &starts, ends: &short, entities: &entities };
    let error = causal_links(&wrong, &OPTIONS).unwrap_err();
    assert!(error.to_string().contains("occurred_end"));
}

proptest! {
    #[test]
    fn any_text_is_read_without_a_panic(text in "\\PC{0,60}|[a-z ,.\\n大学]{0,40}(because|due to|fix|led to|after)[a-z ,.\\n大学]{0,40}") {
        for claim in claims(&text) {
            prop_assert!(text.get(claim.clause.clone()).is_some_and(|clause| !clause.is_empty()));
        }
    }

    #[test]
    fn matches_are_names_at_their_place_and_do_not_overlap(names in prop::collection::vec("[ab' 大]{1,3}", 1..5), text in "[ab' 大]{0,30}") {
        let matcher = Matcher::new(&StringArray::from(names.clone())).unwrap();
        let mut end = 0;
        for hit in matcher.find(&StringArray::from(vec![text.as_str()])) {
            prop_assert_eq!(&text[hit.start..hit.end], names[hit.name].as_str());
            prop_assert!(hit.start >= end);
            end = hit.end;
        }
    }

    #[test]
    fn links_point_back_in_time_with_weights_in_bounds(words in prop::collection::vec(prop::collection::vec(
        prop::sample::select(vec!["fix", "because", "led to", "pump", "valve", "tank", "leak", "大学"]), 0..7), 0..15)) {
        let texts: Vec<String> = words.iter().map(|words| words.join(" ")).collect();
        let (column, namespaces, starts, entities) = memories(&texts.iter().map(String::as_str).collect::<Vec<_>>());
        let rows = Memories { texts: &column, namespaces: &namespaces, starts: &starts, ends: &starts, entities: &entities };
        for link in causal_links(&rows, &OPTIONS).unwrap() {
            prop_assert!(link.weight > 0.0 && link.weight <= 1.0);
            let backwards = link.target < link.source;
            prop_assert_eq!(backwards, link.relation != "causes");
        }
    }
}
