//! Error bounds of the vector functions, on every instruction set of this machine.

use timewalk_core::decay::simd::math::{
    Exponent, exp, exp2, expm1, ln, ln_1p, pow, pow_of_parts, pow_parts, pow_precise, rsqrt,
};
use timewalk_core::decay::simd::{Kernel, Level, run};

#[derive(Clone, Copy)]
enum Function {
    Exp2,
    Exp,
    Expm1,
    Ln,
    Ln1p,
    Pow(f64),
    PowNear(f64),
    PowPrecise(f64),
    Rsqrt,
}

struct Map<'a>(Function, &'a [f64], &'a mut [f64]);

impl Kernel for Map<'_> {
    type Out = ();

    #[inline(always)]
    fn run<const FMA: bool>(self) {
        let Self(function, from, to) = self;
        for (x, y) in from.iter().zip(to) {
            *y = match function {
                Function::Exp2 => exp2::<FMA>(*x),
                Function::Exp => exp::<FMA>(*x),
                Function::Expm1 => expm1::<FMA>(*x),
                Function::Ln => ln::<FMA>(*x),
                Function::Ln1p => ln_1p::<FMA>(*x),
                Function::Pow(power) => pow::<FMA>(*x, Exponent::new(power)),
                Function::PowNear(power) => {
                    let (whole, part) = pow_parts::<FMA>(*x, Exponent::new(power));
                    pow_of_parts::<FMA>(whole, part)
                }
                Function::PowPrecise(power) => pow_precise::<FMA>(*x, power),
                Function::Rsqrt => rsqrt::<FMA>(*x),
            };
        }
    }
}

/// Distance in units in the last place of the expected value.
fn units(got: f64, expected: f64) -> f64 {
    if got == expected {
        return 0.0;
    }
    let unit = (f64::from_bits(expected.abs().to_bits() + 1) - expected.abs()).max(f64::from_bits(1));
    (got - expected).abs() / unit
}

/// Checks a function against the standard library, whose own error is below one unit.
fn check(name: &str, function: Function, domain: &[f64], bound: f64, oracle: impl Fn(f64) -> f64) {
    for level in Level::available() {
        let mut out = vec![0.0; domain.len()];
        run(level, Map(function, domain, &mut out));
        for (x, got) in domain.iter().zip(&out) {
            let expected = oracle(*x);
            let away = units(*got, expected);
            assert!(
                away <= bound + 1.0,
                "{name} on {}: f({x:e}) = {got:e}, not {expected:e} ({away} units)",
                level.name()
            );
        }
    }
}

fn spread(from: f64, to: f64, count: usize) -> Vec<f64> {
    (0..=count).map(|at| from + (to - from) * at as f64 / count as f64).collect()
}

/// Numbers evenly spread over the exponents, with the seams of the argument reduction among them.
fn exponents(from: f64, to: f64, count: usize) -> Vec<f64> {
    let mut out: Vec<f64> = spread(from, to, count).into_iter().map(f64::exp2).collect();
    for seam in [std::f64::consts::FRAC_1_SQRT_2, std::f64::consts::SQRT_2, 1.0, 2.0] {
        for step in -3_i64..=3 {
            out.push(f64::from_bits((seam.to_bits() as i64 + step) as u64));
        }
    }
    out
}

#[test]
fn powers_of_two_and_e() {
    check("exp2", Function::Exp2, &spread(-1021.9, 1022.9, 60_001), 1.5, f64::exp2);
    check("exp2, subnormal", Function::Exp2, &spread(-1080.0, -1021.0, 9_973), 2.0, f64::exp2);
    check("exp", Function::Exp, &spread(-708.0, 708.9, 60_001), 1.5, f64::exp);
    check("exp2", Function::Exp2, &[-1e300, -2000.0, f64::MIN], 0.0, |_| 0.0);
    check("exp2", Function::Exp2, &spread(-1000.0, 1000.0, 2000), 0.0, |x| 2.0_f64.powi(x as i32));
    let small: Vec<f64> = spread(-60.0, 9.0, 9_973).into_iter().map(f64::exp2).flat_map(|x| [x, -x]).collect();
    check("expm1", Function::Expm1, &small, 3.0, f64::exp_m1);
}

#[test]
fn logarithms() {
    check("ln", Function::Ln, &exponents(-1020.0, 1020.0, 60_001), 2.5, f64::ln);
    check("ln beside 1", Function::Ln, &spread(0.9, 1.1, 60_001), 2.5, f64::ln);
    check("ln", Function::Ln, &[1.0], 0.0, |_| 0.0);
    let small: Vec<f64> = spread(-60.0, 60.0, 9_973).into_iter().map(f64::exp2).collect();
    check("ln_1p", Function::Ln1p, &small, 4.0, f64::ln_1p);
}

#[test]
fn powers_and_roots() {
    for power in [-0.5, -0.1, -0.8, -1.0, -1.5, -3.0, 2.0, 0.33] {
        check("pow", Function::Pow(power), &exponents(-60.0, 63.0, 20_011), 2.5, |x| x.powf(power));
        check("pow_of_parts", Function::PowNear(power), &exponents(-60.0, 63.0, 20_011), 2.5, |x| x.powf(power));
    }
    // The error of the logarithm grows with the exponent.
    check("pow", Function::Pow(-40.0), &exponents(-20.0, 63.0, 5_003), 40.0, |x| x.powf(-40.0));
    for power in [0.5, 1.0, 7.25, 123.456, 4999.5] {
        check("pow_precise", Function::PowPrecise(power), &spread(0.05, 0.999, 9_973), 8.0, |x| x.powf(power));
    }
    check("rsqrt", Function::Rsqrt, &exponents(0.0, 64.0, 60_001), 1.5, |x| 1.0 / x.sqrt());
}

#[test]
fn levels_with_a_fused_multiply_add_agree_to_the_bit() {
    let domain = spread(-1074.0, 1023.0, 10_007);
    let results: Vec<Vec<u64>> = Level::available()
        .into_iter()
        .filter(|level| *level != Level::Scalar)
        .map(|level| {
            let mut out = vec![0.0; domain.len()];
            run(level, Map(Function::Exp2, &domain, &mut out));
            out.into_iter().map(f64::to_bits).collect()
        })
        .collect();
    assert!(results.windows(2).all(|pair| pair[0] == pair[1]));
}

#[test]
fn the_variable_names_a_level_or_is_an_error() {
    assert_eq!(Level::choose(Some("scalar")), Ok(Level::Scalar));
    assert_eq!(Level::choose(None), Ok(*Level::available().last().expect("scalar is always there")));
    assert_eq!(Level::choose(Some("auto")), Level::choose(Some("")));
    let error = Level::choose(Some("sse9")).expect_err("there is no such set").to_string();
    assert!(error.contains("sse9") && error.contains("scalar"), "{error}");
}
