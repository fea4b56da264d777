//! Longitudes of sun and moon, as exact as calendars of the moon need them (Meeus, "Astronomical Algorithms",
//! chapters 25 and 47, main terms): about a minute of time for the sun, two for the moon.

/// Days since 1970-01-01T00:00 UTC, with fractions, to centuries since 2000 in the time of the theories.
fn centuries(day: f64) -> f64 {
    // 69 seconds between the clocks and the theories, near enough for these centuries.
    (day - 10_957.5 + 69.0 / 86_400.0) / 36_525.0
}

/// Apparent longitude of the sun in degrees, 0 to 360.
pub fn sun(day: f64) -> f64 {
    let t = centuries(day);
    let mean = 280.46646 + 36_000.769_83 * t + 0.0003032 * t * t;
    let anomaly = (357.52911 + 35_999.050_29 * t - 0.0001537 * t * t).to_radians();
    let centre = (1.914602 - 0.004817 * t) * anomaly.sin()
        + (0.019993 - 0.000101 * t) * (2.0 * anomaly).sin()
        + 0.000289 * (3.0 * anomaly).sin();
    let node = (125.04 - 1934.136 * t).to_radians();
    (mean + centre - 0.00569 - 0.00478 * node.sin()).rem_euclid(360.0)
}

/// Multiples of elongation, sun's anomaly, moon's anomaly and latitude argument, and the term in millionths of a degree.
const TERMS: [(f64, f64, f64, f64, f64); 30] = [
    (0.0, 0.0, 1.0, 0.0, 6_288_774.0),
    (2.0, 0.0, -1.0, 0.0, 1_274_027.0),
    (2.0, 0.0, 0.0, 0.0, 658_314.0),
    (0.0, 0.0, 2.0, 0.0, 213_618.0),
    (0.0, 1.0, 0.0, 0.0, -185_116.0),
    (0.0, 0.0, 0.0, 2.0, -114_332.0),
    (2.0, 0.0, -2.0, 0.0, 58_793.0),
    (2.0, -1.0, -1.0, 0.0, 57_066.0),
    (2.0, 0.0, 1.0, 0.0, 53_322.0),
    (2.0, -1.0, 0.0, 0.0, 45_758.0),
    (0.0, 1.0, -1.0, 0.0, -40_923.0),
    (1.0, 0.0, 0.0, 0.0, -34_720.0),
    (0.0, 1.0, 1.0, 0.0, -30_383.0),
    (2.0, 0.0, 0.0, -2.0, 15_327.0),
    (0.0, 0.0, 1.0, 2.0, -12_528.0),
    (0.0, 0.0, 1.0, -2.0, 10_980.0),
    (4.0, 0.0, -1.0, 0.0, 10_675.0),
    (0.0, 0.0, 3.0, 0.0, 10_034.0),
    (4.0, 0.0, -2.0, 0.0, 8_548.0),
    (2.0, 1.0, -1.0, 0.0, -7_888.0),
    (2.0, 1.0, 0.0, 0.0, -6_766.0),
    (1.0, 0.0, -1.0, 0.0, -5_163.0),
    (1.0, 1.0, 0.0, 0.0, 4_987.0),
    (2.0, -1.0, 1.0, 0.0, 4_036.0),
    (2.0, 0.0, 2.0, 0.0, 3_994.0),
    (4.0, 0.0, 0.0, 0.0, 3_861.0),
    (2.0, 0.0, -3.0, 0.0, 3_665.0),
    (0.0, 1.0, -2.0, 0.0, -2_689.0),
    (2.0, -2.0, -1.0, 0.0, 2_390.0),
    (1.0, 0.0, 1.0, 0.0, -2_348.0),
];

/// Apparent longitude of the moon in degrees, 0 to 360.
pub fn moon(day: f64) -> f64 {
    let t = centuries(day);
    let mean = 218.3164477 + 481_267.88123421 * t - 0.0015786 * t * t;
    let elongation = (297.8501921 + 445_267.1114034 * t - 0.0018819 * t * t).to_radians();
    let sun = (357.5291092 + 35_999.0502909 * t - 0.0001536 * t * t).to_radians();
    let anomaly = (134.9633964 + 477_198.8675055 * t + 0.0087414 * t * t).to_radians();
    let latitude = (93.272095 + 483_202.0175233 * t - 0.0036539 * t * t).to_radians();
    let sum: f64 = TERMS
        .iter()
        .map(|(d, m, a, f, size)| size * (d * elongation + m * sun + a * anomaly + f * latitude).sin())
        .sum();
    let node = (125.04 - 1934.136 * t).to_radians();
    (mean + sum / 1e6 - 0.00478 * node.sin()).rem_euclid(360.0)
}

/// How far the moon is ahead of the sun, 0 to 360 degrees.
pub fn elongation(day: f64) -> f64 {
    (moon(day) - sun(day)).rem_euclid(360.0)
}

/// The new moon nearest to a day.
pub fn new_moon(near: f64) -> f64 {
    let mut day = near;
    for _ in 0..6 {
        let ahead = elongation(day);
        let signed = if ahead > 180.0 { ahead - 360.0 } else { ahead };
        day -= signed / 12.190_749;
    }
    day
}

/// The moment near a day at which the sun stands at a longitude.
pub fn sun_at(longitude: f64, near: f64) -> f64 {
    let mut day = near;
    for _ in 0..6 {
        let ahead = (sun(day) - longitude).rem_euclid(360.0);
        let signed = if ahead > 180.0 { ahead - 360.0 } else { ahead };
        day -= signed * 365.2422 / 360.0;
    }
    day
}

/// Precession since the sidereal zodiac of India began, after Lahiri, in degrees.
pub fn ayanamsa(day: f64) -> f64 {
    23.8529 + centuries(day) * 1.396_97
}

const MECCA: (f64, f64) = (21.42, 39.83);

/// Sine of the height above Mecca's horizon of a place on the sky.
fn sine_of_height(day: f64, longitude: f64, latitude: f64) -> f64 {
    let tilt = (23.4393 - 0.013 * centuries(day)).to_radians();
    let (l, b) = (longitude.to_radians(), latitude.to_radians());
    let ascension = (l.sin() * tilt.cos() - b.tan() * tilt.sin()).atan2(l.cos());
    let declination = (b.sin() * tilt.cos() + b.cos() * tilt.sin() * l.sin()).asin();
    let sidereal = (280.460_62 + 360.985_647_366_29 * (day - 10_957.5) + MECCA.1).to_radians();
    let hour = sidereal - ascension;
    let at = MECCA.0.to_radians();
    at.sin() * declination.sin() + at.cos() * declination.cos() * hour.cos()
}

/// Sunset at Mecca on a day.
pub fn sunset_at_mecca(day: i64) -> f64 {
    let (mut low, mut high) = (day as f64 + 14.0 / 24.0, day as f64 + 17.5 / 24.0);
    for _ in 0..24 {
        let middle = (low + high) / 2.0;
        if sine_of_height(middle, sun(middle), 0.0) > (-0.833_f64).to_radians().sin() {
            low = middle;
        } else {
            high = middle;
        }
    }
    high
}

/// Whether the moon stands above Mecca's horizon.
pub fn moon_is_up(day: f64) -> bool {
    let t = centuries(day);
    let elongation = (297.8501921 + 445_267.1114034 * t).to_radians();
    let anomaly = (134.9633964 + 477_198.8675055 * t).to_radians();
    let from_node = (93.272095 + 483_202.0175233 * t).to_radians();
    let latitude = 5.128_122 * from_node.sin()
        + 0.280_602 * (anomaly + from_node).sin()
        + 0.277_693 * (anomaly - from_node).sin()
        + 0.173_237 * (2.0 * elongation - from_node).sin()
        + 0.055_413 * (2.0 * elongation + from_node - anomaly).sin()
        + 0.046_271 * (2.0 * elongation - from_node - anomaly).sin();
    // The moon is near: it stands lower for us than from the middle of the earth.
    sine_of_height(day, moon(day), latitude).asin().to_degrees() - 0.95 > -0.833
}
