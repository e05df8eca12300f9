"""What comes nearest to a function of other dialects: why it is not here, and what to write."""

from __future__ import annotations

TIME = "the answer would depend on when it is asked; write a constant, DATE '2024-01-31'"
PATTERN = "patterns other than LIKE are not supported; write x LIKE 'N%', or x IN ('N', 'S')"
FORMATS = "engines differ in it; write EXTRACT(YEAR FROM day) or DATE_TRUNC('month', day)"
TEXTS = "engines differ in it; write SUBSTR(x, 1, 2), x LIKE '%N%' or CASE x WHEN 'N' THEN 'M' END"
ORDER = (
    "engines differ in the order of text; write CASE WHEN x = 'N' THEN 'N' ELSE 'S' END, or number "
    "it, CASE x WHEN 'N' THEN 1 WHEN 'S' THEN 2 END"
)
LISTS = "a list of rows is never released; write GROUP BY with aggregates"
RANDOM = "queries draw no random numbers, and noise is added to the answers; leave it out"
BITS = "bits are not worked out; write + - * / for numbers, and AND, OR, NOT for conditions"
BETWEEN = (
    "engines differ in its order and units; write b - a for the days between two dates, CAST(b AS "
    "DATE) - CAST(a AS DATE) of times, or compare day > DATE '2024-01-31'"
)
ADDED = (
    "write day + INTERVAL 10 DAY of a column of dates or times, or b - a for the days between two"
)
PARTS = "write YEAR, QUARTER, MONTH, DAY, DOY, ISODOW or HOUR, or DATE_TRUNC('week', day)"
WEEKDAYS = (
    "dialects count the days of a week from other ones; write EXTRACT(ISODOW FROM day), which is 1 "
    "for Monday to 7 for Sunday"
)
WEEKS = (
    "dialects count weeks in their own ways; write DATE_TRUNC('week', day), the Monday of a week"
)
CLOCKS = "write CAST(ts AS TIME) for the time of a day, and HOUR(ts) for its hour"
NAMES = (
    "engines and languages differ in names; write MONTH(day), a number from 1 to 12, or CASE "
    "MONTH(day) WHEN 1 THEN 'January' END"
)
MADE = (
    "write the date that is meant as a constant, such as DATE '2024-01-31', or CAST(day AS DATE) "
    "for the day of times"
)
HASHES = "a code tells rows apart as the column does: write x itself"
FIELDS = "make a column of the field where the data comes from"
CHOICE = "write CASE x WHEN 1 THEN 2 ELSE 3 END"
QUANTILES = "write QUANTILE_DISC(x, 0.5), a call for each"
ONE_ROW = "one row would decide it; write COUNT_IF(condition)"
SHAPE = "it is not offered; write AVG(x), STDDEV(x) or QUANTILE_DISC(x, 0.9)"
PRIVATE = "every aggregate is private here: write COUNT(*), SUM(x) or AVG(x)"
BANDS = "write FLOOR(x / 10) * 10 for bands of ten"
ROWS = "a row stays one row; write each entry as a column"


def _each(why: str, names: str) -> dict[str, str]:
    return dict.fromkeys(names.split(), why)


NAMED = {
    **_each("write LIMIT and the number of rows at the end", "TOP"),
    **_each(TIME, "NOW TODAY GETDATE GETUTCDATE SYSDATE SYSDATETIME CLOCK_TIMESTAMP LOCALTIME"),
    **_each(RANDOM, "NEWID RANDOM RAND RANDN UUID GEN_RANDOM_UUID GENERATE_UUID SETSEED RANDSTR"),
    **_each(PATTERN, "REGEXP_MATCHES REGEXP_FULL_MATCH REGEXP_CONTAINS REGEXP_INSTR REGEXP_COUNT"),
    **_each(PATTERN, "REGEXP_SUBSTR REGEXP_MATCH REGEXP_LIKE REGEXP_SPLIT_TO_ARRAY PATINDEX"),
    **_each(TEXTS, "SUFFIX PREFIX LPAD RPAD SPLIT_PART SPLIT INITCAP TRANSLATE OVERLAY ASCII CHR"),
    **_each(TEXTS, "CHAR UNICODE SOUNDEX LEVENSHTEIN EDITDIST3 POSITION STRPOS INSTR CHARINDEX"),
    **_each(TEXTS, "LOCATE STUFF REPEAT SPACE FORMAT PRINTF QUOTENAME SUBSTRING_INDEX CONTAINS_"),
    **_each("write x LIKE '%N%'", "CONTAINS_SUBSTR"),
    **_each("write a comparison with each, x > 1 AND x > 2", "ALL"),
    **_each("write SUBSTR(x, 1, 2)", "MID SUBSTRB"),
    **_each(
        "write LENGTH(x), which counts characters",
        "OCTET_LENGTH BYTE_LENGTH BIT_LENGTH DATALENGTH STRLEN LENGTHB",
    ),
    **_each("write x || '-' || y", "CONCAT_WS"),
    **_each(HASHES, "HASH MD5 SHA SHA1 SHA2 SHA256 SHA512 FARM_FINGERPRINT CHECKSUM CRC32"),
    **_each(FIELDS, "JSON_EXTRACT JSON_VALUE JSON_QUERY JSON_EXTRACT_SCALAR GET_JSON_OBJECT"),
    **_each(FIELDS, "STRUCT STRUCT_EXTRACT MAP OBJECT_CONSTRUCT PARSE_JSON TO_JSON JSON_OBJECT"),
    **_each(BETWEEN, "DATEDIFF DATE_DIFF TIMESTAMPDIFF TIMESTAMP_DIFF DATETIME_DIFF TIMEDIFF AGE"),
    **_each(BETWEEN, "DAYS_BETWEEN MONTHS_BETWEEN UNIX_DATE UNIX_SECONDS UNIX_TIMESTAMP EPOCH"),
    **_each(BETWEEN, "TO_DAYS TO_SECONDS DATE_BUCKET JULIAN JULIANDAY"),
    **_each(ADDED, "DATEADD DATE_ADD DATE_SUB ADD_MONTHS TIMESTAMPADD TIMESTAMP_ADD DATETIME_ADD"),
    **_each(ADDED, "TIMESTAMP_SUB DATETIME_SUB ADDDATE SUBDATE"),
    **_each(MADE, "TO_DATE STR_TO_DATE PARSE_DATE MAKE_DATE DATEFROMPARTS DATE_FROM_PARTS"),
    **_each(MADE, "TO_TIMESTAMP PARSE_TIMESTAMP STRPTIME MAKE_TIMESTAMP PARSE_DATETIME"),
    **_each(MADE, "FROM_UNIXTIME TRY_TO_DATE DATETIMEFROMPARTS TIMESTAMP_FROM_PARTS MAKEDATE"),
    **_each(WEEKDAYS, "DAYOFWEEK DOW WEEKDAY DAYNAME"),
    **_each(WEEKS, "WEEK WEEKOFYEAR ISOWEEK YEARWEEK ISOYEAR"),
    **_each(CLOCKS, "MINUTE SECOND"),
    **_each(PARTS, "DECADE DATE_PART DATEPART"),
    **_each(NAMES, "MONTHNAME DATENAME MONTH_NAME"),
    **_each(FORMATS, "STRFTIME DATE_FORMAT TO_CHAR FORMAT_DATE FORMAT_TIMESTAMP FORMAT_DATETIME"),
    **_each("write x * x for a square, x * x * x for a cube", "POW POWER"),
    **_each(CHOICE, "DECODE SWITCH CHOOSE ELT MAP_FROM"),
    **_each("write COALESCE(x, 0), or x IS NULL for a condition", "ISNULL ZEROIFNULL IFNAN"),
    **_each("write a / b, which is NULL where b is 0", "SAFE_DIVIDE DIVIDE IEEE_DIVIDE"),
    **_each("write COALESCE(a / NULLIF(b, 0), 0)", "DIV0 DIV0NULL"),
    **_each(BANDS, "WIDTH_BUCKET NTILE CUT RANGE_BUCKET HISTOGRAM"),
    **_each("write ROUND(x)", "BROUND ROUND_EVEN RINT"),
    **_each("rows have no numbers here; write LIMIT 10 for the answer", "ROWNUM ROWID"),
    **_each("write 3.141592653589793", "PI"),
    **_each("write x * 57.29577951308232", "DEGREES"),
    **_each("write x * 0.017453292519943295", "RADIANS"),
    **_each("write VAR_SAMP or VAR_POP", "VAR VARP"),
    **_each("write COVAR_POP", "COVAR COVARIANCE"),
    **_each("write COUNT(*)", "COUNT_BIG ROW_COUNT"),
    **_each("write SUM(x) FILTER (WHERE condition)", "SUMIF SUM_IF SUMIFS"),
    **_each("write AVG(x) FILTER (WHERE condition)", "AVGIF AVG_IF AVERAGEIF"),
    **_each(QUANTILES, "APPROX_QUANTILES APPROX_PERCENTILE PERCENTILE_APPROX QUANTILES"),
    **_each(
        "write GROUP BY x with ORDER BY COUNT(*) DESC and LIMIT 3",
        "APPROX_TOP_COUNT APPROX_TOP_K APPROX_TOP_SUM TOP_K",
    ),
    **_each(SHAPE, "KURTOSIS KURTOSIS_POP SKEWNESS SKEW ENTROPY PRODUCT GEOMEAN GEOMETRIC_MEAN"),
    **_each(SHAPE, "HARMONIC_MEAN MAD FAVG FSUM SEM"),
    **_each(BITS, "BIT_AND BIT_OR BIT_XOR BITAND BITOR BITXOR BIT_COUNT BITWISE_AND SHIFTLEFT"),
    **_each(ONE_ROW, "BOOL_AND BOOL_OR LOGICAL_AND LOGICAL_OR EVERY SOME BOOLAND_AGG BOOLOR_AGG"),
    **_each(LISTS, "LIST LISTAGG COLLECT_LIST COLLECT_SET JSON_AGG JSONB_AGG JSON_ARRAYAGG XMLAGG"),
    **_each(LISTS, "JSON_GROUP_ARRAY JSON_OBJECT_AGG OBJECT_AGG ARRAY_CONCAT_AGG MAP_AGG"),
    **_each(PRIVATE, "ANON_COUNT ANON_SUM ANON_AVG PRIVATE_COUNT PRIVATE_SUM DP_COUNT"),
    **_each(PRIVATE, "PRIVATE_AVG DP_SUM DP_AVG DIFFERENTIAL_PRIVACY"),
    **_each(ROWS, "GENERATE_SERIES GENERATE_ARRAY UNNEST EXPLODE FLATTEN RANGE SEQUENCE"),
    **_each("join two texts, a || '-' || b", "ROW"),
}
"""By the name that the query has for it."""
