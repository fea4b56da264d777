//! Which instruction set the kernels run on, chosen at run time.
//!
//! A kernel is written once, as plain arithmetic without branches. [`run`] compiles it once for each instruction set
//! and calls the best that the processor has. With a fused multiply-add the same operations run on every vector width,
//! so AVX2, AVX-512 and NEON agree to the bit; plain code differs from them in the last digit.

pub mod math;

use std::sync::OnceLock;

use crate::{Error, Result};

/// An instruction set that kernels are compiled for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// What every processor of the architecture has; no fused multiply-add.
    Scalar,
    /// 64-bit ARM, two lanes.
    Neon,
    /// AVX2 with FMA, four lanes.
    Avx2,
    /// AVX-512 (F, DQ, VL, BW), eight lanes.
    Avx512,
}

impl Level {
    /// The name that `TIMEWALK_SIMD` takes.
    pub fn name(self) -> &'static str {
        match self {
            Self::Scalar => "scalar",
            Self::Neon => "neon",
            Self::Avx2 => "avx2",
            Self::Avx512 => "avx512",
        }
    }

    /// Every level that this processor can run, the plainest first.
    pub fn available() -> Vec<Self> {
        let mut levels = vec![Self::Scalar];
        #[cfg(target_arch = "aarch64")]
        levels.push(Self::Neon);
        #[cfg(target_arch = "x86_64")]
        {
            if is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma") {
                levels.push(Self::Avx2);
                if is_x86_feature_detected!("avx512f")
                    && is_x86_feature_detected!("avx512dq")
                    && is_x86_feature_detected!("avx512vl")
                    && is_x86_feature_detected!("avx512bw")
                {
                    levels.push(Self::Avx512);
                }
            }
        }
        levels
    }

    /// The best level of this processor, or the one that the environment variable `TIMEWALK_SIMD` names.
    ///
    /// The variable is read once. A name that does not exist or that this processor cannot run is an error.
    pub fn chosen() -> Result<Self> {
        static CHOSEN: OnceLock<Result<Level>> = OnceLock::new();
        CHOSEN.get_or_init(|| Self::choose(std::env::var("TIMEWALK_SIMD").ok().as_deref())).clone()
    }

    /// The level for a value of `TIMEWALK_SIMD`; None, "" and "auto" mean the best.
    pub fn choose(wish: Option<&str>) -> Result<Self> {
        let available = Self::available();
        let wish = wish.unwrap_or("auto").trim().to_ascii_lowercase();
        if wish.is_empty() || wish == "auto" {
            return Ok(available.last().copied().unwrap_or(Self::Scalar));
        }
        available.iter().copied().find(|level| level.name() == wish).ok_or_else(|| {
            let names: Vec<_> = available.iter().map(|level| level.name()).collect();
            Error::value(format!("TIMEWALK_SIMD={wish} cannot run here; use auto or one of {}", names.join(", ")))
        })
    }
}

/// A piece of work whose inner loops the compiler turns into vector code.
pub trait Kernel {
    /// What it gives.
    type Out;
    /// Does the work; `FMA` says whether a multiply-add is one instruction. Implement with `#[inline(always)]`.
    fn run<const FMA: bool>(self) -> Self::Out;
}

/// Runs a kernel on an instruction set.
pub fn run<K: Kernel>(level: Level, kernel: K) -> K::Out {
    match level {
        #[cfg(target_arch = "x86_64")]
        Level::Avx512 if supported(level) => {
            // SAFETY: the processor was asked for these features in the guard.
            #[allow(unsafe_code)]
            unsafe {
                avx512(kernel)
            }
        }
        #[cfg(target_arch = "x86_64")]
        Level::Avx2 if supported(level) => {
            // SAFETY: the processor was asked for these features in the guard.
            #[allow(unsafe_code)]
            unsafe {
                avx2(kernel)
            }
        }
        #[cfg(target_arch = "aarch64")]
        Level::Neon => kernel.run::<true>(),
        _ => kernel.run::<false>(),
    }
}

/// `Level` can be built by hand, so the detection (a cached load) is asked again before the unsafe call.
#[cfg(target_arch = "x86_64")]
#[inline]
fn supported(level: Level) -> bool {
    let base = is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma");
    match level {
        Level::Avx512 => {
            base && is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx512dq")
                && is_x86_feature_detected!("avx512vl")
                && is_x86_feature_detected!("avx512bw")
        }
        _ => base,
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma")]
fn avx2<K: Kernel>(kernel: K) -> K::Out {
    kernel.run::<true>()
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,avx512f,avx512dq,avx512vl,avx512bw")]
fn avx512<K: Kernel>(kernel: K) -> K::Out {
    kernel.run::<true>()
}

/// Asks for the memory of `length` values from `start` on, so that it is there when they are read. Values that do not
/// exist are left out.
#[inline(always)]
pub fn prefetch<T>(values: &[T], start: usize, length: usize) {
    let start = start.min(values.len());
    let values = &values[start..values.len().min(start + length)];
    #[cfg(target_arch = "x86_64")]
    for line in values.chunks(64 / size_of::<T>()) {
        // SAFETY: every processor of the architecture has the instruction, and it reads nothing that could be seen.
        #[allow(unsafe_code)]
        unsafe {
            std::arch::x86_64::_mm_prefetch::<{ std::arch::x86_64::_MM_HINT_T0 }>(line.as_ptr().cast());
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = values;
}
