"""What an application computed of the manual: jobs, stages of which some fail, queries. Its number is made the same each time."""

import os
import re
from pathlib import Path

from pyspark.sql import SparkSession

from texts import PEOPLE, documents, slug

STATE = Path(os.environ["STATE"])
NUMBER = "local-1000000000000"


def words(line):
    return re.findall(r"[a-z]+", line.lower())


def failing(line):
    raise ValueError("no number: " + line[:40])


def main():
    spark = (
        SparkSession.builder.appName("Words of the manual").master("local[2]").config("spark.ui.enabled", "false")
        .config("spark.eventLog.enabled", "true").config("spark.eventLog.dir", f"file://{STATE}/events").config("spark.driver.host", "127.0.0.1")
        .config("spark.eventLog.logBlockUpdates.enabled", "true").config("spark.sql.shuffle.partitions", "4").config("spark.local.dir", f"{STATE}/work").config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.sql.warehouse.dir", f"{STATE}/work/tables").getOrCreate()
    )
    context = spark.sparkContext
    rows, kept = [], []
    for number, one in enumerate(documents(40)):
        lines = [par for section in one.sections for par in section.paragraphs][:200]
        rows += [(one.name, section.heading, len(section.paragraphs), sum(map(len, section.paragraphs)), number % 8) for section in one.sections[:12]]
        told = context.parallelize(lines, 2 + number % 5).setName(f"paragraphs of {one.name}")
        if number % 4 == 0:
            kept.append(told.cache())
        for turn in range(3):
            context.setJobGroup(slug(one.name), f"{['Count the words of', 'The longest words of', 'How often words are in'][turn]} {one.name}, for {PEOPLE[number % 8]}")
            counted = told.flatMap(words).map(lambda word: (word, 1)).reduceByKey(lambda one, other: one + other, 2 + number % 3)
            if turn == 0:
                told.flatMap(words).count()
            elif turn == 1:
                told.flatMap(words).map(lambda word: (len(word), word)).distinct().groupByKey().count()
            else:
                counted.sortBy(lambda pair: -pair[1]).take(5)
        if number % 9 == 0:
            context.setJobGroup("numbers", f"Numbers in {one.name}")
            try:
                told.map(failing).count()
            except Exception:
                pass
    context.setJobGroup("queries", "Queries")
    table = spark.createDataFrame(rows, ["document", "section", "paragraphs", "characters", "reader"])
    table.createOrReplaceTempView("sections")
    readers = spark.createDataFrame([*enumerate(PEOPLE)], ["reader", "name"])
    readers.createOrReplaceTempView("readers")
    for number in range(30):
        context.setJobDescription(f"Query {number}: what {PEOPLE[number % 8]} reads")
        asked = [
            f"SELECT document, count(*) AS sections FROM sections WHERE paragraphs > {number} GROUP BY document ORDER BY sections DESC",
            f"SELECT name, sum(characters) FROM sections JOIN readers USING (reader) WHERE characters > {100 * number} GROUP BY name",
            f"SELECT max(paragraphs), min(characters) FROM sections WHERE reader = {number % 8}",
            f"SELECT section FROM sections WHERE document LIKE 'perl{'abcdefghio'[number % 10]}%' ORDER BY section LIMIT {5 + number}",
        ][number % 4]
        spark.sql(asked).collect()
    spark.stop()
    (written,) = (STATE / "events").iterdir()
    events = written.read_text(encoding="utf-8").replace(written.name, NUMBER)
    written.unlink()
    (STATE / "events" / NUMBER).write_text(events, encoding="utf-8")


main()
