//! Fusion against sums written out by hand.

use timewalk_core::fusion::{Method, Ranking, fuse};

const RRF: Method = Method::ReciprocalRank { k: 60.0 };

fn ids<'a>(ids: &[&'a str]) -> Ranking<'a> {
    Ranking { ids: ids.to_vec(), scores: vec![] }
}

#[test]
fn reciprocal_ranks_add_up_and_both_ranks_are_kept() {
    let fused = fuse(&[ids(&["a", "b"]), ids(&["b", "c"])], RRF, &[1.0, 2.0]).unwrap();
    assert_eq!(fused.iter().map(|f| f.id).collect::<Vec<_>>(), ["b", "c", "a"]);
    assert!((fused[0].score - (1.0 / 62.0 + 2.0 / 61.0)).abs() < 1e-15);
    assert_eq!(fused[0].ranks, [Some(2), Some(1)]);
    assert_eq!(fused[2].ranks, [Some(1), None]);
}

#[test]
fn a_repeated_id_counts_once_and_takes_no_rank_from_the_rest() {
    let fused = fuse(&[ids(&["a", "a", "b"])], RRF, &[1.0]).unwrap();
    assert_eq!(fused.len(), 2);
    assert_eq!((fused[0].score, fused[1].ranks[0]), (1.0 / 61.0, Some(2)));
}

#[test]
fn ties_are_ordered_by_id_whatever_the_order_of_rankings() {
    let (x, y) = (ids(&["b"]), ids(&["a"]));
    for rankings in [[x.clone(), y.clone()], [y, x]] {
        let fused = fuse(&rankings, RRF, &[1.0, 1.0]).unwrap();
        assert_eq!(fused.iter().map(|f| f.id).collect::<Vec<_>>(), ["a", "b"]);
    }
}

#[test]
fn standardised_scores_do_not_depend_on_the_scale_of_an_arm() {
    let arm = |factor: f64| Ranking { ids: vec!["a", "b", "c"], scores: [3.0, 2.0, 1.0].map(|s| s * factor).to_vec() };
    let one = fuse(&[arm(1.0)], Method::Standardised, &[1.0]).unwrap();
    let scaled = fuse(&[arm(1000.0)], Method::Standardised, &[1.0]).unwrap();
    for (a, b) in one.iter().zip(&scaled) {
        assert!((a.score - b.score).abs() < 1e-12);
    }
    assert_eq!(one[2].score, 0.0);
    assert!((one[0].score - 6.0_f64.sqrt()).abs() < 1e-12);
}

#[test]
fn equal_scores_still_count_more_than_absence() {
    let fused = fuse(&[Ranking { ids: vec!["a", "b"], scores: vec![0.5, 0.5] }], Method::Standardised, &[1.0]).unwrap();
    assert_eq!(fused[0].score, 1.0);
}

#[test]
fn scores_that_differ_by_rounding_are_equal() {
    let same = 0.1 + 0.2;
    let ranking = Ranking { ids: vec!["a", "b", "c"], scores: vec![same, same, 0.3] };
    let fused = fuse(&[ranking], Method::Standardised, &[1.0]).unwrap();
    assert!(fused.iter().all(|entry| entry.score == 1.0), "{fused:?}");
    let apart = Ranking { ids: vec!["a", "b"], scores: vec![0.3 + 1e-9, 0.3] };
    assert_eq!(fuse(&[apart], Method::Standardised, &[1.0]).unwrap()[1].score, 0.0);
}

#[test]
fn bad_input_is_an_error() {
    assert!(fuse(&[ids(&["a"])], RRF, &[]).is_err());
    assert!(fuse(&[ids(&["a"])], RRF, &[-1.0]).is_err());
    assert!(fuse(&[ids(&["a"])], RRF, &[f64::NAN]).is_err());
    assert!(fuse(&[ids(&["a"])], Method::ReciprocalRank { k: -1.0 }, &[1.0]).is_err());
    assert!(fuse(&[ids(&["a"])], Method::Standardised, &[1.0]).is_err());
    let bad = fuse(&[Ranking { ids: vec!["a"], scores: vec![f64::NAN] }], RRF, &[1.0]).unwrap_err();
    assert!(bad.to_string().contains("row 0"));
    assert!(fuse(&[], RRF, &[]).unwrap().is_empty());
}
