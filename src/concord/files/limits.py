"""Every limit on what Concord reads, in one place: no file of a few MB may fill the memory or the day.

The page "Limits on files" of the documentation lists them; a test compares the two.
"""

FILE_BYTES = 200 * 2**20
"""Bytes of a file that is read whole: tables, documents, reply files, logs in JSON, result files."""
YAML_BYTES = 2**20
"""Bytes of a study file: the longest study is a few dozen kilobytes."""
COLUMN_BYTES = 2 * 2**30
"""Bytes of a CSV or Parquet file that is read column by column: `compare` and `score structure`."""
LARGE_TEXT = 20 * 2**20
"""A CSV file of more bytes is read column by column where the command can do so."""
ROWS = 1_048_576
"""Rows of a table that is read cell by cell: those of the largest sheet a spreadsheet program holds."""
COLUMN_ROWS = 2_000_000
"""Rows of a table that is read column by column."""
COLUMNS = 16_384
"""Columns of a table: those of the largest sheet."""
CELLS = 20_000_000
"""Cells of a table, counted over the whole area that its cells span."""
ENGINE_CELLS = 5_000_000
"""Cells of the largest sheet of a workbook that the fast engine may read; others are read cell by cell."""
CELL_CHARACTERS = 131_072
"""Characters of one cell of text."""
SHEET_CELL_CHARACTERS = 32_767
"""Characters of one cell of a workbook: what a spreadsheet program can hold."""
TEXT_BYTES = 256 * 2**20
"""Bytes of all text cells of one sheet or one Parquet column together, repeated ones counted each time."""
NAME_BYTES = 128 * 2**20
"""Bytes of all names in one column that is read whole: items, models, clusters."""
MEMBERS = 10_000
"""Members of a workbook."""
SHEETS = 1_000
"""Sheets of a workbook."""
UNPACKED = 256 * 2**20
"""Bytes that a workbook, or what is read of a log, unpacks to in sum."""
BOMB_RATIO = 200
"""An archive that unpacks to more than this many times its size is refused ..."""
BOMB_SIZE = 16 * 2**20
"""... once it unpacks to more than so many bytes: a sheet of equal rows packs very well."""
PACK_UNPACKED = 2**30
"""Bytes that a pack unpacks to in sum."""
LOG_RATIO = 20
"""A log that is read whole may unpack to so many times its size, where that is more than `UNPACKED`."""
LOG_SAMPLES = 100_000
"""Samples of one log, epochs counted."""
LINE_CHARACTERS = 16 * 2**20
"""Characters of one line of replies that a report looks at."""
REPLY_CHARACTERS = 1_000_000
"""Characters of one reply of a model, and of its thinking: longer ones are counted as too long."""
REPLY_KEPT = 10_000
"""Characters that are kept of a reply that is too long."""
REPLY_BYTES = 16 * 2**20
"""Bytes of a server's answer, unpacked; no more of it is received."""
JOURNAL_LINE = 64 * 2**20
"""Bytes of one line of a run's folder: all replies of a session of many people."""
UNUSABLE_LINES = 50_000
"""Lines of one file that cannot be used; after so many the rest is not looked at."""
XML_ELEMENTS = 2_000_000
"""Elements of one XML member of a workbook."""
XML_PARTS = 250_000
"""Elements of the part of a workbook that lists its sheets and names, and of its styles."""
JSON_CONTAINERS = 2_500_000
"""Objects and lists in one JSON document."""
JSON_VALUES = 12_000_000
"""Commas in one JSON document, each of which parts two values."""
GOLD_CHARACTERS = 2_000
"""Characters of a gold answer, of another name of one, or of a bias label."""
OTHER_NAMES = 1_000
"""Other names of one answer in a table of aliases."""
LARGEST_NUMBER = 1e60
"""Size of a number in a cell: the squares of larger ones, and their sums, leave the range of numbers."""
STUDIES = 2_000
"""Studies of one table of tests: each has intervals of its own and a file."""
AGENTS = 10_000
"""Agents of one table."""
COMPARED_AGENTS = 2_000
"""Agents of which all pairs are compared; of more each has its numbers and its place."""
COMPARED_MODELS = 100
"""Models of which all pairs are compared on items, or in a table of hints."""
PROBED = 10_000
"""Vignettes of one table of probes."""
AGENT_FOLDERS = 100
"""Agents that get a folder each with the files of their own result."""
JUDGES = 500
"""Judges of one table of verdicts."""
JUDGED_PAIRS = 150_000
"""Pairs of one table of verdicts, those of every judge counted."""
OUTCOMES = 5_000
"""Outcomes of one table of answers, those of every agent counted."""
ANSWERS = 2_000_000
"""Answers of one table, people's once for every agent that they are compared with; counts are answers."""
OPTIONS = 1_000
"""Different words among the answers to one outcome."""
OPTION_DRAWS = 24_000_000
"""Options of all outcomes by resamples; an outcome of more values than a scale has counts as 84 options."""
TRIALS = 1_000_000
"""Trials of one run."""
SESSIONS = 100_000
"""Sessions of one run of people."""
COUNTED = 1_000_000
"""Replies that one cell of a table of hints counts."""
EFFECTS = 50_000
"""Effects of one table of predictions, those of every agent counted."""
LEFT_OUT = 1_000
"""Clusters of predictions that are left out one at a time; of more, so many groups of them."""
ARMS = 1_000
"""Arms of one outcome whose people and predictions are combined."""
ARRANGEMENTS = 2_000
"""Arrangements of one table of scores."""
SPANNED = 20_000_000
"""Items by arrangements of one model, whether all of them have a score or not."""
CONTROL_GROUPS = 1_000
"""Control groups that effects of several interventions share."""
COMPARED_IN_PAIRS = 200
"""Agents of a table of predictions or of answers of which all pairs are compared."""
PREDICTOR_PARTS = 200_000
"""Agents by sets of effects that two have in common by clusters, of which all pairs are compared."""
PARQUET_SECONDS = 60.0
"""Seconds that reading one Parquet file may take."""
PARQUET_MEMORY = 1536 * 2**20
"""Bytes that reading one Parquet file may take, in the process that reads it."""
PAGES = 2_000
"""Pages of a paper that a study is drafted from."""
PAPER_CHARACTERS = 10_000_000
"""Characters of such a paper."""
