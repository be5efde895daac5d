import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { assayInProcess as assay } from '../../src/testing/support/assay-in-process.ts';
import { bodyOf, serve } from '../../src/testing/support/http-server.ts';
import { temporaryFolder } from '../../src/testing/support/temporary-folder.ts';

const cases = 12;
const usage = { input: 100, output: 50, total: 150 };
const call = { id: 'c1', type: 'function', function: { name: 'add', arguments: '{}' } };
const answer = 'The sum is 3.';
const honestBody = {
  messages: [
    { role: 'assistant', content: null, tool_calls: [call] },
    { role: 'tool', tool_call_id: 'c1', content: '3' },
    { role: 'assistant', content: answer },
  ],
  tokenUsage: usage,
};
const judged = (quote: string, event = 'e4') =>
  JSON.stringify({
    criteria: [{ id: 'success-1', reasoning: 'Looked at.', evidence: [{ event, quote }], answer: 'met' }],
    confidence: 0.9,
  });

type Reply = (response: ServerResponse) => void;

/** How the second of two runs is distorted; of the case with this number. */
interface Distorted {
  readonly agent?: (caseNumber: number) => Reply | object | undefined;
  readonly judge?: (caseNumber: number) => string | undefined;
}

const some = (caseNumber: number) => caseNumber % 3 === 0;
const withoutUsage = { messages: honestBody.messages };
const withoutCalls = { ...honestBody, messages: honestBody.messages.slice(-1) };

const lies: Readonly<Record<string, Distorted>> = {
  'token usage removed': { agent: () => withoutUsage },
  'token usage removed in some cases': { agent: (number) => (some(number) ? withoutUsage : undefined) },
  'token usage corrupted': { agent: () => ({ ...withoutUsage, tokenUsage: { input: -1, output: 0, total: -1 } }) },
  'tool calls removed': { agent: () => withoutCalls },
  'tool calls removed in some cases': { agent: (number) => (some(number) ? withoutCalls : undefined) },
  'answers removed': { agent: () => (response) => response.writeHead(503).end() },
  'answers removed in some cases': {
    agent: (number) => (some(number) ? (response: ServerResponse) => response.writeHead(503).end() : undefined),
  },
  'one answer delayed': {
    agent: (number) =>
      number === 1 ? (response: ServerResponse) => void setTimeout(() => send(response, honestBody), 1_500) : undefined,
  },
  'judge answers removed': { judge: () => '' },
  'judge answers removed in some cases': { judge: (number) => (some(number) ? '' : undefined) },
  'judge answers corrupted': { judge: () => 'Yes, all of it.' },
  'evidence corrupted': { judge: () => judged('Nobody said this in any event.') },
};

describe('a comparison with a world that lies', () => {
  it.each(Object.keys(lies))(
    'has no winner: %s',
    async (name) => {
      const { cwd, env, distort } = await comparedProject();
      const run = async () => assay(['run', '--json', '--no-cache'], { cwd, env });
      expect((await run()).exitCode).toBe(0);
      distort(lies[name] ?? {});
      await run();
      const compared = await assay(['compare', 'latest~1', 'latest', '--json'], { cwd });
      const document = JSON.parse(compared.stdout) as Compared;
      expect(winnersIn(document)).toEqual([]);
      const shown = await assay(['compare', 'latest~1', 'latest'], { cwd });
      expect(shown.stdout.replace(ofTheMachine, '')).not.toMatch(/^\W*(better|worse)\b/im);
    },
    60_000,
  );
});

interface Compared {
  readonly answer: string;
  readonly metrics: readonly { readonly name: string; readonly answer: string; readonly caution: string | null }[];
}

/** How busy the machine was at the time of each run is not a lie, and is named beside durations. */
const ofTheMachine = /\b(?:better|worse)(?:\s\([^();]*)?;\s+run\s+at\s+different\s+times/g;

/** Without durations. */
function winnersIn({ answer: whole, metrics }: Compared): string[] {
  const isWon = (given: string) => /better|worse/.test(given);
  return [
    ...(isWon(whole) ? [`answer: ${whole}`] : []),
    ...metrics
      .filter(({ answer, caution }) => isWon(answer) && caution === null)
      .map((metric) => `${metric.name}: ${metric.answer}`),
  ];
}

function send(response: ServerResponse, body: object): void {
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

/** Twelve judged conversations whose agent and judge are honest until they are told otherwise. */
async function comparedProject() {
  let distorted: Distorted = {};
  const agent = await serve((request, response) => {
    request.resume();
    const reply = distorted.agent?.(Number(request.url?.slice(2))) ?? honestBody;
    if (typeof reply === 'function') reply(response);
    else send(response, reply);
  });
  const judge = await serve(async (request, response) => {
    const body = await bodyOf(request);
    const number = Number(/case number (\d+)/.exec(body)?.[1]);
    const [, event] = /"event\\*":\\*"(e\d+)[^\n]*?role\\*":\\*"assistant/.exec(body.replace(/\\n/g, '\n')) ?? [];
    const content = distorted.judge?.(number) ?? judged(answer, event);
    const usageOfJudge = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 };
    const message = { role: 'assistant', content };
    const choices = [{ index: 0, message, finish_reason: 'stop' }];
    send(response, { id: 'r', object: 'chat.completion', created: 1, model: 'judge', usage: usageOfJudge, choices });
  });
  const files = Array.from({ length: cases }, (_, index) => [
    `s${index}.json`,
    JSON.stringify({
      name: `case ${index}`,
      connector: { type: 'http', baseUrl: agent, config: { path: `/c${index}` } },
      userMessages: [`What is 1 + 2? This is case number ${index}.`],
      evaluators: [
        { type: 'llm-judge', config: { successCriteria: 'The answer is 3.' } },
        { type: 'token-usage' },
        { type: 'tool-call-count' },
      ],
    }),
  ]);
  const providers = { liar: { baseUrl: `${judge}/v1`, apiKey: 'any' } };
  const cwd = await temporaryFolder({
    ...Object.fromEntries(files),
    'assay.config.json': JSON.stringify({ models: { providers }, judge: { model: 'liar/judge' } }),
  });
  const distort = (given: Distorted) => {
    distorted = given;
  };
  return { cwd, env: {}, distort };
}
