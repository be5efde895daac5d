import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatProblem } from '../../../../domain/problem.ts';
import { loadConversations } from '../../../../testing/fakes/load/conversation-parts.ts';
import { repetitions } from '../../../../testing/support/repetitions.ts';
import { temporaryFolder, writeFiles } from '../../../../testing/support/temporary-folder.ts';
import { conversationsIn, importScenarios, readScenarioLines, scenarioLines } from './scenario-lines.ts';

const full = {
  id: 'b1f6',
  name: 'Booking Flow',
  instructions: 'Book a table\nfor two',
  messages: [{ role: 'user', content: 'Hi', metadata: { a: [1] } }],
  maxMessages: 6,
  successCriteria: 'Booked “at once”',
  failureCriteria: null,
  failureCriteriaMode: 'every_turn',
  evaluators: [{ type: 'regex', config: { pattern: 'BK-\\d{5}' } }],
  personaIds: ['p1', 'p2'],
  createdAt: '2026-01-01T00:00:00.000Z',
  somethingElse: { deep: [null, true, 1.5, 'x'] },
};

describe('scenarios as JSON Lines', () => {
  it('keep every field there and back', async () => {
    const folder = await temporaryFolder({ 'a.jsonl': scenarioLines([full, { name: 'b' }]) });
    const { scenarios, problems } = await readScenarioLines('a.jsonl', folder);
    expect(problems).toEqual([]);
    expect(scenarios).toEqual([full, { name: 'b' }]);
    expect(scenarioLines(scenarios)).toBe(await readFile(join(folder, 'a.jsonl'), 'utf8'));
  });

  it('keep every field of any scenario through import and export', async () => {
    const extra = fc.dictionary(
      fc.string().filter((key) => !(key in full) && key !== '__proto__'),
      fc.jsonValue({ maxDepth: 3 }),
      { maxKeys: 4 },
    );
    const scenario = fc.record(
      {
        name: fc.string({ minLength: 1, unit: 'grapheme' }),
        instructions: fc.string({ unit: 'grapheme' }),
        maxMessages: fc.integer({ min: 1 }),
        successCriteria: fc.string({ minLength: 1 }),
        evaluators: fc.array(fc.jsonValue({ maxDepth: 2 })),
        messages: fc.array(fc.record({ role: fc.constantFrom('user', 'tool'), content: fc.string() })),
        personaIds: fc.array(fc.string({ minLength: 1 })),
      },
      { requiredKeys: ['name', 'successCriteria', 'evaluators'] },
    );
    const written = fc
      .uniqueArray(fc.tuple(scenario, extra), { selector: ([{ name }]) => name, minLength: 1, maxLength: 4 })
      .map((list) => list.map(([known, more]) => JSON.parse(JSON.stringify({ ...more, ...known }))));
    const folder = await temporaryFolder();
    let run = 0;
    await fc.assert(
      fc.asyncProperty(written, async (scenarios) => {
        const [lines, output] = [`${++run}.jsonl`, `out-${run}`];
        await writeFiles(folder, { [lines]: scenarioLines(scenarios) });
        const { files, problems } = await importScenarios(lines, output, folder);
        expect(problems).toEqual([]);
        const back = await Promise.all(files.map((file) => conversationsIn(file, folder)));
        expect(back.flat()).toEqual(scenarios);
      }),
      { seed: 31, numRuns: repetitions({ usual: 20, inFull: 100 }) },
    );
  });

  it('have bad lines reported by their places while the others are read', async () => {
    const lines = [
      '{"name":"a","successCriteria":"x"}',
      '',
      '{"name":"b",}',
      '{"instructions":"x"}',
      '{"name":"c","maxMessages":"ten"}',
      '[1]',
      '{"name":"a"}',
      '{"name":"d","name":"e"}',
      '{"name":"f","messages":[{"role":"usr","content":"x"}]}',
      '{"name":"g"}',
    ];
    const folder = await temporaryFolder({ 'a.jsonl': `\uFEFF${lines.join('\r\n')}` });
    const { scenarios, problems } = await readScenarioLines('a.jsonl', folder);
    expect(scenarios.map(({ name }) => name)).toEqual(['a', 'g']);
    expect(problems.map(formatProblem)).toEqual([
      'a.jsonl:3:1: comments and trailing commas are not allowed in a row',
      'a.jsonl:4:1: `name` is missing',
      'a.jsonl:5:27: `maxMessages` must be a number, not text',
      'a.jsonl:6:1: a row must be a JSON object',
      'a.jsonl:7:9: duplicate scenario name "a": first in line 1',
      'a.jsonl:8:13: duplicate key `name`: first at a.jsonl:8:2',
      'a.jsonl:9:33: `messages[0].role` cannot be `usr`\n    Did you mean `user`?',
    ]);
  });

  it('are reported as missing, or as not text', async () => {
    const folder = await temporaryFolder({ 'bytes.jsonl': new Uint8Array([0x7b, 0xff, 0x7d]) });
    const missing = await readScenarioLines('none.jsonl', folder);
    expect(missing.problems.map(formatProblem)).toEqual(['none.jsonl:1:1: the file does not exist']);
    const bytes = await readScenarioLines('bytes.jsonl', folder);
    expect(bytes.problems.map(formatProblem)).toEqual(['bytes.jsonl:1:2: invalid UTF-8\n    Save the file as UTF-8.']);
  });
});

describe('an import', () => {
  it('gives each scenario its own file that can be run', async () => {
    const names = ['Booking Flow', 'booking/flow', '../../etc/passwd', 'Café Öl', '予約'];
    const scenarios = names.map((name) => ({ name, successCriteria: 'x', connector: 'http://localhost/' }));
    const folder = await temporaryFolder({ 'a.jsonl': scenarioLines(scenarios) });
    const { files, problems } = await importScenarios('a.jsonl', 'out/deep', folder);
    expect(problems).toEqual([]);
    expect(files).toEqual([
      'out/deep/booking-flow.json',
      'out/deep/booking-flow-2.json',
      'out/deep/etc-passwd.json',
      'out/deep/cafe-ol.json',
      'out/deep/scenario.json',
    ]);
    expect((await readdir(folder)).sort()).toEqual(['a.jsonl', 'out']);
    const loaded = await loadConversations(folder, ['out']);
    expect(loaded.problems).toEqual([]);
    expect(loaded.scenarios.map(({ name }) => name).sort()).toEqual([...names].sort());
  });

  it('leaves files alone that are there already', async () => {
    const folder = await temporaryFolder({ 'a.jsonl': '{"name":"a"}\n{"name":"b"}\n', 'out/a.json': 'mine' });
    const { files, problems } = await importScenarios('a.jsonl', 'out', folder);
    expect(files).toEqual(['out/b.json']);
    expect(problems.map(formatProblem)).toEqual(['out/a.json:1:1: not written: the file already exists']);
    expect(await readFile(join(folder, 'out/a.json'), 'utf8')).toBe('mine');
  });
});

describe('an export', () => {
  it('takes conversations as they are written, from files with one and with several', async () => {
    const folder = await temporaryFolder({
      'one.yaml': 'name: a # first\nsuccessCriteria: x\nother: [1]\n',
      'two.jsonc': '[{ "name": "b", "successCriteria": "y" }, /* and */ { "name": "c", "evaluators": [] }]',
      'call.yaml': 'name: d\ncall: { module: ./x.mjs }\ninput: {}\n',
    });
    expect(await conversationsIn('one.yaml', folder)).toEqual([{ name: 'a', successCriteria: 'x', other: [1] }]);
    expect((await conversationsIn('two.jsonc', folder)).map(({ name }) => name)).toEqual(['b', 'c']);
    expect(await conversationsIn('call.yaml', folder)).toEqual([]);
  });
});
