//! Keyword options of the kernels: read by name and type, with errors that name the option and say what is right.

use std::sync::Arc;

use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyString};
use timewalk_core::Error;
use timewalk_core::activation::{
    Combine, Direction, Fan, Fire, Order, PageRankOptions, ProductOptions, SpreadOptions, WalkOptions,
};
use timewalk_core::graph::{Filter, MemoryGraph, Snapshot};

use crate::errors::to_py;
use crate::graph_args::{self as args, wrong_type};
use crate::graph_mask::members;

/// The options of one call. Each is asked for once; `finish` refuses what nobody asked for.
pub struct Options<'a, 'py> {
    given: Option<&'a Bound<'py, PyDict>>,
    asked: Vec<&'static str>,
    found: usize,
}

impl<'a, 'py> Options<'a, 'py> {
    pub fn new(given: Option<&'a Bound<'py, PyDict>>) -> Self {
        Self { given, asked: Vec::with_capacity(24), found: 0 }
    }

    /// What was given under a name.
    fn given(&mut self, name: &'static str) -> PyResult<Option<Bound<'py, PyAny>>> {
        self.asked.push(name);
        let value = self.given.map(|given| given.get_item(name)).transpose()?.flatten();
        self.found += usize::from(value.is_some());
        Ok(value)
    }

    /// The same where None stands for nothing.
    pub fn any(&mut self, name: &'static str) -> PyResult<Option<Bound<'py, PyAny>>> {
        Ok(self.given(name)?.filter(|value| !value.is_none()))
    }

    pub fn count(&mut self, name: &'static str, default: usize) -> PyResult<usize> {
        self.given(name)?.map_or(Ok(default), |value| count(&value, name))
    }

    pub fn some_count(&mut self, name: &'static str) -> PyResult<Option<usize>> {
        self.any(name)?.map(|value| count(&value, name)).transpose()
    }

    pub fn number(&mut self, name: &'static str, default: f64) -> PyResult<f64> {
        self.given(name)?.map_or(Ok(default), |value| number(&value, name))
    }

    pub fn some_number(&mut self, name: &'static str, default: Option<f64>) -> PyResult<Option<f64>> {
        match self.given(name)? {
            None => Ok(default),
            Some(value) if value.is_none() => Ok(None),
            Some(value) => number(&value, name).map(Some),
        }
    }

    pub fn flag(&mut self, name: &'static str, default: bool) -> PyResult<bool> {
        let flag = |value: Bound<'_, PyAny>| match value.cast::<PyBool>() {
            Ok(flag) => Ok(flag.is_true()),
            Err(_) => Err(wrong_type(format!("{name} is True or False, not {}", args::type_name(&value)))),
        };
        self.given(name)?.map_or(Ok(default), flag)
    }

    pub fn text(&mut self, name: &'static str, default: &str) -> PyResult<String> {
        self.given(name)?.map_or_else(|| Ok(default.to_owned()), |value| text(&value, name))
    }

    pub fn names(&mut self, name: &'static str) -> PyResult<Option<Vec<String>>> {
        let given = self.any(name)?;
        args::names(given.as_ref(), name)
    }

    /// One of several words, the first unless told otherwise.
    pub fn choice<T: Copy>(&mut self, name: &'static str, known: &[(&'static str, T)]) -> PyResult<T> {
        let word = self.text(name, known.first().map_or("", |(word, _)| word))?;
        let found = known.iter().find(|(other, _)| *other == word).map(|(_, value)| *value);
        found.ok_or_else(|| {
            let words: Vec<String> = known.iter().map(|(other, _)| format!("'{other}'")).collect();
            to_py(Error::value(format!("unknown {name} '{word}'; use {}", words.join(" or "))))
        })
    }

    pub fn limit(&mut self) -> PyResult<usize> {
        Ok(self.some_count("limit")?.unwrap_or(usize::MAX))
    }

    fn direction(&mut self) -> PyResult<Direction> {
        Direction::parse(&self.text("direction", "out")?).map_err(to_py)
    }

    pub fn spread(&mut self) -> PyResult<SpreadOptions> {
        let usual = SpreadOptions::default();
        let strength = self.number("fan_strength", 2.0)?;
        let fans = [("sqrt", Fan::Sqrt), ("degree", Fan::Degree), ("actr", Fan::ActR(strength))];
        let fan = match self.any("fan")? {
            None => Fan::None,
            Some(value) => {
                let word = text(&value, "fan")?;
                let known = fans.into_iter().find(|(name, _)| *name == word).map(|(_, fan)| fan);
                let unknown = || Error::value(format!("unknown fan '{word}'; use None, 'sqrt', 'degree' or 'actr'"));
                known.ok_or_else(|| to_py(unknown()))?
            }
        };
        Ok(SpreadOptions {
            depth: u32::try_from(self.count("depth", usual.depth as usize)?).unwrap_or(u32::MAX),
            decay: self.number("decay", usual.decay)?,
            threshold: self.number("threshold", usual.threshold)?,
            fire: self.choice("fire", &[("every", Fire::Every), ("once", Fire::Once), ("wave", Fire::Wave)])?,
            own: self.flag("own", usual.own)?,
            combine: self
                .choice("combine", &[("sum", Combine::Sum), ("max", Combine::Max), ("noisy_or", Combine::NoisyOr)])?,
            fan,
            clamp: self.some_number("clamp", usual.clamp)?,
            max_active: self.some_count("max_active")?,
            direction: self.direction()?,
            relations: self.names("relations")?,
            paths: self.flag("paths", usual.paths)?,
        })
    }

    pub fn pagerank(&mut self) -> PyResult<PageRankOptions> {
        let usual = PageRankOptions::default();
        Ok(PageRankOptions {
            restart: self.number("restart", usual.restart)?,
            epsilon: self.number("epsilon", usual.epsilon)?,
            direction: self.direction()?,
            relations: self.names("relations")?,
            paths: self.flag("paths", usual.paths)?,
        })
    }

    pub fn best_first(&mut self, snapshot: &Snapshot) -> PyResult<ProductOptions> {
        let usual = ProductOptions::default();
        Ok(ProductOptions {
            budget: self.count("budget", usual.budget)?,
            decay: self.number("decay", usual.decay)?,
            threshold: self.number("threshold", usual.threshold)?,
            direction: self.direction()?,
            relations: self.names("relations")?,
            targets: self.nodes("targets", snapshot)?,
        })
    }

    /// All options of a walk but `candidates`, which only a single one takes.
    pub fn walk(&mut self) -> PyResult<WalkOptions> {
        let usual = WalkOptions::default();
        Ok(WalkOptions {
            order: Order::parse(&self.text("order", "best")?).map_err(to_py)?,
            budget: self.count("budget", usual.budget)?,
            threshold: self.number("threshold", usual.threshold)?,
            seeds: self.count("seeds", usual.seeds)?,
            no_date: self.some_number("no_date", usual.no_date)?,
            decay: self.number("decay", usual.decay)?,
            min_weight: self.number("min_weight", usual.min_weight)?,
            fan_out: self.count("fan_out", usual.fan_out)?,
            limit: self.some_count("limit")?,
            candidates: None,
        })
    }

    /// Nodes by their ids.
    pub fn nodes(&mut self, name: &'static str, snapshot: &Snapshot) -> PyResult<Option<Vec<u32>>> {
        self.any(name)?.map(|ids| args::nodes(snapshot, &args::ids(&ids, name)?)).transpose()
    }

    /// The filter options, which all kernels share.
    pub fn filter(&mut self, graph: &Arc<MemoryGraph>, snapshot: &Snapshot) -> PyResult<Filter> {
        Ok(Filter {
            namespaces: self.names("namespace")?,
            fact_types: self.names("fact_type")?,
            tags: self.names("tags")?,
            all_tags: self.choice("tags_match", &[("any", false), ("all", true)])?,
            only: self.any("mask")?.map(|mask| members(graph, snapshot, &mask)).transpose()?,
            as_of: self.any("as_of")?.map(|time| args::moment(&time, "UTC")).transpose()?,
        })
    }

    /// Refuses an option that nobody has asked for.
    pub fn finish(self) -> PyResult<()> {
        let Some(given) = self.given.filter(|given| given.len() > self.found) else { return Ok(()) };
        let unknown =
            given.keys().iter().map(|name| name.to_string()).find(|name| !self.asked.contains(&name.as_str()));
        let unknown = unknown.unwrap_or_default();
        Err(wrong_type(format!("there is no option '{unknown}'; known are {}", self.asked.join(", "))))
    }
}

/// An integer of 0 or more.
pub fn count(value: &Bound<'_, PyAny>, name: &str) -> PyResult<usize> {
    let whole = !value.is_instance_of::<PyBool>() && value.hasattr("__index__")?;
    if !whole {
        return Err(wrong_type(format!("{name} is an integer, not {}", args::type_name(value))));
    }
    let wrong = |_| to_py(Error::value(format!("{name} is an integer of 0 or more, not {value}")));
    value.extract::<usize>().map_err(wrong)
}

/// A number; its range is checked where it is used.
pub fn number(value: &Bound<'_, PyAny>, name: &str) -> PyResult<f64> {
    if value.is_instance_of::<PyBool>() || value.is_instance_of::<PyString>() {
        return Err(wrong_type(format!("{name} is a number, not {}", args::type_name(value))));
    }
    value.extract::<f64>().map_err(|error| {
        match error.is_instance_of::<pyo3::exceptions::PyOverflowError>(value.py()) {
            true => to_py(Error::value(format!("{name} is a number in the range of float64"))),
            false => wrong_type(format!("{name} is a number, not {}", args::type_name(value))),
        }
    })
}

/// A string.
pub fn text(value: &Bound<'_, PyAny>, name: &str) -> PyResult<String> {
    value.extract().map_err(|_| wrong_type(format!("{name} is a string, not {}", args::type_name(value))))
}
