"""`timewalk recall`: ask a store."""

from __future__ import annotations

from typing import Annotated

import typer

from timewalk.cli import jsonout
from timewalk.cli.options import (
    AsOfOption,
    AuthorOption,
    EmbedderOption,
    FactTypeOption,
    HtmlOption,
    JsonOption,
    KOption,
    NamespaceOption,
    NowOption,
    StoreOption,
    TagsAllOption,
    TagsNoneOption,
    TagsOption,
    ThreadOption,
    TimesOption,
    TzOption,
    filters_of,
    open_store,
    time_of,
    window_of,
    write_text,
)
from timewalk.cli.progress import waiting
from timewalk.cli.run import err, out
from timewalk.recall.words import plain


def recall(
    question: Annotated[str, typer.Argument(help="What to ask, in words; a time in it becomes the window.")],
    store: StoreOption,
    now: NowOption = None,
    k: KOption = 10,
    window: Annotated[
        str | None,
        typer.Option(
            "--window",
            metavar="START..END",
            help="The window, instead of the one in the question; END is not included, either end may be left out. "
            "One day, month or year (1970-04) is a window too.",
        ),
    ] = None,
    namespace: NamespaceOption = None,
    fact_type: FactTypeOption = None,
    tags: TagsOption = None,
    tags_all: TagsAllOption = None,
    tags_none: TagsNoneOption = None,
    author: AuthorOption = None,
    thread: ThreadOption = None,
    times: TimesOption = None,
    as_of: AsOfOption = None,
    tz: TzOption = "UTC",
    locale: Annotated[
        str, typer.Option("--locale", help="Language of the question, for the time in it, such as en, en-GB, de.")
    ] = "en",
    embedder: EmbedderOption = "auto",
    reranker: Annotated[
        str | None,
        typer.Option(
            "--reranker",
            metavar="NAME",
            help="Order what was found anew by sentence-transformers or fastembed, each with ':model' if you like.",
        ),
    ] = None,
    diversity: Annotated[
        float, typer.Option("--diversity", min=0.0, max=1.0, help="Above 0, take fewer that say the same.")
    ] = 0.0,
    max_tokens: Annotated[
        int | None, typer.Option("--max-tokens", min=1, metavar="N", help="No more text than so many tokens, about.")
    ] = None,
    timeline: Annotated[bool, typer.Option("--timeline", help="Draw the answer along an axis of time.")] = False,
    explain: Annotated[
        bool, typer.Option("--explain", help="Show each hit's arms, ranks, scores and path with weights.")
    ] = False,
    html: HtmlOption = None,
    as_json: JsonOption = False,
) -> None:
    """Ask a store what happened, and see what led to it and what came of it.

    Example: `timewalk recall "what happened around the outage last week?" --store team.timewalk`

    Example: `timewalk recall "who changed the pool?" -s team.timewalk --author "Ada Lovelace" --html story.html`
    """
    from timewalk.cli.table import explained, heading, notes, table
    from timewalk.cli.timeline import Timeline

    seen_from = time_of(now, "--now", tz)
    given = window_of(window, tz)
    filters = filters_of(
        namespace=namespace,
        fact_type=fact_type,
        tags=tags,
        tags_all=tags_all,
        tags_none=tags_none,
        author=author,
        thread=thread,
        times=times,
        as_of=as_of,
        tz=tz,
    )
    with waiting("reading the store"), open_store(store, embedder) as memory:
        hits = memory.recall(
            question,
            k=k,
            now=seen_from,
            tz=tz,
            locale=locale,
            window=given,
            reranker=reranker,
            diversity=diversity,
            max_tokens=max_tokens,
            explain=explain,
            **filters,
        )
    if html is not None:
        write_text(html, hits.to_html())
        err().print(f"wrote {plain(str(html))}", soft_wrap=True)
    if as_json:
        jsonout.write(jsonout.answer(hits))
        return
    console = out()
    console.print(heading(hits))
    console.print()
    console.print(Timeline(hits) if timeline else table(hits, console))
    if explain and hits:
        console.print()
        console.print(explained(hits, console))
    if hits.notes:
        console.print(notes(hits))
