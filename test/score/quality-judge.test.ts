import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import type { Message } from '../../src/domain/message.ts';
import { type ScriptSource, startScriptedModel } from '../../src/drive/models/scripted/index.ts';
import { qualityNames } from '../../src/score/evaluators/assertions/ready-judges/qualities.ts';
import { assayInProcess as assay } from '../../src/testing/support/assay-in-process.ts';
import { storeElsewhere } from '../../src/testing/support/project-store.ts';
import { temporaryFolder } from '../../src/testing/support/temporary-folder.ts';

const folder = fileURLToPath(new URL('../../examples/ready-judges', import.meta.url));
const judge = ['--judge-model', 'openai/gpt-4o-mini', '--no-cache'];

interface Recording {
  readonly id: string;
  readonly task: string;
  readonly recorded: readonly (Message & { readonly tool_calls?: readonly unknown[] })[];
}

interface Label {
  readonly case: string;
  readonly label: 'pass' | 'fail';
}

async function rows<Row>(file: string): Promise<Row[]> {
  const text = await readFile(`${folder}/${file}`, 'utf8');
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Row);
}

/** A judge that gives these verdicts, with the last words of the agent as its evidence. */
function judgeWith(recordings: readonly Recording[], verdicts: ReadonlyMap<string, string>): ScriptSource['rules'] {
  return recordings.map(({ id, task, recorded }) => {
    const isMet = verdicts.get(id) === 'pass';
    // The first event is the task; a message with calls and without words is only its calls.
    const last = recorded.reduce(
      (count, { content, tool_calls: calls = [] }) => count + calls.length + (content === '' ? 0 : 1),
      1,
    );
    const evidence = isMet ? [{ event: `e${last}`, quote: recorded.at(-1)?.content }] : [];
    return {
      when: { last: JSON.stringify(task).slice(1, -1) },
      reply: {
        json: {
          criteria: [
            { id: 'success-1', reasoning: 'It was read.', evidence, answer: isMet ? 'met' : 'not-met' },
            { id: 'failure-1', reasoning: 'It was read.', evidence: [], answer: 'not-met' },
          ],
        },
      },
    };
  }) as ScriptSource['rules'];
}

async function calibrated(name: string, turned: readonly string[] = []) {
  const labels = await rows<Label>(`${name}.labels.jsonl`);
  const recordings = await rows<Recording>(`${name}.jsonl`);
  const turn = (label: string): string => (label === 'pass' ? 'fail' : 'pass');
  const verdicts = labels.map(({ case: id, label }): [string, string] => [
    id,
    turned.includes(id) ? turn(label) : label,
  ]);
  await using model = await startScriptedModel({ rules: judgeWith(recordings, new Map(verdicts)) });
  const env = { OPENAI_API_KEY: 'sk-any', ...model.environment };
  const cwd = await temporaryFolder();
  const store = await storeElsewhere();
  const run = await assay(['run', `${folder}/${name}.yaml`, ...judge, '--json', ...store], { cwd, env });
  const compared = await assay(['calibrate', `${folder}/${name}.labels.jsonl`, '--json', ...store], { cwd, env });
  return { labels, recordings, run, compared, model: model.log() };
}

describe('quality-judge', () => {
  it.each(qualityNames)('is measured by labels of recorded trials: %s', async (name) => {
    const [wrong] = await rows<Label>(`${name}.labels.jsonl`);
    const { labels, recordings, run, compared } = await calibrated(name, [wrong?.case ?? '']);
    expect(labels.map((label) => label.case).toSorted()).toEqual(recordings.map(({ id }) => id).toSorted());
    const { trials } = JSON.parse(run.stdout);
    expect(trials.filter(({ outcome }: { outcome: string }) => outcome === 'error')).toEqual([]);
    const passes = labels.filter(({ label }) => label === 'pass').length;
    expect(passes, 'labels of both kinds').toBeGreaterThan(labels.length / 3);
    expect(labels.length - passes).toBeGreaterThan(labels.length / 3);
    expect(JSON.parse(compared.stdout).calibrations).toMatchObject([
      {
        identity: { mode: 'criteria' },
        compared: labels.length,
        agreement: { count: labels.length - 1, of: labels.length },
      },
    ]);
  });

  it('shares a call of the judge with others of its kind', async () => {
    const types = [
      { type: 'quality-judge', config: { quality: 'plan' } },
      { type: 'quality-judge', config: { quality: 'refusals' } },
    ];
    const cwd = await temporaryFolder({
      'polite.json': JSON.stringify({
        name: 'polite',
        connector: { type: 'module', config: { module: './agent.mjs', export: 'default' } },
        messages: [{ role: 'user', content: 'Hello' }],
        evaluators: types,
      }),
      'agent.mjs': "export default () => 'Plan: greet. Hello.';\n",
    });
    const evidence = [{ event: 'e2', quote: 'Hello.' }];
    const answers = {
      'success-1': 'met',
      'success-2': 'met',
      'failure-1': 'not-met',
      'failure-2': 'met',
    };
    const criteria = Object.entries(answers).map(([id, answer]) => ({ id, reasoning: 'r', evidence, answer }));
    await using model = await startScriptedModel({ rules: [{ reply: { json: { criteria } } }] });
    const env = { OPENAI_API_KEY: 'sk-any', ...model.environment };
    const { stdout } = await assay(['run', 'polite.json', ...judge, '--json'], { cwd, env });
    const [trial] = JSON.parse(stdout).trials;
    expect(model.log()).toHaveLength(1);
    expect(trial.evaluatorResults.map(({ state }: { state: string }) => state)).toEqual(['pass', 'fail']);
  });

  it('cannot judge calls where the agent reports none, and says so', async () => {
    const cwd = await temporaryFolder({
      'quiet.json': JSON.stringify({
        name: 'quiet',
        connector: { type: 'module', config: { module: './agent.mjs', export: 'default' } },
        messages: [{ role: 'user', content: 'Hello' }],
        evaluators: [{ type: 'quality-judge', config: { quality: 'tool-selection' } }],
      }),
      'agent.mjs': "export default () => 'Hello.';\n",
    });
    const verdict = {
      criteria: ['success-1', 'failure-1'].map((id) => ({
        id,
        reasoning: 'r',
        evidence: [{ event: 'e2', quote: 'Hello.' }],
        answer: id === 'success-1' ? 'met' : 'not-met',
      })),
    };
    await using model = await startScriptedModel({ rules: [{ reply: { json: verdict } }] });
    const env = { OPENAI_API_KEY: 'sk-any', ...model.environment };
    const { stdout } = await assay(['run', 'quiet.json', ...judge, '--json'], { cwd, env });
    expect(JSON.parse(stdout).trials).toMatchObject([{ outcome: 'error', fault: { code: 'NOT_OBSERVED' } }]);
  });
});

describe('labels of cases', () => {
  const label = (more: object): string => `${JSON.stringify({ case: 'rain-weather', label: 'pass', ...more })}\n`;

  it('are refused where the run has no such case, and where several scenarios have it', async () => {
    const cwd = await temporaryFolder({ 'labels.jsonl': label({}), 'other.jsonl': label({ scenario: 'other' }) });
    const store = await storeElsewhere();
    const none = await assay(['run', `${folder}/plan.yaml`, '--no-judge', ...store], { cwd });
    expect(none.exitCode).not.toBe(2);
    const missing = await assay(['calibrate', 'labels.jsonl', ...store], { cwd });
    expect(missing).toMatchObject({ exitCode: 2 });
    expect(missing.stderr).toContain('has no trial of the labelled case "rain-weather"');
    const twice = (await readFile(`${folder}/tool-selection.yaml`, 'utf8')).replaceAll('./', `${folder}/`);
    const files = await temporaryFolder({
      'a.yaml': twice,
      'b.yaml': twice.replace('name: tool-selection', 'name: other'),
    });
    await assay(['run', '.', '--no-judge', ...store], { cwd: files });
    const several = await assay(['calibrate', `${cwd}/labels.jsonl`, ...store], { cwd: files });
    expect(several.stderr).toContain('Several scenarios of the run');
    const chosen = await assay(['calibrate', `${cwd}/other.jsonl`, ...store], { cwd: files });
    expect(chosen.stderr).toContain('No judge answered in the trial');
  });
});
