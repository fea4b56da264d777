//! The engines against naive oracles: every instruction set, any threads, slices, nulls, extreme ages.

use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float32Type, Float64Type};
use arrow_array::{Array, ArrayRef, Float64Array, Int64Array, ListArray, StringArray, TimestampMicrosecondArray};
use arrow_buffer::OffsetBuffer;
use arrow_schema::{DataType, Field, TimeUnit};
use proptest::prelude::*;
use timewalk_core::Error;
use timewalk_core::decay::simd::Level;
use timewalk_core::decay::{
    Accesses, Form, Origin, Param, Settings, Shape, actr, curve, ebbinghaus, half_life, power_law,
};

const NOW: i64 = 1_800_000_000_000_000;

fn settings(level: Level) -> Settings {
    Settings { level, threads: Some(1), ..Settings::at(NOW).expect("a level is there") }
}

fn stamps(times: Vec<Option<i64>>) -> TimestampMicrosecondArray {
    TimestampMicrosecondArray::from(times).with_timezone("UTC")
}

fn lists(rows: &[Vec<i64>]) -> ListArray {
    let item = Field::new("item", DataType::Timestamp(TimeUnit::Microsecond, Some("UTC".into())), true);
    let flat = stamps(rows.iter().flatten().copied().map(Some).collect());
    ListArray::new(Arc::new(item), OffsetBuffer::from_lengths(rows.iter().map(Vec::len)), Arc::new(flat), None)
}

fn values(array: &ArrayRef) -> Vec<f64> {
    array.as_primitive::<Float64Type>().values().to_vec()
}

fn number(name: &str, value: f64) -> Param {
    Param::scalar(name, value)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn half_life_keeps_its_bound(
        ages in prop::collection::vec(-1_000_000_000_i64..4_000_000_000_000_000, 1..300),
        half_life_seconds in 1e-3..1e10_f64,
    ) {
        let times = stamps(ages.iter().map(|age| Some(NOW - age)).collect());
        let each = Float64Array::from(vec![half_life_seconds; ages.len()]);
        for level in Level::available() {
            let one = half_life(&times, "t", number("half_life", half_life_seconds), &settings(level)).unwrap();
            let column = Param::column("half_life", &each).unwrap();
            let many = half_life(&times, "t", column, &settings(level)).unwrap();
            for array in [one, many] {
                for (age, got) in ages.iter().zip(values(&array)) {
                    let spans = (*age).max(0) as f64 / 1e6 / half_life_seconds;
                    let expected = (-spans).exp2();
                    // The oracle's own argument is rounded twice.
                    let bound = (3e-16 + 2.3e-16) * (1.0 + spans) * expected + f64::from_bits(2);
                    prop_assert!((got - expected).abs() <= bound, "{got:e} {expected:e} {spans}");
                    prop_assert!((0.0..=1.0).contains(&got));
                }
            }
        }
    }

    #[test]
    fn actr_is_the_logarithm_of_the_sum(
        rows in prop::collection::vec(prop::collection::vec(1_000_000_i64..1_000_000_000_000_000, 1..40), 1..60),
        decay in prop::sample::select(vec![0.0, 0.3, 0.5, 0.8, 1.0, 1.5, 3.0]),
    ) {
        let times: Vec<Vec<i64>> = rows.iter().map(|ages| ages.iter().map(|age| NOW - age).collect()).collect();
        let column = lists(&times);
        let each = Float64Array::from(vec![decay; rows.len()]);
        for level in Level::available() {
            let accesses = Accesses { recent: (&column, "r"), historical_count: None, created_at: None };
            let one = actr(accesses, number("decay", decay), 1.0, &settings(level)).unwrap();
            let many = actr(accesses, Param::column("decay", &each).unwrap(), 1.0, &settings(level)).unwrap();
            for array in [one, many] {
                for (ages, got) in rows.iter().zip(values(&array)) {
                    let sum: f64 = ages.iter().map(|age| (*age as f64 / 1e6).powf(-decay)).sum();
                    prop_assert!((got - sum.ln()).abs() <= 1e-13 * (1.0 + sum.ln().abs()), "{got} {}", sum.ln());
                }
            }
        }
    }
}

#[test]
fn long_lists_are_added_in_the_same_order_as_short_ones() {
    let ages: Vec<i64> = (1..5_000).map(|at| 1_000_000 * at * at).collect();
    let column = lists(&[ages.iter().map(|age| NOW - age).collect(), vec![NOW - 5_000_000]]);
    for level in Level::available() {
        let accesses = Accesses { recent: (&column, "r"), historical_count: None, created_at: None };
        let got = values(&actr(accesses, number("decay", 0.7), 1.0, &settings(level)).unwrap());
        let sum: f64 = ages.iter().map(|age| (*age as f64 / 1e6).powf(-0.7)).sum();
        assert!((got[0] - sum.ln()).abs() < 1e-13 * sum.ln().abs());
        assert!((got[1] + 0.7 * 5.0_f64.ln()).abs() < 1e-15);
    }
}

#[test]
fn threads_change_nothing() {
    let times: Vec<i64> = (0..200_000).map(|at| NOW - (at * 7_919_i64 % 90_000_000) * 1_000_003).collect();
    let column = stamps(times.iter().copied().map(Some).collect());
    let rows: Vec<Vec<i64>> = times.chunks(3).map(<[i64]>::to_vec).collect();
    let column_of_lists = lists(&rows);
    let many = |threads| Settings { threads: Some(threads), ..Settings::at(NOW).expect("a level is there") };
    let bits = |array: ArrayRef| values(&array).into_iter().map(f64::to_bits).collect::<Vec<_>>();
    let weights = |threads| bits(half_life(&column, "t", number("half_life", 86_400.0), &many(threads)).unwrap());
    let accesses = Accesses { recent: (&column_of_lists, "r"), historical_count: None, created_at: None };
    let activations = |threads| bits(actr(accesses, number("decay", 0.4), 1.0, &many(threads)).unwrap());
    for threads in [2, 3, 7] {
        assert_eq!(weights(1), weights(threads));
        assert_eq!(activations(1), activations(threads));
    }
}

#[test]
fn extreme_ages_are_exact_and_never_overflow() {
    let times = stamps(vec![Some(i64::MIN), Some(i64::MAX), Some(NOW), Some(NOW - 1), None]);
    for level in Level::available() {
        for now in [i64::MIN, -1, 0, NOW, i64::MAX] {
            let settings = Settings { now, ..settings(level) };
            let span = || number("span", 1e-300);
            for array in [
                half_life(&times, "t", span(), &settings).unwrap(),
                half_life(&times, "t", number("h", 1e300), &settings).unwrap(),
                ebbinghaus(&times, "t", span(), number("floor", 0.25), &settings).unwrap(),
                power_law(&times, "t", span(), number("decay", 1e-3), None, &settings).unwrap(),
                power_law(&times, "t", span(), number("decay", 100.0), None, &settings).unwrap(),
            ] {
                assert!(array.is_null(4));
                assert!(values(&array)[..4].iter().all(|weight| (0.0..=1.0).contains(weight)), "{array:?}");
            }
            for shape in [Shape::Gauss, Shape::Exp, Shape::Linear] {
                for origin in [Origin::Now, Origin::Time(i64::MIN), Origin::Time(i64::MAX)] {
                    let form = Form { scale: span(), offset: number("o", 0.0), decay: number("d", 0.5) };
                    let array = curve(&times, "t", shape, origin, form, &settings).unwrap();
                    assert!(values(&array)[..4].iter().all(|weight| (0.0..=1.0).contains(weight)), "{array:?}");
                }
            }
        }
    }
    let year: i64 = 365 * 86_400_000_000;
    let old = stamps(vec![Some(NOW - 253 * year)]);
    let weight = half_life(&old, "t", number("half_life", 90.0 * 86_400.0), &settings(Level::Scalar)).unwrap();
    assert!(values(&weight)[0] < 1e-300);
}

#[test]
fn a_decay_curve_gives_exactly_decay_at_scale() {
    let times = stamps(vec![Some(NOW - 30_000_000), Some(NOW - 130_000_000)]);
    for level in Level::available() {
        for decay in [0.1, 0.3, 0.33, 0.5, 0.7, 0.9, 0.999] {
            for shape in [Shape::Gauss, Shape::Exp, Shape::Linear] {
                let form = Form { scale: number("s", 100.0), offset: number("o", 30.0), decay: number("d", decay) };
                let got = values(&curve(&times, "t", shape, Origin::Now, form, &settings(level)).unwrap());
                assert_eq!(got, [1.0, decay]);
            }
        }
    }
}

#[test]
fn petrov_keeps_its_limits() {
    let recent = lists(&[vec![NOW - 3_600_000_000], vec![NOW - 3_600_000_000], vec![]]);
    let counts = Int64Array::from(vec![51, 51, 100]);
    let created = stamps(vec![Some(NOW - 3_600_000_000), Some(NOW - 3_600_000_001), Some(NOW - 86_400_000_000)]);
    for level in Level::available() {
        for decay in [0.5, 0.999_999_999, 1.0, 1.000_000_001, 1.5] {
            let accesses = Accesses {
                recent: (&recent, "r"),
                historical_count: Some((&counts, "n")),
                created_at: Some((&created, "c")),
            };
            let got = values(&actr(accesses, number("decay", decay), 1.0, &settings(level)).unwrap());
            // All 51 at one hour.
            let limit = 51.0_f64.ln() - decay * 3600.0_f64.ln();
            assert!((got[0] - limit).abs() < 1e-13 && (got[1] - limit).abs() < 1e-9, "{decay}: {got:?} {limit}");
            if decay == 0.5 {
                assert!((got[2] - (200.0_f64.ln() - 0.5 * 86_400.0_f64.ln())).abs() < 1e-13);
            }
        }
    }
}

#[test]
fn nulls_slices_dictionaries_and_float32() {
    let times = stamps(vec![Some(0), Some(NOW), None, Some(NOW - 86_400_000_000)]);
    let day = || number("half_life", 86_400.0);
    let plain = settings(Level::Scalar);
    let part = half_life(&times.slice(1, 3), "t", day(), &plain).unwrap();
    assert_eq!(part.as_primitive::<Float64Type>().iter().collect::<Vec<_>>(), [Some(1.0), None, Some(0.5)]);
    let single = half_life(&times, "t", day(), &Settings { float32: true, ..plain.clone() }).unwrap();
    assert_eq!(single.as_primitive::<Float32Type>().value(3), 0.5);
    let column = Param::column("half_life", &Float64Array::from(vec![Some(1.0), None, Some(1.0), Some(86_400.0)]));
    let each = half_life(&times, "t", column.unwrap(), &plain).unwrap();
    assert_eq!(each.nulls().map(|nulls| nulls.iter().collect()), Some(vec![true, false, false, true]));
    let lists = lists(&[vec![1], vec![NOW - 1_000_000, NOW - 2_000_000], vec![NOW - 1_000_000]]);
    let accesses = |recent| Accesses { recent: (recent, "r"), historical_count: None, created_at: None };
    let tail = lists.slice(1, 2);
    let got = values(&actr(accesses(&tail), number("decay", 1.0), 1.0, &plain).unwrap());
    assert_eq!(got, [1.5_f64.ln(), 0.0]);
}

#[test]
fn errors_name_row_and_column() {
    let times = stamps(vec![Some(0), Some(1)]);
    let plain = settings(Level::Scalar);
    let bad = Param::column("h", &Float64Array::from(vec![1.0, 0.0])).unwrap();
    let error = half_life(&times, "t", bad, &plain).unwrap_err();
    assert!(matches!(&error, Error::Value { column: Some(c), row: Some(1), .. } if c == "h"), "{error}");
    assert!(half_life(&times, "t", number("half_life", f64::NAN), &plain).is_err());
    let texts = StringArray::from(vec!["2024-01-01", "soon"]);
    let error = half_life(&texts, "t", number("half_life", 1.0), &plain).unwrap_err();
    assert!(matches!(&error, Error::Value { column: Some(c), row: Some(1), .. } if c == "t"), "{error}");
    let bare = Int64Array::from(vec![1]);
    assert!(matches!(half_life(&bare, "t", number("half_life", 1.0), &plain), Err(Error::Type { .. })));
    let accesses = Accesses { recent: (&times, "r"), historical_count: None, created_at: None };
    let error = actr(accesses, number("decay", 0.5), 1.0, &plain).unwrap_err();
    assert!(matches!(&error, Error::Type { column: Some(c), .. } if c == "r"), "{error}");
    let short = Param::column("half_life", &Float64Array::from(vec![1.0])).unwrap();
    assert!(half_life(&times, "t", short, &plain).is_err());
}
