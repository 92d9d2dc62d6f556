# SPDX-License-Identifier: MIT OR Apache-2.0
"""A store of boots beyond one machine: ingest as a job of Apache Spark, and the questions asked by Spark SQL (docs/spark.md).

The tables, their identities and the questions are those of `bootline ingest` and `bootline fleet`.
"""
