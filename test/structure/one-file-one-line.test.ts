import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { mkdtemp, realpath } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../src/testing/support/temporary-folder.ts';

const checkout = fileURLToPath(new URL('../..', import.meta.url));

interface NewPart {
  readonly list: string;
  readonly file: string;
  readonly name: string;
  readonly source: string;
  /** Its entry in the list, where that is not its name. */
  readonly entry?: string;
}

const parts: readonly NewPart[] = [
  {
    list: 'src/score/evaluators/index.ts',
    file: 'assertions/upper-case.ts',
    name: 'upperCase',
    source: `import * as z from 'zod';
import { eventsOf } from '../../../domain/trace.ts';
import { defineEvaluator } from '../evaluator.ts';

export const upperCase = defineEvaluator({
  type: 'upper-case',
  label: 'Upper case',
  kind: 'assertion',
  summary: 'the result of a call is in capitals',
  needs: ['call-answer'],
  reads: { channels: { 'tool-results': 'exact' } },
  configSchema: () => z.strictObject({}),
  prepare: () => ({ trace }) => {
    const text = JSON.stringify(eventsOf(trace, 'tool-result').at(-1)?.result);
    return { state: text === text.toUpperCase() ? 'pass' : 'fail', reason: \`the result is \${text}\` };
  },
});
`,
  },
  {
    list: 'src/score/evaluators/gates/index.ts',
    file: 'file-size.ts',
    name: 'fileSize',
    source: `import * as z from 'zod';
import { defineGate, failed, passed } from './gate.ts';
import { findWorkFile } from './work-file.ts';

export const fileSize = defineGate({
  type: 'file_size',
  summary: 'a file has a given number of bytes',
  configSchema: () => z.strictObject({ path: z.string(), bytes: z.int() }),
  async check({ path, bytes }, { workspace }) {
    const { stats } = await findWorkFile(workspace.directory, path);
    return (stats.size === bytes ? passed : failed)(\`\${path} has \${stats.size} bytes\`);
  },
});
`,
  },
  {
    list: 'src/report/reporters/index.ts',
    file: 'headline.ts',
    name: 'headlineReporter',
    source: `import type { Reporter } from './reporter.ts';

export const headlineReporter: Reporter = {
  name: 'headline',
  summary: 'one line about a run',
  fileName: 'headline.txt',
  async *render({ summary }) {
    yield \`Run \${summary.runId} in one line\\n\`;
  },
};
`,
  },
  {
    list: 'src/load/scenarios/formats/index.ts',
    file: 'shorthand.ts',
    name: 'shorthandFormat',
    source: `import { isRecord } from '../../../shared/json.ts';
import type { ScenarioFormat } from '../scenario-format.ts';
import { nativeFormat } from './native/native-format.ts';

export const shorthandFormat: ScenarioFormat = {
  name: 'shorthand',
  recognises: (value) => isRecord(value) && 'shorthand' in value,
  read(source, context) {
    const { shorthand: command } = source.value as { readonly shorthand: string };
    const value = { name: 'Shorthand', call: { command }, input: {}, evaluators: [{ type: 'upper-case', config: {} }] };
    return nativeFormat.read({ ...source, value }, context);
  },
};
`,
  },
  {
    list: 'src/load/imports/formats/index.ts',
    file: 'scoreboard.ts',
    name: 'scoreboard',
    source: `import type { ImportFormat } from '../import-format.ts';

export const scoreboard: ImportFormat = {
  name: 'scoreboard',
  summary: 'lines such as \`task-a: pass\` below a heading',
  reports: [],
  recognises: ({ text }) => text.startsWith('# Scoreboard'),
  async *read(source) {
    for await (const { text, number } of source.lines()) {
      const [, scenario, state] = /^([\\w-]+): (pass|fail)$/.exec(text) ?? [];
      if (state !== 'pass' && state !== 'fail') continue;
      yield { line: number, scenario, variant: {}, trace: [], verdict: { state, reason: text } };
    }
  },
};
`,
  },
  {
    list: 'src/domain/run-options/index.ts',
    file: 'ticket.ts',
    name: 'ticketOptions',
    entry: '...ticketOptions',
    source: `import type { RunOption } from './run-option.ts';

export const ticketOptions = [
  {
    key: 'ticket',
    flag: '--ticket <n>',
    label: 'Ticket',
    help: 'number of the ticket that the run is for',
    without: 'it is for none',
    example: '12',
    value: { kind: 'integer', from: 1, to: 999 },
    ways: ['cli', 'config', 'api', 'mcp', 'form'],
    commands: ['run'],
    keptBy: ['resume', 'again'],
    distributed: 'tickets stay on one machine.',
    section: 'Verdict and reports',
    common: true,
  },
] as const satisfies readonly RunOption[];
`,
  },
  {
    list: 'src/features/index.ts',
    file: 'only-first/index.ts',
    name: 'onlyFirst',
    source: `import type { Feature } from '../../engine/feature.ts';

/** Runs as many trials as the ticket says. */
export const onlyFirst: Feature = {
  name: 'only-first',
  async open({ header, emit }) {
    const { ticket } = header.request as { readonly ticket?: number };
    if (ticket === undefined) return undefined;
    let begun = 0;
    return {
      stopped: () => (begun < ticket ? undefined : 'the tickets are used up'),
      async around(_trial, perform) {
        begun++;
        return perform();
      },
      async end() {
        emit({ type: 'warning', message: \`\${begun} tickets were used\` });
      },
    };
  },
};
`,
  },
  {
    list: 'src/report/reporters/sections/details.ts',
    file: '../../../features/only-first/report/ticket-detail.ts',
    name: 'ticketDetail',
    source: `import { text } from '../../../shared/blocks/block.ts';
import type { Detail } from '../../../report/reporters/sections/detail.ts';

const ticketOf = ({ summary }: Parameters<Detail['isIn']>[0]): number | undefined =>
  (summary.run.request as { readonly ticket?: number }).ticket;

export const ticketDetail: Detail = {
  isIn: (run) => ticketOf(run) !== undefined,
  sections: async (run) => [{ title: 'Ticket', blocks: [text(\`This run is for ticket \${ticketOf(run)}.\`)] }],
  document: async (run) => ({ ticket: ticketOf(run) }),
};
`,
  },
  {
    list: 'src/drive/connectors/index.ts',
    file: 'parrot.ts',
    name: 'parrotConnector',
    source: `import * as z from 'zod';
import { defineConnector } from './connector.ts';

export const parrotConnector = defineConnector({
  type: 'parrot',
  label: 'Parrot',
  summary: 'repeats the last message with an ending',
  reports: ['tool-calls'],
  configSchema: () => z.strictObject({ ending: z.string().default('!').describe('put behind each message') }),
  async open({ ending }) {
    return {
      invoke: async ({ messages }) => ({
        messages: [{ role: 'assistant', content: \`\${messages.at(-1)?.content}\${ending}\` }],
        latencyMs: 1,
      }),
      [Symbol.asyncDispose]: async () => undefined,
    };
  },
});
`,
  },
  {
    list: 'src/drive/agents/index.ts',
    file: 'note-taker.ts',
    name: 'noteTaker',
    source: `import { defineStreamAgent } from './stream-agent.ts';
import { openTextStream } from './text-stream.ts';

export const noteTaker = defineStreamAgent({
  name: 'note-taker',
  summary: 'writes one note',
  program: 'sh',
  versionArguments: ['-c', 'echo 1.2.3'],
  install: 'It comes with the system.',
  inheritedVariables: [],
  keyVariables: [],
  reports: { work: 'live', usage: 'never' },
  launch: ({ program }) => ({ argv: [program, '-c', 'printf 12345 > note.txt; echo written'] }),
  openStream: openTextStream,
});
`,
  },
];

/** A copy of the program's sources with the new parts, built. */
let scratch = '';

beforeAll(async () => {
  scratch = await realpath(await mkdtemp(join(tmpdir(), 'assay-parts-')));
  for (const path of ['src', 'bin', 'scripts', 'package.json', 'tsconfig.json', 'rolldown.config.mjs']) {
    cpSync(join(checkout, path), join(scratch, path), { recursive: true });
  }
  symlinkSync(join(checkout, 'node_modules'), join(scratch, 'node_modules'));
  for (const part of parts) addPart(part);
  const rolldown = join(checkout, 'node_modules/rolldown/bin/cli.mjs');
  const build = spawnSync(process.execPath, [rolldown, '-c', 'rolldown.config.mjs'], {
    cwd: scratch,
    encoding: 'utf8',
  });
  expect(build.status, build.stderr).toBe(0);
}, 120_000);

afterAll(() => rmSync(scratch, { recursive: true, force: true }));

/** Writes the file of a part, and one entry in the list beside it with its import. */
function addPart({ list, file, name, source, entry = name }: NewPart): void {
  const path = join(scratch, list);
  mkdirSync(dirname(join(dirname(path), file)), { recursive: true });
  writeFileSync(join(dirname(path), file), source);
  const before = readFileSync(path, 'utf8');
  const after = before.replace(/(\[]|const list) = \[/, `$& ${entry},`);
  expect(after).not.toBe(before);
  writeFileSync(path, `import { ${name} } from './${file}';\n${after}`);
}

/** What the built copy prints in a folder. */
function assay(cwd: string, ...args: readonly string[]): string {
  const { ASSAY_STORE: _, ...env } = process.env;
  const child = spawnSync(process.execPath, [join(scratch, 'bin/assay.js'), ...args], { cwd, env, encoding: 'utf8' });
  expect(child.status, child.stderr).toBe(0);
  return child.stdout;
}

/** What it prints where it refuses a request. */
function refusal(cwd: string, ...args: readonly string[]): string {
  const { ASSAY_STORE: _, ...env } = process.env;
  const child = spawnSync(process.execPath, [join(scratch, 'bin/assay.js'), ...args], { cwd, env, encoding: 'utf8' });
  expect(child.status).toBe(2);
  return child.stderr;
}

describe('a part is one file and one line in a list', () => {
  it('an evaluator and a gate', async () => {
    const listed = assay(await temporaryFolder(), 'evaluators');
    expect(listed).toContain('upper-case');
    expect(listed).toContain('file_size');
  });

  it('an agent, whose work the gate checks, and a reporter', async () => {
    const gate = '{ type: file_size, path: note.txt, bytes: 5 }';
    const folder = await temporaryFolder({
      'task.yaml': `name: Note\ntarget: { binary: cat }\ntask: { prompt: Write a note. }\nevaluation: { gates: [${gate}] }\n`,
    });
    expect(assay(folder, 'agents')).toContain('note-taker');
    const document = JSON.parse(assay(folder, 'run', 'task.yaml', '--agent', 'note-taker', '--json'));
    expect(document.trials).toMatchObject([
      { outcome: 'pass', gates: [{ gate_type: 'file_size', passed: true, message: 'note.txt has 5 bytes' }] },
    ]);
    const printed = assay(folder, 'run', 'task.yaml', '--agent', 'note-taker', '--reporter', 'headline');
    expect(printed).toMatch(/^Run \S+ in one line\n$/);
  });

  it('a connector', async () => {
    const evaluators = '[{ type: contains, config: { text: "Hello?" } }]';
    const folder = await temporaryFolder({
      'talk.yaml': `name: Talk\nconnector: { type: parrot, config: { ending: "?" } }\nmessages: [{ role: user, content: Hello }]\nevaluators: ${evaluators}\n`,
      'wrong.yaml': `name: Wrong\nconnector: { type: parrot, config: { end: "?" } }\nmessages: [{ role: user, content: Hello }]\nevaluators: ${evaluators}\n`,
    });
    expect(JSON.parse(assay(folder, 'run', 'talk.yaml', '--json')).trials).toMatchObject([
      { outcome: 'pass', variant: { connector: 'parrot' } },
    ]);
    expect(refusal(folder, 'run', 'wrong.yaml')).toContain('unknown key `end`');
  });

  it('a scenario format, whose scenarios use the evaluator', async () => {
    const folder = await temporaryFolder({ 'short.yaml': 'shorthand: echo \'"LOUD"\'\n' });
    const document = JSON.parse(assay(folder, 'run', 'short.yaml', '--json'));
    expect(document.trials).toMatchObject([
      { scenario: 'Shorthand', outcome: 'pass', evaluatorResults: [{ type: 'upper-case', state: 'pass' }] },
    ]);
  });

  it('a run option: flag, help, config, API, store and refusal come from its entry', async () => {
    const scenario = 'name: One\ncall: { command: "echo 1" }\ncases: [{ input: {}, passCriteria: ["result == 1"] }]\n';
    const folder = await temporaryFolder({ 's.yaml': scenario, 'assay.config.yaml': 'ticket: 7\n' });
    expect(assay(folder, 'run', '--help')).toContain('--ticket <n>');
    expect(assay(folder, 'schema', 'config')).toContain('number of the ticket that the run is for');
    assay(folder, 'run', 's.yaml', '--ticket', '12', '--quiet');
    assay(folder, 'run', '--from', 'latest', '--quiet');
    assay(folder, 'run', '--resume', 'latest', '--ticket', '12', '--quiet');
    expect(JSON.parse(assay(folder, 'run', 's.yaml', '--json')).ticket).toBe(7);
    expect(refusal(folder, 'run', 's.yaml', '--ticket', '1000')).toContain('a whole number from 1 to 999');
    expect(refusal(folder, 'run', '--resume', 'latest', '--ticket', '13')).toContain('--ticket cannot be changed');
    expect(refusal(folder, 'run', '--distributed', '--ticket', '12')).toContain('tickets stay on one machine.');
  });

  it('a feature, which sees an option, and is in every report', async () => {
    const scenario =
      'name: Five\ncall: { command: "echo 1" }\nrepeat: 5\ncases: [{ input: {}, passCriteria: ["result == 1"] }]\n';
    const folder = await temporaryFolder({ 's.yaml': scenario });
    const { ASSAY_STORE: _, ...env } = process.env;
    const args = [join(scratch, 'bin/assay.js'), 'run', 's.yaml', '--ticket', '2', '--concurrency', '1', '--json'];
    const { stdout, stderr } = spawnSync(process.execPath, args, { cwd: folder, env, encoding: 'utf8' });
    expect(JSON.parse(stdout).totals).toMatchObject({ planned: 5, pass: 2, notRun: 3 });
    expect(stderr).toContain('2 tickets were used');
    expect(JSON.parse(stdout).ticket).toBe(2);
    assay(folder, 'run', 's.yaml', '--ticket', '9', '--quiet');
    for (const format of ['console', 'markdown'])
      expect(assay(folder, 'report', 'latest', '--format', format, '-o', '-')).toContain('This run is for ticket 9.');
  });

  it('an import format', async () => {
    const folder = await temporaryFolder({ 'scores.txt': '# Scoreboard\ntask-a: pass\ntask-b: fail\n' });
    const document = JSON.parse(assay(folder, 'import', 'scores.txt', '--json'));
    expect(document).toMatchObject({ files: [{ file: 'scores.txt', format: 'scoreboard', trials: 2 }] });
  });
});
