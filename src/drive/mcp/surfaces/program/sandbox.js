// Runs one program of a model in a realm without anything of Node.js. Only texts pass between the realms: no object of
// this one is ever given to the program, so it cannot reach what this one could. Sent as text to its thread.
const { parentPort, workerData } = require('node:worker_threads');
const vm = require('node:vm');

// Beside that, this realm keeps nothing that would be of use to a program that got hold of one of its objects.
const refused = () => {
  throw new TypeError('not available');
};
for (const made of [() => 0, async () => 0, function* () {}, async function* () {}])
  Object.defineProperty(Object.getPrototypeOf(made), 'constructor', { value: refused });
const ofLanguage = new Set(vm.runInNewContext('Object.getOwnPropertyNames(globalThis)'));
for (const name of Object.getOwnPropertyNames(globalThis))
  if (!ofLanguage.has(name)) Reflect.deleteProperty(globalThis, name);

const context = vm.createContext(Object.create(null), { codeGeneration: { strings: false, wasm: false } });

const start = vm.runInContext(
  `(function (send, mostLines, mostCharacters) {
  'use strict';
  const { parse, stringify } = JSON;
  const fixed = (target, name, value) => Object.defineProperty(target, name, { value, writable: false, configurable: false });
  fixed(Error, 'prepareStackTrace', undefined);
  fixed(Error, 'captureStackTrace', undefined);
  fixed(Error, 'stackTraceLimit', 0);
  // Memory outside of the heap is not limited, and nothing here may wait.
  for (const name of ['ArrayBuffer', 'SharedArrayBuffer', 'DataView', 'Atomics', 'WebAssembly', 'Int8Array', 'Uint8Array',
    'Uint8ClampedArray', 'Int16Array', 'Uint16Array', 'Int32Array', 'Uint32Array', 'Float32Array', 'Float64Array',
    'BigInt64Array', 'BigUint64Array', 'Float16Array', 'ShadowRealm', 'console'])
    Reflect.deleteProperty(globalThis, name);
  const post = (kind, content) => {
    const text = stringify({ kind, ...content });
    try {
      send(text);
    } catch {
      throw new Error('The message could not be sent.');
    }
  };
  const open = [];
  const call = (tool, input) =>
    new Promise((resolve, reject) => {
      const id = open.push({ resolve, reject }) - 1;
      post('call', { id, tool, input: input === undefined ? {} : input });
    });
  const lines = [];
  const shown = (value) => (typeof value === 'string' ? value : stringify(value) ?? String(value));
  const log = (...values) => {
    if (lines.length < mostLines) lines.push(values.map(shown).join(' ').slice(0, mostCharacters));
  };
  fixed(globalThis, 'console', { log, info: log, warn: log, error: log, debug: log });
  const get = (_target, name) => (typeof name === 'symbol' || name === 'then' ? undefined : (input) => call(name, input));
  fixed(globalThis, 'tools', new Proxy({}, { get }));
  return {
    answer(text) {
      const { id, value, error } = parse(text);
      if (error === undefined) open[id].resolve(value);
      else open[id].reject(new Error(error));
    },
    async run(main) {
      try {
        const value = await main();
        post('end', { lines, value: value === undefined ? null : value });
      } catch (error) {
        const message = error instanceof Error ? error.name + ': ' + error.message : 'thrown: ' + shown(error);
        post('end', { lines, error: message });
      }
    },
  };
})`,
  context,
);

const { code, mostLines, mostCharacters, longestMessage } = workerData;
const send = (text) => {
  parentPort.postMessage(text.length <= longestMessage ? text : '{"kind":"too-long"}');
};
const program = start(send, mostLines, mostCharacters);
parentPort.on('message', (text) => {
  try {
    program.answer(text);
  } catch {
    // A program that breaks its own answers harms nobody else.
  }
});
const main = vm.runInContext(`(async () => {'use strict';${code}\n})`, context);
send('{"kind":"ready"}');
program.run(main).catch(() => send('{"kind":"broken"}'));
