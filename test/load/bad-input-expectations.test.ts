import { describe, expect, it } from 'vitest';
import { assayInProcess as assay } from '../../src/testing/support/assay-in-process.ts';
import { mcpProject, server, trialsIn } from '../../src/testing/support/mcp-project.ts';
import { unmarked } from '../../src/testing/support/problems.ts';

type Row = readonly [about: string, file: string, text: string, message: string, hint: string];

const suite = (test: string) =>
  `server: { transport: stdio, command: node, args: [./server.mjs] }\ntoolHealthSuites:\n  - name: a\n    tests:\n      - ${test}\n`;

const rows: readonly Row[] = [
  [
    'an MCP suite',
    'a.yaml',
    suite('{ name: add, args: { a: 2, b: 3 }, ▸expectResult: 12345 }'),
    'unknown key `expectResult`',
    'Did you mean `expectedResult`?',
  ],
  [
    'a gate',
    'b.yaml',
    'name: b\ntarget: { binary: cat }\ntask: x\ngates:\n  - { type: command_succeeds, command: x, ▸comand: y }\n',
    'unknown key `comand`',
    'Did you mean `command`?',
  ],
  [
    'an evaluator of a conversation',
    'c.yaml',
    'name: c\nconnector: http://localhost:1\nuserMessages: [hi]\nevaluators:\n  - { type: contains, config: { value: a, ▸caseSensitiv: true } }\n',
    'unknown key `caseSensitiv`',
    'Did you mean `caseSensitive`?',
  ],
  [
    'a native case',
    'd.yaml',
    'name: d\ncall: { module: ./t.mjs, export: t }\ncases:\n  - { input: {}, ▸passCriterion: [result === 1] }\nfailCriteria: [result === 2]\n',
    'unknown key `passCriterion`',
    'Did you mean `passCriteria`?',
  ],
];

describe('a misspelt expectation', () => {
  for (const [about, file, marked, message, hint] of rows) {
    it(`is refused by run and validate: ${about}`, async () => {
      const { text, place } = unmarked(marked);
      const cwd = await mcpProject({ [file]: text, 't.mjs': 'export const t = () => 1;' });
      for (const command of ['run', 'validate']) {
        const { exitCode, stderr, stdout } = await assay([command, file], { cwd });
        expect(`${stdout}${stderr}`).toContain(`${file}:${place}: ${message}\n    ${hint}`);
        expect(exitCode).toBe(2);
      }
    });
  }
});

describe('a tool test without expectations', () => {
  it('expects that the call succeeds, and the report says so', async () => {
    const tests = [
      { name: 'add', args: { a: 2, b: 3 } },
      { name: 'divide', args: { a: 1, b: 0 } },
    ];
    const cwd = await mcpProject({ 'c.json': { server, toolHealthSuites: [{ name: 'a', tests }] } });
    const { exitCode, ...result } = await assay(['run', 'c.json', '--json'], { cwd });
    expect(trialsIn({ exitCode, ...result }).flatMap(({ toolHealth }) => toolHealth ?? [])).toMatchObject([
      { state: 'pass', details: expect.stringMatching(/^The call succeeded in /) },
      { state: 'fail', details: expect.stringMatching(/^The call failed: /) },
    ]);
    expect(exitCode).toBe(1);
  });
});
