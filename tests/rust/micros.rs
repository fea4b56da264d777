//! Time columns of every type become the same microseconds.

use std::sync::Arc;

use arrow_array::types::Int32Type;
use arrow_array::{
    Array, ArrayRef, Date32Array, DictionaryArray, Float32Array, Int64Array, LargeStringArray, StringArray,
    StringViewArray, TimestampMicrosecondArray, TimestampMillisecondArray, TimestampNanosecondArray,
    TimestampSecondArray,
};
use timewalk_core::Error;
use timewalk_core::time::{micros, parse_zone};

fn utc(array: &dyn Array) -> Vec<Option<i64>> {
    micros(array, "t", &parse_zone("UTC").unwrap()).unwrap().iter().collect()
}

#[test]
fn every_unit_and_string_type_reads_the_same_instant() {
    let dictionary: DictionaryArray<Int32Type> = ["1970-01-02T00:00:00Z"].into_iter().collect();
    let same: Vec<ArrayRef> = vec![
        Arc::new(TimestampSecondArray::from(vec![86_400])),
        Arc::new(TimestampMillisecondArray::from(vec![86_400_000])),
        Arc::new(TimestampMicrosecondArray::from(vec![86_400_000_000])),
        Arc::new(TimestampNanosecondArray::from(vec![86_400_000_000_000])),
        Arc::new(Date32Array::from(vec![1])),
        Arc::new(StringArray::from(vec!["1970-01-02"])),
        Arc::new(LargeStringArray::from(vec!["1970-01-02T01:00:00+01:00"])),
        Arc::new(StringViewArray::from(vec!["1970-01-02T00:00"])),
        Arc::new(dictionary),
    ];
    for array in same {
        assert_eq!(utc(&array), [Some(86_400_000_000)], "{}", array.data_type());
    }
}

#[test]
fn nanoseconds_before_the_epoch_are_floored() {
    assert_eq!(utc(&TimestampNanosecondArray::from(vec![-1, 999, 1_000])), [Some(-1), Some(0), Some(1)]);
    assert_eq!(utc(&StringArray::from(vec!["1969-12-31T23:59:59.9999999Z"])), [Some(-1)]);
}

#[test]
fn a_naive_time_is_read_in_the_zone_and_an_aware_one_is_not() {
    let zone = parse_zone("Asia/Shanghai").unwrap();
    let naive = TimestampSecondArray::from(vec![Some(8 * 3600), None]);
    assert_eq!(micros(&naive, "t", &zone).unwrap().iter().collect::<Vec<_>>(), [Some(0), None]);
    let aware = naive.clone().with_timezone("Asia/Shanghai");
    assert_eq!(micros(&aware, "t", &zone).unwrap().value(0), 8 * 3600 * 1_000_000);
    let offset = parse_zone("+08:00").unwrap();
    assert_eq!(micros(&StringArray::from(vec!["1970-01-01"]), "t", &offset).unwrap().value(0), -8 * 3600 * 1_000_000);
}

#[test]
fn partial_dates_mean_their_first_instant() {
    assert_eq!(
        utc(&StringArray::from(vec!["1971", "1971-02", ""])),
        [Some(365 * 86_400_000_000), Some(396 * 86_400_000_000), None]
    );
}

#[test]
fn guesses_are_refused() {
    let zone = parse_zone("UTC").unwrap();
    for array in [Arc::new(Int64Array::from(vec![1])) as ArrayRef, Arc::new(Float32Array::from(vec![1.0]))] {
        assert!(matches!(micros(&array, "t", &zone), Err(Error::Type { .. })));
    }
    let bad = micros(&StringArray::from(vec![Some("1970-01-01"), Some("soon")]), "when", &zone).unwrap_err();
    assert_eq!(bad, Error::cell("'soon' is not an ISO 8601 time such as 2024-05-01T09:30:00Z", "when", 1));
    let far = micros(&TimestampSecondArray::from(vec![i64::MAX]), "t", &zone).unwrap_err();
    assert!(far.to_string().contains("row 0"));
    assert!(parse_zone("Mars/Olympus").is_err());
}

#[test]
fn the_last_day_of_the_year_9999_is_a_time() {
    let midnight = 253_402_214_400_000_000;
    let texts = ["9999-12-31T00:00:00", "9999-12-31T00:00:00Z", "9999-12-31", "9999-12-31T01:00:00+01:00"];
    assert_eq!(utc(&StringArray::from(texts.to_vec())), [Some(midnight); 4]);
    let last = StringArray::from(vec!["9999-12-31T23:59:59.999999Z", "9999-12-31T23:59:59.9999999"]);
    assert_eq!(utc(&last), [Some(midnight + 86_399_999_999); 2]);
    let east = parse_zone("Asia/Shanghai").unwrap();
    let read = micros(&StringArray::from(vec!["9999-12-31"]), "t", &east).unwrap();
    assert_eq!(read.value(0), midnight - 8 * 3_600_000_000);
    assert!(micros(&StringArray::from(vec!["9999-12-32T00:00:00Z"]), "t", &east).is_err());
}
