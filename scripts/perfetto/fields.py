#!/usr/bin/env python3
# SPDX-License-Identifier: MIT OR Apache-2.0
"""Prints the fields of the messages that our traces use, from the definitions that the Perfetto project publishes.

One a line: message, number, name, wire type, and of a message its type. crates/bootline-report/tests/export decodes by it.
"""
from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as published

MESSAGES = [
    "Trace",
    "TracePacket",
    "TracePacketDefaults",
    "ClockSnapshot",
    "ClockSnapshot.Clock",
    "TrackDescriptor",
    "ProcessDescriptor",
    "ThreadDescriptor",
    "CounterDescriptor",
    "TrackEvent",
    "DebugAnnotation",
    "InternedData",
    "EventCategory",
    "EventName",
    "DebugAnnotationName",
]


def find(name):
    outer, *inner = name.split(".")
    message = published.DESCRIPTOR.message_types_by_name[outer]
    for part in inner:
        message = message.nested_types_by_name[part]
    return message


def wire(field):
    # Numbers of google.protobuf.FieldDescriptorProto.Type.
    if field.type in (1, 6, 16):
        return "fixed64"
    if field.type in (2, 7, 15):
        return "fixed32"
    if field.type in (9, 11, 12):
        return {9: "string", 11: "message", 12: "bytes"}[field.type]
    return "varint"


print("# SPDX-License-Identifier: MIT OR Apache-2.0")
print("# scripts/perfetto/fields.py wrote this from the Python package `perfetto`, as published by the Perfetto project.")
for name in MESSAGES:
    for field in sorted(find(name).fields, key=lambda f: f.number):
        kind = wire(field)
        inner = field.message_type.full_name.removeprefix("perfetto.protos.") if kind == "message" else ""
        # What our traces never hold needs no place here.
        if inner and inner not in MESSAGES:
            continue
        print("\t".join([name, str(field.number), field.name, kind, inner]).rstrip())
