"""Databases of one class TRow with an object of 10 bytes each; the peaks that they state, if any."""
import sqlite3

for name, peak in (("a", (30, 300)), ("b", (5, 50)), ("c", None)):
    with sqlite3.connect(f"{name}.sqlite") as file:
        file.executescript("""
            CREATE TABLE INSTANCES (INST_ID, CAPTION);
            CREATE TABLE ALLOCATION_PROFILER_OBJECTS (INST_ID, ID, REC_ID, COL_CLASSRID, COL_SIZE, COL__);
            CREATE TABLE ALLOCATION_PROFILER_CLASSES_DATA
                (INST_ID, REC_ID, COL_CLASS_NAME, COL_PEAK_CREATED, COL_PEAK_SIZE);
            INSERT INTO INSTANCES VALUES (1, 'all');
            INSERT INTO ALLOCATION_PROFILER_OBJECTS VALUES (1, 1, 1, 7, 10, 1);""")
        file.execute("INSERT INTO ALLOCATION_PROFILER_CLASSES_DATA VALUES (1, 7, 'TRow', ?, ?)",
                     peak or (None, None))
