import { readFile } from 'node:fs/promises';
import type { Distortion, Lie, World } from './lie.ts';

const sum = { name: 'add', args: { a: 1, b: 2 }, expectedResult: 3 };
const refused = { name: 'add', args: { a: 1, b: 2 }, expectedError: 'not found' };
const answers = { name: 'add', args: { a: 1, b: 2 } };

const lies: readonly (readonly [Distortion, string, readonly object[], Partial<Lie>?])[] = [
  ['removed', 'no content', [sum]],
  ['removed', 'no result', [sum, answers]],
  ['removed', 'no tools', [sum, refused, answers]],
  ['removed', 'method not found', [sum, answers]],
  ['removed', 'death', [sum, refused, answers]],
  ['corrupted', 'another type', [sum]],
  ['corrupted', 'half of it', [sum]],
  ['corrupted', 'an error as text', [sum, answers]],
  ['corrupted', 'not JSON', [sum, refused, answers]],
  ['corrupted', 'another id', [sum, refused, answers]],
  ['delayed', 'silence', [sum, refused, answers]],
  ['doubled', 'twice', [sum], { mayPass: true }],
];

/** Faults that Assay injects into calls of a server that tells the truth. */
const faults: readonly (readonly [Distortion, string, readonly object[]])[] = [
  ['removed', 'error', [sum, refused, answers]],
  ['removed', 'dropped', [sum, refused, answers]],
  ['removed', 'empty', [sum]],
  ['corrupted', 'truncated', [sum]],
  ['corrupted', 'malformed', [sum]],
  ['corrupted', 'schema-breaking', [sum]],
  ['delayed', 'timeout', [sum]],
];

/** Tools of an MCP server, called by the tests of a suite. */
export async function mcpWorld(): Promise<World> {
  const suite = (lie: string, test: object) => (name: string) => ({
    server: { transport: 'stdio', command: 'node', args: ['lying-server.mjs', lie] },
    toolHealthSuites: [{ name, tests: [test], timeout: 5_000 }],
    timeout: 10_000,
  });
  const asserted = (test: object) =>
    'expectedResult' in test
      ? 'a result is expected'
      : 'expectedError' in test
        ? 'an error is expected'
        : 'success is expected';
  return {
    kind: 'MCP suite',
    files: { 'lying-server.mjs': await readFile(new URL('./lying-server.mjs', import.meta.url), 'utf8') },
    honest: suite('none', sum),
    lies: [
      ...lies.flatMap(([distortion, lie, tests, more = {}]) =>
        tests.map((test) => ({
          source: 'target answer' as const,
          distortion,
          detail: `${lie}; ${asserted(test)}`,
          scenario: suite(lie, test),
          ...more,
        })),
      ),
      ...faults.flatMap(([distortion, fault, tests]) =>
        tests.map((test) => ({
          source: 'target answer' as const,
          distortion,
          detail: `${fault} on purpose; ${asserted(test)}`,
          scenario: (name: string) => ({ ...suite('none', test)(name), faults: [{ fault }] }),
        })),
      ),
    ],
  };
}
