import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { stringify } from 'yaml';
import { formatProblem, type Problem, ProblemsError } from '../../../../domain/problem.ts';
import { conversationParts, noDefaults } from '../../../../testing/fakes/load/conversation-parts.ts';
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
import { readSource } from '../../../sources/source-file.ts';
import { conversationFormat } from './conversation-format.ts';

/** A scenario that uses every key. */
const good = {
  id: 's1',
  name: 'm',
  description: 'd',
  instructions: 'Book in {{city}}',
  messages: [
    { role: 'user', content: 'Hi {{city}}' },
    { role: 'assistant', content: [{ type: 'text', text: 'x' }] },
  ],
  userMessages: ['To {{city}}'],
  maxMessages: 6,
  successCriteria: ['Booked in {{city}}'],
  failureCriteria: 'Rude',
  failureCriteriaMode: 'every_turn',
  evaluators: [
    { type: 'regex', config: { pattern: '{{city}}', mustMatch: true }, when: 'final' },
    { type: 'latency-budget', config: { maxMs: 5 } },
    { type: 'token-usage', config: { track: 'input' } },
  ],
  connectors: {
    a: { type: 'http', baseUrl: 'http://x', headers: { b: 'c' }, config: { method: 'GET' } },
    b: { type: 'langgraph', baseUrl: 'http://y', config: { assistantId: 'i' } },
  },
  connector: ['a', 'b'],
  personas: { Ada: { goal: 'g', messages: ['Hi'], headers: { d: 'e' } }, Bob: 'bob.yaml' },
  personaIds: ['p1'],
  models: ['m1'],
  dataset: { path: 'rows.csv', format: 'csv', types: { city: 'string' } },
  judge: { enabled: true, model: 'a/b', samples: 1, successCriteria: 'x' },
  repeat: 2,
  tags: ['t'],
  tier: 1,
  timeoutSecs: 5,
};

const files = {
  'rows.csv': 'city\nRome\n',
  'bob.yaml': 'goal: x\n',
  'personas.json': '[{"id":"p1","name":"Eve"}]',
};

const paths = pathsOf(good);
const valueArbitrary = fc.oneof(
  fc.constantFrom<unknown>(null, '', ' ', 0, -1, 1.5, 1e300, true, [], {}, [[]], [null], { type: 5 }, '\u0000'),
  fc.constantFrom<unknown>(
    '{{x}}',
    '{{__proto__}}',
    '__proto__',
    'constructor',
    '/nowhere',
    '../no-such-persona.yaml',
    'http://',
    'a',
  ),
  fc.jsonValue({ maxDepth: 3 }),
);

/** Problems found in a text; only a file that cannot be parsed may throw, and only its problems. */
async function problemsIn(folder: string, file: string, text: string): Promise<readonly Problem[] | 'another file'> {
  await writeFile(join(folder, file), text);
  try {
    const source = await readSource(file, folder);
    if (!conversationFormat.recognises(source.value)) return 'another file';
    const context = {
      parts: conversationParts,
      defaults: { timeoutSecs: 5, conversations: noDefaults },
      folder,
      directory: folder,
    };
    const parts = (await conversationFormat.readAll?.(source, context)) ?? [];
    return parts.flatMap(({ read }) => ('cases' in read ? [] : read));
  } catch (error) {
    if (error instanceof ProblemsError) return error.problems;
    throw error;
  }
}

function expectPlaced(problems: readonly Problem[] | 'another file', file: string, text: string): void {
  if (problems === 'another file') return;
  for (const problem of problems) {
    if (problem.at.file !== file) expect(Object.keys(files), formatProblem(problem)).toContain(problem.at.file);
    else expectReadable(problem, text);
  }
}

describe('a good scenario', () => {
  it('is read, alone and in a list', async () => {
    const folder = await temporaryFolder(files);
    expect(await problemsIn(folder, 'x.yaml', stringify(good))).toEqual([]);
    expect(await problemsIn(folder, 'x.json', JSON.stringify([good, { ...good, name: 'n' }]))).toEqual([]);
  });

  it('is refused with a place and plain words when a value has another type', async () => {
    const folder = await temporaryFolder(files);
    let refused = 0;
    for (const path of paths) {
      for (const value of [7, 'words', true, ['words'], { key: 'words' }]) {
        const text = stringify(changed(good, path, value));
        const problems = await problemsIn(folder, 'x.yaml', text);
        expectPlaced(problems, 'x.yaml', text);
        if (problems !== 'another file' && problems.length > 0) refused++;
      }
    }
    expect(refused).toBeGreaterThan(250);
  });

  it('is read or refused, never more, when keys are left out or have strange names', async () => {
    const folder = await temporaryFolder(files);
    for (const path of paths) {
      for (const key of [undefined, ...strangeKeys]) {
        const text = JSON.stringify([renamed(good, path, key)], null, 1);
        expectPlaced(await problemsIn(folder, 'x.json', text), 'x.json', text);
      }
    }
  });

  it('is read or refused when it is wrong in many places', async () => {
    const folder = await temporaryFolder(files);
    await fc.assert(
      fc.asyncProperty(wrongCopies(good, paths, valueArbitrary), async (data) => {
        const text = JSON.stringify(data, null, 1);
        expectPlaced(await problemsIn(folder, 'x.json', text), 'x.json', text);
      }),
      { seed: 41, numRuns: 500 },
    );
  });

  it('is read or refused when its text is cut and filled with junk', async () => {
    const folder = await temporaryFolder(files);
    await fc.assert(
      fc.asyncProperty(junkTexts(stringify(good), '{{'), async (junk) => {
        expectPlaced(await problemsIn(folder, 'x.yaml', junk), 'x.yaml', junk);
      }),
      { seed: 42, numRuns: 400 },
    );
  });
});
