import { readdir, readFile, rm, stat } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startScriptedModel } from '../../src/drive/models/scripted/index.ts';
import { storeArtifacts } from '../../src/keep/bundles/artifacts.ts';
import { assignFiles, StoredFiles } from '../../src/keep/bundles/stored-files.ts';
import { openSqlStore } from '../../src/keep/store/open-store.ts';
import { assayInProcess as assay } from '../../src/testing/support/assay-in-process.ts';
import { runTool, toolProject, toolScenario } from '../../src/testing/support/cli-tool-project.ts';
import { answerText, criteriaReply, judgedScenario, secretKey } from '../../src/testing/support/judged-project.ts';
import { mcpProject, server } from '../../src/testing/support/mcp-project.ts';
import { projectStoreUrl } from '../../src/testing/support/project-store.ts';
import { contentOf, scored } from '../../src/testing/support/rescoring.ts';
import { temporaryFolder, writeFiles } from '../../src/testing/support/temporary-folder.ts';

const sumTool = `export const sum = ({ a, b }) => {
  if (a === 'odd') return 1n;
  if (typeof a !== 'number') throw new TypeError('a is no number');
  return { total: a + b };
};
`;

function sumScenario(cases: readonly object[], more: object = {}): string {
  return JSON.stringify({ name: 'Sum', call: { module: './tool.mjs', export: 'sum' }, cases, ...more });
}

const cases = [
  { name: 'right', input: { a: 1, b: 2 }, passCriteria: ['result.total === 3'] },
  { name: 'wrong', input: { a: 1, b: 1 }, passCriteria: ['result.total === 3'] },
  { name: 'refused', input: { b: 2 }, passCriteria: ["error.name === 'TypeError'"] },
  { name: 'odd', input: { a: 'odd', b: 2 }, passCriteria: ['true'] },
  { name: 'other type', input: { a: 1, b: 2 }, passCriteria: ["result.total.includes('x')"] },
];

async function sumProject(written: readonly object[] = cases) {
  const folder = await temporaryFolder({
    's.json': sumScenario(written, { evaluators: [{ type: 'duration' }] }),
    'tool.mjs': sumTool,
  });
  return { folder, run: await scored(['run', 's.json', '--concurrency', '1'], { cwd: folder }) };
}

function sourceOf(path: string): Promise<string> {
  return readFile(new URL(path, import.meta.url), 'utf8');
}

/** Every file below a folder with its content and when it was changed. */
async function filesOf(folder: string): Promise<Record<string, string>> {
  const names = await readdir(folder, { recursive: true, withFileTypes: true });
  const files: Record<string, string> = {};
  for (const entry of names.filter((each) => each.isFile())) {
    const path = join(entry.parentPath, entry.name);
    files[path] = `${(await stat(path)).mtimeMs} ${await readFile(path, 'base64')}`;
  }
  return files;
}

describe('a rescored run equals the original where nothing changed', () => {
  it('with direct calls: passes, failures, refusals and faults', async () => {
    const { folder, run } = await sumProject();
    expect(run.document.trials.map(({ outcome }) => outcome)).toEqual(['pass', 'fail', 'pass', 'error', 'fail']);
    await writeFiles(folder, { 'tool.mjs': 'throw new Error("nothing is run");' });
    const again = await scored(['rescore', 'latest'], { cwd: folder });
    expect(contentOf(again.document)).toEqual(contentOf(run.document));
    expect(again.document).toMatchObject({ origin: { kind: 'rescore', runId: run.document.runId } });
    expect(again.document.runId).not.toBe(run.document.runId);
    expect([again.exitCode, run.exitCode]).toEqual([1, 1]);
    expect(again.stderr).toContain(`Compared with ${run.document.runId}: every trial ended as before`);
  });

  it('with an agent that uses a CLI tool, and leaves its artifacts as they are', async () => {
    const gates = `
    - { type: command_output_contains, command: "my-tool list", substring: milk }
    - { type: command_succeeds, command: "touch written-by-a-gate" }
    - { type: file_contains, path: .my-tool/store.db, substring: bread }
    - { type: script, command: "grep -q milk $LLM_TOOL_TEST_EVENTS && test -s $LLM_TOOL_TEST_TRANSCRIPT" }
    - type: no_transcript_errors`;
    const folder = await toolProject({
      scenario: toolScenario(gates),
      script: 'steps:\n  - my-tool create --title milk\n  - my-tool create\n',
    });
    const env = { PATH: `${join(folder, 'bin')}:${process.env.PATH}` };
    const original = await runTool(folder);
    expect(original.trials[0]).toMatchObject({ outcome: 'fail', gates_passed: 3, gates_total: 5 });
    const before = await filesOf(join(folder, '.assay', 'artifacts'));
    await writeFiles(folder, { 'script.yaml': 'steps:\n  - my-tool unknown\n' });
    const again = await scored(['rescore', 'latest'], { cwd: folder, env });
    expect(contentOf(again.document)).toEqual(contentOf(JSON.parse(original.stdout)));
    expect(await filesOf(join(folder, '.assay', 'artifacts'))).toEqual(before);
    expect(await readdir(join(folder, '.assay'))).not.toContain('trial-cache');
    expect((await readdir(tmpdir())).filter((name) => name.startsWith('assay-rescore-'))).toEqual([]);
  });

  it('with a conversation, after the agent has gone', async () => {
    const answers = ['Which day?', 'Which time?', 'Booked: BK-12345', 'Anything else?'];
    const agent = createServer((request, response) => {
      let body = '';
      request.on('data', (piece) => {
        body += piece;
      });
      request.on('end', () => {
        const { messages } = JSON.parse(body) as { messages: { role: string }[] };
        response.end(JSON.stringify({ content: answers[messages.filter(({ role }) => role === 'assistant').length] }));
      });
    });
    await new Promise<void>((resolve) => agent.listen(0, '127.0.0.1', resolve));
    const scenario = {
      connector: { type: 'http', baseUrl: `http://127.0.0.1:${(agent.address() as AddressInfo).port}` },
      userMessages: ['A table, please', 'Monday', 'At noon', 'Thanks'],
    };
    const evaluators = [
      { type: 'regex', config: { pattern: 'BK-\\d{5}' } },
      { type: 'not-contains', config: { text: 'time' } },
      { type: 'response-length' },
      { type: 'latency' },
    ];
    const folder = await temporaryFolder({
      'rule.json': JSON.stringify({ ...scenario, name: 'Broken rule', evaluators }),
      'wait.json': JSON.stringify({ ...scenario, name: 'Awaited', evaluators: [evaluators[0], evaluators[2]] }),
      'never.json': JSON.stringify({
        ...scenario,
        name: 'Never',
        evaluators: [{ type: 'contains', config: { text: 'no such words' } }],
      }),
    });
    const run = await scored(['run', '.'], { cwd: folder });
    agent.close();
    agent.closeAllConnections();
    const again = await scored(['rescore', 'latest'], { cwd: folder });
    expect(run.document.totals).toMatchObject({ pass: 1, fail: 2 });
    expect(contentOf(again.document)).toEqual(contentOf(run.document));
  });

  it('with suites and workflows of an MCP server, after server and model have gone', async () => {
    const folder = await mcpProject({
      'c.json': {
        server,
        toolHealthSuites: [
          {
            name: 'Calculator',
            tests: [
              { name: 'add', args: { a: 2, b: 3 }, expectedResult: 5 },
              { name: 'add', description: 'wrong', args: { a: 2, b: 3 }, expectedResult: 6 },
              { name: 'crash', args: {} },
            ],
          },
        ],
        workflows: [
          { name: 'Sum', steps: [{ user: 'Please add 2 and 3', expectTools: ['add'], expectedState: 'five' }] },
        ],
      },
    });
    await using model = await startScriptedModel({
      rules: [
        { when: { toolResult: '5' }, reply: 'It is five.' },
        { when: { last: 'Please add' }, toolCalls: [{ name: 'add', input: { a: 2, b: 3 } }] },
      ],
    });
    const env = { ANTHROPIC_API_KEY: secretKey, ...model.environment };
    const run = await scored(['run', 'c.json'], { cwd: folder, env });
    await rm(join(folder, 'server.mjs'));
    const asked = model.log().length;
    const again = await scored(['rescore', 'latest'], { cwd: folder });
    expect(run.document.trials).toHaveLength(2);
    expect(contentOf(again.document)).toEqual(contentOf(run.document));
    expect(model.log()).toHaveLength(asked);
  });

  it('with a workflow of an MCP server that an agent drives', async () => {
    const steps = [{ user: 'call echo {"text":"milk"}', expectTools: ['echo'], expectedState: 'milk' }];
    const folder = await temporaryFolder({
      'agent.mjs': await sourceOf('../../src/testing/support/mcp-agent.mjs'),
      'server.mjs': await sourceOf('../../src/testing/fakes/mcp/logging-server.mjs'),
    });
    const command = `node ${folder}/agent.mjs`;
    const logging = { ...server, args: ['server.mjs', join(folder, 'server.log')] };
    await writeFiles(folder, {
      'assay.config.yaml': JSON.stringify({ isolation: 'none', agent: 'mine', agents: { mine: { command } } }),
      'mcp.json': JSON.stringify({ server: logging, workflows: [{ name: 'Talk', steps }] }),
    });
    const run = await scored(['run', 'mcp.json', '--agent', 'mine'], { cwd: folder });
    await writeFiles(folder, { 'agent.mjs': 'process.exit(1);\n' });
    const again = await scored(['rescore', 'latest'], { cwd: folder });
    expect(run.document.trials).toMatchObject([{ outcome: 'pass', variant: { agent: 'mine' } }]);
    expect(contentOf(again.document)).toEqual(contentOf(run.document));
  });
});

describe('what has changed since', () => {
  it('is used and told: criteria, cases and scenarios', async () => {
    const { folder, run } = await sumProject();
    const others = { 'other.json': sumScenario(cases.slice(0, 1)).replace('"Sum"', '"Other"') };
    await writeFiles(folder, others);
    const both = await scored(['run', '.', '--concurrency', '1'], { cwd: folder });
    await rm(join(folder, 'other.json'));
    const fixed = [{ ...cases[1], passCriteria: ['result.total === 2'] }, ...cases.slice(4), ...cases.slice(0, 1)];
    await writeFiles(folder, { 's.json': sumScenario(fixed) });
    const again = await scored(['rescore', both.document.runId], { cwd: folder });
    const { trials, totals } = again.document;
    expect(
      Object.fromEntries(trials.map(({ caseId, outcome, scenario }) => [`${scenario}/${caseId}`, outcome])),
    ).toEqual({
      'Other/right': 'skipped',
      'Sum/right': 'pass',
      'Sum/wrong': 'pass',
      'Sum/refused': 'skipped',
      'Sum/odd': 'skipped',
      'Sum/other type': 'fail',
    });
    expect(totals).toMatchObject({ planned: 6, pass: 2, fail: 1, skipped: 3 });
    expect(trials.find(({ caseId }) => caseId === 'refused')?.reason).toBe(
      'The case "refused" is no longer in the scenario',
    );
    expect(again.stderr).toContain('The scenario "Other" is no longer in other.json: its trials are skipped');
    expect(again.stderr).toContain(`"Sum" (s.json) has changed since ${both.document.runId}`);
    expect(again.stderr).toMatch(/1 trial fail → pass/);
    expect(run.document.runId).not.toBe(both.document.runId);
  });

  it('takes other files by name, and only one scenario where that is wanted', async () => {
    const { folder, run } = await sumProject(cases.slice(0, 2));
    await writeFiles(folder, { 'new/strict.json': sumScenario(cases.slice(0, 1), { failCriteria: ['true'] }) });
    await writeFiles(folder, { 'new/tool.mjs': sumTool });
    const again = await scored(['rescore', run.document.runId, 'new', '--scenario', 'Sum'], { cwd: folder });
    expect(again.document.trials.map(({ outcome }) => outcome)).toEqual(['fail', 'skipped']);
    const unknown = await assay(['rescore', 'latest', '--scenario', 'Sun'], { cwd: folder });
    expect(unknown).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('Did you mean `Sum`?') });
  });

  it('says of gates that they cannot be asked when the work directory is gone, and keeps the rest', async () => {
    const folder = await toolProject({
      scenario: toolScenario('[{ type: file_exists, path: .my-tool/store.db }]'),
      script: 'steps: ["my-tool create --title milk"]\n',
    });
    await runTool(folder);
    await rm(join(folder, '.assay', 'artifacts'), { recursive: true });
    const { document, exitCode } = await scored(['rescore', 'latest'], { cwd: folder });
    expect(document.trials[0]).toMatchObject({
      outcome: 'error',
      fault: { code: 'WORKSPACE_FAILED' },
      interaction: { source: 'recorder', total_commands: 1 },
    });
    expect(document.trials[0]?.reason).toContain('The work directory of the trial no longer exists');
    expect(exitCode).toBe(3);
  });

  it('fetches the work directory of a trial that another machine has run', async () => {
    const folder = await toolProject({
      scenario: toolScenario('[{ type: file_exists, path: .my-tool/store.db }]'),
      script: 'steps: ["my-tool create --title milk"]\n',
    });
    const [trial] = (await runTool(folder)).trials;
    const { store, db } = await openSqlStore(projectStoreUrl(folder), folder);
    {
      await using _open = store;
      const record = await store.findTrial(trial?.trialId ?? '');
      const left = join(folder, '.assay', 'artifacts', record?.artifacts ?? '');
      const { setId } = await storeArtifacts(left, { secrets: [] }, new StoredFiles(db));
      await assignFiles(db, setId, { runId: record?.runId ?? '', trialId: record?.trialId ?? '' });
    }
    await rm(join(folder, '.assay', 'artifacts'), { recursive: true });
    const { document } = await scored(['rescore', 'latest'], { cwd: folder });
    expect(document.trials[0]).toMatchObject({ outcome: 'pass', gates_passed: 1 });
  });

  it('cannot be made up for what is not there', async () => {
    const { folder, run } = await sumProject(cases.slice(0, 1));
    const refused = async (...args: string[]) => {
      const { exitCode, stderr } = await assay(args, { cwd: folder });
      return { exitCode, stderr };
    };
    expect(await refused('rescore', 'r-none')).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('r-none'),
    });
    await scored(['rescore', 'latest'], { cwd: folder });
    expect(await refused('run', '--resume', 'latest')).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('which cannot be resumed'),
    });
    await rm(join(folder, 's.json'));
    expect(await refused('rescore', run.document.runId)).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('no longer exist: s.json'),
    });
  });
});

describe('another judge', () => {
  const judge = { model: 'openai/gpt-4o-mini', successCriteria: 'The answer names Paris' };
  const files = {
    's.json': judgedScenario(judge),
    'tool.mjs': `export const answer = () => ({ text: ${JSON.stringify(answerText)} });\n`,
  };

  it('judges the traces of a run that had none, and is left out where nobody wants it', async () => {
    const folder = await temporaryFolder(files);
    await using model = await startScriptedModel({ rules: [{ reply: { json: criteriaReply('not-met') } }] });
    const env = { OPENAI_API_KEY: secretKey, ...model.environment };
    const unjudged = await scored(['run', 's.json', '--no-judge'], { cwd: folder, env });
    const judged = await scored(['rescore', 'latest', '--judge-model', 'openai/gpt-4o'], { cwd: folder, env });
    const without = await scored(['rescore', 'latest', '--no-judge'], { cwd: folder, env });
    expect(judged.document.trials[0]).toMatchObject({ outcome: 'fail', judge: { model: 'openai/gpt-4o' } });
    expect(contentOf(without.document)).toEqual(contentOf(unjudged.document));
    expect(model.log()).toHaveLength(1);
  });

  it('is asked several times, and it is told how much of the spread comes from it', async () => {
    const folder = await temporaryFolder(files);
    const replies = ['met', 'not-met', 'met', 'met'].map((answer) => ({
      reply: { json: criteriaReply(answer) },
      times: 1,
    }));
    await using model = await startScriptedModel({ rules: [...replies, { reply: { json: criteriaReply('met') } }] });
    const env = { OPENAI_API_KEY: secretKey, ...model.environment };
    await scored(['run', 's.json', '--no-judge', '--repeat', '2'], { cwd: folder, env });
    const args = ['rescore', 'latest', '--repeat-judge', '3', '--concurrency', '1'];
    const { document, stderr } = await scored(args, { cwd: folder, env });
    expect(model.log()).toHaveLength(6);
    expect(document.judgeVariance).toMatchObject({ cases: 1, traces: 2, judgements: 6, agent: 0, judgeShare: 1 });
    expect(document.judgeVariance?.judge).toBeCloseTo(1 / 6, 9);
    expect(stderr).toContain('100 % of the variance of a score over repeats comes from the judge, 0 % from the agent.');
    const steady = await assay(['rescore', 'latest', '--repeat-judge', '2'], { cwd: folder, env });
    expect(steady.stdout).toContain('All scores of a case are the same: neither judge nor agent varies');
  });
});
