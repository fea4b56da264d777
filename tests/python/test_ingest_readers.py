"""Files of every supported format give the same records, and a file that is not what its name says is refused."""

import gzip
import json

import pyarrow as pa
import pyarrow.feather as feather
import pyarrow.parquet as pq
import pytest

import timewalk as tw
from timewalk import FileAccessError, FileFormatError, InvalidValueError
from timewalk.ingest.readers import SUFFIXES, read, read_batches
from timewalk.ingest.records import to_table

RECORDS = [
    {"id": "a", "text": 'Tank, "dropped"\nby hand', "tags": ["x", "y"], "occurred_start": "1968-10", "level": "3"},
    {"id": "b", "text": "北京大学", "tags": ["z"], "occurred_start": "1970-04-14T03:08:00Z", "level": "4"},
    {"id": "c", "text": "plain", "tags": ["z"], "occurred_start": "1971", "level": "5"},
]
CSV = (
    "\ufeffid,text,tags,occurred_start,level\n"
    'a,"Tank, ""dropped""\nby hand",x;y,1968-10,3\r\n'
    'b,北京大学,"[""z""]",1970-04-14T03:08:00Z,4\n'
    "\n"
    "c,plain,z,1971,5"
)


def write(path, suffix):
    kind = suffix.removesuffix(".gz")
    if kind in (".jsonl", ".ndjson"):
        data = "\n\n".join(json.dumps(record, ensure_ascii=False) for record in RECORDS).encode()
    elif kind == ".json":
        data = json.dumps(RECORDS, indent=1).encode()
    elif kind == ".csv":
        data = CSV.encode()
    elif kind == ".tsv":
        data = CSV.replace(",", "\t").replace("Tank\t", "Tank,").encode()
    else:
        table = pa.Table.from_pylist(RECORDS)
        if kind == ".parquet":
            pq.write_table(table, path, row_group_size=2)
        elif kind == ".ipc":
            with pa.ipc.new_stream(path, table.schema) as stream:
                stream.write_table(table, 2)
        else:
            feather.write_feather(table, path)
        return
    path.write_bytes(gzip.compress(data) if suffix.endswith(".gz") else data)


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_every_format_gives_the_same_table(tmp_path, suffix):
    path = tmp_path / f"Records{suffix.upper()}"
    write(path, suffix)
    expected = to_table(RECORDS, now="2026")
    assert to_table(read(path), now="2026").equals(expected)
    assert to_table(read(str(path)), now="2026").equals(expected)
    parts = [to_table(part, now="2026") for part in read_batches(path, 2)]
    assert max(part.num_rows for part in parts) <= 2
    assert pa.concat_tables(parts).equals(expected)


@pytest.mark.parametrize("suffix", [".jsonl", ".csv", ".json.gz", ".parquet", ".arrow", ".ipc"])
def test_an_empty_set_of_records_is_no_error(tmp_path, suffix):
    path = tmp_path / f"none{suffix}"
    empty = pa.table({"text": pa.array([], pa.string())})
    if suffix == ".parquet":
        pq.write_table(empty, path)
    elif suffix == ".arrow":
        feather.write_feather(empty, path)
    elif suffix == ".ipc":
        with pa.ipc.new_stream(path, empty.schema):
            pass
    else:
        path.write_bytes(gzip.compress(b"[]") if suffix.endswith(".gz") else b"")
    assert to_table(read(path), now="2026").num_rows == 0


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("a.jsonl", b'{"text": "a"}\n\n{"text": \n', "line 3"),
        ("a.jsonl", b'{"text": "a"}\n[1]\n', "line 2"),
        ("a.jsonl", b'{"text": "a"}\n{"text": "\xff"}\n', "line 2"),
        ("a.jsonl", b"PAR1\x00\x01", "line 1"),
        ("a.jsonl", b"[" * 100_000, "line 1"),
        ("a.jsonl", b'{"n": ' + b"9" * 5000 + b"}", "line 1"),
        ("a.json", b'[{"text": "a"},\n {"text" "b"}]', "line 2"),
        ("a.json", b'{"text": "a"}\n{"text": "b"}', "jsonl"),
        ("a.json", b'[{"text": "a"}, 3]', "item 1"),
        ("a.json", b'[{"text": "a"},\n{"text": "\xff"}]', "line 2"),
        ("a.json", b"", "line 1"),
        ("a.csv", b"id,text\na,b\nc\n", "line 3"),
        ("a.csv", b'id,text\na,"b\nb"\nc,d,e\n', "line 4"),
        ("a.csv", b"id,id\na,b\n", "line 1"),
        ("a.csv", b"id,\na,b\n", "line 1"),
        ("a.csv", b'id,text\na,"b\n', "line 2"),
        ("a.csv", b"id,text\na,\xff\n", "line 2"),
        ("a.jsonl.gz", b'{"text": "a"}\n', "gzip"),
        ("a.csv.gz", gzip.compress(b"text\n" + b"abc\n" * 9999)[:-20], "gzip"),
        ("a.parquet", b"id,text\na,b\n", "Parquet"),
        ("a.parquet", b"", "Parquet"),
        ("a.arrow", b'{"text": "a"}\n', "Arrow"),
        ("a.feather", b"ARROW1\x00\x00 and then nothing", "Arrow"),
        ("a.ipc", b"", "Arrow"),
    ],
)
def test_a_file_that_is_not_what_its_name_says_is_refused_with_the_line(tmp_path, name, content, said):
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(FileFormatError, match=said) as caught:
        read(path)
    assert str(path) in str(caught.value)


def test_lines_before_the_bad_one_have_been_handed_on(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text('{"text": "a"}\n{"text": "b"}\nnothing\n')
    batches = read_batches(path, 1)
    assert [next(batches), next(batches)] == [[{"text": "a"}], [{"text": "b"}]]
    with pytest.raises(FileFormatError, match="line 3"):
        next(batches)


def test_files_that_cannot_be_read(tmp_path):
    with pytest.raises(FileAccessError, match="no file"):
        read_batches(tmp_path / "absent.jsonl")
    with pytest.raises(OSError, match="folder"):
        read(tmp_path.joinpath("x.json").mkdir() or tmp_path / "x.json")
    (tmp_path / "a.xlsx").write_text("")
    with pytest.raises(InvalidValueError, match=r"\.parquet"):
        read(tmp_path / "a.xlsx")
    with pytest.raises(InvalidValueError, match="batch_rows"):
        read_batches(tmp_path / "a.jsonl", 0)


def test_long_cells_and_typed_csv_columns(tmp_path):
    path = tmp_path / "a.csv"
    long = "x" * 300_000
    path.write_text(
        "text,historical_count,embedding,recent_accesses,entities,metadata\n"
        f'{long},3,"[1, 2]",2024-01-01;2024-01-02T10:00:00Z,Maria;OpenAI,"{{""k"": 1}}"\n'
        'b,,,,"[{""name"": ""Maria"", ""type"": ""person""}]",\n'
    )
    first, second = to_table(read(path), now="2026").to_pylist()
    assert first["text"] == long
    assert first["historical_count"] == 3
    assert first["embedding"] == [1.0, 2.0]
    assert [moment.hour for moment in first["recent_accesses"]] == [0, 10]
    assert [item["name"] for item in first["entities"]] == ["Maria", "OpenAI"]
    assert first["metadata"] == '{"k": 1}'
    assert second["entities"] == [{"name": "Maria", "type": "person"}]
    path.write_text("text,historical_count\na,many\n")
    with pytest.raises(TypeError, match="historical_count"):
        to_table(read(path), now="2026")


@pytest.mark.parametrize(
    ("name", "text", "line"),
    [
        ("a.csv", 'text,mentioned_at\n"two\nlines",2024-05-01\n\nb,soon\n', 5),
        ("a.tsv", "text\tmentioned_at\na\t2024-05-01\nb\tsoon\n", 3),
        ("a.jsonl", '{"text": "a"}\n\n{"text": "b", "mentioned_at": "soon"}\n', 3),
    ],
)
def test_a_fault_in_a_value_names_its_line(tmp_path, name, text, line):
    (tmp_path / name).write_text(text)
    with (
        tw.Memory(embedder=None) as memory,
        pytest.raises(tw.InvalidValueError, match=f"line {line}: .*row 1") as caught,
    ):
        memory.add(tmp_path / name)
    assert (caught.value.column, caught.value.row) == ("mentioned_at", 1)


def test_semicolons_instead_of_commas_are_named(tmp_path):
    (tmp_path / "a.csv").write_text("text;mentioned_at\na;2024-05-01\n")
    with pytest.raises(FileFormatError, match=r"line 1: .*separated by semicolons"):
        read(tmp_path / "a.csv")
