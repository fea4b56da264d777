"""`timewalk rerank`: files of hits, weighed by time."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

import typer

from timewalk.cli.progress import counting
from timewalk.cli.run import err
from timewalk.decay.engines import ENGINES, Column, Engine
from timewalk.errors import InvalidTypeError, InvalidValueError
from timewalk.reranking.api import make_plan
from timewalk.reranking.files import rerank_file
from timewalk.reranking.formats import read_config

_PARAMETERS = ("half_life", "strength", "stability", "scale", "offset", "decay", "min_age", "floor")


def rerank(
    hits: Annotated[Path, typer.Argument(help="Parquet, Arrow, CSV or JSON lines file of hits.")],
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Where to write; the ending says how.")] = None,
    engine: Annotated[
        list[str] | None,
        typer.Option("--engine", "-e", help=f"{', '.join(ENGINES)}; with parameters as in 'half_life:half_life=30d'."),
    ] = None,
    config: Annotated[Path | None, typer.Option(help="TOML or JSON file with [[engines]], and options.")] = None,
    now: Annotated[str | None, typer.Option(help="The present, in ISO 8601; the clock's unless given.")] = None,
    k: Annotated[int | None, typer.Option("--k", "-k", help="Best hits of each group; all unless given.")] = None,
    group_by: Annotated[list[str] | None, typer.Option(help="Column that separates queries; may be repeated.")] = None,
    similarity: Annotated[str, typer.Option(help="Column of similarities.")] = "similarity",
    distance: Annotated[
        str | None,
        typer.Option(help="What that column holds, if distances: cosine, l2, l2_squared, inner_product, ..."),
    ] = None,
    semantic_weight: Annotated[str, typer.Option(help="A number, or a column.")] = "1",
    temporal_weight: Annotated[str, typer.Option(help="A number, or a column.")] = "1",
    normalize: Annotated[str | None, typer.Option(help="minmax, max, zscore or sigmoid.")] = None,
    normalize_temporal: Annotated[str | None, typer.Option(help="The same for temporal weights.")] = None,
    missing: Annotated[str, typer.Option(help="last, drop, error, or a temporal weight.")] = "last",
    noise: Annotated[float, typer.Option(help="Scale of ACT-R's noise.")] = 0.0,
    seed: Annotated[int, typer.Option(help="Seed of the noise.")] = 0,
    id: Annotated[str, typer.Option(help="Column that decides ties, if there is one.")] = "id",
    tz: Annotated[str, typer.Option(help="Zone of times that carry none.")] = "UTC",
    unit: Annotated[str | None, typer.Option(help="Unit of integer epochs: s, ms, us or ns.")] = None,
    prefix: Annotated[str, typer.Option(help="Put before the names of the new columns.")] = "",
    threads: Annotated[int | None, typer.Option(help="At most so many; all processors unless given.")] = None,
    half_life: Annotated[str | None, typer.Option(help="Half-life, such as 30d.")] = None,
    strength: Annotated[str | None, typer.Option(help="Ebbinghaus' strength, such as 30d or col:NAME.")] = None,
    stability: Annotated[str | None, typer.Option(help="Stability of the power law.")] = None,
    scale: Annotated[str | None, typer.Option(help="Scale of gauss, exp and linear.")] = None,
    offset: Annotated[str | None, typer.Option(help="Offset of gauss, exp and linear.")] = None,
    decay: Annotated[str | None, typer.Option(help="Decay of actr, power_law, gauss, exp and linear.")] = None,
    min_age: Annotated[str | None, typer.Option(help="Smallest age of actr.")] = None,
    floor: Annotated[str | None, typer.Option(help="What Ebbinghaus never forgets.")] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="No progress bar.")] = False,
) -> None:
    """Weigh hits by time and write them best first.

    With --k the file is streamed: memory holds the best hits of each group, whatever the size of the file. The result
    is written to a temporary file and renamed when it is whole.

    Example: `timewalk rerank hits.parquet --engine half_life --half-life 30d --group-by query_id --k 5 -o best.parquet`
    """
    given = dict(zip(_PARAMETERS, (half_life, strength, stability, scale, offset, decay, min_age, floor), strict=True))
    settings = read_config(config) if config is not None else {}
    engines = _engines(engine or [], settings.pop("engines", []), {k: v for k, v in given.items() if v is not None})
    options: dict[str, Any] = {
        "now": now or datetime.now(UTC),
        "k": k,
        "group_by": group_by or None,
        "similarity": similarity,
        "distance": distance,
        "semantic_weight": _value(semantic_weight),
        "temporal_weight": _value(temporal_weight),
        "normalize": normalize,
        "normalize_temporal": normalize_temporal,
        "missing": _value(missing),
        "noise": noise,
        "seed": seed,
        "id": id,
        "tz": tz,
        "unit": unit,
        "prefix": prefix,
        "threads": threads,
    }
    for name, value in settings.items():
        if name not in options:
            raise InvalidValueError(f"{config}: there is no option {name!r}; use one of {', '.join(options)}")
        # What the command line says goes before the file.
        if _is_default(name, options[name]):
            options[name] = value
    if now is None and "now" in settings:
        options["now"] = settings["now"]
    plan = make_plan(engines, **options)
    written = _run(hits, plan, output, quiet)
    if not quiet:
        err().print(f"wrote {written}", soft_wrap=True)


def _run(hits: Path, plan: Any, output: Path | None, quiet: bool) -> Path:
    with counting(quiet=quiet) as bar:
        task = bar.add_task("re-ranking", total=None)
        return rerank_file(hits, plan, output, lambda done, total: bar.update(task, completed=done, total=total))


def _engines(specs: list[str], configs: Any, given: dict[str, str]) -> list[Engine]:
    if not isinstance(configs, list) or not all(isinstance(config, dict) for config in configs):
        raise InvalidTypeError("engines are a list of tables: [[engines]] in TOML, a list of objects in JSON")
    made = [dict(config) for config in configs]
    for spec in specs:
        name, _, parameters = spec.partition(":")
        config: dict[str, Any] = {"engine": name.strip().replace("-", "_").lower()}
        for pair in filter(None, parameters.split(",")):
            key, equals, value = pair.partition("=")
            if not equals:
                raise InvalidValueError(f"--engine {spec}: parameters are written as name=value")
            config[key.strip().replace("-", "_")] = _value(value)
        made.append(config)
    if not made:
        raise InvalidValueError("give at least one engine: --engine half_life --half-life 30d, or --config FILE")
    for name, value in given.items():
        takers = [
            config for config in made if config.get("engine") in ENGINES and name in _fields(str(config["engine"]))
        ]
        if not takers:
            raise InvalidValueError(f"none of the engines has a parameter {name}")
        for config in takers:
            config[name] = _value(value)
    return [Engine.from_dict(config) for config in made]


def _fields(kind: str) -> list[str]:
    return list(ENGINES[kind].__dataclass_fields__)


def _value(text: str) -> Any:
    """A number where the text is one, a column where it says so, else the text."""
    if text.startswith("col:"):
        return Column(text.removeprefix("col:"))
    try:
        return float(text)
    except ValueError:
        return text.strip()


def _is_default(name: str, value: Any) -> bool:
    usual = {
        "similarity": "similarity",
        "missing": "last",
        "id": "id",
        "tz": "UTC",
        "prefix": "",
        "semantic_weight": 1.0,
        "temporal_weight": 1.0,
        "noise": 0.0,
        "seed": 0,
    }
    return bool(value == usual.get(name))
