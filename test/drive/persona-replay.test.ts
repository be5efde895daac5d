import { describe, expect, it } from 'vitest';
import { startScriptedModel } from '../../src/drive/models/scripted/index.ts';
import { assayInProcess as assay } from '../../src/testing/support/assay-in-process.ts';
import { bodyOf, serve } from '../../src/testing/support/http-server.ts';
import { temporaryFolder } from '../../src/testing/support/temporary-folder.ts';

const privateThought = 'Ann hides that she dislikes fish';

/** The persona speaks, the agent books at its second answer, and the judge quotes the agent. */
const rules = [
  {
    when: { system: '/expert evaluator/', last: '/BK-7731/' },
    reply: { json: judged('met', [{ event: 'e4', quote: 'BK-7731' }]) },
  },
  { when: { system: '/expert evaluator/' }, reply: { json: judged('not-met', []) } },
  { reply: { json: { reason: privateThought, message: 'A table for two, please.', isDone: false } } },
];

function judged(answer: string, evidence: { event: string; quote: string }[]) {
  return { criteria: [{ id: 'success-1', reasoning: 'seen', evidence, answer }], confidence: 1 };
}

async function project() {
  const baseUrl = await serve(async (request, response) => {
    const { messages } = JSON.parse(await bodyOf(request));
    const answered = messages.filter(({ role }: { role: string }) => role === 'assistant').length;
    response.end(JSON.stringify({ content: answered === 0 ? 'For when?' : 'Booked: BK-7731' }));
  });
  const scenario = {
    name: 'Booking',
    connector: { type: 'http', baseUrl },
    persona: { name: 'Ann', description: 'hungry', model: 'openai/gpt-4o-mini' },
    successCriteria: 'A table is booked',
    judge: { model: 'openai/gpt-4o-mini' },
    maxMessages: 10,
  };
  return temporaryFolder({ 's.json': JSON.stringify(scenario) });
}

async function run(folder: string, flags: readonly string[]) {
  await using model = await startScriptedModel({ rules });
  const env = { OPENAI_API_KEY: 'sk-test', ...model.environment };
  const result = await assay(['run', 's.json', '--json', ...flags], { cwd: folder, env });
  const requests = model.log();
  const prompts = JSON.stringify(requests);
  return { ...result, requests, prompts, trial: JSON.parse(result.stdout).trials[0] };
}

describe('a conversation with a played persona', () => {
  it('is replayed with the same verdict and without a call', async () => {
    const folder = await project();
    const recorded = await run(folder, ['--record', 'tapes']);
    expect(recorded.trial, recorded.stderr).toMatchObject({ outcome: 'pass', judge: { state: 'pass' } });
    const replayed = await run(folder, ['--replay', 'tapes']);
    expect(replayed.requests).toEqual([]);
    expect(replayed.trial).toMatchObject({ outcome: 'pass', reason: recorded.trial.reason });
    expect(replayed.trial.judge.criteria).toEqual(recorded.trial.judge.criteria);
  });

  it('asks the persona for no words after the answer that decided it', async () => {
    const { requests, trial } = await run(await project(), ['--no-cache']);
    const ofPersona = requests.filter(({ conversation }) => !JSON.stringify(conversation).includes('expert evaluator'));
    expect(trial.outcome).toBe('pass');
    expect(ofPersona).toHaveLength(2);
  });

  it('shows the judge no thoughts, figures and times of the persona', async () => {
    const { requests } = await run(await project(), ['--no-cache']);
    const prompts = requests.map(({ conversation }) => JSON.stringify(conversation));
    const toJudge = prompts.filter((prompt) => prompt.includes('expert evaluator')).join('\n');
    expect(toJudge).toContain('Booked: BK-7731');
    expect(toJudge).not.toContain(privateThought);
    expect(toJudge).not.toMatch(/latencyMs|costUsd|inputTokens/);
  });
});
