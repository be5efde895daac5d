import { describe, expect, it } from 'vitest';
import { startScriptedModel } from '../../src/drive/models/scripted/index.ts';
import { assayInProcess as assay } from '../../src/testing/support/assay-in-process.ts';
import { criteriaReply } from '../../src/testing/support/judged-project.ts';
import { temporaryFolder } from '../../src/testing/support/temporary-folder.ts';

type Script = Parameters<typeof startScriptedModel>[0];

/** The only trial of a conversation whose agent always says the same. */
async function trialOf(words: string, scenario: object, script: Script = { rules: [{ reply: 'no verdict' }] }) {
  await using judge = await startScriptedModel(script);
  const connector = { type: 'module', config: { module: './agent.mjs' } };
  const cwd = await temporaryFolder({
    's.json': JSON.stringify({ name: 'Words', connector, userMessages: ['Go on'], ...scenario }),
    'agent.mjs': `export default () => ({ content: ${JSON.stringify(words)} });`,
  });
  const env = { OPENAI_API_KEY: 'sk-test', ...judge.environment };
  const { stdout, stderr } = await assay(['run', 's.json', '--json'], { cwd, env });
  if (stdout === '') throw new Error(stderr);
  return JSON.parse(stdout).trials[0];
}

describe('a right answer is not failed', () => {
  it('because its letters are composed in another way', async () => {
    const text = 'Café für zwei';
    for (const [words, wanted] of [
      [text.normalize('NFD'), text.normalize('NFC')],
      [text.normalize('NFC'), text.normalize('NFD')],
    ] as const) {
      const evaluators = [{ type: 'contains', config: { text: wanted } }];
      expect(await trialOf(words, { evaluators })).toMatchObject({ outcome: 'pass' });
    }
  });

  it('because its judge wraps the verdict in words', async () => {
    const verdict = JSON.stringify(criteriaReply('met', 'Booked', 'e2'));
    const reply = `Let me think about it. Here is my verdict:\n\n${verdict}\n\nI hope that this helps.`;
    const evaluators = [{ type: 'llm-judge', config: { successCriteria: 'A table is booked' } }];
    const trial = await trialOf('Booked', { judge: { model: 'openai/any' }, evaluators }, { rules: [{ reply }] });
    expect(trial).toMatchObject({ outcome: 'pass' });
  });

  it('because nothing but spans says how long it took', async () => {
    const span = (id: string, seconds: number, attributes: Readonly<Record<string, string>>) => ({
      traceId: '5b8efff798038103d269b633813fc60c',
      spanId: id,
      name: id,
      startTimeUnixNano: '1700000000000000000',
      endTimeUnixNano: `${1_700_000_000 + seconds}000000000`,
      attributes: Object.entries(attributes).map(([key, stringValue]) => ({ key, value: { stringValue } })),
    });
    const messages = (role: string, content: string) => JSON.stringify([{ role, parts: [{ type: 'text', content }] }]);
    const spans = [
      span('eee19b7ec3c1b174', 2, {
        'gen_ai.operation.name': 'chat',
        'gen_ai.input.messages': messages('user', 'Go on'),
        'gen_ai.output.messages': messages('assistant', 'Done'),
      }),
    ];
    const scenario = (maxMs: number) =>
      JSON.stringify({
        name: 'Fast',
        connector: { type: 'http', baseUrl: 'http://127.0.0.1:9' },
        userMessages: ['Go on'],
        evaluators: [{ type: 'latency-budget', config: { maxMs } }],
      });
    const cwd = await temporaryFolder({
      'trace.json': JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans }] }] }),
      'fast.json': scenario(2_000),
      'slow.json': scenario(1_999),
    });
    const exitCodes = ['fast.json', 'slow.json'].map(
      async (file) => (await assay(['evaluate', 'trace.json', '--scenario', file], { cwd })).exitCode,
    );
    expect(await Promise.all(exitCodes)).toEqual([0, 1]);
  });
});

describe('a judge that is down', () => {
  it.each<[string, Script['rules'][number]]>([
    ['it refuses', { fault: { status: 400, body: 'out of order' } }],
    ['a page instead of a reply', { fault: 'html' }],
    ['an empty reply', { fault: 'empty' }],
  ])('is not a fault of the agent: %s', async (_about, rule) => {
    const scenario = { judge: { model: 'openai/any' }, successCriteria: 'A table is booked', timeoutSecs: 2 };
    const trial = await trialOf('Booked', scenario, { rules: [rule] });
    expect(trial).toMatchObject({ outcome: 'error', fault: { blame: 'judge' } });
  });
});
