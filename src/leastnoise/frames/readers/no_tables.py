"""What is no table that is read, told by a name, by the first bytes or by a class, and the cure."""

from __future__ import annotations

import re

READ_CSV = "the frame that pandas.read_csv makes of it"

# How files that are not text begin, and what to do with them.
_BEGUN = {
    b"PK\x03\x04": ("a zip archive or a spreadsheet", "unpack it, or save the sheet as CSV"),
    b"\xd0\xcf\x11\xe0": ("a spreadsheet", "save the sheet as CSV"),
    b"PAR1": ("Parquet", "name it .parquet"),
    b"ARROW1\0\0": ("Arrow", "write it as Parquet"),
    b"SQLite format 3\0": ("a database", "write a table of it as CSV or Parquet"),
    b"BZh91AY&SY": ("bzip2", "unpack it, or pack it with gzip"),
    b"\xfd7zXZ\0": ("xz", "unpack it, or pack it with gzip"),
    b"(\xb5/\xfd": ("zstd", "unpack it, or pack it with gzip"),
    b"7z\xbc\xaf": ("7z", "unpack it, or pack it with gzip"),
    b"%PDF-": ("PDF", "get its table as CSV"),
    b"\x93NUMPY": ("an array of NumPy", "give what numpy.load makes of it"),
    b"\x89HDF\r\n": ("HDF5", "give the frame that pandas.read_hdf makes of it"),
    b"\x89PNG\r\n": ("a picture", "get its table as CSV"),
    b"Obj\x01": ("Avro", "give the frame that polars.read_avro makes of it"),
    b"$FL2@(#)": ("SPSS", "give the frame that pandas.read_spss makes of it"),
    b"<stata_dta>": ("Stata", "give the frame that pandas.read_stata makes of it"),
    **dict.fromkeys(
        (b"\x80\x03", b"\x80\x04\x95", b"\x80\x05\x95"),
        ("a pickle", "give the frame that pandas.read_pickle makes of it, if you trust its author"),
    ),
}
# Extensions of files that other libraries read, and how.
_READERS = {
    **dict.fromkeys((".json", ".jsonl", ".ndjson"), "pandas.read_json(path), with lines=True where "
                    "each line is a row"),
    **dict.fromkeys((".feather", ".arrow", ".ipc"), "pyarrow.feather.read_table(path)"),
    **dict.fromkeys((".pkl", ".pickle"), "pandas.read_pickle(path), if you trust its author"),
    **dict.fromkeys((".npy", ".npz", ".mat"), "numpy.load(path) or scipy.io.loadmat(path)"),
    **dict.fromkeys((".sas7bdat", ".xpt"), "pandas.read_sas(path)"),
    **dict.fromkeys((".h5", ".hdf", ".hdf5"), "pandas.read_hdf(path)"),
    **dict.fromkeys((".html", ".htm"), "pandas.read_html(path), which gives several"),
    **dict.fromkeys((".rds", ".rdata", ".rda"), "a file that write.csv makes of it in R"),
    **dict.fromkeys((".shp", ".gpkg", ".geojson"), "geopandas.read_file(path)"),
    **dict.fromkeys((".sqlite", ".sqlite3"), "pandas.read_sql(query, sqlite3.connect(path))"),
    ".dta": "pandas.read_stata(path)",
    ".sav": "pandas.read_spss(path)",
    ".orc": "pandas.read_orc(path)",
    ".avro": "polars.read_avro(path)",
    ".xml": "pandas.read_xml(path)",
    ".pdf": "the frame that you make of it",
    ".fwf": "pandas.read_fwf(path)",
    ".mtx": "scipy.io.mmread(path)",
    ".gml": "networkx.read_gml(path)",
    ".graphml": "networkx.read_graphml(path)",
    ".gexf": "networkx.read_gexf(path)",
    ".net": "networkx.read_pajek(path)",
    **dict.fromkeys((".adj", ".adjlist"), "networkx.read_adjlist(path)"),
    **dict.fromkeys((".graph", ".metis"), "the pairs (i, j) of which line i of the file lists j: "
                    "METIS writes the neighbours of a node on each line"),
}  # fmt: skip
# How files of graphs begin that are no lists of edges, and what reads them.
_GRAPHS = {
    "%%matrixmarket": "give what scipy.io.mmread(path) makes of it",
    "graph [": "give what networkx.read_gml(path) makes of it",
    "*vertices": "give what networkx.read_pajek(path) makes of it",
    "*network": "give what networkx.read_pajek(path) makes of it",
    "<": "give what networkx.read_graphml(path), or the reader of its format, makes of it",
    "{": "give what networkx.node_link_graph(json.load(file)) makes of it",
}
# Classes of data that is no column or table, by their names.
_CLASSES = {
    **dict.fromkeys(
        ("DataFrameGroupBy", "SeriesGroupBy", "GroupBy"),
        "the frame itself, and declare the groups: leastnoise.open(frame).group_by({...})",
    ),
    **dict.fromkeys(
        ("Connection", "Engine", "Cursor"),
        "the frame that pandas.read_sql(query, connection) makes",
    ),
    "Session": "the data itself, which was opened already; of another library's session the frame "
    "that pandas.read_sql(query, session) makes",
    **dict.fromkeys(("EdgeView", "OutEdgeView", "MultiEdgeView", "EdgeDataView", "OutEdgeDataView"),
                    "the graph, or list(graph.edges())"),
    **dict.fromkeys(
        ("Dataset", "FileSystemDataset", "InMemoryDataset", "UnionDataset"), "data.to_table()"
    ),
    **dict.fromkeys(("bytes", "bytearray", "memoryview"), "a path as text, os.fsdecode(path), or "
                    "save the content to a file"),
    "RecordBatchReader": "data.read_all()",
    "DictReader": "the path of its file",
}  # fmt: skip


def begins_like(first: bytes) -> tuple[str, str] | None:
    """The kind of a file that begins like this and is not text, and the cure."""
    return next((told for begun, told in _BEGUN.items() if first.startswith(begun)), None)


def reader_of(suffix: str) -> str | None:
    """What reads files with this extension."""
    return _READERS.get(suffix)


def graph_of(line: str) -> str | None:
    """What to give instead of a graph's file that begins with this line."""
    begun = line.strip().casefold()
    return next((told for sign, told in _GRAPHS.items() if begun.startswith(sign)), None)


def cure_of(kind: str) -> str | None:
    """What to give instead of an object of this class."""
    return _CLASSES.get(kind)


def no_path(text: str) -> str | None:
    """Why a text is the path of no file, and the cure, if that shows in the text."""
    if re.match(r"[a-z][a-z0-9+.-]+:/", text, re.IGNORECASE):
        return f"and an address is not fetched; save it to a file first, or give {READ_CSV}"
    if text.startswith("~"):
        return f"and ~ is not expanded; give os.path.expanduser({text!r})"
    if re.match(r"\s*(?:select|with)\s", text, re.IGNORECASE):
        return "and this begins like SQL; give the path of the data, and ask data.sql(query)"
    if "\n" in text:
        return "and this is several lines; save them to a file first"
    return None
