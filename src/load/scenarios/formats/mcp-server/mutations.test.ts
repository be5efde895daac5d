import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { type Problem, ProblemsError } from '../../../../domain/problem.ts';
import { goodConfig } from '../../../../testing/fakes/load/mcp-server-files.ts';
import {
  changed,
  junkTexts,
  pathsOf,
  renamed,
  strangeKeys,
  wrongCopies,
} from '../../../../testing/support/mutations.ts';
import { expectReadable } from '../../../../testing/support/problems.ts';
import { temporaryFolder } from '../../../../testing/support/temporary-folder.ts';
import { parseJsonSource } from '../../../sources/json-source.ts';
import { parseYamlSource } from '../../../sources/yaml-source.ts';
import { mcpServerFormat } from './mcp-server-format.ts';

const paths = pathsOf(goodConfig);
const valueArbitrary = fc.oneof(
  fc.constantFrom<unknown>(null, '', ' ', 0, -1, 1.5, 1e300, true, [], {}, [[]], [null], { name: 5 }, '\u0000'),
  fc.constantFrom<unknown>('${X}', '${', '${__proto__}', '__proto__', 'constructor', 'http://', 'stdio', 'a'),
  fc.jsonValue({ maxDepth: 3 }),
);

/** Problems found in a text; only a file that cannot be parsed may throw, and only its problems. */
async function foundIn(folder: string, file: string, text: string): Promise<readonly Problem[] | 'another file'> {
  try {
    const source = file.endsWith('.json') ? parseJsonSource(file, text) : parseYamlSource(file, text);
    if (!mcpServerFormat.recognises(source.value)) return 'another file';
    const parts = { targets: [], evaluators: [] };
    const defaults = { timeoutSecs: 5, mcpServers: { env: { PATH: '/bin' } } };
    const read = (await mcpServerFormat.readAll?.(source, { parts, defaults, folder, directory: folder })) ?? [];
    return read.flatMap((part) => ('cases' in part.read ? (part.read.warnings ?? []) : part.read));
  } catch (error) {
    if (error instanceof ProblemsError) return error.problems;
    throw error;
  }
}

function expectPlaced(found: readonly Problem[] | 'another file', text: string): void {
  if (found !== 'another file') for (const problem of found) expectReadable(problem, text);
}

describe('a good config', () => {
  it('is read, with nothing to say but what cannot be run', async () => {
    const folder = await temporaryFolder({ 'server.mjs': '' });
    for (const [file, text] of [
      ['x.yaml', stringify(goodConfig)],
      ['x.json', JSON.stringify(goodConfig)],
    ] as const) {
      const found = await foundIn(folder, file, text);
      expect(found === 'another file' ? [] : found.map(({ message }) => message)).toEqual([
        'the environment variable `API_KEY` is not set, so it is not replaced',
      ]);
    }
  });

  it('is refused with a place and plain words when a value has another type', async () => {
    const folder = await temporaryFolder({ 'server.mjs': '' });
    let refused = 0;
    for (const path of paths) {
      for (const value of [7, 'words', ['words']]) {
        const text = stringify(changed(goodConfig, path, value));
        const found = await foundIn(folder, 'x.yaml', text);
        expectPlaced(found, text);
        if (found !== 'another file' && found.length > 0) refused++;
      }
    }
    expect(refused).toBeGreaterThan(150);
  });

  it('is read or refused, never more, when keys are left out or have strange names', async () => {
    const folder = await temporaryFolder({ 'server.mjs': '' });
    for (const path of paths) {
      for (const key of [undefined, 'tests', ...strangeKeys]) {
        const text = JSON.stringify(renamed(goodConfig, path, key), null, 1);
        expectPlaced(await foundIn(folder, 'x.json', text), text);
      }
    }
  });

  it('is read or refused when it is wrong in many places', async () => {
    const folder = await temporaryFolder({ 'server.mjs': '' });
    await fc.assert(
      fc.asyncProperty(wrongCopies(goodConfig, paths, valueArbitrary), async (data) => {
        const text = JSON.stringify(data, null, 1);
        expectPlaced(await foundIn(folder, 'x.json', text), text);
      }),
      { seed: 51, numRuns: 300 },
    );
  });

  it('is read or refused when its text is cut and filled with junk', async () => {
    const folder = await temporaryFolder({ 'server.mjs': '' });
    await fc.assert(
      fc.asyncProperty(junkTexts(stringify(goodConfig), '${'), async (junk) => {
        expectPlaced(await foundIn(folder, 'x.yaml', junk), junk);
      }),
      { seed: 52, numRuns: 200 },
    );
  });
});
