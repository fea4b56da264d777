//! exp2, expm1, ln, log2, pow and 1/√x as polynomials without branches, for loops that become vector code.
//!
//! Coefficients are minimax fits at 50 digits (Remez). Bounds, in units in the last place, over the stated domain, and
//! tested for every instruction set: exp2 and exp 1.5 (2 units of the smallest number where the result is subnormal), ln 2.5,
//! pow 2.5 for exponents up to 3 in size and the size of larger ones, [`pow_precise`] 8 at any exponent, 1/√x 1.5.

/// 1.5·2^52: adding it rounds to an integer, which then sits in the low bits.
const ROUND: f64 = 6_755_399_441_055_744.0;
const FRAC_SQRT_2_BITS: u64 = 0x3fe6_a09e_667f_3bcd;
/// log2(e), and what its double leaves out.
pub const LOG2_E: (f64, f64) = (std::f64::consts::LOG2_E, 2.035_527_374_093_103_3e-17);
/// 2·log2(e), and what its double leaves out.
const TWO_LOG2_E: (f64, f64) = (2.0 * LOG2_E.0, 2.0 * LOG2_E.1);
/// ln 2 with 21 trailing zero bits, so that exponents multiply exactly, and the rest.
const LN_2: (f64, f64) = (0.693_147_180_369_123_8, 1.908_214_929_270_587_7e-10);

/// (2^f − 1)/f on [−½, ½], error 6e-18.
#[allow(clippy::approx_constant)] // its first coefficient is ln 2 to the last digit
const EXP2: [f64; 11] = [
    0.6931471805599453,
    0.24022650695910097,
    0.05550410866482166,
    0.009618129107606885,
    0.0013333558146396004,
    0.00015403530441741647,
    1.5252733853280778e-05,
    1.3215442584937203e-06,
    1.0178051728089911e-07,
    7.07258647985202e-09,
    4.456675463639861e-10,
];
/// The same, error 3e-10.
#[allow(clippy::approx_constant)] // its first coefficient is ln 2 but for the fit
const EXP2_SHORT: [f64; 7] = [
    0.6931471805537178,
    0.24022650922396663,
    0.05550410928754352,
    0.009618056661258367,
    0.0013333454548154324,
    0.0001546145022402711,
    1.5310081143138152e-05,
];
/// log2((1 + s)/(1 − s))/s in s² on |s| ≤ 0.1716, error 6e-19.
const LOG2: [f64; 8] = [
    2.8853900817779268,
    0.9617966939259899,
    0.5770780163454347,
    0.412198585858493,
    0.3205985331916533,
    0.26233443904111453,
    0.22091092855599317,
    0.21368004984699127,
];
/// The same for ln without the first coefficient, which is 2: ln((1 + s)/(1 − s)) = 2s + s·s²·polynomial, error 4e-19.
const LN: [f64; 7] = [
    0.6666666666666765,
    0.3999999999929641,
    0.285714287618611,
    0.22222196937344854,
    0.18183637678512338,
    0.15312378728346618,
    0.14811172409335058,
];
/// [`LOG2`] without its first coefficient.
const LOG2_REST: [f64; 7] = [
    0.9617966939259899,
    0.5770780163454347,
    0.412198585858493,
    0.3205985331916533,
    0.26233443904111453,
    0.22091092855599317,
    0.21368004984699127,
];
/// (e^g − 1)/g on |g| ≤ ln 2 / 2, error 6e-18.
const EXPM1: [f64; 11] = [
    1.0,
    0.5000000000000006,
    0.1666666666666669,
    0.04166666666657305,
    0.008333333333313042,
    0.0013888888932519828,
    0.00019841269905336543,
    2.480150430818117e-05,
    2.7557226370102377e-06,
    2.7626373139045423e-07,
    2.5114882786996687e-08,
];

/// a·b + c: one rounding where the processor has it in one instruction, two elsewhere.
#[inline(always)]
pub fn mul_add<const FMA: bool>(a: f64, b: f64, c: f64) -> f64 {
    if FMA { a.mul_add(b, c) } else { a * b + c }
}

#[inline(always)]
fn polynomial<const FMA: bool, const N: usize>(x: f64, coefficients: &[f64; N]) -> f64 {
    let mut sum = coefficients[N - 1];
    let mut at = N - 1;
    while at > 0 {
        at -= 1;
        sum = mul_add::<FMA>(sum, x, coefficients[at]);
    }
    sum
}

/// The smaller of two numbers that are not NaN, as one instruction.
#[inline(always)]
pub fn min(a: f64, b: f64) -> f64 {
    if a < b { a } else { b }
}

/// The larger of two numbers that are not NaN, as one instruction.
#[inline(always)]
pub fn max(a: f64, b: f64) -> f64 {
    if a > b { a } else { b }
}

/// The nearest integer of |x| < 2^50, and its bits for [`scale`].
#[inline(always)]
pub fn round(x: f64) -> (f64, u64) {
    let shifted = x + ROUND;
    (shifted - ROUND, shifted.to_bits().wrapping_sub(ROUND.to_bits()))
}

/// p · 2^n for n in [−1200, 1100], through subnormal results down to 0 with one rounding.
#[inline(always)]
fn scale(p: f64, n: u64) -> f64 {
    // Two factors, since 2^n alone can lie below the normal range.
    let sum = n.wrapping_add(2200);
    let half = sum >> 1;
    let rest = sum.wrapping_sub(half);
    p * f64::from_bits(half.wrapping_sub(77) << 52) * f64::from_bits(rest.wrapping_sub(77) << 52)
}

/// 2^(n + f) for an integer n in [−1200, 1100] (value and bits of [`round`]) and |f| ≤ 0.5 and a little.
#[inline(always)]
pub fn exp2_parts<const FMA: bool>(n: u64, f: f64) -> f64 {
    scale(mul_add::<FMA>(f, polynomial::<FMA, 11>(f, &EXP2), 1.0), n)
}

/// The same for n in [−1021, 1022] only, where 2^n is added to the exponent's bits.
#[inline(always)]
pub fn exp2_parts_near<const FMA: bool>(n: u64, f: f64) -> f64 {
    let p = mul_add::<FMA>(f, polynomial::<FMA, 11>(f, &EXP2), 1.0);
    f64::from_bits(p.to_bits().wrapping_add(n << 52))
}

/// The same with a relative error of 3e-10, for results that are rounded to float32.
#[inline(always)]
pub fn exp2_parts_short<const FMA: bool>(n: u64, f: f64) -> f64 {
    let p = mul_add::<FMA>(f, polynomial::<FMA, 7>(f, &EXP2_SHORT), 1.0);
    f64::from_bits(p.to_bits().wrapping_add(n << 52))
}

/// 2^x; below −1075 it is 0, and x is held to [−1100, 1023].
#[inline(always)]
pub fn exp2<const FMA: bool>(x: f64) -> f64 {
    let x = min(max(x, -1100.0), 1023.0);
    let (n, bits) = round(x);
    exp2_parts::<FMA>(bits, x - n)
}

/// e^x for x ≤ 709; below −746 it is 0.
#[inline(always)]
pub fn exp<const FMA: bool>(x: f64) -> f64 {
    let x = min(max(x, -760.0), 709.0);
    let (n, bits) = round(x * LOG2_E.0);
    exp2_parts::<FMA>(bits, product_minus::<FMA>(x, LOG2_E, n))
}

/// x·c − n with c in two parts, where n is the integer nearest to x·c.
#[inline(always)]
pub fn product_minus<const FMA: bool>(x: f64, c: (f64, f64), n: f64) -> f64 {
    if FMA {
        mul_add::<FMA>(x, c.1, mul_add::<FMA>(x, c.0, -n))
    } else {
        // Dekker's product: both factors cut to 26 bits, so that the partial products are exact.
        let cut = |v: f64| f64::from_bits(v.to_bits() & 0xffff_ffff_f800_0000);
        let (xh, ch) = (cut(x), cut(c.0));
        let (xl, cl) = (x - xh, c.0 - ch);
        (xh * ch - n) + (xh * cl + xl * ch) + (xl * cl + x * c.1)
    }
}

/// x = m · 2^e with m in [√½, √2): (m, e). x is positive and normal.
#[inline(always)]
fn split(x: f64) -> (f64, f64) {
    // The exponent plus 1024 stays positive, so that a logical shift does (AVX2 has no other for 64 bits).
    let from_seam = x.to_bits().wrapping_add((1024_u64 << 52).wrapping_sub(FRAC_SQRT_2_BITS));
    let mantissa = f64::from_bits((from_seam & 0x000f_ffff_ffff_ffff).wrapping_add(FRAC_SQRT_2_BITS));
    let exponent = f64::from_bits(from_seam >> 52 | 0x4330_0000_0000_0000) - (4_503_599_627_370_496.0 + 1024.0);
    (mantissa, exponent)
}

/// log2 of a positive normal number as an integer and a rest in [−½, ½].
#[inline(always)]
pub fn log2_parts<const FMA: bool>(x: f64) -> (f64, f64) {
    let (m, e) = split(x);
    let s = (m - 1.0) / (m + 1.0);
    (e, s * polynomial::<FMA, 8>(s * s, &LOG2))
}

/// ln of a positive normal number; exact at 1 and accurate in the relative sense beside it.
#[inline(always)]
pub fn ln<const FMA: bool>(x: f64) -> f64 {
    let (m, e) = split(x);
    let s = (m - 1.0) / (m + 1.0);
    let z = s * s;
    // 2s is exact; the rest of the series is small beside it.
    let rest = s * z * polynomial::<FMA, 7>(z, &LN);
    mul_add::<FMA>(e, LN_2.0, 2.0 * s + mul_add::<FMA>(e, LN_2.1, rest))
}

/// ln(1 + u) for u ≥ 0, accurate in the relative sense at small u.
#[inline(always)]
pub fn ln_1p<const FMA: bool>(u: f64) -> f64 {
    let sum = 1.0 + u;
    // What the sum lost; where u is beyond 2^53 it is all of 1, and does not matter.
    let lost = if u < 1e9 { u - (sum - 1.0) } else { 0.0 };
    ln::<FMA>(sum) + lost / sum
}

/// e^x − 1 for |x| ≤ 700, accurate in the relative sense at small x.
#[inline(always)]
pub fn expm1<const FMA: bool>(x: f64) -> f64 {
    let (n, bits) = round(x * LOG2_E.0);
    let g = mul_add::<FMA>(-n, LN_2.1, mul_add::<FMA>(-n, LN_2.0, x));
    let p = g * polynomial::<FMA, 11>(g, &EXPM1);
    let two = f64::from_bits(bits.wrapping_add(1023) << 52);
    mul_add::<FMA>(two, p, two - 1.0)
}

/// An exponent prepared for [`pow`]: the first part has so few bits that times an integer below 2^11 it is exact.
#[derive(Debug, Clone, Copy)]
pub struct Exponent(f64, f64);

impl Exponent {
    /// Splits an exponent.
    #[inline(always)]
    pub fn new(y: f64) -> Self {
        let high = f64::from_bits(y.to_bits() & 0xffff_ffff_ffff_f000);
        Self(high, y - high)
    }
}

/// x^y for a positive normal x; 0 below the range and held to 2^1023 above.
#[inline(always)]
pub fn pow<const FMA: bool>(x: f64, y: Exponent) -> f64 {
    let (whole, part) = pow_parts::<FMA>(x, y);
    let sum = whole + part;
    let held = min(max(sum, -1100.0), 1023.0);
    let (n, bits) = round(held);
    let f = (whole - n) + part;
    // Out of the range the rest is meaningless: hold it, so that the polynomial stays finite.
    exp2_parts::<FMA>(bits, min(max(f, -1.0), 1.0))
}

/// y·log2 x in two parts for [`pow_of_parts`]; x is positive and normal.
#[inline(always)]
pub fn pow_parts<const FMA: bool>(x: f64, y: Exponent) -> (f64, f64) {
    let (e, l) = log2_parts::<FMA>(x);
    (y.0 * e, mul_add::<FMA>(y.0, l, y.1 * (e + l)))
}

/// x^y from the parts of its logarithm, where this is at most 1000 in size.
///
/// The two halves of a power are apart so that each can be a loop of its own: as one, the chain of operations is so
/// long that the processor cannot look far enough ahead to work on the next values meanwhile.
#[inline(always)]
pub fn pow_of_parts<const FMA: bool>(whole: f64, part: f64) -> f64 {
    let (n, bits) = round(whole + part);
    exp2_parts_near::<FMA>(bits, (whole - n) + part)
}

/// x^y with a logarithm of twice the precision, for exponents so large that the last digit of [`pow`] grows.
#[inline(always)]
pub fn pow_precise<const FMA: bool>(x: f64, y: f64) -> f64 {
    let (m, e) = split(x);
    let (above, below) = (m + 1.0, m - 1.0);
    let s = below / above;
    // What the division left: below − s·above, with the bit that m + 1 may have lost.
    let s_low = (-product_minus::<FMA>(s, (above, m - (above - 1.0)), below)) / above;
    // log2 of m is TWO_LOG2_E·s and a rest of at most a hundredth of it.
    let rest = s * (s * s) * polynomial::<FMA, 7>(s * s, &LOG2_REST);
    let high = TWO_LOG2_E.0 * s;
    let low = product_minus::<FMA>(s, TWO_LOG2_E, high) + mul_add::<FMA>(TWO_LOG2_E.0, s_low, rest);
    let log = e + (high + low);
    let log_low = (high - (log - e)) + low;
    let (n, bits) = round(min(max(y * log, -1100.0), 1023.0));
    let f = product_minus::<FMA>(y, (log, log_low), n);
    exp2_parts::<FMA>(bits, min(max(f, -1.0), 1.0))
}

/// 1/√x for a positive normal x.
#[inline(always)]
pub fn rsqrt<const FMA: bool>(x: f64) -> f64 {
    // A first guess from the exponent (3.5 % off), then two steps of the series of (1 − e)^(−½).
    let y = f64::from_bits(0x5fe6_eb50_c7b5_37a9_u64.wrapping_sub(x.to_bits() >> 1));
    let e = mul_add::<FMA>(-(x * y), y, 1.0);
    let series = mul_add::<FMA>(e, mul_add::<FMA>(e, mul_add::<FMA>(e, 35.0 / 128.0, 5.0 / 16.0), 0.375), 0.5);
    let y = mul_add::<FMA>(y * e, series, y);
    let e = mul_add::<FMA>(-(x * y), y, 1.0);
    mul_add::<FMA>(y * e, mul_add::<FMA>(e, 0.375, 0.5), y)
}
