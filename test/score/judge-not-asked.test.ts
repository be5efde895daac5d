import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startScriptedModel } from '../../src/drive/models/scripted/index.ts';
import { assayInProcess as assay } from '../../src/testing/support/assay-in-process.ts';
import { toolProject, toolScenario } from '../../src/testing/support/cli-tool-project.ts';
import { serve } from '../../src/testing/support/http-server.ts';
import { mcpProject, server } from '../../src/testing/support/mcp-project.ts';
import { temporaryFolder } from '../../src/testing/support/temporary-folder.ts';

const judgeModel = 'openai/gpt-4o-mini';
const namesParis = 'The answer names Paris';

interface Project {
  readonly folder: string;
  readonly file: string;
}

type Write = (judge: object, isFailing?: boolean) => Promise<Project>;

/** One project of each kind whose computed assertions pass, although the judge would find the answer wrong; or one of them fails. */
const projects: Readonly<Record<string, Write>> = {
  native: async (judge, isFailing) => {
    const scenario = {
      name: 'Capital',
      call: { module: './tool.mjs', export: 'answer' },
      input: 'What is the capital of France?',
      passCriteria: [isFailing ? 'result.text.length > 200' : 'result.text.length < 200'],
      judge: { model: judgeModel, successCriteria: namesParis, ...judge },
    };
    const tool = "export const answer = () => ({ text: 'Lyon' });\n";
    return { folder: await temporaryFolder({ 's.json': JSON.stringify(scenario), 'tool.mjs': tool }), file: 's.json' };
  },
  'llm-tool-test': async (judge, isFailing) => {
    const section = JSON.stringify({ model: judgeModel, successCriteria: 'The item is called Paris', ...judge });
    const command = isFailing ? 'test -e missing.txt' : 'my-tool doctor';
    const gates = `[{ type: command_succeeds, command: "${command}" }]`;
    const script = 'steps:\n  - run: my-tool create --title Lyon\n';
    const folder = await toolProject({ scenario: toolScenario(gates, `  judge: ${section}\n`), script });
    return { folder, file: 'scenario.yaml' };
  },
  conversation: async (judge, isFailing) => {
    const baseUrl = await serve((_, response) => response.end(JSON.stringify({ content: 'Lyon' })));
    const scenario = {
      name: 'Capital',
      connector: { type: 'http', baseUrl },
      messages: [{ role: 'user', content: 'What is the capital of France?' }],
      evaluators: [
        { type: 'llm-judge', config: { successCriteria: namesParis } },
        { type: 'contains', config: { text: isFailing ? 'Marseille' : 'Lyon' } },
      ],
      judge: { model: judgeModel, ...judge },
    };
    return { folder: await temporaryFolder({ 's.json': JSON.stringify(scenario) }), file: 's.json' };
  },
  mcpvals: async (judge, isFailing) => {
    const steps = [{ user: 'What is the capital of France?', ...(isFailing && { expectedState: 'Marseille' }) }];
    const config = { server, workflows: [{ name: 'flow', steps }], llmJudge: true, judgeModel: 'gpt-4o', ...judge };
    return { folder: await mcpProject({ 'c.json': config }), file: 'c.json' };
  },
};

async function run({ folder, file }: Project, flags: readonly string[]) {
  await using model = await startScriptedModel({ rules: [{ reply: 'Lyon' }] });
  const env = {
    ...model.environment,
    ANTHROPIC_API_KEY: 'drives-the-workflow',
    OPENAI_API_KEY: '',
    PATH: `${join(folder, 'bin')}:${process.env.PATH}`,
  };
  const reporters = 'console,json,junit,markdown,csv,github,html';
  const args = ['run', file, '--no-cache', '--reporter', reporters, '--output', 'reports', ...flags];
  const result = await assay(args, { cwd: folder, env });
  const read = (name: string) => readFile(join(folder, 'reports', name), 'utf8');
  const reports = {
    console: result.stdout,
    json: await read('run.json'),
    junit: await read('junit.xml'),
    markdown: await read('report.md'),
    csv: await read('trials.csv'),
    github: await read('github-summary.md'),
    html: await read('report.html'),
  };
  return { ...result, reports, document: JSON.parse(reports.json) };
}

describe.each(Object.entries(projects))('a judge that a %s file wants', (_kind, write) => {
  it('makes the trial an error when it has no key, and every report says why', async () => {
    const { exitCode, reports, document, stderr } = await run(await write({}), []);
    expect(exitCode, stderr).toBe(3);
    expect(document.trials).toMatchObject([{ outcome: 'error', fault: { code: 'MODEL_NO_KEY' } }]);
    expect(document).toMatchObject({ outcome: 'error', totals: { pass: 0, error: 1 } });
    for (const [name, text] of Object.entries(reports)) {
      expect(text.replaceAll('\\', ''), name).toContain('OPENAI_API_KEY');
    }
    expect(reports.junit).toContain('<error ');
  });

  it.each([
    ['the flag', {}, ['--no-judge']],
    ['the file', { judgeErrors: 'ignore' }, []],
  ])('is left out when %s says so, and every report says that it was not judged', async (_by, judge, flags) => {
    const { exitCode, reports, document, stderr } = await run(await write(judge), flags);
    expect(exitCode, stderr).toBe(0);
    expect(document).toMatchObject({ outcome: 'pass', notJudged: 1, totals: { pass: 1 } });
    expect(document.trials).toMatchObject([{ outcome: 'pass', fault: { code: 'NOT_JUDGED' } }]);
    expect(document.trials[0].reason).toContain('not judged');
    expect(reports.console).toContain('1 passed (1 not fully judged)');
    expect(reports.markdown).toContain('The trial passed (1 not fully judged)');
    for (const [name, text] of Object.entries(reports)) expect(text.toLowerCase(), name).toMatch(/not (fully )?judged/);
  });

  it('is not prompted where a computed assertion failed, unless it is always to be', async () => {
    const project = await write({}, true);
    const { document } = await run(project, []);
    const [trial] = document.trials;
    expect({ outcome: trial.outcome, fault: trial.fault }).toEqual({ outcome: 'fail', fault: undefined });
    const [reason] = trial.evaluatorResults.flatMap(({ state, reason }: Record<string, string>) =>
      state === 'skipped' ? [reason] : [],
    );
    expect(reason).toMatch(/^Skipped, because the trial has already failed: /);
    const always = await run(project, ['--judge-always']);
    expect(always.document.trials).toMatchObject([{ outcome: 'fail' }]);
    expect(JSON.stringify(always.document.trials)).toContain('the judge said error');
  });
});

describe('an experiment', () => {
  const scenario = {
    name: 'Capital',
    messages: [{ role: 'user', content: '{{question}}' }],
    dataset: './rows.json',
    connector: ['before', 'after'],
    evaluators: [
      { type: 'contains', config: { text: 'Lyon' } },
      { type: 'llm-judge', config: { successCriteria: namesParis } },
    ],
    judge: { model: judgeModel },
  };

  it('about a figure that no verdict changes prompts no judge, and counts the trials that were not judged', async () => {
    const baseUrl = await serve((_, response) => response.end(JSON.stringify({ content: 'Lyon' })));
    const connectors = { before: { type: 'http', baseUrl }, after: { type: 'http', baseUrl } };
    const rows = Array.from({ length: 4 }, (_, row) => ({ question: `What is capital ${row}?` }));
    const folder = await temporaryFolder({
      's.json': JSON.stringify(scenario),
      'rows.json': JSON.stringify(rows),
      'assay.config.json': JSON.stringify({ connectors }),
    });
    const experiment = async (...flags: readonly string[]) => {
      const args = ['experiment', 's.json', '--by', 'connector', '--max-trials', '8', '--json', ...flags];
      const { stdout } = await assay(args, { cwd: folder, env: { OPENAI_API_KEY: '' } });
      const { totals, notJudged, trials } = JSON.parse(stdout);
      return { totals, notJudged, reason: trials[0].fault.message };
    };
    expect(await experiment('--metric', 'duration-ms')).toMatchObject({
      totals: { pass: 8, error: 0 },
      notJudged: 8,
      reason: expect.stringContaining('the experiment compares duration-ms, which no verdict changes'),
    });
    expect(await experiment()).toMatchObject({ totals: { pass: 0, error: 8 } });
  });
});
