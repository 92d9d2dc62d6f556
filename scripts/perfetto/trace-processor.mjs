// SPDX-License-Identifier: MIT OR Apache-2.0
// Asks Perfetto's own trace processor, as its UI runs it in a worker, by SQL about a trace.
//
// Usage: node trace-processor.mjs UI-FOLDER TRACE < queries
//
// A query a line; for each one line of JSON comes out: {"columns": [..], "rows": [[..]]} or {"error": ".."}. The worker's
// script and the WebAssembly come from UI-FOLDER; nothing is fetched from anywhere. The messages are those of
// protos/perfetto/trace_processor/trace_processor.proto.
import fs from "node:fs";
import path from "node:path";
import vm from "node:vm";

const [folder, trace] = process.argv.slice(2);
// Not with the line of the source, which is a megabyte.
const fail = (e) => {
  console.error(`error: ${e?.message ?? e}`);
  process.exit(1);
};
process.on("uncaughtException", fail).on("unhandledRejection", fail);

// Protobuf, as much as is needed.
function varint(n) {
  const bytes = [];
  for (n = BigInt(n); n >= 128n; n >>= 7n) bytes.push(Number(n & 127n) | 128);
  return Buffer.from([...bytes, Number(n)]);
}
const uint = (field, n) => Buffer.concat([varint(field << 3), varint(n)]);
const bytes = (field, b) => Buffer.concat([varint((field << 3) | 2), varint(b.length), Buffer.from(b)]);
function* fields(buffer) {
  let at = 0;
  const next = () => {
    let [n, shift] = [0n, 0n];
    for (;;) {
      const b = BigInt(buffer[at++]);
      n |= (b & 127n) << shift;
      if (b < 128n) return n;
      shift += 7n;
    }
  };
  while (at < buffer.length) {
    const key = next();
    const [field, type] = [Number(key >> 3n), Number(key & 7n)];
    if (type === 0) yield [field, next()];
    else if (type === 1) yield [field, buffer.subarray(at, (at += 8))];
    else if (type === 2) {
      const length = Number(next());
      yield [field, buffer.subarray(at, (at += length))];
    } else throw new Error(`wire type ${type}`);
  }
}
function* varints(packed) {
  let [n, shift] = [0n, 0n];
  for (const b of packed) {
    n |= BigInt(b & 127) << shift;
    shift += 7n;
    if (b < 128) {
      yield BigInt.asIntN(64, n);
      [n, shift] = [0n, 0n];
    }
  }
}

// The worker's surroundings: a page's, without a network.
const context = vm.createContext({
  console: { log() {}, warn() {}, error() {} }, TextDecoder, TextEncoder, URL, performance, setTimeout, clearTimeout,
  location: new URL("http://localhost/engine_bundle.js"),
  // By this it knows that it is a worker, and by this it loads its WebAssembly, here from a file.
  WorkerGlobalScope: class {},
  XMLHttpRequest: class {
    open(_, url) {
      this.response = new Uint8Array(fs.readFileSync(path.join(folder, path.basename(String(url))))).buffer;
    }
    send() {}
  },
});
context.self = context;
context.globalThis = context;
vm.runInContext(fs.readFileSync(path.join(folder, "engine_bundle.js"), "utf8"), context);
const Theirs = vm.runInContext("Uint8Array", context);

let received = Buffer.alloc(0);
const port = { postMessage: (reply) => (received = Buffer.concat([received, Buffer.from(reply)])) };
context.onmessage({ data: port });
let sequence = 0;
function request(...parts) {
  const message = bytes(1, Buffer.concat([uint(1, ++sequence), ...parts]));
  received = Buffer.alloc(0);
  port.onmessage({ data: Theirs.from(message) });
  // TraceProcessorRpcStream.msg
  return [...fields(received)].map(([, rpc]) => new Map([...fields(rpc)].map(([f, v]) => [f, v])));
}
const [APPEND, FINALIZE, QUERY] = [1, 2, 3];

// It is loaded at once, but says so by a promise.
await new Promise((done) => setTimeout(done, 0));
const data = fs.readFileSync(trace);
for (let at = 0; at < data.length; at += 1 << 20) request(uint(2, APPEND), bytes(101, data.subarray(at, at + (1 << 20))));
request(uint(2, FINALIZE));

const [CELL_NULL, CELL_VARINT, CELL_FLOAT64, CELL_STRING, CELL_BLOB] = [1, 2, 3, 4, 5];
function query(sql) {
  const [columns, values] = [[], []];
  for (const rpc of request(uint(2, QUERY), bytes(103, bytes(1, Buffer.from(sql))))) {
    for (const [field, value] of fields(rpc.get(203) ?? Buffer.alloc(0))) {
      if (field === 1) columns.push(value.toString());
      if (field === 2 && value.length) return { error: value.toString() };
      if (field !== 3) continue;
      const [cells, numbers, floats] = [[], [], []];
      let strings = [];
      for (const [f, v] of fields(value)) {
        if (f === 1) cells.push(...v);
        if (f === 2) numbers.push(...varints(v));
        if (f === 3) for (let at = 0; at < v.length; at += 8) floats.push(v.readDoubleLE(at));
        if (f === 5) strings = v.toString().split("\0");
      }
      for (const cell of cells) {
        values.push(
          cell === CELL_NULL ? null
          : cell === CELL_VARINT ? Number(numbers.shift())
          : cell === CELL_FLOAT64 ? floats.shift()
          : cell === CELL_STRING ? strings.shift()
          : cell === CELL_BLOB ? "blob" : null);
      }
    }
  }
  const rows = [];
  while (values.length && columns.length) rows.push(values.splice(0, columns.length));
  return { columns, rows };
}
for (const sql of fs.readFileSync(0, "utf8").split("\n").filter((line) => line.trim())) console.log(JSON.stringify(query(sql)));
process.exit(0);
